# SPDX-License-Identifier: Apache-2.0
"""mode="acl" and load_with_acl_dump: the operators of one call, dumped by the driver of the NPU.

Where torch.npu has init_dump(), set_dump() and finalize_dump(), they are called. Elsewhere there is
no such driver: with TRANSPLT_CAPTURE_SIMULATE=1, or in a simulated run, transplt_capture's own
functions of these names dump what the host computes, marked SIMULATED; else it is refused.
"""

import contextlib
import os

import numpy
import torch

from . import npu_dump
from .ending import say
from .record import Deliberate, Recorder
from .tensors import tensors_in


def _driver(what):
    npu = getattr(torch, "npu", None)
    simulated = os.environ.get("TRANSPLT_SIMULATE") or \
        os.environ.get("TRANSPLT_CAPTURE_SIMULATE") == "1"
    # Our own functions may stand at torch.npu, and a simulator's do nothing.
    if npu is not None and not simulated and callable(getattr(npu, "init_dump", None)) and \
            npu.init_dump is not npu_dump.init_dump:
        return npu
    if simulated:
        return npu_dump
    raise RuntimeError(f"{what} dumps on an NPU, through its driver (torch.npu.init_dump); there "
                       "is none here. TRANSPLT_CAPTURE_SIMULATE=1 dumps the operators that the "
                       "host computes in their place, marked SIMULATED. Without acl, mode \"api\" "
                       "and \"api_stack\" capture on any machine")


class OperatorDump:
    """`with` it, operators are dumped as the configuration file says."""

    def __init__(self, what, config):
        self._driver = _driver(what)
        self._config = config
        if not os.path.isfile(config):
            raise ValueError(f"{what}: {config}: no such file; it is the configuration of the "
                             "dump: {\"dump\": {\"dump_list\": [], \"dump_path\": ..., "
                             "\"dump_mode\": \"all\", \"dump_op_switch\": \"on\"}}")
        settings = npu_dump.read_settings(config)
        if settings.get("dump_op_switch", "off") != "on":
            raise ValueError(f"{config}: dump_op_switch is not \"on\": nothing would be dumped")

    def __enter__(self):
        self._driver.init_dump()
        try:
            self._driver.set_dump(self._config)
        except BaseException:
            self._driver.finalize_dump()
            raise

    def __exit__(self, *error):
        self._driver.finalize_dump()


def copy_of(value, with_gradients=False):
    """The arguments of a call with tensors of their own, so that it can be made once more."""
    if isinstance(value, torch.Tensor):
        copy = value.detach().clone()
        if with_gradients and value.requires_grad:
            # No leaf: functions that work in place refuse those.
            copy = copy.requires_grad_().clone()
        return copy
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(copy_of(item, with_gradients) for item in value)
    if type(value) is dict:
        return {key: copy_of(item, with_gradients) for key, item in value.items()}
    return value


class RandomState:
    """The state of the generators that a call on these tensors draws from."""

    def __init__(self, tensors):
        self._states = [(torch, (), torch.get_rng_state())]
        for device in {t.device for t in tensors if t.device.type not in ("cpu", "meta")}:
            module = getattr(torch, device.type, None)
            if hasattr(module, "get_rng_state"):
                self._states.append((module, (device,), module.get_rng_state(device)))

    @contextlib.contextmanager
    def again(self):
        """Draws what was drawn then; afterwards all is as before."""
        now = [(module, device, module.get_rng_state(*device))
               for module, device, _ in self._states]
        try:
            for module, device, state in self._states:
                module.set_rng_state(state, *device)
            yield
        finally:
            for module, device, state in now:
                module.set_rng_state(state, *device)


class AclRecorder(Recorder):
    """hook_name "dump", mode "acl": one call of one function. A forward call is dumped while it is
    made. For a backward call the forward call is made once more beside the training, and its
    gradient is that of the file, which the search for overflows has written."""

    capture = None

    def __init__(self, choice, dump, scope, gradients):
        super().__init__(choice)
        self.dump = dump
        self.scope = scope
        self.gradients = gradients
        self.open = None  # the call that is being dumped
        self.done = False

    def function_call(self, kind, name):
        return f"{kind}_{name}_{self.count((kind, name))}_forward"

    def record_inputs(self, token, args, kwargs):
        if self.done:
            return
        self.done = True
        if self.scope.endswith("_backward"):
            self.replay(token, args, kwargs)
        else:
            self.open = token
            self.dump.__enter__()

    def replay(self, token, args, kwargs):
        given = tensors_in(args, kwargs)
        args, kwargs = copy_of(args, True), copy_of(kwargs, True)
        with torch.enable_grad(), RandomState(given).again():
            outputs = [t for t in tensors_in(token.function(*args, **kwargs)) if t.requires_grad]
            gradients = [torch.from_numpy(numpy.load(path)) for path in self.gradients]
            if [t.shape for t in outputs] != [g.shape for g in gradients]:
                raise Deliberate(
                    f"backward_input has shapes {[tuple(g.shape) for g in gradients]}, the outputs "
                    f"of {token.name} {[tuple(t.shape) for t in outputs]}: the files are not of "
                    "this call")
            gradients = [g.to(t.device, t.dtype) for t, g in zip(outputs, gradients)]
            with self.dump:
                torch.autograd.backward(outputs, gradients)

    def after(self, token, args, kwargs, result):
        super().after(token, args, kwargs, result)
        self.forget(token)

    def record_outputs(self, token, args, kwargs, result):
        pass

    def forget(self, token):
        super().forget(token)
        if token is not None and token is self.open:
            self.open = None
            self.dump.__exit__(None, None, None)

    def finish(self, step):
        if not self.done:
            say(f"transplt_capture: step {step}: {self.scope} was not called: nothing was dumped")
        return None
