# SPDX-License-Identifier: Apache-2.0
"""Sees each call of a torch function and keeps track of the device of each tensor.

While a call runs, the mode is off: what torch does inside is plain CPU work. Results of a call whose arguments
are on a simulated device are on that device; arguments on different devices are refused as torch refuses them.
"""

import sys
import threading

import torch
from torch import overrides
from torch.nn import Parameter

from . import device, op_support, report, subscript

Tensor = torch.Tensor
handlers = {}  # function -> handler(func, args, kwargs), for functions that do more than compute
any_device = set()  # functions whose tensor arguments may be on different devices
host_arguments = {}  # function -> position of an argument that must be on the CPU
_no_kwargs = {}
_used = []  # not empty once something is on the device


def handles(*functions):
    """Decorator: the handler of these functions."""

    def register(handler):
        for function in functions:
            handlers[function] = handler
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


def _tell_used():
    """Something is on the device: told once in a process."""
    _used.append(True)
    report.write("device", device=device.TYPE)


def tensors_in(values):
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(value.values())


def _writes_to_first(func):
    """x.add_(y), x += y"""
    name = getattr(func, "__name__", "")
    return name in _IN_PLACE or (name.endswith("_") and not name.endswith("__"))


_IN_PLACE = {"__i%s__" % name for name in (
    "add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
    "rshift")}


def device_name(index):
    return "cpu" if index is None else "%s:%d" % (device.TYPE, index)


def _check_same_device(func, args, kwargs):
    """Raises if tensors are on different devices; a tensor of the CPU without dimensions may join."""
    if func in any_device or device.state.backward is not None:
        return
    found = None
    target = args[0] if args and _writes_to_first(func) else None
    host = host_arguments.get(func)
    for tensor in tensors_in((args, kwargs)):
        index = tensor._simulated_index
        if index is None and tensor.dim() == 0 and tensor is not target:
            continue
        if host is not None and index is None and len(args) > host and tensor is args[host]:
            continue
        if found is None:
            found = (index,)
        elif found[0] != index:
            names = sorted({device_name(found[0]), device_name(index)}, reverse=True)
            raise report.violation(RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                "%s and %s! (in %s)" % (names[0], names[1], getattr(func, "__name__", func))))


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
    return mark(result, target)


_may_share = {getattr(torch, "asarray", None)}


class DeviceMode:
    """The one object that torch calls for each torch function."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        handler = handlers.get(func)
        if handler is not None:
            return handler(func, args, kwargs or _no_kwargs)
        index = None
        mixed = host = False
        for value in args:
            kind = type(value)
            if kind is Tensor or kind is Parameter:
                found = value._simulated_index
                if found is None:
                    host = True
                elif index is None:
                    index = found
                elif index != found:
                    mixed = True
            elif kind is tuple or kind is list or isinstance(value, Tensor):
                for part in tensors_in((value,)):
                    found = part._simulated_index
                    if found is None:
                        host = True
                    elif index is None:
                        index = found
                    elif index != found:
                        mixed = True
        if kwargs:
            if kwargs.get("device") is not None:
                return _on_named_device(func, args, kwargs)
            for part in tensors_in(kwargs.values()):
                found = part._simulated_index
                if found is None:
                    host = True
                elif index is None:
                    index = found
                elif index != found:
                    mixed = True
            if index is None:
                if device.default_is_device and not host and func in factories:
                    index = device.state.current
                if kwargs.get("generator") is not None:
                    _check_generator(index, kwargs["generator"])
            if mixed or (host and index is not None):
                _check_same_device(func, args, kwargs)
            result = func(*args, **kwargs)
        else:
            if index is None and device.default_is_device and not host and func in factories:
                index = device.state.current
            if mixed or (host and index is not None):
                _check_same_device(func, args, _no_kwargs)
            result = func(*args)
        if index is None:
            return result
        if not _used:
            _tell_used()
        kind = type(result)
        if kind is Tensor or kind is Parameter:
            result._simulated_index = index
        elif isinstance(result, tuple) and kind is not torch.Size or kind is list:
            mark(result, index)
        else:
            return result
        if func in op_support.graded:
            op_support.record(func, args)
        return result


factories = {getattr(torch, name) for name in (
    "tensor", "zeros", "ones", "empty", "full", "rand", "randn", "randint", "arange", "linspace",
    "logspace", "eye", "randperm", "range", "normal", "empty_strided", "hann_window")
    if hasattr(torch, name)}
mode = DeviceMode()


class enabled:
    """Context: the mode is on, also inside of a call that has switched it off."""

    def __enter__(self):
        self._before = torch._C._is_torch_function_mode_enabled()
        torch._C._set_torch_function_mode(mode)

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
            torch._C._set_torch_function_mode(mode)


def _turn_on_for_thread():
    torch._C._push_on_torch_function_stack(mode)
    torch._C._set_torch_function_mode(mode)


if not hasattr(torch._C, "_set_torch_function_mode"):
    from .newer_torch import disabled, enabled, turn_on_for_thread  # noqa: F811

    def _turn_on_for_thread():  # noqa: F811
        turn_on_for_thread(mode)


def _wrap_subscript():
    """x[key] does not reach the mode in torch 1.13."""
    base = torch._C._TensorBase.__getitem__

    def __getitem__(self, key):
        index = self._simulated_index
        if key.__class__ is not int and key.__class__ is not slice:
            for part in tensors_in((key,)):
                if part._simulated_index is not None and part._simulated_index != index:
                    if device.state.backward is None:
                        raise report.violation(RuntimeError(
                            "indices should be either on cpu or on the same device as the indexed "
                            "tensor (%s)" % device_name(index)))
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

    def handle_torch_function(public_api, relevant_args, *args, **kwargs):
        for value in relevant_args:
            kind = type(value)
            if kind is not Tensor and kind is not Parameter and _has_function_of_its_own(kind):
                return original(public_api, relevant_args, *args, **kwargs)
        if not is_on():
            return original(public_api, relevant_args, *args, **kwargs)
        switch(None)
        try:
            return call(public_api, (), args, kwargs)
        finally:
            switch(mode)

    for module in list(sys.modules.values()):
        if getattr(module, "__dict__", {}).get("handle_torch_function") is original:
            module.handle_torch_function = handle_torch_function
    overrides._TorchFunctionStackMode = lambda: mode


def _has_function_of_its_own(kind):
    return getattr(kind, "__torch_function__", _PLAIN) != _PLAIN


_PLAIN = Parameter.__torch_function__


def install():
    """Switches the mode on for this thread, and for threads that are started from now on."""
    if hasattr(torch._C, "_set_torch_function_mode"):
        _answer_directly()
    _wrap_subscript()
    _turn_on_for_thread()
    run = threading.Thread.run

    def run_with_mode(self):
        _turn_on_for_thread()
        run(self)

    threading.Thread.run = run_with_mode
