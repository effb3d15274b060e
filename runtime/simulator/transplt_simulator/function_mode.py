# SPDX-License-Identifier: Apache-2.0
"""Sees each call of a torch function and keeps track of the device of each tensor.

While a call runs, the mode is off: what torch does inside is plain CPU work. Results of a call whose
arguments are on a simulated device are on that device; arguments on different devices are refused as
torch refuses them.
"""

import sys
import threading

import torch
from torch import overrides
from torch.nn import Parameter

from . import device, numbers_of_host, report, subscript, work
from .op_support import Grade

Tensor = torch.Tensor
plans = {}  # function -> its handler(func, args, kwargs), or its Grade if it only computes
any_device = set()  # functions whose tensor arguments may be on different devices
host_arguments = {}  # function -> positions and names of arguments that are on the CPU
_no_kwargs = {}
_operators = work.operators


def handles(*functions):
    """Decorator: the handler of these functions."""

    def register(handler):
        for function in functions:
            plans[function] = handler
        return handler

    return register


def mark(result, index):
    """Says that the tensors in a result are on a device (None: on the CPU)."""
    kind = type(result)
    if kind is Tensor or kind is Parameter:
        result._simulated_index = index
    elif isinstance(result, (tuple, list)):
        for part in result:
            mark(part, index)
    elif isinstance(result, Tensor):
        result._simulated_index = index
    return result


def tensors_in(values):
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from tensors_in(value)


def _writes_to_first(func):
    """x.add_(y), x += y"""
    name = getattr(func, "__name__", "")
    return name in _IN_PLACE or (name.endswith("_") and not name.endswith("__"))


_IN_PLACE = {"__i%s__" % name for name in (
    "add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
    "rshift")}


def device_name(index):
    return "cpu" if index is None else "%s:%d" % (device.TYPE, index)


def _check_same_device(func, args, kwargs, index):
    """The device of the result. Raises if tensors are on several; numbers of the CPU may join."""
    if func in any_device or func in subscript.getters or device.state.backward is not None:
        return device.state.backward if index == _MIXED else index
    found = None
    target = args[0] if args and _writes_to_first(func) else None
    tensors = _without_host_arguments(func, args, kwargs)
    numbers_join = None
    for tensor in tensors:
        place = tensor._simulated_index
        if place is None and tensor.dim() == 0 and tensor is not target:
            if numbers_join is None:
                numbers_join = numbers_of_host.may_join(func, tensors)
            if numbers_join:
                continue
        if found is None:
            found = (place,)
        elif found[0] != place:
            names = sorted({device_name(found[0]), device_name(place)}, reverse=True)
            raise report.violation(RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                "%s and %s! (in %s)" % (names[0], names[1], getattr(func, "__name__", func))))
    return index


def _without_host_arguments(func, args, kwargs):
    """The tensors among the arguments, but for those that this function takes from the CPU."""
    host = host_arguments.get(func, ())
    values = [value for position, value in enumerate(args)
              if position not in host or _is_on_device(value)]
    values.extend(value for name, value in kwargs.items()
                  if name not in host or _is_on_device(value))
    return list(tensors_in(values))


def _is_on_device(value):
    return any(tensor._simulated_index is not None for tensor in tensors_in((value,)))


def _check_generator(target, generator):
    if generator is None or device.generator_index(generator) == target:
        return
    raise report.violation(RuntimeError(
        "Expected a '%s' device type for generator but found '%s'"
        % (device_name(target).split(":")[0],
           device_name(device.generator_index(generator)).split(":")[0])))


def _on_named_device(func, args, kwargs):
    """A call with the argument `device`: torch.zeros(2, device=...), x.new_zeros, empty_like ..."""
    target = device.virtual_index(kwargs["device"])
    _check_generator(target, kwargs.get("generator"))
    if target is None:
        return mark(func(*args, **kwargs), None)
    changed = dict(kwargs)
    changed["device"] = "cpu"
    result = func(*args, **changed)
    if func in _may_share:
        result = result.clone()
    if target not in _operators:
        work.first_use(target)
    return mark(result, target)


_may_share = {getattr(torch, "asarray", None)}


_SCALARS = {int, float, bool, type(None), str, complex, slice, torch.dtype, torch.Size,
            torch.layout, torch.memory_format}
_MIXED = -1


def _survey(values, index, host):
    """(index, host) extended by the tensors in values; the index is _MIXED if there are several."""
    for value in values:
        kind = type(value)
        if kind in _SCALARS:
            continue
        if isinstance(value, Tensor):
            found = value._simulated_index
            if found is None:
                host = True
            elif index is None:
                index = found
            elif index != found:
                index = _MIXED
        elif isinstance(value, (tuple, list)):
            index, host = _survey(value, index, host)
    return index, host


