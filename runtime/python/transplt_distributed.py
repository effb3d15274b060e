# SPDX-License-Identifier: Apache-2.0
"""One training on several NPUs, a process for each, started by torchrun.

`transplt migrate --distributed` writes this module beside the migrated program. The training stays
the same: the batch size in the script is that of all processes together. Each process computes its
part of each batch, and gradients are averaged over the processes at the end of each backward.
Started without torchrun (or with one process), every function here leaves its argument as it is.

What differs from one card: the order in which numbers are added, the statistics of BatchNorm, which
are those of the part of one process, and random numbers that are drawn for each item.
"""

import atexit
import builtins
import collections
import copy
import functools
import gc
import itertools
import logging
import multiprocessing
import os
import pickle
import random
import re
import sys
import weakref

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from torch.utils.data.dataloader import _BaseDataLoaderIter

__all__ = [
    "DataParallel", "agreed", "is_main", "load", "local_rank", "main_first", "mean", "on_main",
    "part", "rank", "shard", "start", "summed", "total", "world_size", "wrap",
]

# --- processes --------------------------------------------------------------------------------


@functools.lru_cache(None)
def _numbers():
    """(rank, number of processes, rank on this machine), which the launcher has put into the
    environment: torchrun, or the launcher of Ascend."""
    for names in (("WORLD_SIZE", "RANK", "LOCAL_RANK"), ("RANK_SIZE", "RANK_ID", "DEVICE_ID")):
        if _number(names[0], 1) > 1:
            world, rank_, local = (_number(name) for name in names)
            if rank_ >= world:
                raise RuntimeError(f"{names[1]} is {rank_}, but {names[0]} is {world}: "
                                   f"ranks go from 0 to {world - 1}")
            return rank_, world, local
    return 0, 1, 0


def _number(name, default=None):
    text = os.environ.get(name, default)
    if text is None or not str(text).isdigit():
        found = "is not set" if text is None else f"is {text!r}, not a number"
        raise RuntimeError(f"the environment variable {name} {found}: start the program with "
                           "torchrun --nproc_per_node=<number of NPUs>")
    return int(text)


def rank():
    """The number of this process, from 0 on."""
    return _numbers()[0]


def world_size():
    """How many processes train together."""
    return _numbers()[1]


def local_rank():
    """The number of this process on its machine, and of the NPU that it uses."""
    return _numbers()[2]


def is_main():
    """Whether this is process 0, which prints and writes files."""
    return rank() == 0


@functools.lru_cache(None)
def _device():
    """The device of this process."""
    try:
        import torch_npu  # noqa: F401  brings torch.npu
    except ImportError:
        pass  # trains on what else there is
    for kind in ("npu", "cuda"):
        module = getattr(torch, kind, None)
        if module is None or not module.is_available():
            continue
        if local_rank() >= module.device_count():
            raise RuntimeError(
                f"process {rank()} is to use {kind}:{local_rank()}, but this machine has only "
                f"{module.device_count()}: start at most as many processes on it")
        return torch.device(f"{kind}:{local_rank()}")
    return torch.device("cpu")


def start():
    """Makes this process one of those that train together. Called once, before all else."""
    if _state.part is not None or multiprocessing.parent_process() is not None:
        return  # workers of a loader import the program, too
    kind = _device().type
    if kind != "cpu":
        getattr(torch, kind).set_device(_device())
    backend = {"npu": "hccl", "cuda": "nccl", "cpu": "gloo"}[kind]
    if world_size() == 1 and not dist.is_initialized():
        dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
    elif not dist.is_initialized():
        for name in ("MASTER_ADDR", "MASTER_PORT"):
            if name not in os.environ:
                raise RuntimeError(f"the environment variable {name} is not set: start the program "
                                   "with torchrun")
        dist.init_process_group(backend, rank=rank(), world_size=world_size())
    atexit.register(_finish)
    _be_silent()
    _state.part = _whole()
    if world_size() > 1:
        _draw_alike()


