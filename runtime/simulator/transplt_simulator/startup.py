# SPDX-License-Identifier: Apache-2.0
"""What happens in each process: report, seeds, and hooks for the imports that matter."""

import importlib.abc
import importlib.util
import os
import platform
import sys

from . import (absent, children, log_lines, old_calls, old_names, processes, report, stand_ins,
               whole_ranges, windows)
from .settings import current as settings


class _AfterImport(importlib.abc.MetaPathFinder):
    """Runs actions as soon as a module has been imported."""

    def __init__(self, actions):
        self._actions = actions
        self._busy = set()

    def find_spec(self, name, path, target=None):
        if name not in self._actions or name in self._busy:
            return None
        self._busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy.discard(name)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._run_after(spec.loader, self._actions[name])
        return spec

    @staticmethod
    def _run_after(loader, actions):
        original = loader.exec_module

        def exec_module(module):
            original(module)
            _run_all(actions, module)

        loader.exec_module = exec_module


def _seed_numpy(numpy):
    numpy.random.seed(settings.seed % 2 ** 32)


def _prepare_torch(torch):
    from . import installation

    if settings.seed is not None:
        torch.manual_seed(settings.seed)
    installation.install(torch)
    if settings.fake_data:
        from . import fake_copies, fake_data, fake_weights

        fake_data.install_loaders(torch)
        fake_copies.install(torch)
        fake_weights.install(torch)
    if settings.device_type is not None:
        from . import newer_torch

        newer_torch.load_torch_npu()


def _fake_datasets(module):
    from . import fake_data

    fake_data.install(module)


def _fake_downloads(action):
    def after_import(module):
        from . import fake_downloads

        getattr(fake_downloads, action)(module)

    return after_import


def _note(action):
    def after_import(module):
        from . import unsimulated

        getattr(unsimulated, action)(module)

    return after_import


def _repair_launcher(module):
    """torch.distributed.run of torch 1.13 does not understand its own default on Python 3.11."""
    kind = module.Std
    if kind.from_str("0") is None:
        original = kind.from_str
        kind.from_str = classmethod(lambda cls, text: cls.NONE if text == "0" else original(text))


def write_start():
    arguments = getattr(sys, "orig_argv", None) or getattr(sys, "argv", [])
    report.write("start", argv=list(arguments), pid=os.getpid(), parent=os.getppid(),
                 python=platform.python_version(), simulate=settings.simulate)


def _whole_lines():
    """The lines of several processes stay whole in one file."""
    try:
        sys.stdout.reconfigure(line_buffering=True)
    except (AttributeError, ValueError, OSError):
        pass


def _run_all(actions, module):
    for action in actions:
        action(module)


def _name_toolkit():
    """On an NPU host the environment always names CANN's folder; nothing of it is needed here."""
    if settings.simulate == "npu":
        os.environ.setdefault("ASCEND_HOME_PATH", "/usr/local/Ascend/ascend-toolkit/latest")


def _offer_torch_npu():
    """Only where there are NPUs: elsewhere find_spec("torch_npu") is None."""
    if settings.simulate == "npu":
        simulator = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        at = sys.path.index(simulator) + 1 if simulator in sys.path else 0
        sys.path.insert(at, os.path.join(simulator, "npu"))


def begin():
    _whole_lines()
    _name_toolkit()
    _offer_torch_npu()
    write_start()
    processes.install(write_start)
    children.install()
    windows.install()
    actions = {"torch": [_prepare_torch], "logging": [log_lines.install], "cv2": [windows.after_cv2],
               "torch.distributed.elastic.multiprocessing.api": [_repair_launcher]}
    if settings.seed is not None:
        import random

        random.seed(settings.seed)
        actions["numpy"] = [_seed_numpy]
    if settings.device_type is not None:
        actions["torch.utils.cpp_extension"] = [_note("after_cpp_extension")]
        actions["torch.distributed.fsdp"] = [_note("after_fsdp")]
    if settings.fake_data:
        actions["torchvision.datasets"] = [_fake_datasets]
        actions["urllib.request"] = [_fake_downloads("install")]
        actions["requests"] = [_fake_downloads("install_requests")]
    for name in old_names.NAMES:
        actions.setdefault(name, []).append(old_names.install)
    for name in old_names.packages_of_modules():
        actions.setdefault(name, []).append(old_names.allow_modules_in)
    for name, allow in old_calls.MODULES.items():
        actions.setdefault(name, []).append(allow)
    stand_ins.install()
    old_names.install_finders()
    absent.install()
    for name in list(actions):
        if name in sys.modules:
            _run_all(actions.pop(name), sys.modules[name])
    whole_ranges.install()
    sys.meta_path.insert(0, _AfterImport(actions))
