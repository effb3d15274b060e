# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: weights, optimizer, scaler, random states and the configuration they belong to."""
import logging
import os
from typing import TYPE_CHECKING

import torch

from . import device as devices
from .config import Config

if TYPE_CHECKING:
    from .trainer import Trainer

logger = logging.getLogger(__name__)
FORMAT = 1


def save_checkpoint(path: str, trainer: "Trainer") -> None:
    state = {
        "format": FORMAT,
        "step": trainer.step,
        "model": trainer.model.state_dict(),
        "optimizer": trainer.optimizer.state_dict(),
        "scaler": trainer.scaler.state_dict(),
        "rng": devices.rng_state(),
        "config": trainer.config.as_dict(),
    }
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    torch.save(state, f"{path}.tmp")
    os.replace(f"{path}.tmp", path)
    logger.info("saved %s at step %d", path, trainer.step)


def load_checkpoint(path: str, trainer: "Trainer") -> None:
    """Go on where the checkpoint was saved, on whatever device the trainer uses now."""
    if trainer.device.type == "cuda":
        # storages that were saved on any GPU are placed on ours
        state = torch.load(path, map_location=lambda storage, place: storage.cuda(trainer.device.index))
    else:
        state = torch.load(path, map_location="cpu")
    if state["format"] != FORMAT:
        raise ValueError(f"{path} has format {state['format']}, this program reads {FORMAT}")
    saved = Config.from_dict(state["config"])
    if saved.model != trainer.config.model:
        raise ValueError(f"{path} was trained with another model configuration: {saved.model}")
    trainer.model.load_state_dict(state["model"])
    trainer.optimizer.load_state_dict(state["optimizer"])
    if state["scaler"]:  # empty when it was saved by a run without amp, for example on a CPU
        trainer.scaler.load_state_dict(state["scaler"])
    trainer.step = state["step"]
    devices.set_rng_state(state["rng"])
    logger.info("resumed from %s at step %d", path, trainer.step)
