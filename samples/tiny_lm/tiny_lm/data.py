# SPDX-License-Identifier: Apache-2.0
"""A generated corpus, its batches, and the copy of batches to the GPU ahead of their use."""
import random
from typing import Iterator, List, Optional, Tuple

import torch as th
from torch.utils.data import DataLoader, Dataset, RandomSampler

Batch = Tuple[th.Tensor, th.Tensor]

# Sentences are made of these: “subject verb object place”. They are data, the text is what the model learns.
SUBJECTS = ("the cat", "a gpu", "my neighbour", "the old fan", "cuda", "the naïve driver")
VERBS = ("warms", "watches", "eats", "repairs", "forgets")
OBJECTS = ("the barracuda", "nine apples", "a cold kernel", "the cuda:0 sticker", "nothing")
PLACES = ("at home", "in the lab", "on the roof", "under the table")


def make_corpus(sentences: int, seed: int) -> str:
    dice = random.Random(seed)
    parts = (SUBJECTS, VERBS, OBJECTS, PLACES)
    return "".join(" ".join(dice.choice(part) for part in parts) + ".\n" for _ in range(sentences))


class Corpus(Dataset):
    """Windows of `context` characters; the target is the window moved on by one."""

    def __init__(self, text: str, context: int, alphabet: Optional[List[str]] = None):
        self.context = context
        self.alphabet = alphabet or sorted(set(text))
        self._id = {letter: number for number, letter in enumerate(self.alphabet)}
        self.ids = self.encode(text)
        if len(self) < 1:
            raise ValueError(f"a text of {len(text)} characters is too short for a context of {context}")

    def encode(self, text: str) -> th.Tensor:
        return th.tensor([self._id[letter] for letter in text], dtype=th.long)

    def decode(self, ids: th.Tensor) -> str:
        return "".join(self.alphabet[number] for number in ids.tolist())

    def __len__(self) -> int:
        return len(self.ids) - self.context

    def __getitem__(self, start: int) -> Batch:
        window = self.ids[start : start + self.context + 1]
        return window[:-1], window[1:]


def make_loader(corpus: Corpus, batch_size: int, batches: int, seed: int, pin_memory: bool) -> DataLoader:
    # the order comes from a generator of its own, so that it is the same with and without a GPU
    order = th.Generator().manual_seed(seed)
    sampler = RandomSampler(corpus, replacement=True, num_samples=batches * batch_size, generator=order)
    return DataLoader(
        corpus,
        batch_size=batch_size,
        sampler=sampler,
        drop_last=True,
        pin_memory=pin_memory and th.cuda.is_available(),
    )


class Prefetcher:
    """Iterates over a loader; on CUDA the next batch is copied on a side stream while this one is used."""

    def __init__(self, loader: DataLoader, device: th.device):
        self.loader = loader
        self.device = device
        self.stream = th.cuda.Stream(device) if device.type == "cuda" else None

    def __len__(self) -> int:
        return len(self.loader)

    def _copy(self, batch: Batch) -> Batch:
        if self.stream is None:
            return batch[0].to(self.device), batch[1].to(self.device)
        with th.cuda.stream(self.stream):
            return tuple(tensor.cuda(self.device, non_blocking=True) for tensor in batch)

    def __iter__(self) -> Iterator[Batch]:
        ahead: Optional[Batch] = None
        for batch in self.loader:
            ready, ahead = ahead, self._copy(batch)
            if ready is not None:
                yield ready
            self._wait_for(ahead)
        if ahead is not None:
            yield ahead

    def _wait_for(self, batch: Batch) -> None:
        if self.stream is None:
            return
        current = th.cuda.current_stream(self.device)
        current.wait_stream(self.stream)
        for tensor in batch:
            if tensor.is_cuda:
                tensor.record_stream(current)
