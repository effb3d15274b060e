# SPDX-License-Identifier: Apache-2.0
"""torch_npu: torch.npu is there anyway, and torch_npu.profiler is recorded."""

import types

from debug_stand_in import event


class _Names:
    def __getattr__(self, name):
        return name


class _Profile:
    def __init__(self, **options):
        event("torch_npu.profiler.profile", **options)

    def __getattr__(self, name):
        return lambda: event(f"torch_npu.profiler.profile.{name}")


profiler = types.SimpleNamespace(
    profile=_Profile, schedule=lambda **options: options,
    tensorboard_trace_handler=lambda folder: folder, ProfilerLevel=_Names(), AiCMetrics=_Names(),
    _ExperimentalConfig=lambda **options: options)
