# SPDX-License-Identifier: Apache-2.0
"""What the simulator cannot imitate: it says so where a script uses it, and goes on."""

import functools

import torch

from . import report


def _identity(name, position=0):
    """torch.jit.script and the like: compiled code hides its calls, so Python runs instead."""

    def unchanged(*args, **kwargs):
        if report.is_called_by_user():
            report.unsimulated("%s (the Python code runs instead)" % name)
        if len(args) > position:
            return args[position]
        return lambda function: function

    return unchanged


def _noted(name, original):
    @functools.wraps(original)
    def noted(*args, **kwargs):
        report.unsimulated(name)
        return original(*args, **kwargs)

    return noted


def _note_constructor(kind, name):
    kind.__init__ = _noted(name, kind.__init__)


def after_cpp_extension(module):
    """Runs after the import of torch.utils.cpp_extension."""
    for name in ("load", "load_inline"):
        setattr(module, name, _noted("torch.utils.cpp_extension." + name, getattr(module, name)))


def after_fsdp(module):
    """Runs after the import of torch.distributed.fsdp."""
    _note_constructor(module.FullyShardedDataParallel, "FullyShardedDataParallel")


def install():
    for name in ("script", "trace", "script_method"):
        setattr(torch.jit, name, _identity("torch.jit." + name))
    if hasattr(torch, "compile"):
        torch.compile = _identity("torch.compile")
