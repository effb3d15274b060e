# SPDX-License-Identifier: Apache-2.0
"""What the packages of this stand-in share: the record, and objects that take anything."""

import contextlib
import json
import os


def event(what, *arguments, **keywords):
    """Appends an event to the file that TRANSPLT_RECORD names."""
    path = os.environ.get("TRANSPLT_RECORD")
    if path:
        kept = {"event": what}
        if arguments:
            kept["arguments"] = arguments
        if keywords:
            kept["keywords"] = keywords
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(kept, default=lambda value: type(value).__name__) + "\n")


class Anything:
    """Takes every call, attribute and operator, and gives another of its kind."""

    def __init__(self, *_, **__):
        pass

    def __call__(self, *_, **__):
        return Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __float__(self):
        return 0.0

    def __getitem__(self, _):
        return Anything()

    def __format__(self, _):
        return "anything"

    def _same(self, *_):
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _same
    __neg__ = __matmul__ = _same


class Tensor(Anything):
    def backward(self, *_, **__):
        event("backward")


class Optimizer(Anything):
    def step(self, closure=None, **__):
        if callable(closure):
            closure()
        event("optimizer.step")


class Module(Anything):
    """A model: what it computes is a tensor."""

    def __init__(self, *_, **__):
        self.npu_is_hooked = False

    def __call__(self, *_, **__):
        return Tensor()

    def named_modules(self):
        yield "layer", self

    def register_forward_hook(self, hook):
        event("register_forward_hook", hook.__name__)

    def register_forward_pre_hook(self, hook):
        event("register_forward_pre_hook", hook.__name__)


class PrecisionDebugger:
    """Made once, started and stopped in turn."""

    made = False

    def __init__(self, *arguments, **keywords):
        if PrecisionDebugger.made:
            raise RuntimeError("PrecisionDebugger is made a second time")
        PrecisionDebugger.made = True
        self.is_started = False
        event("PrecisionDebugger", *arguments, **keywords)

    def configure_hook(self, **keywords):
        event("configure_hook", **keywords)

    def start(self):
        self.is_started = True
        event("start")

    def stop(self):
        if not self.is_started:
            raise RuntimeError("stop() without start()")
        self.is_started = False
        event("stop")

    def step(self):
        event("step")


@contextlib.contextmanager
def recorded_context(name, *arguments, **keywords):
    """Says when it is entered and left."""
    event(f"enter {name}", *arguments, **keywords)
    yield Recorder(name)
    event(f"leave {name}")


class Recorder:
    """Records every call of its methods."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, member):
        if member.startswith("__"):
            raise AttributeError(member)

        def call(*arguments, **keywords):
            event(f"{self.name}.{member}", *arguments, **keywords)
            return Recorder(self.name)
        return call
