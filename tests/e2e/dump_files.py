# SPDX-License-Identifier: Apache-2.0
"""Writes dumps in the forms of the tools, for tests: every form with its own bytes."""

import json
import struct

import numpy as np

GE_TYPES = {"float32": 1, "float16": 2, "int8": 3, "uint8": 4, "int16": 5, "uint16": 6, "int32": 7,
            "int64": 8, "uint32": 9, "uint64": 10, "bool": 11, "float64": 12}


def varint(number):
    result = b""
    while number > 0x7F:
        result += bytes([number & 0x7F | 0x80])
        number >>= 7
    return result + bytes([number])


def field(number, value):
    """A field of a protocol buffer: bytes, or a number."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def ge_bytes(inputs=(), outputs=(), packed=True, padding=0, codes=None, originals=None,
             form=2):
    """A DumpData file of GE: length, protocol buffer, values of inputs and outputs. `originals` are
    by the number of an output: the operator of the framework, and the number of its output. `form` is
    the format of all tensors: 2 ND, 3 NC1HWC0, 4 FRACTAL_Z, 29 FRACTAL_NZ."""
    header = field(1, b"2.0") + field(2, 1589195081588018)
    values = b""
    for number, arrays in ((3, outputs), (4, inputs)):
        for i, array in enumerate(arrays):
            code = (codes or {}).get(i, GE_TYPES[str(array.dtype)])
            sizes = b"".join(varint(size) for size in array.shape)
            shape = field(1, sizes) if packed else b"".join(field(1, s) for s in array.shape)
            size = array.nbytes + padding
            # The tags of an input are those of an output without original_op.
            fields = field(1, code) + field(2, form) + field(3, shape)
            if number == 3 and i in (originals or {}):
                name, output = originals[i]
                fields += field(4, field(1, name.encode()) + field(2, output))
            fields += field(6 if number == 3 else 5, size)
            header += field(number, fields)
    for array in list(inputs) + list(outputs):
        values += array.tobytes() + b"\xee" * padding
    header += field(6, b"op")
    return struct.pack("<Q", len(header)) + header + values


def nc1hwc0(nchw, block=16):
    """As a device keeps (N, C, H, W): (N, C1, H, W, C0), the last block filled with zeros."""
    n, c, h, w = nchw.shape
    full = np.zeros((n, -(-c // block) * block, h, w), nchw.dtype)
    full[:, :c] = nchw
    return np.ascontiguousarray(full.reshape(n, -1, block, h, w).transpose(0, 1, 3, 4, 2))


def fractal_z(nchw, block=16):
    """As a device keeps the weights of a convolution: (C1 * H * W, N1, N0, C0)."""
    n, c, h, w = nchw.shape
    full = np.zeros((-(-n // block) * block, -(-c // block) * block, h, w), nchw.dtype)
    full[:n, :c] = nchw
    parts = full.reshape(-1, block, full.shape[1] // block, block, h, w)  # N1 N0 C1 C0 H W
    parts = parts.transpose(2, 4, 5, 0, 1, 3)  # C1 H W N1 N0 C0
    return np.ascontiguousarray(parts.reshape(-1, *parts.shape[3:]))


def fractal_nz(matrix, block=16):
    """As a device keeps (..., M, N): (..., N1, M1, M0, N0)."""
    *batch, m, n = matrix.shape
    full = np.zeros((*batch, -(-m // block) * block, -(-n // block) * block), matrix.dtype)
    full[..., :m, :n] = matrix
    parts = full.reshape(*batch, full.shape[-2] // block, block, full.shape[-1] // block, block)
    last = len(batch)
    return np.ascontiguousarray(
        parts.transpose(*range(last), last + 2, last, last + 1, last + 3))


def mindspore_name(op, role, index, array, form="DefaultFormat"):
    kinds = {"float32": "Float32", "float16": "Float16", "int32": "Int32", "bool": "Bool"}
    shape = "_".join(str(size) for size in array.shape)
    return f"{op}_{role}_{index}_shape_{shape}_{kinds[str(array.dtype)]}_{form}.bin"


def statistics(array):
    wide = array.astype(np.float64)
    return {"Max": float(wide.max()), "Min": float(wide.min()), "Mean": float(wide.mean()),
            "Norm": float(np.sqrt((wide * wide).sum()))}


def probe_tensor(array, data_name=None, **fields):
    entry = {"type": "torch.Tensor", "dtype": f"torch.{array.dtype}", "shape": list(array.shape),
             **statistics(array), "requires_grad": False, **fields}
    if data_name:
        entry["data_name"] = data_name
    return entry


def probe_entry(shape=(2,), kind="float32", **fields):
    """A tensor of dump.json with just these statistics: Max, Min, Mean, Norm, md5."""
    return {"type": "torch.Tensor", "dtype": f"torch.{kind}", "shape": list(shape),
            "requires_grad": False, **fields}


def probe_json(operations, task="statistics"):
    return json.dumps({"task": task, "level": "L1", "framework": "pytorch", "dump_data_dir": None,
                       "data": operations})


def ptdbg_line(name, array):
    s = statistics(array)
    return json.dumps([name, 1, [], f"torch.{array.dtype}", list(array.shape),
                       [s["Max"], s["Min"], s["Mean"], s["Norm"]]])
