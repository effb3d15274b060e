# SPDX-License-Identifier: Apache-2.0
"""In the place of tensorflow where a program of torch takes its writer of logs alone.

Everything else ends the program, as its import would have done.
"""

from . import absent
from .tensorboard_stand_in import SummaryWriter, _Nothing


class _Writer(SummaryWriter):
    """tf.summary.FileWriter, and what create_file_writer gives."""

    def as_default(self, *args, **kwargs):
        return self


class _Message(_Nothing):
    """tf.Summary and tf.HistogramProto: filled, and handed to a writer."""

    Image = Value = _Nothing

    def __init__(self, *args, **kwargs):
        self.bucket_limit, self.bucket, self.value = [], [], []


class summary:
    FileWriter = create_file_writer = _Writer
    scalar = image = histogram = text = audio = flush = trace_on = trace_off = trace_export = _Nothing


Summary = HistogramProto = _Message


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return absent.unusable("tensorflow", name)
