# SPDX-License-Identifier: Apache-2.0
"""A SessionRunHook for TensorFlow 1: fetches tensors by name with every run and writes them as .npy,
{dump_path}/step{n}/{name}.npy. Tested with a stand-in only: TensorFlow could not be run here."""

from . import _native, arrays
from .ending import end_capture, end_step, open_capture

try:
    from tensorflow.compat.v1.train import SessionRunArgs, SessionRunHook
except ImportError:
    SessionRunHook = object

    class SessionRunArgs:  # noqa: D101: what before_run() returns
        def __init__(self, fetches):
            self.fetches = fetches


class CaptureHook(SessionRunHook):
    """`tensors`: names such as "dense/BiasAdd:0". `step` in the grammar 0|3-5|10, from 0."""

    def __init__(self, dump_path, tensors, step=""):
        if not tensors:
            raise ValueError("tensors: at least one name such as \"dense/BiasAdd:0\" is expected")
        _native.selected(step, 0)
        _native.check_options(dump_path)
        self._path, self._names, self._step = dump_path, list(tensors), step
        self._number = 0
        self._capture = None

    def begin(self):
        self._capture = None  # opened at the first step that is captured

    def before_run(self, run_context):
        if not _native.selected(self._step, self._number):
            return None
        return SessionRunArgs({name: name for name in self._names})

    def after_run(self, run_context, run_values):
        number, self._number = self._number, self._number + 1
        if not _native.selected(self._step, number):
            return
        if self._capture is None:
            self._capture = open_capture(number, self._path)
            if self._capture is None:
                return
        for name, value in run_values.results.items():
            path = f"step{number}/{name.replace('/', '_').replace(':', '.')}"
            arrays.put(self._capture, value, path)
        end_step(self._capture, number)

    def end(self, session):
        if self._capture is not None:
            capture, self._capture = self._capture, None
            end_capture(capture, self._path)
