# SPDX-License-Identifier: Apache-2.0
"""Compares the tensors in the checkpoints of two folders and prints one JSON object.

python3 -m transplt_simulator.compare_checkpoints A B [--rtol R] [--atol A]

Devices are ignored. A checkpoint is read by torch.load and nothing else of it is executed.
"""

import argparse
import inspect
import json
import math
import os
import pickle
import sys
import types

SUFFIXES = (".pt", ".pth", ".bin", ".ckpt", ".tar", ".npy", ".npz", ".safetensors")


def checkpoint_files(root):
    """The files below a folder that may be checkpoints, by relative name."""
    if os.path.isfile(root):
        return {os.path.basename(root): root}
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(SUFFIXES):
                path = os.path.join(folder, name)
                found[os.path.relpath(path, root).replace(os.sep, "/")] = path
    return found


def _devices_of_others():
    """A checkpoint may hold a torch.device('npu'), which a torch without an NPU cannot make."""
    import torch

    real = torch.device

    class device:
        def __new__(cls, *args):
            try:
                return real(*args)
            except RuntimeError:
                return real("cpu")

    torch.device = device
    return real


class _Stub:
    """Stands for a class of the project: its attributes are kept, its code is not run."""

    def __init__(self, *args, **kwargs):
        self.arguments = args

    def __setitem__(self, key, value):
        self.__dict__[str(key)] = value

    def append(self, value):
        self.__dict__[str(len(self.__dict__))] = value


_KNOWN = ("torch", "numpy", "collections", "builtins", "_codecs", "argparse", "pathlib", "types",
          "datetime", "copyreg", "functools", "enum")


class _Unpickler(pickle.Unpickler):
    """Classes outside of torch and the standard ones become stubs, so no module is imported."""

    def find_class(self, module, name):
        if module.partition(".")[0] in _KNOWN:
            return super().find_class(module, name)
        return type(name.rpartition(".")[2], (_Stub,), {"__module__": module})


_pickle = types.ModuleType("pickle_of_checkpoints")
_pickle.__dict__.update(vars(pickle))
_pickle.Unpickler = _Unpickler
_pickle.load = lambda file, **kwargs: _Unpickler(file, **kwargs).load()


def load(path):
    """The content of a checkpoint, on the CPU."""
    if path.endswith((".npy", ".npz")):
        import numpy

        content = numpy.load(path, allow_pickle=False)
        return dict(content) if path.endswith(".npz") else content
    if path.endswith(".safetensors"):
        from safetensors.torch import load_file

        return load_file(path)
    import torch

    real = _devices_of_others()
    original = torch.serialization.pickle
    torch.serialization.pickle = _pickle  # Debian's torch 1.13 ignores the argument
    options = {"map_location": lambda storage, place: storage, "pickle_module": _pickle}
    if "weights_only" in inspect.signature(torch.load).parameters:
        options["weights_only"] = False
    try:
        return torch.load(path, **options)
    finally:
        torch.device, torch.serialization.pickle = real, original


def _is_tensor(value):
    return hasattr(value, "shape") and hasattr(value, "dtype")


def tensors(value, path="", seen=None):
    """(path, tensor or number) of all values in nested containers, module states included."""
    seen = set() if seen is None else seen
    if _is_tensor(value) or isinstance(value, (bool, int, float)):
        yield path, value
        return
    if id(value) in seen:
        return
    seen.add(id(value))
    if hasattr(value, "state_dict") and callable(value.state_dict) and not isinstance(value, type):
        value = value.state_dict()
    if isinstance(value, _Stub):
        value = vars(value)
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, (list, tuple)):
        parts = enumerate(value)
    else:
        return
    for key, part in parts:
        yield from tensors(part, "%s.%s" % (path, key) if path else str(key), seen)


def _as_tensor(value):
    import torch

    if isinstance(value, torch.Tensor):
        tensor = value.detach()
        return tensor.to_dense() if tensor.is_sparse else tensor
    return torch.as_tensor(value)


def _difference(a, b):
    """Largest absolute difference; NaN equals NaN."""
    import torch

    if a.numel() == 0:
        return 0.0
    if a.is_quantized:
        a, b = a.dequantize(), b.dequantize()
    wide = torch.complex128 if a.is_complex() else torch.float64
    a, b = a.to(wide), b.to(wide)
    same = (a == b) | ((a != a) & (b != b))
    gap = torch.where(same, torch.zeros_like(a), a - b).abs()
    worst = gap.max().item() if not torch.isnan(gap).any() else math.inf
    return worst


def compare_values(a, b, rtol, atol):
    """What is said about one tensor or number."""
    import torch

    numbers = not _is_tensor(a) and not _is_tensor(b)
    a, b = _as_tensor(a), _as_tensor(b)
    kind = {"shape": list(a.shape), "dtype": str(a.dtype).replace("torch.", "")}
    if numbers:
        kind["number"] = True
    if a.shape != b.shape or a.dtype != b.dtype:
        return dict(kind, other_shape=list(b.shape), other_dtype=str(b.dtype).replace("torch.", ""),
                    max_abs_difference=None, equal=False)
    worst = _difference(a, b)
    equal = worst == 0.0
    if not equal and (rtol or atol) and not a.is_quantized:
        equal = torch.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    # JSON has no infinity: a finite value against a NaN or an infinite one
    return dict(kind, max_abs_difference=worst if math.isfinite(worst) else "infinite", equal=equal)


def _same_bytes(a, b):
    with open(a, "rb") as left, open(b, "rb") as right:
        while True:
            block = left.read(1 << 20)
            if block != right.read(1 << 20):
                return False
            if not block:
                return True


def compare_files(a, b, rtol, atol):
    """The comparison of two checkpoints, or why it was not possible."""
    sides = []
    for side, path in (("A", a), ("B", b)):
        try:
            sides.append(dict(tensors(load(path))))
        except Exception as error:  # whatever unpickling or a reader raises
            return {"error": "%s cannot be read: %s: %s" % (side, type(error).__name__, error),
                    "equal": _same_bytes(a, b)}
    left, right = sides
    shared = {path: compare_values(left[path], right[path], rtol, atol)
              for path in left if path in right}
    only_a = [path for path in left if path not in right]
    only_b = [path for path in right if path not in left]
    equal = not only_a and not only_b and all(one["equal"] for one in shared.values())
    return {"tensors": shared, "only_a": only_a, "only_b": only_b, "equal": equal}


def compare(a, b, rtol=0.0, atol=0.0):
    """The object that is printed."""
    left, right = checkpoint_files(a), checkpoint_files(b)
    if os.path.isfile(a) and os.path.isfile(b):
        right = {name: path for name, path in zip(left, right.values())}
    files = {name: compare_files(left[name], right[name], rtol, atol)
             for name in sorted(left) if name in right}
    only_a = sorted(name for name in left if name not in right)
    only_b = sorted(name for name in right if name not in left)
    equal = not only_a and not only_b and all(one["equal"] for one in files.values())
    return {"a": a, "b": b, "files": files, "only_a": only_a, "only_b": only_b, "equal": equal}


def main(arguments):
    parser = argparse.ArgumentParser(prog="transplt_simulator.compare_checkpoints",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--rtol", type=float, default=0.0)
    parser.add_argument("--atol", type=float, default=0.0)
    options = parser.parse_args(arguments)
    for path in (options.a, options.b):
        if not os.path.exists(path):
            parser.error("%s: there is no such file or folder" % path)
    print(json.dumps(compare(options.a, options.b, options.rtol, options.atol), allow_nan=False))


if __name__ == "__main__":
    main(sys.argv[1:])
