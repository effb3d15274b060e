# SPDX-License-Identifier: Apache-2.0
"""Which functions take a number of the CPU, a tensor without dimensions, beside tensors of a device.

Pointwise functions do. Others do where the number stands for an int or a float: x.narrow(0, n, 2).
"""

import torch

_POINTWISE = frozenset("""
    add sub subtract rsub mul multiply div divide true_divide truediv rtruediv floor_divide floordiv
    rfloordiv mod fmod remainder pow rpow float_power atan2 arctan2 maximum minimum max min fmax fmin
    eq ne lt le gt ge greater greater_equal less less_equal not_equal isclose allclose
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor and or xor lshift rshift
    bitwise_left_shift bitwise_right_shift hypot copysign nextafter ldexp xlogy logaddexp logaddexp2
    gcd lcm heaviside addcmul addcdiv lerp clamp clip clamp_min clamp_max where masked_fill
    index_fill index_put fill copy set_data narrow binary_cross_entropy
    binary_cross_entropy_with_logits
    """.split())
_SAME_AS = {"cross_entropy": "cross_entropy_loss", "vstack": "stack", "row_stack": "stack"}
_known = {}  # function -> (is pointwise, most tensors that it takes)
_MANY = 1 << 30


def _plain_name(func):
    """add for add_, __add__, __iadd__ and __radd__."""
    name = getattr(func, "__name__", "")
    if name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
        if name not in _POINTWISE and name[:1] in ("i", "r") and name[1:] in _POINTWISE:
            name = name[1:]
    return name if name in _POINTWISE else name.rstrip("_")


def _most_tensors(name):
    most = 0
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + _SAME_AS.get(name, name)):
        tensors = 0
        for argument in schema.arguments:
            kind = str(argument.type)
            if argument.kwarg_only or "Tensor" not in kind:  # out=
                continue
            tensors += _MANY if kind.startswith("List") else 1
        most = max(most, tensors)
    return most


def may_join(func, tensors):
    """True if numbers of the CPU may be among the tensors of this call."""
    known = _known.get(func)
    if known is None:
        name = _plain_name(func)
        known = _known[func] = (name in _POINTWISE, _most_tensors(name), name.endswith("_loss"))
    pointwise, most, is_loss = known
    return pointwise or len(tensors) > most or (is_loss and all(t.dim() == 0 for t in tensors))
