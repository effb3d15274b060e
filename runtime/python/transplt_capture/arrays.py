# SPDX-License-Identifier: Apache-2.0
"""Arrays of numpy as the capture library takes them. No torch is needed for them."""

import numpy

from . import _native

# The numbers of transplt_type.
FLOAT32, FLOAT16, BFLOAT16, FLOAT64, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, \
    BOOL, COMPLEX64, COMPLEX128 = range(1, 16)

_TYPES = {"float32": FLOAT32, "float16": FLOAT16, "float64": FLOAT64, "int8": INT8,
          "int16": INT16, "int32": INT32, "int64": INT64, "uint8": UINT8, "uint16": UINT16,
          "uint32": UINT32, "uint64": UINT64, "bool": BOOL, "complex64": COMPLEX64,
          "complex128": COMPLEX128}

for _name, _number in _TYPES.items():
    _dtype = numpy.dtype(_name)
    _native.register_type(_dtype, _number, _name,
                          float(numpy.finfo(_dtype).max) if _dtype.kind == "f" else 0.0)


def put(capture, value, *place):
    """Puts an array, or what numpy makes one of; big-endian ones as this machine has them."""
    array = numpy.asarray(value)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return capture.put(array, *place)
