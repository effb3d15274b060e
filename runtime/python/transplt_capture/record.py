# SPDX-License-Identifier: Apache-2.0
"""What a recorder has in common: counting calls, choosing them, following their gradients."""

import contextlib
import threading
import warnings

import torch

from . import _native
from .ending import say
from .stacks import Stacks
from .tensors import on_host, tensors_in
from .watch import ModuleNames


class Token:
    """A call that is being recorded. Most of it stays what it is here: one is made for each call."""

    function = None
    again = None  # what a repetition of the call needs
    edges = None  # id of an input: where its gradient arrives, if the call works in place
    inputs = None
    bad_input = False
    stack = None
    versions = ()
    had_backward = False
    expected = 0  # gradients of inputs that are still to come

    def __init__(self, name, module=None):
        self.name = name
        self.module = module


class Choice:
    """Which calls are recorded: scope (from one name to another, in order) and list (parts of
    names)."""

    def __init__(self, scope=(), names=()):
        self._scope = [_forward_name(name) for name in scope or ()]
        self._names = [_forward_name(name).lower() for name in names or ()]
        self._inside = not self._scope
        self._ended = False
        self._is_idle = bool(self._scope or self._names)  # nothing was taken so far

    def unmatched(self):
        """What was asked for, if no call was called so; else nothing."""
        return ", ".join(self._scope + self._names) if self._is_idle else ""

    def takes(self, name):
        if not self._scope and not self._names:
            return True
        is_taken = self._is_chosen(name)
        self._is_idle = self._is_idle and not is_taken
        return is_taken

    def _is_chosen(self, name):
        if self._scope and not self._inside and not self._ended:
            self._inside = name.startswith(self._scope[0])
        inside = self._inside
        if self._scope and inside and name.startswith(self._scope[-1]):
            self._inside, self._ended = False, True
        return inside and (not self._names or any(n in name.lower() for n in self._names))


def _forward_name(name):
    """A call is chosen by the name of its forward; its backward goes with it."""
    for forward, backward in (("_forward", "_backward"), (".forward", ".backward")):
        name = name.replace(backward, forward)
    return name


class _Busy(threading.local):
    """What a thread calls while it records is not recorded. The gradients of several devices come
    in several threads."""

    here = False


