# SPDX-License-Identifier: Apache-2.0
"""A small character-level transformer language model with a trainer for one CUDA GPU."""
from .checkpoint import load_checkpoint, save_checkpoint
from .config import Config, ModelConfig, TrainConfig
from .data import Corpus, make_corpus
from .device import cuda_available, describe, pick_device, synchronize
from .model import TinyLM
from .trainer import Trainer

__all__ = [
    "Config",
    "Corpus",
    "ModelConfig",
    "TinyLM",
    "TrainConfig",
    "Trainer",
    "cuda_available",
    "describe",
    "load_checkpoint",
    "make_corpus",
    "pick_device",
    "save_checkpoint",
    "synchronize",
]
