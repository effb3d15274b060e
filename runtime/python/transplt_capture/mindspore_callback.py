# SPDX-License-Identifier: Apache-2.0
"""A Callback for MindSpore's model.train(callbacks=[...]): the parameters after each step, and what
the network gave, as synchronous dumps name them. Tested with a stand-in only: MindSpore could not be
run here."""

from . import _native, arrays
from .ending import end_capture, end_step, open_capture

try:
    from mindspore.train.callback import Callback
except ImportError:
    Callback = object

_FORMAT_MINDSPORE_SYNC = 1
_OUTPUT = 2


class CaptureCallback(Callback):
    """`step` in the grammar 0|3-5|10, counted from 0; all steps where it is empty."""

    def __init__(self, dump_path, net_name, step="", device_id=0, parameters=True):
        super().__init__()
        _native.selected(step, 0)
        self._root = dump_path
        self._options = {"format": _FORMAT_MINDSPORE_SYNC, "net_name": net_name,
                         "device_id": device_id}
        _native.check_options(dump_path, **self._options)
        self._step = step
        self._parameters = parameters
        self._capture = None

    def begin(self, run_context):
        self._capture = None  # opened at the first step that is captured

    def step_end(self, run_context):
        state = run_context.original_args()
        number = state.cur_step_num - 1
        if not _native.selected(self._step, number):
            return
        if self._capture is None:
            self._capture = open_capture(number, self._root, **self._options)
            if self._capture is None:
                return
        outputs = getattr(state, "net_outputs", None)
        if outputs is not None:
            for index, value in enumerate(outputs if isinstance(outputs, (list, tuple))
                                          else [outputs]):
                self._put("net_outputs", index, value)
        if self._parameters:
            for parameter in state.train_network.get_parameters():
                self._put(f"Parameter/{parameter.name}", 0, parameter)
        end_step(self._capture, number)

    def _put(self, name, index, value):
        array = value.asnumpy() if hasattr(value, "asnumpy") else value
        arrays.put(self._capture, array, name, None, None, None, _OUTPUT, index)

    def end(self, run_context):
        if self._capture is not None:
            capture, self._capture = self._capture, None
            end_capture(capture, self._root)
