# SPDX-License-Identifier: Apache-2.0
"""Writes what msprobe writes: dump.json, stack.json, construct.json; tensors as .pt."""

import json
import os
import re
from json.encoder import encode_basestring_ascii as quoted

import torch

from . import _native
from .ending import finish_capture
from .record import Recorder, describe
from .tensors import FORMAT_NPY, FORMAT_PT, WANT_CRC, WANT_PAYLOAD, WANT_STATISTICS, \
    plain_element, tensors_in

_STYLE = 0
_FOLDER = "dump_tensor_data"


def part_of_name(key):
    """A key of the user's dictionary, as it can be in the name of a file."""
    return re.sub(r"[/\0]", "_", str(key))


class MsprobeWriter:
    """A file of msprobe with an entry for each call, and the tensors beside it."""

    def __init__(self, root, settings, file):
        self.root = root
        self.settings = settings
        self.file = file
        self.capture = _native.Capture(
            root, format=FORMAT_NPY if settings.tensor_format == "npy" else FORMAT_PT,
            **settings.capture_options)
        self.want = WANT_STATISTICS
        if settings.summary_mode == "md5":
            self.want |= WANT_CRC
        self.keeps_tensors = settings.task == "tensor"
        self.takes_tensors_as_they_are = not settings.slices and not settings.tensor_list
        self.want_of_all = self.want | (WANT_PAYLOAD if self.keeps_tensors else 0)
        folder = json.dumps(os.path.join(os.path.abspath(root), _FOLDER)) \
            if self.keeps_tensors else "null"
        self.capture.text_begin(
            file,
            '{"task": "%s", "level": "%s", "framework": "pytorch", "dump_data_dir": %s, "data": {\n'
            % (settings.task, settings.level, folder), ",\n", "\n}}\n")

    def add(self, name, text):
        self.capture.text(self.file, f"{quoted(name)}: {text}")

    def close(self, step):
        """Writes the files; the counters."""
        capture, self.capture = self.capture, None
        return finish_capture(capture, step, self.root)

    def tensor_element(self, tensor, name):
        """A tensor that is cut, or kept only if its name is listed, or not in host memory."""
        tensor = self.settings.slice_of(tensor)
        want = self.want
        if self.keeps_tensors and self.settings.keeps(name):
            want |= WANT_PAYLOAD
        described = describe(tensor, self.capture, f"{_FOLDER}/{name}", want, _STYLE)
        if described is None:
            return '{"type": "torch.Tensor", "dtype": "%s", "shape": %s, "requires_grad": %s}' % (
                tensor.dtype, list(tensor.shape), "true" if tensor.requires_grad else "false")
        return described[0]

    def element(self, value, name):
        if self.takes_tensors_as_they_are:
            return _native.elements(value, name, _FOLDER, self.capture, self.want_of_all,
                                    self.other_element)
        return self.other_element(value, name)

    def other_element(self, value, name):
        """What the native code leaves to Python."""
        if isinstance(value, torch.Tensor):
            return self.tensor_element(value, name)
        if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
            return "[%s]" % ", ".join(self.element(item, f"{name}.{i}")
                                      for i, item in enumerate(value))
        if isinstance(value, dict):
            return "{%s}" % ", ".join(
                f"{json.dumps(str(key))}: {self.element(item, f'{name}.{part_of_name(key)}')}"
                for key, item in value.items())
        return plain_element(value)


