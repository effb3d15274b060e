# SPDX-License-Identifier: Apache-2.0
"""msprobe's level "debug": the variables that PrecisionDebugger.save() names, in debug.json."""

import json

import torch

from .msprobe_dump import MsprobeWriter, part_of_name
from .record import Recorder


class DebugRecorder(MsprobeWriter, Recorder):
    """One step of one rank. Nothing is watched: what is saved is what save() is given."""

    def __init__(self, root, settings):
        MsprobeWriter.__init__(self, root, settings, "debug.json")
        Recorder.__init__(self)
        self.gradients = []  # (key, function that gives the text of what has come)

    def save(self, variable, name, with_gradients):
        name = part_of_name(name)
        number = self.count(name)
        try:
            key = f"{name}.{number}.debug"
            self.add(key, self.element(variable, key))
            if with_gradients:
                key = f"{name}_grad.{number}.debug"
                self.gradients.append((key, self._follow(variable, key)))
        except Exception as defect:  # noqa: BLE001
            self._defect(defect)

    def _follow(self, value, name):
        """A function that gives the text of the gradients of the variable, None without any."""
        if isinstance(value, torch.Tensor):
            texts = []
            if value.requires_grad:
                self.on_gradient(value, lambda gradient: self._take(texts, gradient, name))
            return lambda: texts[-1] if texts else None
        if isinstance(value, (list, tuple)):
            parts = [(None, self._follow(item, f"{name}.{i}")) for i, item in enumerate(value)]
            return lambda: _joined("[%s]", parts)
        if isinstance(value, dict):
            parts = [(str(key), self._follow(item, f"{name}.{part_of_name(key)}"))
                     for key, item in value.items()]
            return lambda: _joined("{%s}", parts)
        return lambda: None

    def _take(self, texts, gradient, name):
        if self.capture is None:
            return
        try:
            texts.append(self.element(gradient, name))
        except Exception as defect:  # noqa: BLE001
            self._defect(defect)

    def finish(self, step):
        self.remove_hooks()
        for key, text_of in self.gradients:
            text = text_of()
            if text is not None:
                self.add(key, text)
        return self.close(step)


def _joined(form, parts):
    texts = [(key, text_of()) for key, text_of in parts]
    if all(text is None for _, text in texts):
        return None
    return form % ", ".join(("" if key is None else f"{json.dumps(key)}: ") + (text or "null")
                            for key, text in texts)
