# SPDX-License-Identifier: Apache-2.0
"""In the place of torch.utils.tensorboard, tensorboardX and tensorboard_logger.

Nothing is written but the folder.
"""

import os


class _Nothing:
    """Takes every call."""

    def __init__(self, *args, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing()

    def __call__(self, *args, **kwargs):
        return _Nothing()


class SummaryWriter(_Nothing):
    """A writer whose folder exists, because scripts put their own files there."""

    def __init__(self, log_dir=None, comment="", *args, logdir=None, **kwargs):
        self.log_dir = self.logdir = str(log_dir or logdir or os.path.join("runs", "run" + comment))
        os.makedirs(self.log_dir, exist_ok=True)

    def get_logdir(self):
        return self.log_dir

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class FileWriter(SummaryWriter):
    pass


RecordWriter = _Nothing


class Logger(_Nothing):
    """Of tensorboard_logger."""

    def __init__(self, logdir, *args, **kwargs):
        os.makedirs(str(logdir), exist_ok=True)


configure = Logger
log_value = log_images = log_histogram = _Nothing