def _finish():
    """Ends the process group; first what uses it, or its threads outlive it."""
    _views.clear()
    _wrapped.clear()
    _state.used.clear()
    gc.collect()
    if dist.is_initialized():
        dist.destroy_process_group()


def _be_silent():
    """One process speaks for all; print(..., force=True) speaks in each."""
    original, stdout = builtins.print, sys.stdout
    nowhere = None if is_main() else open(os.devnull, "w")

    def print_(*args, force=False, **kwargs):
        if force and sys.stdout is nowhere:
            original(*args, **{"file": stdout, **kwargs})
        elif is_main() or force or kwargs.get("file") not in (None, sys.stdout, sys.stderr):
            original(*args, **kwargs)

    builtins.print = print_
    if is_main():
        return
    sys.stdout = nowhere
    logging.disable(logging.INFO)
    os.environ["TQDM_DISABLE"] = "1"
    try:
        from tqdm.std import tqdm
    except ImportError:
        return
    tqdm.__init__ = functools.partialmethod(tqdm.__init__, disable=True)  # tqdm before 4.66


# --- what processes tell each other -----------------------------------------------------------


def _broadcast(data=None):
    """The bytes that process 0 gives, in all processes."""
    size = torch.tensor([len(data or b"")], device=_device())
    dist.broadcast(size, 0)
    if data is None:
        content = torch.empty(int(size), dtype=torch.uint8, device=_device())
    else:
        content = torch.frombuffer(bytearray(data), dtype=torch.uint8).to(_device())
    dist.broadcast(content, 0)
    return bytes(content.tolist())


def _from_main(make):
    """What make() gives in process 0, in all processes; if it fails there, all fail."""
    if not is_main():
        value, failure = pickle.loads(_broadcast())
        if failure is not None:
            raise RuntimeError(f"process 0 has failed, and so process {rank()} ends: {failure}")
        return value
    try:
        value = make()
        message = pickle.dumps((value, None))
    except BaseException as error:
        _broadcast(pickle.dumps((None, repr(error))))
        raise
    _broadcast(message)
    return value


def _gather(x):
    """What all processes have as x, a tensor of the same shape and type in each, stacked."""
    here, away = x.detach().contiguous(), x.device.type != _device().type
    if away:  # as bytes: what an NPU cannot compute with gets through, too
        here = here.reshape(-1).view(torch.uint8).to(_device())
    parts = [torch.empty_like(here) for _ in range(world_size())]
    dist.all_gather(parts, here)
    if away:
        parts = [part.to(x.device).view(x.dtype).reshape(x.shape) for part in parts]
    return torch.stack(parts)


def agreed(condition):
    """Whether the condition holds in process 0: all processes leave a loop together."""
    return condition if world_size() == 1 else _from_main(lambda: bool(condition))


# --- random numbers ---------------------------------------------------------------------------

# Over a loop over training data each process draws its own random numbers: its own augmentation,
# its own dropout. Elsewhere all draw the same, so that they split data and make weights alike.
# Process 0 draws throughout what the script would draw on one card.


def _numpy():
    try:
        import numpy
        return numpy.random
    except ImportError:
        return None


def _draw_alike():
    """Gives all processes the random state of process 0."""
    numpy = _numpy()
    seed, *states = _from_main(lambda: (
        torch.initial_seed(), torch.get_rng_state().tolist(), random.getstate(),
        numpy and numpy.get_state()))
    _state.draws_alike = True
    if is_main():
        return
    _seed(seed)
    torch.set_rng_state(torch.tensor(states[0], dtype=torch.uint8))
    random.setstate(states[1])
    if numpy and states[2]:
        numpy.set_state(states[2])


