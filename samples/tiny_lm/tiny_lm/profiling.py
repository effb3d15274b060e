# SPDX-License-Identifier: Apache-2.0
"""Step timing with CUDA events, and torch.profiler behind an option."""
import contextlib
import time
from typing import Iterator, Optional

import torch
from torch import cuda
from torch.profiler import ProfilerActivity, profile, record_function, schedule

__all__ = ["StepTimer", "maybe_profile", "nvtx_range", "record_function"]


class StepTimer:
    """Milliseconds between start() and stop(); on CUDA measured on the device, not on the host."""

    def __init__(self, device: torch.device):
        self.use_cuda = device.type == "cuda"
        self.begin = cuda.Event(enable_timing=True) if self.use_cuda else 0.0
        self.end = cuda.Event(enable_timing=True) if self.use_cuda else 0.0

    def start(self) -> None:
        if self.use_cuda:
            self.begin.record()
        else:
            self.begin = time.perf_counter()

    def stop(self) -> None:
        if self.use_cuda:
            self.end.record()
        else:
            self.end = time.perf_counter()

    def milliseconds(self) -> float:
        if self.use_cuda:
            cuda.synchronize()
            return self.begin.elapsed_time(self.end)
        return (self.end - self.begin) * 1000.0


@contextlib.contextmanager
def nvtx_range(name: str, enabled: bool) -> Iterator[None]:
    """A named range for Nsight Systems."""
    if not enabled or not cuda.is_available():
        yield
        return
    cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        cuda.nvtx.range_pop()


@contextlib.contextmanager
def maybe_profile(trace_file: Optional[str]) -> Iterator[Optional[profile]]:
    """Profile a few steps and write a Chrome trace, or do nothing when there is no file name."""
    if not trace_file:
        yield None
        return
    activities = [ProfilerActivity.CPU]
    if cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    sort_by = "cuda_time_total" if cuda.is_available() else "cpu_time_total"

    def finish(prof: profile) -> None:
        prof.export_chrome_trace(trace_file)
        with open(trace_file + ".txt", "w", encoding="utf-8") as table:
            table.write(prof.key_averages().table(sort_by=sort_by, row_limit=15))

    plan = schedule(wait=1, warmup=1, active=3, repeat=1)
    with profile(activities=activities, schedule=plan, on_trace_ready=finish, profile_memory=True) as prof:
        yield prof