class MsprobeRecorder(MsprobeWriter, Recorder):
    """The calls of one step of one rank."""

    def __init__(self, root, settings, choice):
        MsprobeWriter.__init__(self, root, settings, "dump.json")
        Recorder.__init__(self, choice)
        if settings.extra_info:
            self.capture.text_begin("construct.json", "{\n", ",\n", "\n}\n")
            self.capture.text_begin("stack.json", "{\n", ",\n", "\n}\n")
        # Asked at every call.
        self.takes_forward = settings.wants("forward", None)
        self.takes_inputs = settings.wants("forward", "input")
        self.takes_outputs = settings.wants("forward", "output")
        self.takes_backward = settings.wants("backward", None)
        self.calls_of_stack = {}  # stack: names of calls
        self.backward = {}   # name: {direction: {index: text}}
        self.parameter_gradients = {}
        self.followed = set()

    # Names.

    def module_call(self, path):
        return f"Module.{path}.forward.{self.count(path)}"

    def function_call(self, kind, name):
        return f"{kind}.{name}.{self.count((kind, name))}.forward"

    @staticmethod
    def backward_name(name):
        if name.startswith("Module."):
            return name.replace(".forward.", ".backward.")
        return name[:-len("forward")] + "backward"

    # Records.

    def record_inputs(self, token, args, kwargs):
        if not self.takes_inputs:
            token.inputs = '"input_args": [], "input_kwargs": {}'
            return
        base = f"{token.name}.input"
        token.inputs = '"input_args": %s, "input_kwargs": %s' % (
            self.element(args, base), self.element(kwargs, base) if kwargs else "{}")

    def record_outputs(self, token, args, kwargs, result):
        outputs = "[]"
        if self.takes_outputs:
            listed = list(result) if isinstance(result, (list, tuple)) else [result]
            outputs = self.element(listed, f"{token.name}.output")
        text = f'{token.inputs}, "output": {outputs}'
        if token.module is not None:
            text += self.state_of(token)
        if self.takes_forward:
            name = quoted(token.name)
            self.capture.text(self.file, f"{name}: {{{text}}}")
            self.note_place(name, token)
        if self.takes_backward and torch.is_grad_enabled():
            self.follow_gradients(token, tensors_in(args, kwargs), tensors_in(result))

    def note_place(self, name, token):
        if not self.settings.extra_info:
            return
        if self.depth:
            self.capture.text("construct.json", f"{name}: {quoted(self.depth[-1].name)}")
        elif token.module is not None:
            self.capture.text("construct.json", f"{name}: null")
        self.calls_of_stack.setdefault(token.stack, []).append(token.name)

    def state_of(self, token):
        """Parameters and buffers of the module itself, not of its children."""
        module = token.module
        text = ', "parameters": {}'
        parameters = {k: v for k, v in module._parameters.items() if v is not None}
        if parameters:
            text = ', "parameters": ' + self.element(parameters, f"{token.name}.parameters")
            if self.takes_backward and torch.is_grad_enabled():
                for key, value in parameters.items():
                    if value.requires_grad:
                        self.follow_parameter(token, key, value)
        if module._buffers:
            buffers = {k: v for k, v in module._buffers.items() if v is not None}
            if buffers:
                text += ', "buffers": ' + self.element(buffers, f"{token.name}.buffers")
        return text

    def follow_parameter(self, token, key, parameter):
        if id(parameter) in self.followed:
            return
        self.followed.add(id(parameter))
        path = token.name.rsplit(".forward.", 1)[0]

        def take(gradient):
            if self.capture is None or self.busy.here:
                return
            self.busy.here = True
            try:
                # A step can have several backward passes.
                name = f"{path}.parameters_grad.{self.count((path, 'grad', key))}"
                text = self.tensor_element(gradient, f"{name}.{key}")
                self.parameter_gradients.setdefault(name, {})[key] = text
            except Exception as defect:  # noqa: BLE001
                self._defect(defect)
            finally:
                self.busy.here = False

        self.on_gradient(parameter, take)

    def record_gradient(self, token, direction, index, gradient):
        if self.capture is None or not self.settings.wants("backward", direction):
            return
        name = self.backward_name(token.name)
        entry = self.backward.setdefault(name, {"input": {}, "output": {}, "token": token})
        entry[direction][index] = self.tensor_element(gradient, f"{name}.{direction}.{index}")

    # The end of the step.

    def finish(self, step):
        self.remove_hooks()
        for name, entry in self.backward.items():
            parts = ", ".join(
                '"%s": [%s]' % (direction, ", ".join(
                    entry[direction].get(i, "null")
                    for i in range(max(entry[direction], default=-1) + 1)))
                for direction in ("input", "output"))
            self.add(name, f"{{{parts}}}")
            if self.settings.extra_info:
                self.calls_of_stack.setdefault(entry["token"].stack, []).append(name)
        for name, gradients in self.parameter_gradients.items():
            self.add(name, "{%s}" % ", ".join(
                f"{json.dumps(key)}: [{text}]" for key, text in gradients.items()))
        for number, (stack, names) in enumerate(self.calls_of_stack.items()):
            self.capture.text("stack.json",
                              f'"{number}": {json.dumps([names, stack.frames])}')
        return self.close(step)
