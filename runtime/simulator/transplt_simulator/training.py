# SPDX-License-Identifier: Apache-2.0
"""Backward and the steps of optimizers."""

import functools
import inspect

import torch

from . import work
from .device import state
from .function_mode import disabled, enabled


class _Engine:
    """The autograd engine; hooks and custom functions that it calls see the devices."""

    def __init__(self, engine):
        self._engine = engine

    def run_backward(self, tensors, *args, **kwargs):
        index = next((t._simulated_index for t in tensors if t._simulated_index is not None), None)
        work.count_backward(index)
        before, state.backward = state.backward, index
        try:
            with enabled():
                return self._engine.run_backward(tensors, *args, **kwargs)
        finally:
            state.backward = before

    def __getattr__(self, name):
        return getattr(self._engine, name)


engine = _Engine(torch.autograd.Variable._execution_engine)


def _plain(method):
    """torch's own optimizers are plain CPU work: nothing in them concerns devices."""

    @functools.wraps(method)
    def plain(self, *args, **kwargs):
        with disabled():
            return method(self, *args, **kwargs)

    return plain


def _plain_step(step):
    plain = _plain(step)

    @functools.wraps(step)
    def step_and_place(self, closure=None):
        if closure is not None:
            return step(self, closure)
        result = plain(self)
        with disabled():
            _place_state(self.state)
        return result

    return step_and_place


def _place_state(optimizer_state):
    """What an optimizer keeps for a parameter is where the parameter is."""
    for parameter, values in optimizer_state.items():
        index = getattr(parameter, "_simulated_index", None)
        if index is not None and isinstance(values, dict):
            for value in values.values():
                if isinstance(value, torch.Tensor) and value.dim() > 0:
                    value._simulated_index = index


def install():
    torch.autograd.Variable._execution_engine = engine
    base = torch.optim.Optimizer
    base.zero_grad = _plain(base.zero_grad)
    for kind in vars(torch.optim).values():
        if inspect.isclass(kind) and issubclass(kind, base) and "step" in vars(kind):
            kind.step = _plain_step(kind.step)
