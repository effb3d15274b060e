# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for packages that are not installed and that no result depends on.

A real package always wins, and so does the program's own way to do without it: an import inside of
`try ... except ImportError` fails as ever. Each stand-in that is used is reported.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

from . import report

_PACKAGE = __name__.rpartition(".")[0]
# name of a module -> (package without which it cannot be imported, our module in its place)
_MODULES = {
    "torch.utils.tensorboard": ("tensorboard", "tensorboard_stand_in"),
    "tensorboardX": ("tensorboardX", "tensorboard_stand_in"),
    "tensorboard_logger": ("tensorboard_logger", "tensorboard_stand_in"),
    "tensorflow": ("tensorflow", "tensorflow_stand_in"),
    "apex": ("apex", "apex_stand_in"),
    "apex.amp": ("apex", "apex_stand_in.amp"),
    "apex.optimizers": ("apex", "apex_stand_in.optimizers"),
    "apex.parallel": ("apex", "apex_stand_in.parallel"),
    "tqdm": ("tqdm", "tqdm_stand_in"),
    "tqdm.auto": ("tqdm", "tqdm_stand_in"),
    "tqdm.autonotebook": ("tqdm", "tqdm_stand_in"),
    "tqdm.notebook": ("tqdm", "tqdm_stand_in"),
    "progress": ("progress", "progress_stand_in"),
    "progress.bar": ("progress", "progress_stand_in"),
    "progress.counter": ("progress", "progress_stand_in"),
    "progress.spinner": ("progress", "progress_stand_in"),
    "imageio": ("imageio", "imageio_stand_in"),
    "imageio.v2": ("imageio", "imageio_stand_in"),
    "visdom": ("visdom", "visdom_stand_in"),
    "wandb": ("wandb", "wandb_stand_in"),
    "setproctitle": ("setproctitle", "setproctitle_stand_in"),
    "seaborn": ("seaborn", "seaborn_stand_in"),
    "matplotlib": ("matplotlib", "matplotlib_stand_in"),
    "matplotlib.pyplot": ("matplotlib", "matplotlib_stand_in.pyplot"),
    "mpl_toolkits": ("matplotlib", "matplotlib_stand_in.drawing"),
}
# The same for all modules of a package that are not named above.
_MODULES_OF = {
    "matplotlib": ("matplotlib", "matplotlib_stand_in.drawing"),
    "mpl_toolkits": ("matplotlib", "matplotlib_stand_in.drawing"),
}
_CATCH_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
CATCH_MISSING_NAMES = _CATCH_IMPORT_ERRORS | {"AttributeError"}


def importing_frame():
    """The frame whose import statement is being executed."""
    frame = report.calling_frame()
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame


def is_import():
    """Not somebody who only asks whether there is such a module."""
    frame = report.calling_frame()
    while frame is not None and "importlib" in frame.f_code.co_filename:
        if frame.f_code.co_name == "_find_and_load":
            return True
        frame = frame.f_back
    return False


def _catches(handler, errors):
    """A handler that raises has nothing to offer instead."""
    if any(isinstance(node, ast.Raise) for node in ast.walk(handler)):
        return False
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in errors for kind in kinds)


def has_fallback(filename, line, errors=frozenset(_CATCH_IMPORT_ERRORS)):
    """Whether the program goes on where the import at this line fails."""
    try:
        with open(filename, "rb") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return False
    for node in ast.walk(tree):
        if (isinstance(node, ast.Try) and node.body[0].lineno <= line <= node.body[-1].end_lineno
                and any(_catches(handler, errors) for handler in node.handlers)):
            return True
    return False


def _is_there(package):
    """A folder of that name with what the package has left, as wandb does, is not the package."""
    spec = importlib.machinery.PathFinder.find_spec(package)
    if spec is None or spec.has_location:
        return spec is not None
    return any(name.endswith(".py") for folder in spec.submodule_search_locations or ()
               for name in os.listdir(folder))


class _Loader(importlib.abc.Loader):
    def __init__(self, name, stand_in):
        self._name, self._stand_in = name, stand_in

    def create_module(self, spec):
        module = importlib.import_module("%s.%s" % (_PACKAGE, self._stand_in))
        module.__dict__.setdefault("__path__", [])
        return module

    def exec_module(self, module):
        pass


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        package, stand_in = _MODULES.get(name) or _MODULES_OF.get(name.partition(".")[0], (None, None))
        if package is None or _is_there(package) or not is_import():
            return None
        frame = importing_frame()
        if package not in sys.modules:
            if frame is None or report.project_name(frame.f_code.co_filename) is None:
                return None  # a library that asks has its own way to do without it
            if has_fallback(frame.f_code.co_filename, frame.f_lineno):
                return None
        report.once("stand_in", package)
        return importlib.machinery.ModuleSpec(name, _Loader(name, stand_in), is_package=True)


def install():
    sys.meta_path.insert(0, _Finder())
