# SPDX-License-Identifier: Apache-2.0
"""Puts the simulation into torch, right after torch has been imported."""

import sys

from . import processes, report
from .settings import current as settings

TESTED = ("1.13",)


def _note_version(torch):
    supported = torch.__version__.startswith(TESTED)
    report.write("torch", version=torch.__version__, supported=supported)


def install(torch):
    _note_version(torch)
    import torch.multiprocessing

    spawning = sys.modules["torch.multiprocessing.spawn"]
    wrap = spawning._wrap
    spawning._wrap = _recording_wrap(wrap)
    from . import old_torch, steps

    steps.install()
    if settings.device_type is None:
        from . import modules

        modules.install()
        old_torch.install()
        return
    from . import amp, cuda, device, distributed, function_mode, gradients, modules, newer_torch
    from . import op_support, serialization, tensor_methods, training, unsimulated, work

    device.install()
    function_mode.install()
    tensor_methods.install()
    training.install()
    gradients.install()
    amp.install()
    modules.install()
    serialization.install()
    distributed.install()
    cuda.install()
    op_support.install(function_mode.plans)
    unsimulated.install()
    old_torch.install()
    processes.before_exit(_note_cpu_only)
    work.install()
    newer_torch.install_default_device()
    if newer_torch.is_newer():
        newer_torch.install()


def _recording_wrap(original):
    """torch.multiprocessing.spawn hides what a child raises from its own process."""

    def _wrap(fn, i, args, error_queue):
        original(processes.record_in_child(fn), i, args, error_queue)

    _wrap.__module__ = original.__module__
    _wrap.__qualname__ = original.__qualname__
    return _wrap


def _note_cpu_only():
    from . import device, work

    backwards = work.backwards()
    if list(backwards) != [None]:
        return
    _, file, line = backwards[None]
    if settings.simulate == "cuda":
        report.write("note", kind="cpu_only", what="trained on the CPU only", file=file, line=line)
        return
    reason = "no tensor was ever placed on the npu device"
    if not device.torch_npu_imported:
        reason = "torch_npu was never imported"
    report.write("violation", kind="cpu_only", what="trained on the CPU only: " + reason, file=file,
                 line=line)


def add_npu_methods(torch):
    from . import modules, tensor_methods

    torch.Tensor.npu = tensor_methods.npu
    torch.Tensor.is_npu = property(lambda self: tensor_methods.index_of(self) is not None)
    torch.nn.Module.npu = modules.module_npu
    from . import distributed

    distributed.register_hccl()