class DeviceMode:
    """The one object that torch calls for each torch function. This is the hot path."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        plan = plans.get(func)
        if plan is not None and plan.__class__ is not Grade:
            return plan(func, args, kwargs or _no_kwargs)
        index = None
        host = False
        for value in args:
            kind = type(value)
            if kind is Tensor or kind is Parameter:
                found = value._simulated_index
                if found is None:
                    host = True
                elif index is None:
                    index = found
                elif index != found:
                    index = _MIXED
            elif kind not in _SCALARS:
                if kind is tuple and value and type(value[0]) is int:
                    continue  # the stride of a convolution
                index, host = _survey((value,), index, host)
        if kwargs:
            if kwargs.get("device") is not None:
                return _on_named_device(func, args, kwargs)
            index, host = _survey(kwargs.values(), index, host)
            if kwargs.get("generator") is not None:
                _check_generator(index, kwargs["generator"])
        else:
            kwargs = _no_kwargs
        if index is not None and func in factories:
            index = None  # torch.arange(n): where n is says nothing
            host = False
        if index is None:
            if not device.default_is_device or host or func not in factories:
                return func(*args, **kwargs)
            index = device.state.current
        elif host or index == _MIXED:
            index = _check_same_device(func, args, kwargs, index)
        result = func(*args, **kwargs)
        try:
            _operators[index] += 1
        except KeyError:
            work.first_use(index)
            _operators[index] += 1
        kind = type(result)
        if kind is Tensor or kind is Parameter:
            result._simulated_index = index
        elif kind is not torch.Size and isinstance(result, (tuple, list)):
            mark(result, index)
        else:
            return result
        if plan is not None:
            plan.count(args, result)
        return result


factories = {getattr(torch, name) for name in (
    "tensor", "zeros", "ones", "empty", "full", "rand", "randn", "randint", "arange", "linspace",
    "logspace", "eye", "randperm", "range", "empty_strided", "hann_window")
    if hasattr(torch, name)}
mode = DeviceMode()


_StackMode = getattr(overrides, "_TorchFunctionStackMode", None)


def _top():
    """What torch 1.13 calls: our mode, or its stack of modes where the program has one as well."""
    return mode if torch._C._len_torch_function_stack() <= 1 else _StackMode()


class enabled:
    """Context: the mode is on, also inside of a call that has switched it off."""

    def __enter__(self):
        self._before = torch._C._is_torch_function_mode_enabled()
        torch._C._set_torch_function_mode(_top())

    def __exit__(self, *error):
        if not self._before:
            torch._C._set_torch_function_mode(None)


class disabled:
    """Context: plain torch."""

    def __enter__(self):
        self._before = torch._C._is_torch_function_mode_enabled()
        torch._C._set_torch_function_mode(None)

    def __exit__(self, *error):
        if self._before:
            torch._C._set_torch_function_mode(_top())


def _turn_on_for_thread():
    torch._C._push_on_torch_function_stack(mode)
    torch._C._set_torch_function_mode(mode)


def _turn_off_for_thread():
    """What C++ still holds when a thread ends would be released without the interpreter's lock."""
    torch._C._set_torch_function_mode(None)
    while torch._C._len_torch_function_stack() > 0:
        torch._C._pop_torch_function_stack()


if not hasattr(torch._C, "_set_torch_function_mode"):
    from .newer_torch import disabled, enabled, turn_on_for_thread  # noqa: F811
    from .newer_torch import turn_off_for_thread as _turn_off_for_thread  # noqa: F811

    def _turn_on_for_thread():  # noqa: F811
        turn_on_for_thread(mode)


def check_key(key, index):
    """x[key] takes indices of the CPU and of x's device; numbers may be anywhere."""
    for part in tensors_in((key,)):
        found = part._simulated_index
        if found is not None and found != index and (part.dim() > 0 or part.dtype is torch.bool):
            if device.state.backward is None:
                raise report.violation(RuntimeError(
                    "indices should be either on cpu or on the same device as the indexed "
                    "tensor (%s)" % device_name(index)))


def _wrap_subscript():
    """x[key] seldom reaches the mode in torch 1.13."""
    base = torch._C._TensorBase.__getitem__

    def __getitem__(self, key):
        index = self._simulated_index
        if key.__class__ is not int and key.__class__ is not slice:
            check_key(key, index)
        result = base(self, key)
        if index is not None:
            result._simulated_index = index
        return result

    subscript.replace(__getitem__)


def _answer_directly():
    """torch 1.13 goes through a stack of modes in Python at each call; here is only one mode."""
    original = overrides.handle_torch_function
    call = mode.__torch_function__
    switch = torch._C._set_torch_function_mode
    is_on = torch._C._is_torch_function_mode_enabled
    depth = torch._C._len_torch_function_stack

    def handle_torch_function(public_api, relevant_args, *args, **kwargs):
        for value in relevant_args:
            kind = type(value)
            if kind is not Tensor and kind is not Parameter and _has_function_of_its_own(kind):
                return original(public_api, relevant_args, *args, **kwargs)
        if not is_on() or depth() > 1:
            return original(public_api, relevant_args, *args, **kwargs)
        switch(None)
        try:
            return call(public_api, (), args, kwargs)
        finally:
            switch(mode)

    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("handle_torch_function") is original:
            module.handle_torch_function = handle_torch_function
    overrides._TorchFunctionStackMode = _top

    def push(pushed):
        torch._C._push_on_torch_function_stack(pushed)
        switch(_top())

    def pop():
        popped = torch._C._pop_torch_function_stack()
        switch(_top() if depth() > 0 else None)
        return popped

    overrides._push_mode, overrides._pop_mode = push, pop


def _has_function_of_its_own(kind):
    return getattr(kind, "__torch_function__", _PLAIN) != _PLAIN


_PLAIN = Parameter.__torch_function__


def install():
    """Switches the mode on for this thread, and for threads that are started from now on."""
    if hasattr(torch._C, "_set_torch_function_mode"):
        _answer_directly()
    _wrap_subscript()
    _turn_on_for_thread()
    bootstrap = threading.Thread._bootstrap_inner  # a subclass may override run

    def bootstrap_with_mode(self):
        _turn_on_for_thread()
        try:
            bootstrap(self)
        finally:
            _turn_off_for_thread()

    threading.Thread._bootstrap_inner = bootstrap_with_mode
