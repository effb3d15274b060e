# SPDX-License-Identifier: Apache-2.0
"""Sees the calls of modules and of functions of torch, without changing what they compute.

Modules are seen at torch.nn.Module.__call__: no hook is registered on any of them. Functions are
seen by a TorchFunctionMode, so that `from torch import relu` is seen as well. Gradients are seen
by hooks of tensors; full backward hooks would put nodes of their own into the graph.
"""

import os
import threading

import torch

try:
    from torch.overrides import TorchFunctionMode
except ImportError:  # before torch 1.13
    TorchFunctionMode = None

# They compute nothing, give what they compute to Python, or leave memory as it was found.
_NOT_CAPTURED = {
    "backward", "cpu", "cuda", "npu", "data", "detach", "detach_", "dim", "element_size", "grad",
    "is_floating_point", "item", "numel", "numpy", "register_hook", "requires_grad_",
    "retain_grad", "set_", "size", "storage", "stride", "tolist", "type", "apply_", "map_",
    "as_subclass", "is_complex", "get_device", "data_ptr", "unflatten", "is_tensor",
    "has_torch_function", "handle_torch_function", "manual_seed", "seed", "save", "load",
    "set_grad_enabled", "is_grad_enabled", "result_type", "can_cast", "is_same_size", "empty",
    "empty_like", "empty_permuted", "empty_quantized", "empty_strided", "new_empty",
    "new_empty_strided"}


def _api_table():
    """{function: (kind, name)} of everything that is captured."""
    table = {}
    for kind, owner in (("Torch", torch), ("VF", getattr(torch, "_VF", None)),
                        ("Tensor", torch.Tensor), ("Functional", torch.nn.functional)):
        for name in dir(owner):
            if name in _NOT_CAPTURED or (name.startswith("_") and not name.startswith("__")):
                continue
            if name.startswith("__") and not _is_operator(name):
                continue
            function = getattr(owner, name, None)
            if callable(function) and not isinstance(function, type):
                try:
                    table[function] = (kind, name)
                except TypeError:  # not hashable
                    continue
    return table


def _is_operator(name):
    word = name.strip("_")
    return word.lstrip("ir") in {
        "add", "sub", "mul", "truediv", "div", "floordiv", "mod", "matmul", "pow", "and", "or",
        "xor", "lshift", "rshift", "shift"} or word in {
            "iadd", "isub", "imul", "itruediv", "radd", "rsub", "rmul", "rtruediv", "rdiv", "rpow",
            "getitem", "setitem", "eq", "ne", "lt", "le", "gt", "ge", "neg", "invert", "abs"}


def _run_backward(tensor, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """What torch.Tensor.backward does; that would ask the mode once more."""
    torch.autograd.backward(tensor, gradient, retain_graph, create_graph, inputs=inputs)


class ModuleWatch:
    """Between start() and stop(), every call of a module in this thread goes through the observer,
    and those in other threads are told of: nn.DataParallel calls its copies in threads, where no
    order could be told. With `only_threads`, nothing else is done."""

    def __init__(self, observer, only_threads=False):
        self._observer = observer
        self._only_threads = only_threads
        self._original = None
        self._ours = None

    def start(self):
        if self._original is not None:
            return
        original = torch.nn.Module.__call__
        observer = self._observer
        process = os.getpid()
        thread = threading.get_ident()
        only_threads = self._only_threads
        # Each call of a module comes by here.
        tracing, process_now, thread_now = \
            torch._C._get_tracing_state, os.getpid, threading.get_ident

        def call(module, *args, **kwargs):
            # Workers of a data loader are forked with this in place.
            if tracing() is not None or process_now() != process:
                return original(module, *args, **kwargs)
            if thread_now() != thread:
                observer.in_another_thread(module)
                return original(module, *args, **kwargs)
            if only_threads:
                return original(module, *args, **kwargs)
            token = observer.before_module(module, args, kwargs)
            try:
                result = original(module, *args, **kwargs)
            except BaseException:
                observer.forget(token)
                raise
            observer.after(token, args, kwargs, result)
            return result

        self._original, self._ours = original, call
        torch.nn.Module.__call__ = call

    def stop(self):
        # Somebody may have wrapped it once more; then ours stays, and passes calls on.
        if self._original is not None and torch.nn.Module.__call__ is self._ours:
            torch.nn.Module.__call__ = self._original
        self._original = None


class FunctionWatch:
    """Between start() and stop(), every outermost call of an API of torch in this thread."""

    _table = None

    def __init__(self, observer):
        if TorchFunctionMode is None:
            raise RuntimeError("capturing functions needs torch 1.13 or newer; "
                               f"this is {torch.__version__}. Modules (level L0) work here")
        if FunctionWatch._table is None:
            FunctionWatch._table = _api_table()
        table = FunctionWatch._table
        process = os.getpid()

        class Mode(TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                kwargs = kwargs or {}
                if function is torch.Tensor.backward:
                    # What checkpoints compute once more, and functions with a backward() of
                    # their own, is captured too.
                    with Mode():
                        return _run_backward(*args, **kwargs)
                api = table.get(function)
                if api is None or os.getpid() != process:
                    return function(*args, **kwargs)
                token = observer.before_function(api, function, args, kwargs)
                try:
                    result = function(*args, **kwargs)
                except BaseException:
                    observer.forget(token)
                    raise
                observer.after(token, args, kwargs, result)
                return result

        self._mode_class = Mode
        self._mode = None

    def start(self):
        if self._mode is None:
            self._mode = self._mode_class()
            self._mode.__enter__()

    def stop(self):
        if self._mode is not None:
            mode, self._mode = self._mode, None
            mode.__exit__(None, None, None)


class ModuleNames:
    """What modules are called: by their path in the outermost module that was called first."""

    def __init__(self):
        self._names = {}  # id: (module, name); holding the module keeps its id its own

    def add(self, model):
        for path, module in model.named_modules():
            name = type(module).__name__
            self._names.setdefault(id(module), (module, f"{path}.{name}" if path else name))

    def name(self, module, is_outermost):
        entry = self._names.get(id(module))
        if entry is None:
            if is_outermost:
                self.add(module)
            else:
                self._names[id(module)] = (module, type(module).__name__)
            entry = self._names[id(module)]
        return entry[1]
