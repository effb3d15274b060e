# SPDX-License-Identifier: Apache-2.0
"""Writes what ptdbg_ascend writes: {mode}_dump.pkl, whose lines are JSON, and .npy files."""

import json
import warnings

import torch

from . import _native
from .acl_dump import RandomState, copy_of
from .ending import finish_capture, say
from .record import Deliberate, Recorder, describe
from .tensors import FORMAT_NPY, WANT_PAYLOAD, WANT_STATISTICS, has_bad_number, plain_element, \
    tensors_in

_STYLE = 1
VERSION = "v4.0"


class PtdbgRecorder(Recorder):
    """Names and elements of ptdbg: {Type}_{api}_{n}_{forward|backward}_{input|output}.{i}."""

    def __init__(self, root, choice, options):
        super().__init__(choice)
        self.root = root
        self.capture = _native.Capture(root, format=FORMAT_NPY, **options)

    def function_call(self, kind, name):
        return f"{kind}_{name}_{self.count((kind, name))}_forward"

    def finish(self, step):
        self.remove_hooks()
        if self.capture is None:
            return None  # the overflows that were asked for were found
        capture, self.capture = self.capture, None
        return finish_capture(capture, step, self.root)


class PtdbgDump(PtdbgRecorder):
    def __init__(self, root, choice, options, mode="api_stack", summary_only=False,
                 directions=("all",), only_floats=False):
        super().__init__(root, choice, options)
        self.with_stack = mode in ("stack", "api_stack")
        self.prefix = f"{mode}_dump"
        self.want = WANT_STATISTICS | (0 if summary_only else WANT_PAYLOAD)
        self.directions = set(directions)
        self.only_floats = only_floats
        self.file = f"{self.prefix}.pkl"
        self.capture.text_begin(self.file, "", "\n", "\n")

    def wants(self, phase, direction):
        modes = self.directions
        if "all" in modes:
            return True
        phases, directions = modes & {"forward", "backward"}, modes & {"input", "output"}
        return (not phases or phase in phases) and (not directions or direction in directions)

    def put(self, tensor, name):
        if self.only_floats and not tensor.dtype.is_floating_point:
            return
        described = describe(tensor, self.capture, f"{self.prefix}/{name}", self.want, _STYLE)
        if described is not None:
            self.capture.text(self.file, described[0])

    def record_inputs(self, token, args, kwargs):
        token.inputs = True
        if self.wants("forward", "input"):
            for index, tensor in enumerate(tensors_in(args, kwargs)):
                self.put(tensor, f"{token.name}_input.{index}")

    def record_outputs(self, token, args, kwargs, result):
        if self.wants("forward", "output"):
            for index, tensor in enumerate(tensors_in(result)):
                self.put(tensor, f"{token.name}_output.{index}")
        if self.with_stack:
            name = token.name[:-len("forward")]
            self.capture.text(self.file, json.dumps([f"{name}stack_info", token.stack.frames]))
        if torch.is_grad_enabled():
            self.follow_gradients(token, tensors_in(args, kwargs), tensors_in(result))

    def record_gradient(self, token, direction, index, gradient):
        if self.capture is not None and self.wants("backward", direction):
            name = token.name[:-len("forward")] + "backward"
            self.put(gradient, f"{name}_{direction}.{index}")


