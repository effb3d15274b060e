# SPDX-License-Identifier: Apache-2.0
"""What a script does itself during backward: its hooks and functions see where gradients are.

Tensors that the engine makes have no mark, so during backward a tensor without one counts as one of
the graph's device. What hooks and functions of a script are given is marked here instead, and within
them each tensor is where its mark says, as everywhere else.
"""

import functools
import weakref

import torch

from .device import state
from .function_mode import disabled, handles, mark

Tensor = torch.Tensor


def _with_marks(function, *args):
    before, state.backward = state.backward, None
    try:
        return function(*args)
    finally:
        state.backward = before


@handles(Tensor.register_hook)
def _register_hook(func, args, kwargs):
    tensor, hook = args[0], args[1] if len(args) > 1 else kwargs["hook"]
    known, index = weakref.ref(tensor), tensor._simulated_index

    def on_device(gradient):
        alive = known()  # a module may have moved it since
        return _with_marks(hook, mark(gradient, index if alive is None else alive._simulated_index))

    return func(tensor, on_device)


def _wrap_module_hooks():
    kind = torch.utils.hooks.BackwardHook
    original = kind.__init__

    def __init__(self, module, user_hooks, *args):
        original(self, module, [_on_graph(hook) for hook in user_hooks], *args)

    kind.__init__ = __init__
    _wrap_node_hooks(torch.nn.Module, "register_backward_hook")
    _wrap_node_hooks(torch.nn.modules.module, "register_module_backward_hook")


def _wrap_node_hooks(owner, name):
    """The older hooks of modules, which get what the last node of the graph gets."""
    register = getattr(owner, name)

    @functools.wraps(register)
    def register_on_graph(*args, hook=None):
        if hook is None:
            *args, hook = args
        return register(*args, _on_graph(hook))

    setattr(owner, name, register_on_graph)


def _on_graph(hook):
    def on_graph(module, *gradients):
        for gradient in gradients:
            mark(gradient, state.backward)
        return _with_marks(hook, module, *gradients)

    return on_graph


def _note_results(results, args):
    """Remembers at the node of the graph where its results are, for their gradients."""
    with disabled():
        results = results if isinstance(results, tuple) else (results,)
        places = []
        for result in results:
            if isinstance(result, Tensor) and result._simulated_index is None:
                _mark_as_argument(result, args)
            places.append(getattr(result, "_simulated_index", None))
        for result in results:
            node = getattr(result, "grad_fn", None)
            if isinstance(node, torch.autograd.function.BackwardCFunction):
                node._simulated_places = places


def _mark_as_argument(result, args):
    """forward that returns an argument gives back another tensor object for it."""
    for value in args:
        if (isinstance(value, Tensor) and value._simulated_index is not None
                and value.data_ptr() == result.data_ptr()):
            result._simulated_index = value._simulated_index


def _wrap_functions():
    function = torch.autograd.Function
    node = torch.autograd.function.BackwardCFunction
    context = torch.autograd.function.FunctionCtx
    backward, save, saved = node.apply, context.save_for_backward, node.saved_tensors

    def apply(cls, *args, **kwargs):
        results = super(function, cls).apply(*args, **kwargs)
        _note_results(results, args)
        return results

    def apply_backward(self, *gradients):
        places = getattr(self, "_simulated_places", None)
        if places is None:
            return backward(self, *gradients)
        for gradient, place in zip(gradients, places):
            mark(gradient, place)
        return _with_marks(backward, self, *gradients)

    def save_for_backward(self, *tensors):
        self._simulated_saved = [getattr(one, "_simulated_index", None) for one in tensors]
        save(self, *tensors)

    def saved_tensors(self):
        tensors = saved.__get__(self)
        for tensor, place in zip(tensors, getattr(self, "_simulated_saved", ())):
            if place is not None:
                mark(tensor, place)
        return tensors

    function.apply = classmethod(apply)
    node.apply = apply_backward
    context.save_for_backward = save_for_backward
    node.saved_tensors = property(saved_tensors)


def install():
    _wrap_module_hooks()
    if "apply" not in vars(torch.autograd.Function):  # torch 2 has one of Python there
        _wrap_functions()
