# SPDX-License-Identifier: Apache-2.0
"""APIs of PyTorch, made of others, for NPUs that lack or limit them.

`transplt migrate --similar`, `--enable channel-shuffle` or `--enable fused-shuffle` writes this module
beside the migrated program and calls it where the program called the API of the same name. Unless its text says otherwise, a function here gives the
same results as the original.
"""

import functools
import threading

import torch
import torch.nn.modules.module

try:
    import torch_npu  # noqa: F401  brings torch.npu
except ImportError:
    pass  # the functions work on other devices, too

__all__ = [
    "ApexDistributedDataParallel", "Conv3d", "MaxUnpool1d", "MaxUnpool2d", "ShuffledSequential",
    "SyncBatchNorm", "get_device_properties", "halves", "max_unpool1d", "max_unpool2d", "pad",
    "repeat_interleave", "set_default_tensor_type", "shuffle_channels", "shuffle_parts",
    "takes_halves", "whole",
]


def _several(value, count):
    """One number for all dimensions, or one for each."""
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return values * count if len(values) == 1 else values


# --- channel_shuffle ---------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _orders(channels, groups, device):
    """Which channel comes to each place, and to which place each channel goes; kept on the device, so
    that no step copies them there."""
    order = torch.arange(channels).view(groups, channels // groups).t().reshape(-1)
    return tuple(index.int().to(device) for index in (order, order.argsort()))


class _Shuffle(torch.autograd.Function):
    """index_select whose gradient is an index_select, and no index_add."""

    @staticmethod
    def forward(ctx, x, order, inverse):
        ctx.orders = inverse, order
        return x.index_select(1, order)

    @staticmethod
    def backward(ctx, gradient):
        return _Shuffle.apply(gradient, *ctx.orders), None, None


def shuffle_channels(x, groups):
    """`x.view(n, groups, c // groups, ...).transpose(1, 2).contiguous().view(n, c, ...)`."""
    order, inverse = _orders(x.size(1), groups, x.device)
    if torch._C._get_tracing_state() is not None:
        return x.index_select(1, order.long())  # what ONNX has
    return _Shuffle.apply(x, order, inverse)


# --- blocks that split, join and shuffle channels ------------------------------------------------

_giving = threading.local()  # `block`: the one that may give halves


class _Halves:
    """`x.chunk(2, dim=1)` of what a block has given, for the block behind it."""

    def __init__(self, parts):
        self.parts = parts


class _Exchange(torch.autograd.Function):
    """cat, and an index_select for each result. The gradient is the same the other way round: no
    narrow of what cat has joined, and nothing that is not contiguous."""

    @staticmethod
    def forward(ctx, orders, inverses, *parts):
        ctx.orders = inverses, orders
        joined = torch.cat(parts, 1)
        return tuple(joined.index_select(1, order) for order in orders)

    @staticmethod
    def backward(ctx, *gradients):
        return (None, None, *_Exchange.apply(*ctx.orders, *gradients))


@functools.lru_cache(maxsize=None)
def _pieces(sizes, groups, count, device):
    """Which channels come to each of `count` results, and where those of each part go."""
    order, inverse = _orders(sum(sizes), groups, device)
    return order.chunk(count), inverse.split(sizes)


def _is_hooked(block):
    kinds = ("forward_hooks", "forward_pre_hooks", "backward_hooks", "backward_pre_hooks")
    everywhere = vars(torch.nn.modules.module)
    return any(getattr(block, f"_{kind}", None) or everywhere.get(f"_global_{kind}")
               for kind in kinds)


def _takes_halves(block):
    return (getattr(type(block).forward, "takes_halves", False)
            and "forward" not in vars(block) and not _is_hooked(block))


class ShuffledSequential(torch.nn.Sequential):
    """torch.nn.Sequential in which a block hands its channels in two halves to a block that splits
    them again. What goes in and comes out of it, and what hooks and callers of a single block see,
    are whole tensors."""

    def forward(self, input):
        blocks = list(self)
        before = getattr(_giving, "block", None)
        try:
            for block, behind in zip(blocks, blocks[1:] + [None]):
                gives = behind is not None and _takes_halves(block) and _takes_halves(behind)
                _giving.block = block if gives else None
                input = block(input)
        finally:
            _giving.block = before
        return input

    def _get_name(self):
        return "Sequential"


def takes_halves(forward):
    """Marks the forward of a block that calls `halves` and `shuffle_parts`."""
    forward.takes_halves = True
    return forward


def halves(x):
    """`x.chunk(2, dim=1)`."""
    return x.parts if isinstance(x, _Halves) else x.chunk(2, dim=1)


def whole(x):
    """`x`, where a block does not split it."""
    return torch.cat(x.parts, 1) if isinstance(x, _Halves) else x


def shuffle_parts(block, parts, groups):
    """`channel_shuffle(torch.cat(parts, dim=1), groups)`."""
    if torch._C._get_tracing_state() is not None:
        return shuffle_channels(torch.cat(parts, 1), groups)
    sizes = tuple(part.size(1) for part in parts)
    count = 2 if getattr(_giving, "block", None) is block else 1
    results = _Exchange.apply(*_pieces(sizes, groups, count, parts[0].device), *parts)
    return results[0] if len(results) == 1 else _Halves(results)


# --- max_unpool -------------------------------------------------------------------------------


def _max_unpool(values, indices, kernel_size, stride, padding, output_size, count):
    if values.shape != indices.shape:
        raise RuntimeError("values and indices must have the same shape")
    kernel = _several(kernel_size, count)
    step = kernel if stride is None or stride == () else _several(stride, count)
    margin = _several(padding, count)
    spatial = values.shape[-count:]
    if output_size is None:
        size = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(spatial, step, margin, kernel)]
    else:
        size = list(output_size)[-count:]
    lead = list(values.shape[:-count])
    length = 1
    for n in size:
        length *= n
    flat = values.new_zeros(lead + [length])
    flat = flat.scatter(-1, indices.reshape(lead + [-1]), values.reshape(lead + [-1]))
    return flat.reshape(lead + size)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 2)


