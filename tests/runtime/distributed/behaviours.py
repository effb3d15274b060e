# SPDX-License-Identifier: Apache-2.0
"""What one process of several sees: runs each behaviour and writes what it gave as JSON.

behaviours.py FOLDER [BEHAVIOUR...]; RANK and WORLD_SIZE come from the environment, as from
torchrun. With ORIGINAL=1 the behaviours run as before migration: without the module."""

import contextlib
import copy
import io
import json
import logging
import os
import pathlib
import random
import sys
import traceback
import types
import unittest.mock

import torch
from torch import nn
from torch.utils.data import (
    DataLoader, Dataset, IterableDataset, TensorDataset, WeightedRandomSampler, random_split)

if os.environ.get("ORIGINAL"):
    def same(value, *more):
        return value

    td = types.SimpleNamespace(shard=same, wrap=same, mean=same, total=same, summed=same,
                               start=lambda: None, rank=lambda: 0)
else:
    import transplt_distributed as td

BEHAVIOURS = []
FOLDER = pathlib.Path(sys.argv[1])


def behaviour(function):
    BEHAVIOURS.append(function)
    return function


def device():
    return torch.device("npu" if hasattr(torch, "npu") else "cpu")


def data(count=45, width=5):
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(count, width, generator=generator)
    return TensorDataset(x, (x.sum(1, keepdim=True) * 2).sin())


def network(*more):
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(5, 7), *more, nn.Tanh(), nn.Linear(7, 1)).to(device())


def train(loader, net=None, reduction="mean", epochs=3, after_epoch=lambda: None):
    """The loss of each step, as the migrated script reads it."""
    net = net or network()
    optimizer = torch.optim.Adam(net.parameters(), 0.05)
    criterion = nn.MSELoss(reduction=reduction)
    losses = []
    for _ in range(epochs):
        for x, y in td.shard(loader):
            loss = criterion(td.wrap(net)(x.to(device())), y.to(device()))
            optimizer.zero_grad()
            (td.summed(loss) if reduction == "sum" else loss).backward()
            optimizer.step()
            losses.append((td.total if reduction == "sum" else td.mean)(loss).item())
        after_epoch()
    return losses


def error(function):
    try:
        function()
    except Exception as raised:
        return f"{type(raised).__name__}: {raised}"
    return None


# --- the same losses --------------------------------------------------------------------------


@behaviour
def shuffled_loader_with_mean_loss():
    torch.manual_seed(5)
    return train(DataLoader(data(), 8, shuffle=True))


@behaviour
def shuffled_loader_with_summed_loss():
    torch.manual_seed(5)
    return train(DataLoader(data(), 8, shuffle=True), reduction="sum")


@behaviour
def last_batch_of_one_item():
    torch.manual_seed(5)
    mean = train(DataLoader(data(41), 8, shuffle=True))
    return mean + train(DataLoader(data(41), 8, shuffle=True), reduction="sum")


@behaviour
def batch_size_that_cannot_be_divided():
    torch.manual_seed(5)
    return train(DataLoader(data(), 7, shuffle=True))


@behaviour
def drop_last():
    torch.manual_seed(5)
    return train(DataLoader(data(), 8, shuffle=True, drop_last=True))


@behaviour
def weighted_sampler():
    torch.manual_seed(5)
    weights = [1 + k % 4 for k in range(45)]
    return train(DataLoader(data(), 8, sampler=WeightedRandomSampler(weights, 30)))


class BySize:
    """A batch sampler of one's own, with batches of different sizes and Python's random."""

    def __iter__(self):
        order = list(range(45))
        random.shuffle(order)
        for start, stop in ((0, 8), (8, 20), (20, 26), (26, 45)):
            yield order[start:stop]

    def __len__(self):
        return 4


@behaviour
def batch_sampler_of_its_own():
    random.seed(9)
    return train(DataLoader(data(), batch_sampler=BySize()))


class Endless(BySize):
    """Batches without an end, and so without a length."""

    __len__ = None

    def __iter__(self):
        while True:
            yield random.sample(range(45), 8)


@behaviour
def endless_batch_sampler():
    random.seed(9)
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    losses = []
    for step, (x, y) in enumerate(td.shard(DataLoader(data(), batch_sampler=Endless()))):
        loss = (td.wrap(net)(x.to(device())) - y.to(device())).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(td.mean(loss).item())
        if step == 5:
            return losses


@behaviour
def workers():
    torch.manual_seed(5)
    loader = DataLoader(data(), 8, shuffle=True, num_workers=2, persistent_workers=True)
    return train(loader, epochs=2)