def _draw_apart():
    """Gives this process random numbers of its own."""
    if not _state.draws_alike:
        return
    _state.draws_alike = False
    if is_main():
        return
    seed = int(torch.randint(2**31, ())) + rank()
    _seed(seed)
    random.seed(seed)
    if _numpy():
        _numpy().seed(seed)


def _seed(seed):
    torch.manual_seed(seed)
    if _device().type != "cpu":
        getattr(torch, _device().type).manual_seed(seed)


# --- data -------------------------------------------------------------------------------------

# The part of a batch that this process has: `length` items, `kept` of which count; the whole batch
# has `batch`. They differ in a batch that cannot be divided: a process that gets nothing computes
# with an item that does not count, and one that gets a single item has it twice (for BatchNorm).
_Part = collections.namedtuple("_Part", "kept length batch")


def _whole():
    """Where no batch is divided: each process computes the same."""
    return _Part(None, None, None)


_CHUNK = 1024  # so many batches are drawn at once


class _State:
    """What this module remembers."""

    part = None  # of the batch that is being computed
    last_part = None  # of the last batch of the loop that has ended
    draws_alike = False
    written = False  # by process 0, since the others have last waited for it
    used = {}  # _Wrapped -> its module, in the order of their use since all were made equal


_state = _State()


class _Parts:
    """A sampler that gives this process its part of each batch of another sampler.

    Process 0 draws from that sampler, as it would on one card, and tells the others."""

    def __init__(self, sampler, batched):
        self._sampler, self.batched = sampler, batched
        self.parts = None  # of the batches that were drawn and are still to be computed

    def __getattr__(self, name):
        return getattr(self.__dict__["_sampler"], name)

    def __len__(self):
        return len(self._sampler) if self.batched else -(-len(self._sampler) // world_size())

    def __iter__(self):
        self.parts = collections.deque()
        return self._draw(self.parts)

    def _draw(self, parts):
        batches, usual = self._batches() if is_main() else None, 0
        while True:
            chunk = _from_main(lambda: list(itertools.islice(batches, _CHUNK)))
            if not usual and len(chunk) > 1 and len(chunk[0]) < world_size():
                raise RuntimeError(
                    f"a batch has {len(chunk[0])} items, but there are {world_size()} processes, "
                    f"each of which needs some: make the batch size {world_size()} or more, or "
                    "start fewer processes")
            for batch in chunk:
                usual = max(usual, len(batch))
                items, part = self._part(batch, usual)
                parts.append(part)
                yield items if self.batched else items[0]
            if len(chunk) < _CHUNK:
                return

    def _batches(self):
        """The batches of the sampler; without batches, one item for each process."""
        drawn = iter(self._sampler)
        if self.batched:
            yield from map(list, drawn)
        else:
            yield from iter(lambda: list(itertools.islice(drawn, world_size())), [])

    def _part(self, batch, usual):
        first, last = (len(batch) * k // world_size() for k in (rank(), rank() + 1))
        items, kept = batch[first:last], last - first
        if not items or len(items) < min(2, usual // world_size()):
            items = (items or batch[:1]) * 2
        return items, _Part(kept, len(items), len(batch))


class _View:
    """A DataLoader that gives this process its part of each batch."""

    def __init__(self, loader):
        name = "sampler" if loader.batch_sampler is None else "batch_sampler"
        self._loader = copy.copy(loader)
        self._parts = _Parts(getattr(loader, name), name == "batch_sampler")
        set_ = functools.partial(object.__setattr__, self._loader)  # DataLoader forbids its own
        set_(name, self._parts)
        if not is_main():
            set_("generator", None)  # workers of all processes would draw the same
        set_("_iterator", None)
        for key, value in vars(loader).items():  # a subclass may keep one that does not end
            if isinstance(value, _BaseDataLoaderIter) and key != "_iterator":
                with torch.random.fork_rng(devices=[]):
                    set_(key, DataLoader.__iter__(self._loader))

    def __getattr__(self, name):
        return getattr(self.__dict__["_loader"], name)

    def __len__(self):
        return len(self._loader)

    def __iter__(self):
        _make_equal()
        _draw_apart()
        before, parts = _state.part, None
        try:
            for batch in self._loader:
                parts = self._parts.parts if parts is None else parts
                _state.part = parts.popleft() if parts else before
                yield batch
        finally:
            _state.part, _state.last_part = before, _state.part
        _make_equal()


_views = weakref.WeakKeyDictionary()


def shard(loader, when=True):
    """The same batches, of each of which this process gets its part, for a loop that computes
    gradients: where `when` is false or gradients are switched off, all of each."""
    if world_size() == 1 or isinstance(loader, _View):
        return loader
    if not when or not torch.is_grad_enabled():
        _state.last_part = None
        return loader
    if not isinstance(loader, DataLoader):
        raise TypeError(
            f"cannot divide a {type(loader).__name__} among processes, only a DataLoader: use one, "
            "or take item transplt_distributed.rank() of each transplt_distributed.world_size()")
    if isinstance(loader.dataset, IterableDataset):
        raise RuntimeError(
            f"{type(loader.dataset).__name__} is an IterableDataset, which only itself can divide "
            "among processes: let its __iter__ give each transplt_distributed.world_size()-th "
            "item from transplt_distributed.rank() on, divide the batch size by "
            "transplt_distributed.world_size(), and iterate over the loader without shard")
    if loader not in _views:
        _views[loader] = _View(loader)
    return _views[loader]


def part(size):
    """How many of a batch of `size` items this process has."""
    return size * (rank() + 1) // world_size() - size * rank() // world_size()


# --- modules ----------------------------------------------------------------------------------


class _Called(torch.nn.Module):
    """What DistributedDataParallel runs: a module, by the name of one of its methods."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, method, *args, **kwargs):
        return getattr(self.module, method)(*args, **kwargs)


class _Wrapped:
    """A module whose calls go through one DistributedDataParallel, made at the first of them."""

    def __init__(self, module, find_unused_parameters):
        self.module, self.find_unused_parameters = module, find_unused_parameters
        self.trained = self.parallel = None

    def __call__(self, *args, **kwargs):
        return self.run("__call__", *args, **kwargs)

    def __getattr__(self, name):
        value = getattr(self.module, name)
        if not callable(value) or isinstance(value, torch.nn.Module):
            return value
        return functools.partial(self.run, name)

    def run(self, method, *args, **kwargs):
        trained = {id(p): p for p in self.module.parameters() if p.requires_grad}
        if not trained or not torch.is_grad_enabled():
            return getattr(self.module, method)(*args, **kwargs)
        if self.trained != trained.keys():
            self.trained, self.parallel = trained.keys(), self.make(trained.values())
        part = _state.part
        if part != _whole() and part.kept * world_size() != part.batch:
            _weigh(trained)
        _state.used[self] = self.module
        return self.parallel(method, *args, **kwargs)

    def make(self, trained):
        for parameter in trained:
            if parameter.device != _device() and parameter.device.type == _device().type:
                raise RuntimeError(
                    f"a {type(self.module).__name__} has parameters on {parameter.device}, but "
                    f"process {rank()} uses {_device()}: leave out the index of the device, or use "
                    "transplt_distributed.local_rank()")
        self.module.to(_device())
        # Buffers are made equal at the end of each loop over batches: in the middle of two forwards
        # before one backward they must not change.
        called = _Called(self.module)
        called._ddp_params_and_buffers_to_ignore = [name for name, _ in called.named_buffers()]
        _copy_from_main(self.module.buffers())
        parallel = torch.nn.parallel.DistributedDataParallel(
            called, device_ids=None if _device().type == "cpu" else [local_rank()],
            broadcast_buffers=False, find_unused_parameters=self.find_unused_parameters)
        _draw_apart()
        return parallel


_wrapped = {}  # module -> its _Wrapped
_weighed = set()  # ids of parameters


def _weigh(parameters):
    """From now on gradients of processes with more items of a batch count more."""
    for key, parameter in parameters.items():
        if key not in _weighed:
            _weighed.add(key)
            parameter.register_hook(_weighed_gradient)


def _weighed_gradient(gradient):
    part = _state.part
    if part == _whole() or part.kept * world_size() == part.batch:
        return None
    return gradient * (part.kept * world_size() / part.batch)


def wrap(module, find_unused_parameters=True):
    """The module in a torch.nn.parallel.DistributedDataParallel, which averages gradients over the
    processes. Everything but calls goes to the module itself. Where each step uses all parameters,
    find_unused_parameters=False saves a walk through the graph."""
    if world_size() == 1 or not isinstance(module, torch.nn.Module):
        return module
    if isinstance(module, torch.nn.parallel.DistributedDataParallel):
        return module
    if module not in _wrapped:
        _wrapped[module] = _Wrapped(module, find_unused_parameters)
    return _wrapped[module]


def _buckets(tensors):
    """Tensors of one type and device, some 100 MB at a time."""
    filled = {}
    for tensor in tensors:
        key = tensor.dtype, tensor.device
        bucket, size = filled.get(key, ([], 0))
        bucket.append(tensor)
        filled[key] = bucket, size + tensor.numel()
        if size + tensor.numel() > 25_000_000:
            yield filled.pop(key)[0]
    for bucket, _ in filled.values():
        yield bucket


def _copy_from_main(tensors):
    for bucket in _buckets(tensors):
        flat = torch.cat([tensor.detach().reshape(-1) for tensor in bucket]).to(_device())
        flat = flat.view(torch.uint8) if flat.dtype == torch.bool else flat  # gloo knows no bool
        dist.broadcast(flat, 0)
        for tensor, part in zip(bucket, flat.split([tensor.numel() for tensor in bucket])):
            tensor.detach().copy_(part.view_as(tensor))


def _make_equal():
    """Gives all processes the running statistics and the random state of process 0."""
    for module in _state.used.values():
        _copy_from_main(module.buffers())
    _state.used.clear()
    _draw_alike()


class DataParallel(torch.nn.DataParallel):
    """Stands for torch.nn.DataParallel: the module on the device of this process."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        torch.nn.Module.__init__(self)
        self.module, self.dim = module.to(_device()), dim
        self.device_ids, self.output_device = [local_rank()], local_rank()

    def forward(self, *args, **kwargs):
        return self.module(*_to_device(args), **_to_device(kwargs))


def _to_device(value):
    if isinstance(value, torch.Tensor):
        return value.to(_device())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_to_device, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_to_device, value))
    if isinstance(value, dict):
        return type(value)((key, _to_device(one)) for key, one in value.items())
    return value


# --- numbers ----------------------------------------------------------------------------------


def summed(loss):
    """A loss that is a sum over the batch, so that the average of its gradients is their sum."""
    if world_size() == 1 or _state.part == _whole():
        return loss
    return loss * (_state.part.batch / _state.part.length)


def _part_of(last):
    """The part of the batch that a number is of; None where no batch is divided."""
    part = _state.last_part if last and _state.part == _whole() else _state.part
    return None if world_size() == 1 or part == _whole() else part


def mean(x, last=False):
    """The mean over the processes of what is a mean over the batch: a tensor or a number.
    `last`: behind a loop, of its last batch."""
    part = _part_of(last)
    if part is None:
        return x
    if isinstance(x, torch.Tensor):
        x = x if x.is_floating_point() or x.is_complex() else x.float()
    else:
        x = x * 1.0
    return _sum(x, part.kept, part.batch)


def total(x, last=False):
    """The sum over the processes of what is a sum over the batch: a tensor or a number.
    `last`: behind a loop, of its last batch."""
    part = _part_of(last)
    return x if part is None else _sum(x, part.kept, part.length)


def _sum(x, kept, of):
    tensor = x.detach() if isinstance(x, torch.Tensor) else torch.as_tensor(
        x, dtype=torch.float64 if isinstance(x, float) else None)
    dtype = torch.int64 if tensor.dtype == torch.bool else tensor.dtype
    exact = tensor.float() if dtype in (torch.float16, torch.bfloat16) else tensor.to(dtype)
    if kept != of:
        exact = exact * kept
        whole = not (exact.is_floating_point() or exact.is_complex())
        exact = torch.div(exact, of, rounding_mode="floor") if whole else exact / of
    result = _gather(exact).sum(0).to(dtype)
    if isinstance(x, torch.Tensor):
        return result
    return result.numpy() if result.dim() else result.item()


# --- files ------------------------------------------------------------------------------------


class _Nothing:
    """What takes part in everything and does nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __setattr__(self, name, value):
        pass

    def __call__(self, *args, **kwargs):
        return self

    __enter__ = __getitem__ = __neg__ = __add__ = __radd__ = __sub__ = __rsub__ = __call__
    __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __call__

    def __setitem__(self, key, value):
        pass

    def __exit__(self, *error):
        return False

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    __int__ = __index__ = __len__

    def __float__(self):
        return 0.0

    def __str__(self):
        return ""

    def __format__(self, form):
        return ""

    def __fspath__(self):
        return os.devnull

    def __lt__(self, other):
        return False

    __gt__ = __le__ = __ge__ = __eq__ = __lt__
    __hash__ = object.__hash__


def on_main(function):
    """The function in process 0; elsewhere one that does nothing."""
    _state.written = True
    if is_main():
        return function
    path = getattr(function, "__self__", None)
    if function is open or (isinstance(path, os.PathLike) and function.__name__ == "open"):
        skipped = 1 if function is open else 0
        return lambda *args, **kwargs: _open_nothing(*args[skipped:], **kwargs)
    if function is logging.basicConfig:
        return lambda **kwargs: function(handlers=[logging.NullHandler()])
    if isinstance(function, type) and issubclass(function, logging.Handler):
        return lambda *args, **kwargs: logging.NullHandler()
    return _Nothing()


def _open_nothing(mode="r", *args, file=None, **kwargs):
    return open(os.devnull, mode.replace("x", "w"), *args, **kwargs)


def main_first(function):
    """The function, called by process 0 first (to download), then by one process of each other
    machine, then by the rest. If one fails, all do."""
    if world_size() == 1:
        return function

    def call(*args, **kwargs):
        result = error = None
        for turn in range(3):
            if turn == (0 if is_main() else 1 if local_rank() == 0 else 2):
                try:
                    result = function(*args, **kwargs)
                except BaseException as raised:
                    error = raised
            failed = _gather(torch.tensor(int(error is not None))).nonzero().reshape(-1).tolist()
            if error is not None:
                raise error
            if failed:
                name = getattr(function, "__name__", function)
                raise RuntimeError(f"{name} has failed in process {failed[0]}, whose message says "
                                   f"why; so process {rank()} ends, too")
        return result

    return call


def load(function):
    """torch.load, after process 0 has written, and onto the device of this process."""
    if world_size() == 1:
        return function

    def call(file, *args, **kwargs):
        if _state.written and get_worker_info() is None:
            _state.written = False
            _gather(torch.zeros(1))  # waits for all
        where = args[0] if args else kwargs.get("map_location")
        here = str(_device())
        if where is None and _device().type != "cpu":
            where = {f"{kind}:{i}": here for kind in ("cuda", "npu") for i in range(128)}
        elif (isinstance(where, (str, torch.device))
              and re.fullmatch(r"(cuda|npu)(:\d+)?", str(where))):
            where = here
        return function(file, *([where, *args[1:]] if args else ()),
                        **(kwargs if args else {**kwargs, "map_location": where}))

    return call