class PtdbgOverflow(PtdbgRecorder):
    """Bad output from clean input, where bad is what is not finite or the largest number of the
    type. It sees values: what a device notices inside an operator it cannot see.

    With `acl`, a forward call that overflows is made once more, and its operators are dumped."""

    def __init__(self, root, choice, options, overflow_nums, owner, need_replicate=False,
                 acl=None):
        super().__init__(root, choice, options)
        self.acl = acl
        self.overflow_nums = overflow_nums
        self.found = owner  # counts over all steps of the rank
        self.need_replicate = need_replicate
        self.backward = {}

    def look(self, tensors):
        """True if one of them overflows."""
        for tensor in tensors:
            if tensor.dtype.is_floating_point:
                described = describe(tensor, None, "", WANT_STATISTICS, _STYLE)
                if described is not None and described[1]:
                    return True
        return False

    def record_inputs(self, token, args, kwargs):
        tensors = tensors_in(args, kwargs)
        token.bad_input = self.look(tensors) or has_bad_number((args, kwargs))
        token.inputs = tensors
        if self.need_replicate:
            token.inputs = [tensor.detach().clone() for tensor in tensors]
        if self.acl is not None:
            token.again = (copy_of(args), copy_of(kwargs), RandomState(tensors))
        token.versions = [tensor._version for tensor in token.inputs if not tensor.is_inference()]

    def record_outputs(self, token, args, kwargs, result):
        outputs = tensors_in(result)
        if not token.bad_input and self.look(outputs):
            self.dump(token, args, kwargs, outputs)
        if torch.is_grad_enabled():
            self.follow_gradients(token, tensors_in(args, kwargs), outputs)
        token.inputs = token.again = None

    def record_gradient(self, token, direction, index, gradient):
        name = token.name[:-len("forward")] + "backward"
        state = self.backward.setdefault(name, {"input": [], "bad": False})
        if direction == "input":
            state["input"].append(gradient)
            state["bad"] = state["bad"] or self.look([gradient])
            return
        token.expected -= 1
        if token.expected == 0:
            del self.backward[name]  # or every gradient of the step would stay in memory
        if not state["bad"] and self.look([gradient]):
            state["bad"] = True  # one finding per call
            self.found.add(self.found.backward, name,
                           {"grad": [self.argument(g) for g in state["input"]]})
            if self.acl is not None:
                say(f"{name}: the operators of a backward call are dumped in a second run: "
                    f"hook_name=\"dump\", mode=\"acl\", scope=[\"{name}\"], backward_input=[the "
                    f".npy files of {name}_{self.found.count + 1}]")
            self.report(name, state["input"], [gradient], token.stack)

    def dump(self, token, args, kwargs, outputs):
        unchanged = [t._version for t in token.inputs if not t.is_inference()] == token.versions
        if not unchanged:
            warnings.warn(f"{token.name} works in place: its inputs are dumped as it left them; "
                          "need_replicate=True keeps them", RuntimeWarning, stacklevel=5)
        kind, number = token.name[:-len("_forward")], self.found.count + 1
        inputs = token.inputs
        self.found.add(self.found.forward, kind, {
            "args": [self.argument(a, f"{token.name}_{number}/{token.name}_input") for a in args],
            "kwargs": {k: self.argument(v) for k, v in kwargs.items()}})
        if self.acl is not None:
            again_args, again_kwargs, random = token.again
            with torch.no_grad(), random.again(), self.acl:
                token.function(*again_args, **again_kwargs)
        self.report(token.name, inputs, outputs, token.stack)

    def argument(self, value, path=None):
        """A value as forward_info.json describes it."""
        if isinstance(value, torch.Tensor):
            low = high = None
            finite = value.detach().to("cpu")
            if finite.numel() and not finite.dtype.is_complex:
                seen = _native.statistics(finite)
                low, high = seen[0], seen[1]
            return {"type": "torch.Tensor", "dtype": str(value.dtype), "shape": list(value.shape),
                    "Max": high, "Min": low, "Max_origin": high, "Min_origin": low,
                    "requires_grad": value.requires_grad}
        if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
            return [self.argument(item) for item in value]
        if isinstance(value, dict):
            return {str(k): self.argument(v) for k, v in value.items()}
        return json.loads(plain_element(value))

    def report(self, name, inputs, outputs, stack):
        self.found.count += 1
        number = self.found.count
        file = f"{name}_{number}.pkl"
        self.capture.text_begin(file, "", "\n", "\n")
        for direction, tensors in (("input", inputs), ("output", outputs)):
            for index, tensor in enumerate(tensors):
                path = f"{name}_{number}/{name}_{direction}.{index}"
                described = describe(tensor, self.capture, path, WANT_STATISTICS | WANT_PAYLOAD,
                                     _STYLE)
                if described is not None:
                    self.capture.text(file, described[0])
        self.capture.text(file, json.dumps([f"{name}_stack_info", stack.frames]))
        self.found.add(self.found.stacks, name, stack.frames)
        say(f"[overflow {number} times]: {name}: bad output from clean input; dump file is saved "
            f"in '{self.root}/{file}'. (values on the host; not an AI Core status)")
        if self.overflow_nums != -1 and number >= self.overflow_nums:
            self.found.write()
            self.finish(self.found.step)
            self.active = False
            raise Deliberate(f"[overflow {number} times]: dump file is saved in "
                                f"'{self.root}/{file}'.")
