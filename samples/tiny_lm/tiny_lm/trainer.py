# SPDX-License-Identifier: Apache-2.0
"""The training loop."""
import json
import logging
import math
from typing import Optional

import torch
from torch.cuda.amp import GradScaler, autocast
from torch.nn.utils import clip_grad_norm_

from . import device as devices
from .config import Config
from .data import Batch, Corpus, Prefetcher, make_loader
from .model import TinyLM
from .profiling import StepTimer, maybe_profile, nvtx_range, record_function

logger = logging.getLogger(__name__)


class Trainer:
    """Trains one model on one device. Losses are printed, everything else is logged."""

    def __init__(self, config: Config, train_set: Corpus, eval_set: Corpus, nvtx: bool = False):
        self.config = config
        self.device = devices.pick_device(config.train.device)
        self.use_cuda = self.device.type == "cuda"
        self.use_amp = config.train.amp and self.use_cuda
        self.nvtx = nvtx
        if config.train.tf32 and not devices.enable_tf32(self.device):
            logger.warning("tf32 needs an Ampere GPU or newer (compute capability 8.0), ignored")
        logger.info("device: %s, amp: %s", devices.describe(self.device), self.use_amp)

        self.train_set, self.eval_set = train_set, eval_set
        self.model = TinyLM(config.model, len(train_set.alphabet)).to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=config.train.lr, weight_decay=config.train.weight_decay
        )
        self.scaler = GradScaler(enabled=self.use_amp)
        self.step = 0
        logger.info("%.2f M parameters", self.model.parameter_count() / 1e6)

    def learning_rate(self) -> float:
        """Linear warm-up, then a half cosine down to a tenth."""
        train = self.config.train
        if self.step < train.warmup:
            return train.lr * (self.step + 1) / train.warmup
        done = (self.step - train.warmup) / max(train.steps - train.warmup, 1)
        return train.lr * (0.55 + 0.45 * math.cos(math.pi * min(done, 1.0)))

    def batches(self, corpus: Corpus, count: int, seed: int) -> Prefetcher:
        train = self.config.train
        loader = make_loader(corpus, train.batch_size, count, seed, train.pin_memory)
        return Prefetcher(loader, self.device)

    def train_step(self, batch: Batch) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate()
        self.optimizer.zero_grad(set_to_none=True)
        with record_function("forward"), nvtx_range("forward", self.nvtx):
            with autocast(enabled=self.use_amp):
                _, loss = self.model(*batch)
        with record_function("backward"), nvtx_range("backward", self.nvtx):
            self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        clip_grad_norm_(self.model.parameters(), self.config.train.clip_grad)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()

    def guarded_step(self, batch: Batch) -> Optional[float]:
        """A step that survives one batch too large for the GPU: it is dropped, None is returned."""
        try:
            return self.train_step(batch)
        except devices.OutOfMemory as error:
            if "out of memory" not in str(error):
                raise
            logger.error("CUDA out of memory at step %d, batch skipped\n%s", self.step, error)
        self.optimizer.zero_grad(set_to_none=True)
        devices.release_memory(self.device)
        return None

    def fit(self, trace_file: Optional[str] = None, metrics_file: Optional[str] = None) -> None:
        train = self.config.train
        timer = StepTimer(self.device)
        self.model.train()
        stream = self.batches(self.train_set, train.steps - self.step, train.seed + self.step)
        with maybe_profile(trace_file) as prof:
            for batch in stream:
                timer.start()
                loss = self.guarded_step(batch)
                timer.stop()
                self.step += 1
                if prof is not None:
                    prof.step()
                if loss is not None and (self.step % train.log_every == 0 or self.step == train.steps):
                    self.report(loss, timer.milliseconds(), metrics_file)
                if self.step % train.eval_every == 0:
                    print(f"step {self.step} eval loss {self.evaluate():.6f}", flush=True)
        if self.use_cuda:
            devices.synchronize(self.device)
            logger.info(torch.cuda.memory_summary(self.device, abbreviated=True))

    def report(self, loss: float, milliseconds: float, metrics_file: Optional[str]) -> None:
        print(f"step {self.step} loss {loss:.6f}", flush=True)
        logger.info("step %d: %.1f ms, %s", self.step, milliseconds, devices.memory_line(self.device))
        if metrics_file:
            # "cuda" and "gpu_ms" are the column names of the dashboard that reads this file
            row = {"step": self.step, "loss": loss, "cuda": self.use_cuda, "gpu_ms": milliseconds}
            with open(metrics_file, "a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")

    @torch.no_grad()
    def evaluate(self) -> float:
        train = self.config.train
        self.model.eval()
        total, count = 0.0, 0
        for batch in self.batches(self.eval_set, train.eval_batches, seed=train.seed):
            with autocast(enabled=self.use_amp):
                _, loss = self.model(*batch)
            total += loss.item()
            count += 1
        self.model.train()
        return total / max(count, 1)