class _MaxUnpool(torch.nn.Module):
    count = 0

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size = _several(kernel_size, self.count)
        self.stride = self.kernel_size if stride is None else _several(stride, self.count)
        self.padding = _several(padding, self.count)

    def forward(self, input, indices, output_size=None):
        return _max_unpool(input, indices, self.kernel_size, self.stride, self.padding,
                           output_size, self.count)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    count = 1


class MaxUnpool2d(_MaxUnpool):
    count = 2


# --- repeat_interleave, pad -------------------------------------------------------------------


def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    if repeats is None:  # repeat_interleave(repeats): the indices themselves
        counts = input.tolist()
        indices = [i for i, count in enumerate(counts) for _ in range(count)]
        return torch.tensor(indices, dtype=input.dtype, device=input.device)
    if dim is None:
        input, dim = input.reshape(-1), 0
    length = input.shape[dim]
    counts = repeats.reshape(-1).tolist() if isinstance(repeats, torch.Tensor) else [repeats]
    if len(counts) == 1:
        index = torch.arange(length, device=input.device)
        index = index.unsqueeze(1).expand(length, counts[0]).reshape(-1)
    else:
        if len(counts) != length:
            raise RuntimeError("repeats must have the same size as input along dim")
        indices = [i for i, count in enumerate(counts) for _ in range(count)]
        index = torch.tensor(indices, dtype=torch.int64, device=input.device)
    return input.index_select(dim, index)


def _pad_with_value(input, dim, before, after, value):
    start, length = max(-before, 0), input.shape[dim]
    input = input.narrow(dim, start, length - start - max(-after, 0))
    parts = [input]
    for count, place in ((before, 0), (after, len(parts) + 1)):
        if count > 0:
            shape = list(input.shape)
            shape[dim] = count
            parts.insert(place, input.new_full(shape, value))
    return torch.cat(parts, dim) if len(parts) > 1 else input


def _source_index(position, length, mode):
    """Which element stands at a position outside of the tensor."""
    if mode == "circular":
        return position % length
    if mode == "replicate":
        return min(max(position, 0), length - 1)
    period = max(2 * (length - 1), 1)  # reflect
    position = abs(position) % period
    return position if position < length else period - position


