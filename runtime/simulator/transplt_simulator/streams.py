# SPDX-License-Identifier: Apache-2.0
"""Streams and events: all work is done when the call returns, so they only keep the time."""

import time

from . import device


class Stream:
    """A stream of the simulated device; there is only one order, that of the program."""

    def __init__(self, device=None, priority=0, **kwargs):
        from .device import checked, virtual_index

        index = virtual_index(device)
        self._index = checked(None) if index is None else index
        self.priority = priority

    @property
    def device(self):
        return device.device_of(self._index)

    @property
    def cuda_stream(self):
        return 0

    npu_stream = cuda_stream
    device_index = property(lambda self: self._index)

    def wait_event(self, event):
        pass

    def wait_stream(self, stream):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def query(self):
        return True

    def synchronize(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def __eq__(self, other):
        return isinstance(other, Stream) and self._index == other._index

    def __hash__(self):
        return hash(self._index)

    def __repr__(self):
        return "<torch.%s.Stream device=%s>" % (device.TYPE, self.device)


class Event:
    """An event; elapsed_time is the time on the host."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **kwargs):
        self.enable_timing = enable_timing
        self._time = None

    def record(self, stream=None):
        self._time = time.perf_counter()

    def wait(self, stream=None):
        pass

    def query(self):
        return True

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        if self._time is None or end._time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._time - self._time) * 1000.0


class StreamContext:
    """`with torch.npu.stream(s):`"""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream

    def __exit__(self, *error):
        pass
