# SPDX-License-Identifier: Apache-2.0
"""Ends steps and captures. What a disk has no room for does not end somebody's training."""

import sys

from . import _native

# Of transplt_status.
_IO, _FULL, UNSUPPORTED = 2, 3, 7


def say(text):
    """Messages go to stderr: stdout is the training's."""
    print(text, file=sys.stderr, flush=True)


def end_step(capture, step):
    """Makes files of what was captured."""
    _go_on(lambda: capture.step(step), f"step {step}")


def end_capture(capture):
    _go_on(capture.close, "the end of the capture")


def finish_capture(capture, step):
    """Ends the last step and the capture; the counters."""
    end_step(capture, step)
    counters = capture.counters()
    end_capture(capture)
    return counters


def _go_on(act, when):
    try:
        act()
    except _native.CaptureError as error:
        status, text = error.args
        if status not in (_IO, _FULL):
            raise
        say(f"transplt_capture: {when}: {text}. The training goes on; transplt_capture.recover() "
            "makes files of what is in the log once there is room")