def pad(input, pad, mode="constant", value=None):
    if len(pad) % 2 != 0 or len(pad) > 2 * input.dim():
        raise RuntimeError("pad must have two numbers for each of the last dimensions")
    for i in range(len(pad) // 2):
        dim, before, after = input.dim() - 1 - i, int(pad[2 * i]), int(pad[2 * i + 1])
        if before == 0 and after == 0:
            continue
        if mode == "constant":
            input = _pad_with_value(input, dim, before, after, 0 if value is None else value)
            continue
        if mode not in ("reflect", "replicate", "circular"):
            raise NotImplementedError(f"Unrecognised padding mode {mode}")
        length = input.shape[dim]
        if mode == "reflect" and max(before, after) >= length:
            raise RuntimeError("reflection must be smaller than the dimension")
        if mode == "circular" and max(before, after) > length:
            raise RuntimeError("padding must not wrap around more than once")
        index = [_source_index(k, length, mode) for k in range(-before, length + after)]
        input = input.index_select(dim, torch.tensor(index, device=input.device))
    return input


# --- modules ----------------------------------------------------------------------------------


class Conv3d(torch.nn.modules.conv.Conv3d):
    """A dilated convolution is one with zeros between the elements of its kernel."""

    def _dilated_weight(self):
        weight = self.weight
        for dim, dilation in zip((2, 3, 4), self.dilation):
            length = weight.shape[dim]
            if dilation == 1 or length == 1:
                continue
            shape = list(weight.shape)
            shape.insert(dim + 1, dilation - 1)
            parts = torch.cat([weight.unsqueeze(dim + 1), weight.new_zeros(shape)], dim + 1)
            shape = list(weight.shape)
            shape[dim] = length * dilation
            weight = parts.reshape(shape).narrow(dim, 0, (length - 1) * dilation + 1)
        return weight

    def forward(self, input):
        if all(dilation == 1 for dilation in self.dilation):
            return super().forward(input)
        if self.padding_mode != "zeros":
            input = pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            margin = 0
        elif isinstance(self.padding, str):
            input = pad(input, self._reversed_padding_repeated_twice)
            margin = 0
        else:
            margin = self.padding
        return torch.conv3d(input, self._dilated_weight(), self.bias, self.stride, margin, 1,
                            self.groups)


class SyncBatchNorm(torch.nn.modules.batchnorm._BatchNorm):
    """Not the same: each process normalises by its own batch, as BatchNorm does."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True,
                 track_running_stats=True, process_group=None, **options):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, **options)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        return module


def ApexDistributedDataParallel(module, **options):
    """DistributedDataParallel of apex by that of PyTorch; the options of apex have no effect."""
    device_ids = None
    if hasattr(torch, "npu") and torch.npu.is_available():
        device_ids = [torch.npu.current_device()]
    return torch.nn.parallel.distributed.DistributedDataParallel(
        module, device_ids=device_ids, broadcast_buffers=False)


# --- devices ----------------------------------------------------------------------------------

_DTYPES = {
    "HalfTensor": torch.float16,
    "BFloat16Tensor": torch.bfloat16,
    "FloatTensor": torch.float32,
    "DoubleTensor": torch.float64,
}


def set_default_tensor_type(t):
    """Not the same: sets the default type of elements; tensors are still made on the CPU."""
    name = t if isinstance(t, str) else t.__name__
    name = name.rsplit(".", 1)[-1]
    if name not in _DTYPES:
        raise TypeError(f"only floating-point types can be the default type, not {t}")
    torch.set_default_dtype(_DTYPES[name])


class _DeviceProperties:
    """Not the same: what an NPU does not have is 0, or its nearest counterpart."""

    def __init__(self, properties):
        self._properties = properties

    def __getattr__(self, name):
        value = getattr(self._properties, name, None)
        if value is not None:
            return value
        if name == "multi_processor_count":
            return getattr(self._properties, "cube_core_num", 0) or 0
        if name in ("major", "minor", "is_integrated", "is_multi_gpu_board"):
            return 0
        raise AttributeError(name)

    def __repr__(self):
        return repr(self._properties)


def get_device_properties(device=None):
    if device is None:
        device = torch.npu.current_device()
    return _DeviceProperties(torch.npu.get_device_properties(device))