@behaviour
def generator_of_its_own():
    torch.manual_seed(5)
    return train(DataLoader(data(), 8, shuffle=True, generator=torch.Generator().manual_seed(4)))


class Forever(DataLoader):
    """Keeps its workers by an iterator that does not end, as some projects do."""

    class _Repeat:
        def __init__(self, sampler):
            self.sampler = sampler

        def __iter__(self):
            while True:
                yield from iter(self.sampler)

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        object.__setattr__(self, "batch_sampler", self._Repeat(self.batch_sampler))
        self.iterator = super().__iter__()

    def __len__(self):
        return len(self.batch_sampler.sampler)

    def __iter__(self):
        for _ in range(len(self)):
            yield next(self.iterator)


@behaviour
def loader_that_keeps_its_iterator():
    torch.manual_seed(5)
    return train(Forever(data(), 8, shuffle=True))


@behaviour
def splits_that_are_made_between_epochs():
    torch.manual_seed(5)
    losses = []
    for _ in range(2):
        part, _ = random_split(data(), [33, 12])
        losses += train(DataLoader(part, 8, shuffle=True), epochs=1)
    return losses


@behaviour
def accumulated_gradients():
    torch.manual_seed(5)
    net = network()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    losses = []
    for step, (x, y) in enumerate(td.shard(DataLoader(data(), 8, shuffle=True))):
        loss = (td.wrap(net)(x.to(device())) - y.to(device())).pow(2).mean() / 2
        loss.backward()
        if step % 2:
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(td.mean(loss).item())
    return losses


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.actor, self.critic, self.unused = nn.Linear(5, 1), nn.Linear(5, 1), nn.Linear(2, 2)

    def value(self, x):
        return self.critic(x)

    def forward(self, x):
        return self.actor(x)


@behaviour
def methods_with_parameters_of_their_own():
    torch.manual_seed(5)
    net = ActorCritic().to(device())
    optimizer = torch.optim.Adam(net.parameters(), 0.1, weight_decay=0.1)
    losses = []
    for x, y in td.shard(DataLoader(data(), 8, shuffle=True)):
        x, y = x.to(device()), y.to(device())
        for output in (td.wrap(net), td.wrap(net).value):
            loss = (output(x) - y).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(td.mean(loss).item())
    return losses + [net.unused.weight.grad is None, net.unused.weight.sum().item()]


