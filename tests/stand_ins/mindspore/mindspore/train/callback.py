# SPDX-License-Identifier: Apache-2.0
class Callback:
    def begin(self, run_context):
        pass

    epoch_begin = epoch_end = step_begin = step_end = end = begin


class LossMonitor(Callback):
    def __init__(self, per_print_times=1):
        pass


class TimeMonitor(Callback):
    def __init__(self, data_size=None):
        pass


class CheckpointConfig:
    def __init__(self, **_):
        pass


class ModelCheckpoint(Callback):
    def __init__(self, prefix="CKP", directory=None, config=None):
        pass


class SummaryCollector(Callback):
    def __init__(self, summary_dir, **_):
        pass
