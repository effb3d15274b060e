# SPDX-License-Identifier: Apache-2.0
"""Everything that depends on which device we run on."""
from __future__ import annotations

import logging
import random

import torch
from torch.cuda import is_available as cuda_available
from torch.cuda import synchronize  # noqa: F401  (re-exported by the package)

logger = logging.getLogger(__name__)
tc = torch.cuda

try:
    OutOfMemory = torch.cuda.OutOfMemoryError
except AttributeError:  # torch < 1.13 raises a plain RuntimeError: "CUDA out of memory."
    OutOfMemory = RuntimeError


def pick_device(wanted: str = "cuda") -> torch.device:
    """The device asked for, or the CPU when it is a CUDA device and this machine has no GPU."""
    device = torch.device(wanted)
    if device.type != "cuda":
        return device
    if not cuda_available():
        logger.warning("%s was asked for but no GPU is usable, running on the CPU", wanted)
        return torch.device("cpu")
    index = tc.current_device() if device.index is None else device.index
    if index >= tc.device_count():
        raise ValueError(f"cuda:{index} does not exist, this machine has {tc.device_count()} GPU(s)")
    tc.set_device(index)
    return torch.device(f"cuda:{index}")


def describe(device: torch.device) -> str:
    """For the log, for example 'cuda:0, NVIDIA A100, 39.4 GiB'."""
    if device.type != "cuda":
        return "CPU"
    properties = tc.get_device_properties(device)
    return f"cuda:{device.index}, {tc.get_device_name(device)}, {properties.total_memory / 2**30:.1f} GiB"


def enable_tf32(device: torch.device) -> bool:
    if device.type != "cuda" or tc.get_device_capability(device) < (8, 0):
        return False
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    return True


def seed_all(seed: int) -> None:
    random.seed(seed)
    torch.manual_seed(seed)
    if cuda_available():
        tc.manual_seed_all(seed)


def rng_state() -> dict:
    state = {"cpu": torch.get_rng_state()}
    if cuda_available():
        state["cuda"] = tc.get_rng_state_all()
    return state


def set_rng_state(state: dict) -> None:
    """Restore what rng_state() has returned. A state saved without CUDA restores the CPU only."""
    torch.set_rng_state(state["cpu"].cpu())
    if cuda_available() and "cuda" in state:
        if len(state["cuda"]) != tc.device_count():
            logger.warning("checkpoint has CUDA rng states of %d GPUs, not restored", len(state["cuda"]))
            return
        tc.set_rng_state_all([one.cpu() for one in state["cuda"]])


def memory_line(device: torch.device) -> str:
    if device.type != "cuda":
        return "GPU memory: none"
    mib = 2**20
    allocated, peak = tc.memory_allocated(device) / mib, tc.max_memory_allocated(device) / mib
    return f"GPU memory: {allocated:.0f} MiB now, {peak:.0f} MiB peak, {tc.memory_reserved(device) / mib:.0f} MiB reserved"


def release_memory(device: torch.device) -> None:
    if device.type == "cuda":
        tc.empty_cache()
        tc.reset_peak_memory_stats(device)