class OneBranch(nn.Module):
    """Uses one of its layers only where the data has something for it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.always, self.seldom = nn.Linear(5, 1), nn.Linear(5, 1)

    def forward(self, x):
        rare = x[:, 0] > 1.2
        out = self.always(x)
        return out + self.seldom(x * rare[:, None]) * rare[:, None] if rare.any() else out


@behaviour
def branches_that_only_some_processes_take():
    torch.manual_seed(5)
    return train(DataLoader(data(), 8, shuffle=True), OneBranch().to(device()))


@behaviour
def layers_that_are_frozen_and_thawed():
    torch.manual_seed(5)
    net = network()
    net[0].requires_grad_(False)
    loader = DataLoader(data(), 8, shuffle=True)
    losses = train(loader, net, epochs=1)
    net[0].requires_grad_(True)
    losses += train(loader, net, epochs=1)
    net[2].requires_grad_(False)
    return losses + train(loader, net, epochs=1)


@behaviour
def checkpointed_layers():
    from torch.utils.checkpoint import checkpoint

    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = network()

        def forward(self, x):
            return checkpoint(self.body, x, use_reentrant=False)

    torch.manual_seed(5)
    return train(DataLoader(data(), 8, shuffle=True), Checkpointed())


@behaviour
def one_item_at_a_time_without_batches():
    """What the script computes here is the mean over one item of each process."""
    class Batches(Dataset):
        def __len__(self):
            return 10

        def __getitem__(self, index):
            return [torch.full((4, 5), float(index)), torch.ones(4, 1)]

    view = td.shard(DataLoader(Batches(), batch_size=None))
    seen = [int(x[0, 0]) for x, _ in view]
    return [len(view), seen]


@behaviour
def batch_norm_with_few_items():
    torch.manual_seed(5)
    return train(DataLoader(data(42), 8, shuffle=True), network(nn.BatchNorm1d(7)), epochs=2)


# --- GANs -------------------------------------------------------------------------------------


@behaviour
def gan_with_batch_norm():
    torch.manual_seed(5)
    generator, critic = network(nn.BatchNorm1d(7)), network(nn.BatchNorm1d(7))
    generator[-1] = nn.Linear(7, 5).to(device())
    of_generator = torch.optim.Adam(generator.parameters(), 0.01)
    of_critic = torch.optim.Adam(critic.parameters(), 0.01)
    for x, _ in td.shard(DataLoader(data(), 8, shuffle=True)):
        x = x.to(device())
        fake = td.wrap(generator)(torch.randn(len(x), 5).to(device()))
        of_critic.zero_grad()
        real_score, fake_score = td.wrap(critic)(x), td.wrap(critic)(fake.detach())
        (fake_score.mean() - real_score.mean()).backward()
        of_critic.step()
        of_generator.zero_grad()
        (-td.wrap(critic)(fake).mean()).backward()
        of_generator.step()
    state = [*generator.state_dict().values(), *critic.state_dict().values()]
    return [value.cpu().double().sum().item() for value in state]


# --- what the program keeps -------------------------------------------------------------------


@behaviour
def a_wrapped_module_stays_what_it_was():
    net = network(nn.BatchNorm1d(7))
    keys, kind = list(net.state_dict()), type(net)
    train(DataLoader(data(), 8, shuffle=True), net, epochs=1)
    copied = copy.deepcopy(net)
    train(DataLoader(data(), 8, shuffle=True), copied, epochs=1)
    written = io.BytesIO()
    torch.save(net, written)
    written.seek(0)
    read = torch.load(written)
    bare = b"transplt_distributed" not in written.getvalue()
    same = all(torch.equal(a, b) for a, b in zip(net.state_dict().values(),
                                                 read.state_dict().values()))
    return [list(net.state_dict()) == keys == list(copied.state_dict()), type(read) is kind,
            type(copied) is kind, bare, same]


@behaviour
def the_loader_itself_gives_everything():
    loader = DataLoader(data(), 8)
    view = td.shard(loader)
    return [len(view) == len(loader), view.dataset is loader.dataset, view.batch_size,
            td.shard(loader) is view, td.shard(loader, False) is loader,
            sum(len(x) for x, _ in loader), [len(x) for x, _ in view]]


@behaviour
def data_parallel():
    torch.manual_seed(5)
    net = td.DataParallel(network(), device_ids=[0, 1])
    keys = list(net.state_dict())
    losses = train(DataLoader(data(), 8, shuffle=True), net)
    return [keys, isinstance(net, nn.DataParallel), *losses]


@behaviour
def lambdas_and_none_are_not_modules():
    function = len
    return [td.wrap(function) is function, td.wrap(None) is None]


# --- numbers ----------------------------------------------------------------------------------


@behaviour
def numbers_over_processes():
    found = {}
    for _ in td.shard(DataLoader(data(td.world_size()), td.world_size())):
        mine = td.rank() + 1
        half = td.total(torch.tensor([mine, 2.0], dtype=torch.float16))
        whole = td.total(torch.tensor(mine).to(device()))
        flag = td.total(torch.tensor(mine == 1))
        found = {
            "int": td.total(mine), "float": td.mean(mine + 0.1), "bool": td.total(mine == 1),
            "half": [str(half.dtype), *half.tolist()],
            "whole": [str(whole.dtype), whole.item(), whole.device.type],
            "flag": [int(flag)], "grad": td.mean(torch.ones(2, requires_grad=True)).requires_grad,
            "double": td.mean(torch.tensor(mine, dtype=torch.float64) / 3).item(),
        }
    return found


@behaviour
def numbers_where_no_batch_is_divided():
    return [td.total(3), td.mean(0.5)]


@behaviour
def counts_of_an_epoch():
    right = seen = 0
    for x, y in td.shard(DataLoader(data(41), 8, shuffle=True)):
        right += td.total((y > 0).sum().item())
        seen += td.total(y.size(0))
    return [right, seen]


@behaviour
def process_0_decides():
    return bool(td.agreed(td.rank() == 0)), bool(td.agreed(torch.tensor(td.rank() != 0)))


# --- random numbers ---------------------------------------------------------------------------


@behaviour
def random_numbers():
    import numpy
    torch.manual_seed(5), random.seed(5), numpy.random.seed(5)
    loader = DataLoader(data(), 8)
    inside = [(torch.rand(1).item(), random.random(), numpy.random.rand())
              for _ in td.shard(loader)]
    after = (torch.rand(1).item(), random.random(), numpy.random.rand())
    again = [torch.rand(1).item() for _ in td.shard(loader)]
    return {"inside": inside, "after": after, "again": again}


class Noisy(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.rand(1).item()


@behaviour
def random_numbers_of_workers():
    loader = DataLoader(Noisy(), 4, num_workers=1, generator=torch.Generator().manual_seed(4))
    return [value for batch in td.shard(loader) for value in batch.tolist()]


# --- files ------------------------------------------------------------------------------------


@behaviour
def files_of_process_0():
    path = FOLDER / "on_main.txt"
    if td.is_main():
        path.unlink(missing_ok=True)
    td.main_first(len)("")
    with td.on_main(open)(str(path), "x", encoding="utf-8") as file:
        file.write("main")
    with td.on_main(path.open)("a") as file:
        file.write("!")
    writer = td.on_main(io.StringIO)()
    with writer as one:
        if td.rank():
            one.anything.at(1)[2] = 3
    handler = td.on_main(logging.FileHandler)(str(path) + ".log")
    logging.getLogger("x").addHandler(handler)
    logging.getLogger("x").error("an error")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        print("silent", end=" ")
        print("forced", force=True)
    nothing = td.rank() and [
        f"{writer.x:.3f}", bool(writer), list(writer), writer == 1, int(writer)]
    td.main_first(len)("")  # all have written
    return [path.read_text(), pathlib.Path(str(path) + ".log").read_text(), said.getvalue(),
            nothing]


@behaviour
def checkpoints():
    path = str(FOLDER / "checkpoint.pt")
    net = network()
    td.on_main(torch.save)({"net": net.state_dict(), "cpu": torch.ones(1)}, path)
    read = td.load(torch.load)(path)
    forced = td.load(torch.load)(path, map_location="cpu")
    indexed = td.load(torch.load)(path, torch.device("npu:0") if hasattr(torch, "npu") else "cpu")
    return [str(read["net"]["0.weight"].device), str(read["cpu"].device),
            str(forced["net"]["0.weight"].device), str(indexed["net"]["0.weight"].device)]


class Bar:
    """Stands for tqdm."""

    def __init__(self, iterable=None, disable=False):
        self.disable = disable


@behaviour
def progress_bars():
    return [Bar([]).disable, Bar([], disable=False).disable]


@behaviour
def process_0_is_first():
    path = FOLDER / "first.txt"

    def download():
        existed = path.exists()
        path.write_text("data")
        return existed

    if td.is_main():
        path.unlink(missing_ok=True)
    td.main_first(len)("")
    return td.main_first(download)()


@behaviour
def process_0_fails_first():
    def download():
        raise OSError("no network")

    return error(td.main_first(download))


@behaviour
def another_process_fails():
    def read():
        if td.rank() == td.world_size() - 1:
            raise OSError("no disk")

    return error(td.main_first(read))


# --- errors -----------------------------------------------------------------------------------


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(8))


class Broken(BySize):
    def __iter__(self):
        raise ValueError("no order")


@behaviour
def what_cannot_be_divided():
    return {
        "list": error(lambda: td.shard([1, 2])),
        "stream": error(lambda: td.shard(DataLoader(Stream()))),
        "small": error(lambda: list(td.shard(DataLoader(data(), 1)))),
        "sampler": error(lambda: list(td.shard(DataLoader(data(), batch_sampler=Broken())))),
    }


@behaviour
def launchers():
    def numbers(**environment):
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            return td._numbers.__wrapped__()

    return {
        "none": numbers(), "torchrun": numbers(RANK="3", WORLD_SIZE="4", LOCAL_RANK="1"),
        "ascend": numbers(RANK_ID="3", RANK_SIZE="4", DEVICE_ID="2"),
        "single": numbers(WORLD_SIZE="1"),
        "missing": error(lambda: numbers(WORLD_SIZE="4", RANK="1")),
        "wrong": error(lambda: numbers(WORLD_SIZE="4", RANK="one", LOCAL_RANK="1")),
        "large": error(lambda: numbers(WORLD_SIZE="4", RANK="4", LOCAL_RANK="1")),
    }


@behaviour
def module_on_the_device_of_another():
    if not hasattr(torch, "npu") or td.world_size() == 1:
        return None
    other = (td.rank() + 1) % td.world_size()
    return error(lambda: td.wrap(nn.Linear(2, 2).to(f"npu:{other}"))(torch.zeros(1, 2)))


def main():
    std = types.ModuleType("tqdm.std")
    std.tqdm = Bar
    sys.modules.update({"tqdm": types.ModuleType("tqdm"), "tqdm.std": std})
    td.start()
    td.start()
    results = {}
    wanted = sys.argv[2:]
    for function in BEHAVIOURS:
        if wanted and function.__name__ not in wanted:
            continue
        try:
            results[function.__name__] = function()
        except Exception:
            results[function.__name__] = {"error": traceback.format_exc()}
        (FOLDER / f"{td.rank()}.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
