# SPDX-License-Identifier: Apache-2.0
"""Gives torch_npu and torch.npu the names that the chosen version of torch_npu has."""

import json
import os
import sys
import types

from .settings import current as settings


def table_path():
    """rules/torch_npu_names.json, beside this package or in the source tree."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (here, os.path.join(here, "..", "..", "rules")):
        path = os.path.join(folder, "torch_npu_names.json")
        if os.path.isfile(path):
            return path
    raise ImportError("torch_npu_names.json is missing beside %s" % here)


def _version(text):
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def names_of_version(wanted):
    """The names of the newest version in the table that is not newer than the wanted one."""
    with open(table_path(), encoding="utf-8") as text:
        table = json.load(text)
    older = [key for key in table if _version(key) <= _version(wanted)]
    key = max(older or table, key=_version) if older else min(table, key=_version)
    return table[key]


class _Module(types.ModuleType):
    """A module that refuses names that torch_npu does not have."""

    def __init__(self, name, shown):
        super().__init__(name)
        self.__dict__["__file__"] = __file__
        self.__dict__["__path__"] = []
        self.__dict__["_shown"] = shown

    def __getattr__(self, name):
        error = AttributeError("module '%s' has no attribute '%s'" % (self._shown, name))
        if not name.startswith("__"):
            error._transplt_violation = True
        raise error


class _Unsimulated:
    """A name that torch_npu has and the simulator only accepts."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        from . import report

        report.unsimulated(self.__name__)
        return None

    def __repr__(self):
        return "<%s, not simulated>" % self.__name__


class _Flags(types.SimpleNamespace):
    """torch.npu.matmul and torch.npu.conv."""


def _special(name):
    if name in ("matmul", "conv"):
        return _Flags(allow_hf32=name == "conv")
    return None


def _fill_module(module, shown, names, known):
    for name in names:
        value = known.get(name, _special(name))
        module.__dict__[name] = _Unsimulated("%s.%s" % (shown, name)) if value is None else value
    module.__dict__["__all__"] = [name for name in names if not name.startswith("_")]


def _register(module, *names):
    for name in names:
        sys.modules[name] = module


def _npu_modules(names):
    """torch.npu and what lies below it, under both of its names."""
    from . import device_module

    known = device_module.names()
    known.update(_graph_names(device_module))
    npu = _Module("torch_npu.npu", "torch.npu")
    _fill_module(npu, "torch.npu", names["torch.npu"], known)
    _register(npu, "torch_npu.npu", "torch.npu")
    prefix = "torch.npu."
    for key in sorted(key for key in names if key.startswith(prefix)):
        short = key[len(prefix):]
        parent = npu if "." not in short else sys.modules[prefix + short.rpartition(".")[0]]
        last = short.rpartition(".")[2]
        if last not in parent.__dict__:
            continue
        module = _Module("torch_npu.npu." + short, key)
        _fill_module(module, key, names[key],
                     device_module.amp_names() if short.startswith("amp") else known)
        parent.__dict__[last] = module
        _register(module, "torch_npu.npu." + short, key)
    return npu


def _graph_names(device_module):
    return {"NPUGraph": device_module.Graph, "get_soc_version": lambda: 220,
            "set_compile_mode": lambda **kwargs: None, "set_option": lambda options: None}


def _other_modules(package, names):
    from . import distributed, profiler

    stand_ins = {
        "torch_npu.profiler": profiler.names(),
        "torch_npu.distributed": {"is_hccl_available": lambda: True},
    }
    for full, known in stand_ins.items():
        module = _Module(full, full)
        _fill_module(module, full, names.get(full, list(known)), known)
        package.__dict__[full.rpartition(".")[2]] = module
        _register(module, full)
    activities = names.get("torch_npu.profiler.ProfilerActivity", [])
    package.profiler.__dict__["ProfilerActivity"] = profiler.activity_class(activities)
    c_part = _Module("torch_npu._C", "torch_npu._C")
    c10d = _Module("torch_npu._C._distributed_c10d", "torch_npu._C._distributed_c10d")
    c10d.__dict__["ProcessGroupHCCL"] = distributed.ProcessGroupHCCL
    c_part.__dict__["_distributed_c10d"] = c10d
    package.__dict__["_C"] = c_part
    _register(c_part, "torch_npu._C")
    _register(c10d, "torch_npu._C._distributed_c10d")


def _package_getattr(name):
    """torch_npu.npu_fused_attention and the like exist, but nobody can run them here."""
    if name.startswith("npu_"):
        def kernel(*args, **kwargs):
            from . import report

            report.unsimulated("torch_npu." + name)
            raise NotImplementedError("torch_npu.%s is not simulated" % name)

        return kernel
    error = AttributeError("module 'torch_npu' has no attribute '%s'" % name)
    if not name.startswith("__"):
        error._transplt_violation = True
    raise error


def fill(package_name):
    """Called by `import torch_npu`."""
    import torch

    from . import device, fused_optimizers, installation

    package = sys.modules[package_name]
    names = names_of_version(settings.torch_npu)
    package.__version__ = settings.torch_npu
    package.__getattr__ = _package_getattr
    npu = _npu_modules(names)
    package.npu = npu
    _other_modules(package, names)
    fused_optimizers.fill(package, _Module, _register)
    torch.npu = npu
    torch.version.cann = "not known"  # as where the folder of CANN does not say it
    device.torch_npu_imported = True
    installation.add_npu_methods(torch)
