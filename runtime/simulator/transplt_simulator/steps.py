# SPDX-License-Identifier: Apache-2.0
"""Ends a process in front of the step that comes after the last one wanted, with what it trained.

Ending in front of the next step, and not right after the last one, lets the script print the loss of
the last one. The parameters are kept in a file, since the script's own checkpoints may come later.
"""

import os
import sys
import threading

import torch

from . import processes, report
from .settings import current as settings

_done = 0
_optimizers = []  # in the order in which they have stepped first
_depth = threading.local()


class _Enough(SystemExit):
    """Ends the script as sys.exit(0) does: its `finally` and `with` run."""


def _file_name():
    rank = os.environ.get("RANK", os.environ.get("LOCAL_RANK", ""))
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        rank = str(torch.distributed.get_rank())
    return "parameters_after_steps%s.pt" % ("_of_rank_" + rank if rank else "")


def _keep_parameters():
    values = {}
    for number, optimizer in enumerate(_optimizers):
        for place, group in enumerate(optimizer.param_groups):
            values["optimizer %d, group %d" % (number, place)] = [
                parameter.detach().cpu() for parameter in group["params"]]
    torch.save(values, os.path.join(settings.project, _file_name()))


def _end():
    """A second call means that the script has caught the first: then without asking it."""
    global _done
    first, _done = _done == settings.steps, _done + 1
    if first:
        _keep_parameters()
        report.write("steps", count=settings.steps)
        if threading.current_thread() is threading.main_thread():
            raise _Enough(0)
    sys.stdout.flush()
    sys.stderr.flush()
    processes.end_children()
    os._exit(0)


def _counted(step):
    def counting(self, *args, **kwargs):
        global _done
        if getattr(_depth, "inside", False):  # a step that calls that of its base
            return step(self, *args, **kwargs)
        if _done >= settings.steps:
            _end()
        if not any(known is self for known in _optimizers):
            _optimizers.append(self)
        _depth.inside = True
        try:
            return step(self, *args, **kwargs)
        finally:
            _depth.inside = False
            _done += 1

    counting.__name__ = step.__name__
    counting.__doc__ = step.__doc__
    counting.__wrapped__ = step
    counting.hooked = getattr(step, "hooked", None)
    counting.counts_steps = True
    return counting


def install():
    """Every class of optimizers counts its steps from its first object on."""
    if settings.steps is None:
        return
    base = torch.optim.Optimizer
    make = base.__init__

    def __init__(self, *args, **kwargs):
        make(self, *args, **kwargs)
        kind = next(kind for kind in type(self).__mro__ if "step" in vars(kind))
        if not getattr(kind.step, "counts_steps", False):
            kind.step = _counted(kind.step)

    base.__init__ = __init__