class Recorder:
    """Observes the calls that a watch sees. Subclasses say what is written.

    A defect here must not end somebody's training: it is warned about once, and counted."""

    stacks = Stacks()  # of all recorders: each step has one of its own
    has_told_of_threads = False

    def __init__(self, choice=None):
        self.choice = choice or Choice()
        self.names = ModuleNames()
        self.counts = {}
        self.depth = []
        self.active = False
        self.busy = _Busy()
        self.defects = 0
        self.hooks = []  # on tensors that live on after the step

    def count(self, key):
        number = self.counts.get(key, 0)
        self.counts[key] = number + 1
        return number

    # What the watches call.

    def before_module(self, module, args, kwargs):
        busy = self.busy
        if not self.active or busy.here:
            return None
        busy.here = True
        token = None
        try:
            name = self.module_call(self.names.name(module, not self.depth))
            token = Token(name, module)
            self.depth.append(token)
            if not self.choice.takes(name):
                return token
            token.stack = self.stacks.here()
            token.edges = _edges(tensors_in(args, kwargs))
            self.record_inputs(token, args, kwargs)
            return token
        except Deliberate as end:
            raise ValueError(str(end)) from None
        except Exception as defect:  # noqa: BLE001
            self.forget(token)
            return self._defect(defect)
        finally:
            busy.here = False

    def before_function(self, api, function, args, kwargs):
        if not self.active or self.busy.here:
            return None
        self.busy.here = True
        try:
            given = tensors_in(args, kwargs)
            if not given and api[0] == "Tensor":
                return None
            name = self.function_call(*api)
            if not self.choice.takes(name):
                return None
            token = Token(name)
            token.function = function
            token.stack = self.stacks.here()
            token.edges = _edges(given)
            self.record_inputs(token, args, kwargs)
            return token
        except Deliberate as end:
            raise ValueError(str(end)) from None
        except Exception as defect:  # noqa: BLE001
            return self._defect(defect)
        finally:
            self.busy.here = False

    def after(self, token, args, kwargs, result):
        if token is None:
            return
        if token.module is not None:
            self.forget(token)
        if token.inputs is None:
            return
        busy = self.busy
        busy.here = True
        try:
            if tensors_in(result):
                self.record_outputs(token, args, kwargs, result)
        except Deliberate as end:
            raise ValueError(str(end)) from None
        except Exception as defect:  # noqa: BLE001
            self._defect(defect)
        finally:
            busy.here = False

    def in_another_thread(self, module):
        """Said once in a process."""
        if self.active and not Recorder.has_told_of_threads:
            Recorder.has_told_of_threads = True
            say(f"transplt_capture: {type(module).__name__} is called in another thread than "
                "start(): such calls are not captured. nn.DataParallel works so (give it one "
                "device, or use DistributedDataParallel), and what checkpointing computes again "
                "in the backward pass of a device")

    def forget(self, token):
        """The call has ended, well or by an exception."""
        depth = self.depth
        if depth and depth[-1] is token:
            depth.pop()
        elif token is not None and token in depth:
            del depth[depth.index(token):]

    def _defect(self, defect):
        self.defects += 1
        if self.defects == 1:
            # With -W error a warning raises, and a full disk can refuse to take it.
            with contextlib.suppress(RuntimeWarning, OSError, ValueError):
                warnings.warn(f"transplt_capture: a call was not recorded: {defect!r}; further "
                              "ones are only counted", RuntimeWarning, stacklevel=4)
        return None

    # What subclasses say.

    def module_call(self, path):
        raise NotImplementedError

    def function_call(self, kind, name):
        raise NotImplementedError

    def record_inputs(self, token, args, kwargs):
        raise NotImplementedError

    def record_outputs(self, token, args, kwargs, result):
        raise NotImplementedError

    def record_gradient(self, token, direction, index, gradient):
        raise NotImplementedError

    # Shared by them.

    def on_gradient(self, tensor, callback, edge=None):
        """Calls `callback(gradient)` when the gradient of `tensor` is known, or that of the edge of
        the graph, where a function has worked on the tensor in place. Changes nothing."""
        def hook(gradient):
            callback(gradient)

        if edge is None and tensor._version > 0 and tensor.grad_fn is not None:
            # Before torch 2 all hooks of a tensor see what was its gradient at the first of them.
            edge = (tensor.grad_fn, tensor.output_nr)
        if edge is not None:
            node, number = edge

            def hook_of_node(of_inputs, of_outputs):
                if of_outputs[number] is not None:
                    callback(of_outputs[number])

            node.register_hook(hook_of_node)
            return
        handle = tensor.register_hook(hook)
        if tensor.is_leaf:
            self.hooks.append(handle)

    def remove_hooks(self):
        """From parameters; those of other tensors go with the graph."""
        for handle in self.hooks:
            handle.remove()
        self.hooks.clear()

    def follow_gradients(self, token, inputs, outputs):
        """The input of the backward call is the gradient of the outputs, its output that of the
        inputs: of each tensor the whole gradient, from all of its uses."""
        given_back = {id(tensor) for tensor in outputs}
        # The graph must not hold what holds the graph.
        edges, token.edges = token.edges or {}, None
        for direction, tensors in (("input", outputs), ("output", inputs)):
            for index, tensor in enumerate(tensors):
                if not tensor.requires_grad or not tensor.dtype.is_floating_point:
                    continue
                edge = None
                if direction == "output" and id(tensor) in given_back and not tensor.is_leaf:
                    edge = edges.get(id(tensor))
                    if edge is None:
                        continue  # without a gradient until this call wrote to it
                token.expected += direction == "output"
                self.on_gradient(tensor, self._gradient_taker(token, direction, index), edge)

    def _gradient_taker(self, token, direction, index):
        taken = []

        def take(gradient):
            # A tensor that lives on gets gradients in later backward passes, of other calls.
            if self.busy.here or taken:
                return
            # An input has other uses: without a gradient of its outputs the call had no backward.
            if direction == "input":
                token.had_backward = True
            elif not token.had_backward:
                return
            taken.append(True)
            self.busy.here = True
            try:
                self.record_gradient(token, direction, index, gradient)
            except Deliberate as end:
                raise ValueError(str(end)) from None
            except Exception as defect:  # noqa: BLE001
                self._defect(defect)
            finally:
                self.busy.here = False
        return take


def _edges(tensors):
    """Where the gradients of tensors arrive before the call writes to some of them."""
    return {id(tensor): (tensor.grad_fn, tensor.output_nr) for tensor in tensors
            if tensor.requires_grad and tensor.grad_fn is not None}


class Deliberate(Exception):
    """What ends the training on purpose: the user asked for it, or for what cannot be. The
    training sees a ValueError, as the manual of ptdbg shows it."""


def describe(tensor, capture, name, want, style):
    """(text, is overflow, was kept) of a tensor anywhere; None where it has no memory."""
    host = on_host(tensor)
    if host is None:
        return None
    return _native.describe(host, capture, name, want, style)
