# SPDX-License-Identifier: Apache-2.0
"""Configuration: dataclasses, filled from a YAML or JSON file and from ``key=value`` words."""
import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterable


@dataclass
class ModelConfig:
    layers: int = 4
    heads: int = 4
    width: int = 256
    context: int = 128
    dropout: float = 0.1


@dataclass
class TrainConfig:
    device: str = "cuda"  # "cuda", "cuda:1" or "cpu"; falls back to the CPU where there is no GPU
    amp: bool = True  # mixed precision; only on CUDA
    tf32: bool = False  # TensorFloat-32 matrix products on Ampere and newer GPUs
    pin_memory: bool = True
    steps: int = 2000
    batch_size: int = 64
    lr: float = 3e-4
    weight_decay: float = 0.1
    clip_grad: float = 1.0
    warmup: int = 100
    eval_every: int = 200
    eval_batches: int = 8
    log_every: int = 20
    seed: int = 1234


@dataclass
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)
    corpus_sentences: int = 20000

    def as_dict(self) -> Dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, raw: Dict[str, Any]) -> "Config":
        config = cls()
        _fill(config, raw, "")
        return config

    @classmethod
    def from_file(cls, path: str) -> "Config":
        text = Path(path).read_text(encoding="utf-8")
        if path.endswith((".yaml", ".yml")):
            import yaml  # only needed for YAML files

            return cls.from_dict(yaml.safe_load(text) or {})
        return cls.from_dict(json.loads(text))

    def override(self, words: Iterable[str]) -> None:
        """Apply words such as ``train.device=cuda:1`` or ``model.layers=2``."""
        for word in words:
            dotted, found, text = word.partition("=")
            if not found:
                raise ValueError(f"{word!r} is not of the form key=value")
            *sections, last = dotted.split(".")
            try:
                value = json.loads(text)
            except json.JSONDecodeError:
                value = text  # a plain string needs no quotes
            raw: Dict[str, Any] = {last: value}
            for section in reversed(sections):
                raw = {section: raw}
            _fill(self, raw, "")


def _fill(target: Any, raw: Dict[str, Any], prefix: str) -> None:
    for key, value in raw.items():
        if not hasattr(target, key):
            raise ValueError(f"unknown configuration key {prefix}{key}")
        current = getattr(target, key)
        if dataclasses.is_dataclass(current):
            _fill(current, value, f"{prefix}{key}.")
        else:
            setattr(target, key, float(value) if isinstance(current, float) else value)
