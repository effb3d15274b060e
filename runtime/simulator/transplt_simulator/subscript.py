# SPDX-License-Identifier: Apache-2.0
"""x[key], which does not reach the function mode in torch 1.13.

A `__getitem__` of Python also makes a class a sequence for C code, and then torch.tensor([x[0], x[1]])
asks numbers for their length. So the slot that says "sequence" is emptied again.
"""

import ctypes
import struct

import torch

_WORD = struct.calcsize("P")
_AS_SEQUENCE = 13 * _WORD  # place of tp_as_sequence in CPython's type objects, 3.8 to 3.13
_SLOTS = 10
getters = set()  # with a tensor among slices they reach the mode all the same; they check their keys


def _sequence_slots(kind):
    address = ctypes.c_void_p.from_address(id(kind) + _AS_SEQUENCE).value
    return None if not address else (ctypes.c_void_p * _SLOTS).from_address(address)


def _kinds(kind):
    yield kind
    for child in kind.__subclasses__():
        yield from _kinds(child)


def replace(getitem):
    """Sets Tensor.__getitem__; the one slot that this fills is emptied."""
    before = {kind: list(_sequence_slots(kind) or ()) for kind in _kinds(torch.Tensor)}
    torch.Tensor.__getitem__ = getitem
    getters.add(getitem)
    for kind, old in before.items():
        slots = _sequence_slots(kind)
        new = list(slots or ())
        changed = [place for place, value in enumerate(new) if old and value != old[place]]
        if len(changed) == 1 and old[changed[0]] is None:
            slots[changed[0]] = None
