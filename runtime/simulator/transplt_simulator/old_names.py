# SPDX-License-Identifier: Apache-2.0
"""Names that Python, numpy, scipy and torchvision had once: a project that still uses them gets their present ones.

Code of libraries does not: it asks for such names to find out which version it has. A name that the
module has is never touched.
"""

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types

from . import report, stand_ins

_SCALE = {"Scale": "torchvision.transforms.Resize",
          "RandomSizedCrop": "torchvision.transforms.RandomResizedCrop"}
# transforms were one module, and what it imported could be had from it
_PILLOW = {name: "PIL." + name for name in ("Image", "ImageEnhance", "ImageOps")}
# module -> old name -> present name
NAMES = {
    "collections": dict({name: "collections.abc." + name for name in (
        "Awaitable", "ByteString", "Callable", "Collection", "Container", "Generator", "Hashable",
        "ItemsView", "Iterable", "Iterator", "KeysView", "Mapping", "MappingView",
        "MutableMapping", "MutableSequence", "MutableSet", "Reversible", "Sequence", "Set",
        "Sized", "ValuesView")}),
    "fractions": {"gcd": "math.gcd"},
    "inspect": {"getargspec": "inspect.getfullargspec"},
    "time": {"clock": "time.process_time"},
    "numpy": {"float": "builtins.float", "int": "builtins.int", "bool": "builtins.bool",
              "object": "builtins.object", "str": "builtins.str", "complex": "builtins.complex",
              "long": "builtins.int", "unicode": "builtins.str", "rank": "numpy.ndim",
              "float_": "numpy.float64", "complex_": "numpy.complex128", "Inf": "numpy.inf",
              "Infinity": "numpy.inf", "NaN": "numpy.nan", "product": "numpy.prod",
              "cumproduct": "numpy.cumprod", "sometrue": "numpy.any", "alltrue": "numpy.all",
              "in1d": "numpy.isin", "row_stack": "numpy.vstack", "trapz": "numpy.trapezoid"},
    "PIL.Image": {"ANTIALIAS": "PIL.Image.LANCZOS", "LINEAR": "PIL.Image.BILINEAR",
                  "CUBIC": "PIL.Image.BICUBIC"},
    "torchvision.transforms": dict(_SCALE, **_PILLOW),
    "torchvision.transforms.transforms": _SCALE,
}
# module that is gone -> name in it -> present name
MODULES = {
    "torchvision.models.utils": {"load_state_dict_from_url": "torch.hub.load_state_dict_from_url"},
    "torch._six": {"inf": "math.inf", "nan": "math.nan", "string_classes": "builtins.str",
                   "int_classes": "builtins.int", "container_abcs": "collections.abc"},
    "sklearn.externals.joblib": {"dump": "joblib.dump", "load": "joblib.load"},
    "sklearn.cross_validation": {name: "sklearn.model_selection." + name for name in (
        "train_test_split", "cross_val_score", "cross_val_predict", "LeaveOneOut")},
    "scipy.sparse.linalg.eigen.arpack": {name: "scipy.sparse.linalg." + name for name in (
        "eigs", "eigsh", "svds", "ArpackError", "ArpackNoConvergence")},
}


def _find(name):
    """The object with this dotted name."""
    module, _, last = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), last)
    except AttributeError:
        return importlib.import_module(name)


def _is_wanted(frame):
    """Whether the project asks, and has nothing else that it would take."""
    if frame is None or report.project_name(frame.f_code.co_filename) is None:
        return False
    return not stand_ins.has_fallback(frame.f_code.co_filename, frame.f_lineno,
                                      stand_ins.CATCH_MISSING_NAMES)


def accept(old, now):
    """Says that the project has written something as it was written once."""
    report.once("old_spelling", old, now=now)


def _offer(module, names):
    """Lets the project find these names in the module."""
    ask = vars(module).get("__getattr__")

    def __getattr__(name):
        if name in names and _is_wanted(report.calling_frame()):
            accept("%s.%s" % (module.__name__, name), names[name])
            return _find(names[name])
        if ask is not None:
            return ask(name)
        raise AttributeError("module %r has no attribute %r" % (module.__name__, name))

    module.__getattr__ = __getattr__


def install(module):
    """Lets the project find what this module had under older names."""
    _offer(module, NAMES[module.__name__])


def allow_modules_in(module):
    """A package that has become one file is asked for its modules still."""
    module.__dict__.setdefault("__path__", [])


def packages_of_modules():
    """Where modules lay that are gone."""
    return {name.rpartition(".")[0] for name in MODULES}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: only for modules that nothing else has."""

    def find_spec(self, name, path, target=None):
        is_one = name in MODULES and stand_ins.is_import()
        if not is_one or not _is_wanted(stand_ins.importing_frame()):
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        _offer(module, MODULES[module.__name__])
        module.__all__ = list(MODULES[module.__name__])


class _FinderBeside(importlib.abc.MetaPathFinder):
    """Python 2 looked for `import layers` beside the file that imports, in a package, too."""

    def find_spec(self, name, path, target=None):
        frame = stand_ins.importing_frame()
        if "." in name or not stand_ins.is_import() or not _is_wanted(frame):
            return None
        if not frame.f_globals.get("__package__"):
            return None
        folder = os.path.dirname(frame.f_code.co_filename)
        spec = importlib.machinery.PathFinder.find_spec(name, [folder])
        if spec is None or not spec.has_location:
            return None
        accept("import " + name, "from . import " + name)
        return spec


def install_finders():
    sys.meta_path.extend([_Finder(), _FinderBeside()])
