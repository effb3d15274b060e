# SPDX-License-Identifier: Apache-2.0
"""Ends a process in front of the step that comes after the last one wanted, with what it trained.

The last one is that of a number which was asked for, or the one at which time was over. The first
process that sees the time over decides for all of a run, because they may wait for each other.

Ending in front of the next step, and not right after the last one, lets the script print the loss of
the last one. The parameters are kept in a file, since the script's own checkpoints may come later.
"""

import os
import sys
import threading
import time
import traceback

import torch

from . import processes, report
from .settings import current as settings

_done = 0
_last = settings.steps  # the number of the last step wanted; None: not known yet
_has_ended = False
_is_expected = False
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


def _are_in_step():
    """Whether processes wait for each other in each step; then they are at most one step apart."""
    distributed = torch.distributed
    return (distributed.is_available() and distributed.is_initialized()
            and distributed.get_world_size() > 1)


def _decided():
    """The last step of all processes: that of the first that asks."""
    path = os.path.join(settings.report_folder, "last_step")
    mine = "%s.%d" % (path, os.getpid())
    with open(mine, "w", encoding="ascii") as file:
        file.write(str(max(_done, 1) + (2 if _are_in_step() else 0)))
    try:
        os.link(mine, path)
    except FileExistsError:
        pass
    os.unlink(mine)
    with open(path, encoding="ascii") as file:
        return int(file.read())


def _is_enough():
    global _last
    if _last is None and settings.end_at is not None and time.time() >= settings.end_at:
        _last = _decided()
    return _last is not None and _done >= _last


def _end():
    """A second call means that the script has caught the first: then without asking it."""
    global _has_ended
    first, _has_ended = not _has_ended, True
    if first:
        _keep_parameters()
        report.write("steps", count=_done, late=settings.steps is None)
        if threading.current_thread() is threading.main_thread():
            raise _Enough(0)
    sys.stdout.flush()
    sys.stderr.flush()
    processes.end_children()
    os._exit(0)


def _give_up_waiting():
    if _done == 0:
        report.write("slow_step", short_of_data=report.is_short_of_data)
        sys.stdout.flush()
        sys.stderr.flush()
        processes.end_children()
        os._exit(0)


def expect_the_first(batch_size):
    """A loader begins. Who made this run wants to know early that its first step takes too long."""
    global _is_expected
    if settings.first_step is None or batch_size <= settings.small_batch or _is_expected:
        return
    _is_expected = True
    timer = threading.Timer(settings.first_step, _give_up_waiting)
    timer.daemon = True
    timer.start()


def _counted(step):
    def counting(self, *args, **kwargs):
        global _done
        if getattr(_depth, "inside", False):  # a step that calls that of its base
            return step(self, *args, **kwargs)
        if _done == 0:
            report.write("trains")
        if _is_enough():
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


def _print_no_traceback_of_the_end():
    """A script that catches it and prints it has not failed, and its lines are those of its own run."""
    kind = traceback.TracebackException
    original = kind.format

    def format(self, **options):
        if isinstance(self.exc_type, type) and issubclass(self.exc_type, _Enough):
            return iter(["ended after the last step that was wanted\n"])
        return original(self, **options)

    kind.format = format


def install():
    """Every class of optimizers counts its steps from its first object on."""
    if settings.steps is None and settings.end_at is None:
        return
    _print_no_traceback_of_the_end()
    base = torch.optim.Optimizer
    make = base.__init__

    def __init__(self, *args, **kwargs):
        make(self, *args, **kwargs)
        kind = next(kind for kind in type(self).__mro__ if "step" in vars(kind))
        if not getattr(kind.step, "counts_steps", False):
            kind.step = _counted(kind.step)

    base.__init__ = __init__
