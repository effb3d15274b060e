# SPDX-License-Identifier: Apache-2.0
"""What torch accepted once and refuses now: taken as it was meant, and reported."""

import functools

import torch

from . import old_names, subscript


def _has_no_dimensions(tensor, key):
    """`loss.data[0]`: a loss had one dimension before torch 0.4, and its elements were numbers."""
    return key.__class__ is int and key in (0, -1) and tensor.dim() == 0


def _wrap_subscript():
    base = torch.Tensor.__getitem__

    def __getitem__(self, key):
        try:
            return base(self, key)
        except IndexError:
            if not _has_no_dimensions(self, key):
                raise
        old_names.accept("loss.data[0]", "loss.item()")
        return self if self.requires_grad else self.item()

    subscript.replace(__getitem__)


def _has_quotient(value):
    if isinstance(value, (tuple, list)):
        return any(map(_has_quotient, value))
    return isinstance(value, float) and value.is_integer()


def _whole(value):
    if isinstance(value, (tuple, list)):
        return tuple(map(_whole, value))
    return int(value) if _has_quotient(value) else value


def _takes_whole_numbers(kind, name):
    """`nn.Linear(n / 2, 1)`, `x.view(-1, n / 2)`: `/` of whole numbers gave one in Python 2."""
    original = getattr(kind, name)
    old = "%s(a / b)" % (kind.__name__ if name == "__init__" else name)

    @functools.wraps(original)
    def call(self, *args, **kwargs):
        try:
            return original(self, *args, **kwargs)
        except TypeError:
            if not _has_quotient(args):
                raise
        result = original(self, *map(_whole, args), **kwargs)
        old_names.accept(old, old.replace("/", "//"))
        return result

    setattr(kind, name, call)


def _allow_whole_sizes():
    modules = torch.nn.modules
    for kind in (modules.linear.Linear, modules.conv._ConvNd, modules.batchnorm._NormBase,
                 modules.sparse.Embedding, modules.rnn.RNNBase, modules.rnn.RNNCellBase):
        _takes_whole_numbers(kind, "__init__")
    for name in ("view", "reshape", "expand", "repeat"):
        _takes_whole_numbers(torch.Tensor, name)


def _wrap_view():
    """Results of slicing and comparing were contiguous in some versions."""
    base = torch.Tensor.view

    def view(self, *shape, **options):
        try:
            return base(self, *shape, **options)
        except RuntimeError as error:
            if "view size is not compatible" not in str(error):
                raise
        old_names.accept("Tensor.view", "Tensor.reshape")
        return self.reshape(*shape or (options["size"],))

    torch.Tensor.view = view


def _add_next():
    """Python 2's `iterator.next()`, which torch had for long."""
    kind = torch.utils.data.dataloader._BaseDataLoaderIter
    if hasattr(kind, "next"):
        return

    def next_batch(self):
        old_names.accept("iter(loader).next()", "next(iter(loader))")
        return next(self)

    kind.next = next_batch


def _wrap_binary_cross_entropy():
    """A target with as many elements and another shape was taken element by element.

    torch.full(size, 1) gave numbers with a fraction before torch 1.7: labels are often made so."""
    functions = torch.nn.functional
    original = functions.binary_cross_entropy

    @functools.wraps(original)
    def binary_cross_entropy(input, target, *args, **kwargs):
        if target.shape != input.shape and target.numel() == input.numel():
            old_names.accept("BCELoss()(output, target)", "BCELoss()(output, target.view_as(output))")
            target = target.view_as(input)
        if not target.is_floating_point():
            old_names.accept("BCELoss()(output, torch.full(size, 1))",
                             "BCELoss()(output, torch.full(size, 1.0))")
            target = target.to(input.dtype)
        return original(input, target, *args, **kwargs)

    functions.binary_cross_entropy = binary_cross_entropy


def _wrap_subtraction():
    """`1 - (x > 0)`: comparisons gave numbers before torch 1.2."""
    for name in ("__sub__", "__rsub__"):
        setattr(torch.Tensor, name, _subtraction(getattr(torch.Tensor, name)))


def _subtraction(original):
    @functools.wraps(original)
    def subtract(self, other):
        try:
            return original(self, other)
        except RuntimeError as error:
            if "Subtraction, the `-` operator, with" not in str(error):
                raise
        old_names.accept("1 - (x > 0)", "1 - (x > 0).to(torch.uint8)")
        if isinstance(other, torch.Tensor) and other.dtype is torch.bool:
            other = other.to(torch.uint8)
        return original(self.to(torch.uint8) if self.dtype is torch.bool else self, other)

    return subtract


def install():
    _wrap_subscript()
    _wrap_binary_cross_entropy()
    _wrap_subtraction()
    _wrap_view()
    _allow_whole_sizes()
    _add_next()
