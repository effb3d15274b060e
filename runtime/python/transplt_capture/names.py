# SPDX-License-Identifier: Apache-2.0
"""Stands in for ptdbg_ascend, msprobe, torch.utils.dumper and what torch.npu has of dumps and
profiles, where the original is not installed: so that a script runs unchanged.

    python -m transplt_capture train.py --epochs 1
"""

import importlib
import importlib.util
import os
import random
import sys
import types

import numpy
import torch

from . import npu_dump, profiling
from .debugger import PrecisionDebugger
from .dumping import dumper

_OF_NPU = {"init_dump": npu_dump.init_dump, "set_dump": npu_dump.set_dump,
           "finalize_dump": npu_dump.finalize_dump, "prof_init": profiling.prof_init,
           "prof_start": profiling.prof_start, "iteration_start": profiling.iteration_start,
           "iteration_end": profiling.iteration_end, "prof_stop": profiling.prof_stop,
           "prof_finalize": profiling.prof_finalize}


class PtdbgDebugger(PrecisionDebugger):
    """With the order of arguments of ptdbg_ascend."""

    def __init__(self, dump_path=None, hook_name=None, rank=None, step=None,
                 enable_dataloader=False, model=None):
        super().__init__(dump_path=dump_path, hook_name=hook_name, rank=rank, step=step,
                         enable_dataloader=enable_dataloader, model=model)


class MsprobeDebugger(PrecisionDebugger):
    """With the order of arguments of msprobe."""

    def __init__(self, config_path=None, task=None, dump_path=None, level=None, model=None,
                 step=None):
        if config_path is None and task is None and level is None:
            task = "statistics"
        super().__init__(config_path, task=task, dump_path=dump_path, level=level, model=model,
                         step=step)


def seed_all(seed=1234, mode=False):
    """The seeds of random, numpy and torch; with `mode`, deterministic algorithms."""
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(mode)


def _is_installed(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _module(name, package, **content):
    module = types.ModuleType(name)
    module.__dict__.update(content)

    def refuse(wanted):
        raise AttributeError(f"{name}.{wanted}: {package} is not installed, and transplt_capture "
                             f"stands in for {', '.join(sorted(content))} only")

    module.__getattr__ = refuse
    sys.modules[name] = module
    return module


def install():
    """Only what is missing is added."""
    if not _is_installed("ptdbg_ascend"):
        _module("ptdbg_ascend", "ptdbg_ascend", PrecisionDebugger=PtdbgDebugger,
                seed_all=seed_all)
    if not _is_installed("msprobe"):
        pytorch = _module("msprobe.pytorch", "msprobe", PrecisionDebugger=MsprobeDebugger,
                          seed_all=seed_all)
        _module("msprobe", "msprobe", pytorch=pytorch, __path__=[])
    if not hasattr(torch.utils, "dumper"):
        torch.utils.dumper = dumper
    # The real torch_npu, or a simulated one.
    if _is_installed("torch_npu"):
        importlib.import_module("torch_npu")
    if not hasattr(torch, "npu"):
        torch.npu = _module("torch.npu", "torch_npu", is_available=lambda: False, **_OF_NPU)
    simulated = bool(os.environ.get("TRANSPLT_SIMULATE"))
    for name, function in _OF_NPU.items():
        if simulated or not hasattr(torch.npu, name):
            setattr(torch.npu, name, function)
