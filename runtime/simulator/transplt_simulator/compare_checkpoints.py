# SPDX-License-Identifier: Apache-2.0
"""Compares the values in the checkpoints of two folders and prints one JSON object.

python3 -m transplt_simulator.compare_checkpoints A B [--rtol R] [--atol A] [--names FILE]
    [--places PLACE_A PLACE_B]

Devices are ignored. A checkpoint is read by torch.load and nothing else of it is executed. What
cannot be read, or compared, is equal only where the bytes of the files are.
"""

import argparse
import collections
import errno
import inspect
import json
import math
import os
import pickle
import re
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

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self.arguments = args
        return self

    def __init__(self, *args, **kwargs):
        pass

    def __setitem__(self, key, value):
        self.__dict__[str(key)] = value

    def append(self, value):
        self.__dict__[str(len(self.__dict__))] = value


_KNOWN = ("torch", "numpy", "collections", "builtins", "__builtin__", "copy_reg", "_codecs",
          "argparse", "pathlib", "types", "datetime", "copyreg", "functools", "enum")

# Of the builtins, what values are made of: nothing that runs code.
_BUILTINS = {"bool", "bytearray", "bytes", "complex", "dict", "float", "frozenset", "int", "list",
             "long", "object", "range", "set", "slice", "str", "tuple", "unicode", "xrange"}


class _Unpickler(pickle.Unpickler):
    """Classes outside of torch and the standard ones become stubs, so no module is imported."""

    def find_class(self, module, name):
        is_builtin = module in ("builtins", "__builtin__")
        if module.partition(".")[0] in _KNOWN and (not is_builtin or name in _BUILTINS):
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


def _is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic))


def _is_tensor(value):
    torch = sys.modules.get("torch")
    return _is_array(value) or (torch is not None and isinstance(value, torch.Tensor))


def _named_parts(value):
    """What a container holds, by name, module states included; None for any other value."""
    if isinstance(value, type) or _is_tensor(value):
        return None
    if callable(getattr(value, "state_dict", None)):
        value = value.state_dict()
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, (list, tuple, collections.deque)):
        return enumerate(value)
    if isinstance(value, (_Stub, argparse.Namespace, types.SimpleNamespace)):
        return vars(value).items()
    return None


_DEVICE = re.compile(r"(?<![a-z])(cuda|npu|gpu)(?![a-z])")
_BACKEND = re.compile(r"(?<![a-z])(nccl|hccl)(?![a-z])")


def _text(value, place):
    """A value that is no number as a text that does not name the device or the folder of the run."""
    if isinstance(value, (set, frozenset)):
        text = "{%s}" % ", ".join(sorted(map(repr, value)))
    elif isinstance(value, type) or isinstance(value, types.FunctionType):
        text = "%s.%s" % (value.__module__, value.__qualname__)
    else:
        text = re.sub(r"\bat 0x[0-9a-f]+", "at <address>", repr(value))
    if place:
        text = text.replace(place, "<project>")
    return _BACKEND.sub("<backend>", _DEVICE.sub("<device>", text))


def values(value, place="", path="", inside=()):
    """(path, value) of all values in nested containers: tensors and numbers as they are, any other
    as a text. A device is left out."""
    if _is_tensor(value) or isinstance(value, (bool, int, float, complex)):
        yield path, value
        return
    if type(value).__module__ == "torch" and type(value).__name__ == "device":
        return
    if id(value) in inside:
        return
    parts = _named_parts(value)
    if parts is None:
        yield path, _text(value, place)
        return
    for key, part in parts:
        name = "%s.%s" % (path, key) if path else str(key)
        yield from values(part, place, name, inside + (id(value),))


def _as_tensor(value):
    import torch

    if isinstance(value, torch.Tensor):
        tensor = value.detach()
        return tensor.to_dense() if tensor.layout != torch.strided else tensor
    return torch.as_tensor(value)


def _finite(worst):
    """JSON has no infinity: a finite value against a NaN or an infinite one."""
    return worst if math.isfinite(worst) else "infinite"


def _difference(a, b):
    """Largest absolute difference of two tensors; NaN equals NaN."""
    import torch

    if a.numel() == 0:
        return 0.0
    if a.is_quantized:
        a, b = a.dequantize(), b.dequantize()
    if not a.is_floating_point() and not a.is_complex():
        # A double would lose the last digits; a difference too large for 64 bits is never zero.
        return (a.to(torch.int64) - b.to(torch.int64)).to(torch.float64).abs().max().item()
    wide = torch.complex128 if a.is_complex() else torch.float64
    a, b = a.to(wide), b.to(wide)
    same = (a == b) | ((a != a) & (b != b))
    gap = torch.where(same, torch.zeros_like(a), a - b).abs()
    return gap.max().item() if not torch.isnan(gap).any() else math.inf


def _compare_arrays(a, b, rtol, atol):
    """Of numpy: its types are more than torch has."""
    import numpy

    a, b = numpy.asarray(a), numpy.asarray(b)
    kind = {"shape": list(a.shape), "dtype": str(a.dtype)}
    if a.shape != b.shape or a.dtype != b.dtype:
        return dict(kind, other_shape=list(b.shape), other_dtype=str(b.dtype),
                    max_abs_difference=None, equal=False)
    if a.dtype.kind not in "biufc":
        equal = bool(numpy.array_equal(a, b))
        return dict(kind, max_abs_difference=0.0 if equal else None, equal=equal)
    wide = numpy.clongdouble if a.dtype.kind == "c" else numpy.longdouble  # holds 64-bit integers
    a, b = a.astype(wide), b.astype(wide)
    same = (a == b) | ((a != a) & (b != b))
    with numpy.errstate(all="ignore"):
        gap = numpy.where(same, 0, numpy.abs(a - b))
        allowed = same | (gap <= atol + rtol * numpy.abs(b))
    worst = float(gap.max()) if gap.size else 0.0
    return dict(kind, max_abs_difference=_finite(worst), equal=bool(allowed.all()))


def _compare_numbers(a, b, rtol, atol):
    """Of Python: integers have any size."""
    kind = {"shape": [], "dtype": type(a).__name__, "number": True}
    if type(a) is not type(b):
        return dict(kind, other_shape=[], other_dtype=type(b).__name__, max_abs_difference=None,
                    equal=False)
    if a == b or (a != a and b != b):
        return dict(kind, max_abs_difference=0.0, equal=True)
    try:
        worst = abs(float(abs(a - b)))
        equal = worst <= atol + rtol * abs(b) and bool(rtol or atol)
    except OverflowError:
        worst, equal = math.inf, False
    return dict(kind, max_abs_difference=_finite(worst), equal=equal)


def _compare_tensors(a, b, rtol, atol):
    import torch

    a, b = _as_tensor(a), _as_tensor(b)
    kind = {"shape": list(a.shape), "dtype": str(a.dtype).replace("torch.", "")}
    if a.shape != b.shape or a.dtype != b.dtype:
        return dict(kind, other_shape=list(b.shape), other_dtype=str(b.dtype).replace("torch.", ""),
                    max_abs_difference=None, equal=False)
    worst = _difference(a, b)
    equal = worst == 0.0
    if not equal and (rtol or atol) and not a.is_quantized:
        equal = torch.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
    return dict(kind, max_abs_difference=_finite(worst), equal=equal)


def compare_values(a, b, rtol, atol, same_files):
    """What is said about one value; `same_files()` decides where the values cannot."""
    try:
        if _is_array(a) and _is_array(b):
            return _compare_arrays(a, b, rtol, atol)
        if _is_tensor(a) and _is_tensor(b):
            return _compare_tensors(a, b, rtol, atol)
        if _is_tensor(a) or _is_tensor(b) or isinstance(a, str) or isinstance(b, str):
            text, other = (one if isinstance(one, str) else "%s %r" % (type(one).__name__, one)
                           for one in (a, b))
            return {"number": True, "text": text[:200], "other_text": other[:200],
                    "equal": text == other}
        return _compare_numbers(a, b, rtol, atol)
    except Exception as error:  # a type that torch cannot compute with
        return {"error": "cannot be compared: %s: %s" % (type(error).__name__, error),
                "equal": same_files()}


def _next_data(file, place, size):
    """Where data begins; holes of a sparse file are skipped."""
    try:
        return os.lseek(file.fileno(), place, os.SEEK_DATA)
    except OSError as error:
        return size if error.errno == errno.ENXIO else place


def _same_bytes(a, b):
    size, place = os.path.getsize(a), 0
    if os.path.getsize(b) != size:
        return False
    with open(a, "rb", buffering=0) as left, open(b, "rb", buffering=0) as right:
        while place < size:
            place = min(_next_data(left, place, size), _next_data(right, place, size))
            blocks = [os.pread(file.fileno(), 1 << 20, place) for file in (left, right)]
            if blocks[0] != blocks[1]:
                return False
            place += len(blocks[0]) or size
    return True


def compare_files(a, b, rtol, atol, places=("", "")):
    """The comparison of two checkpoints, or why it was not possible."""
    sides = []
    for side, path, place in (("A", a, places[0]), ("B", b, places[1])):
        try:
            sides.append(dict(values(load(path), place)))
        except Exception as error:  # whatever unpickling or a reader raises
            return {"error": "%s cannot be read: %s: %s" % (side, type(error).__name__, error),
                    "equal": _same_bytes(a, b)}
    left, right = sides
    shared = {path: compare_values(left[path], right[path], rtol, atol, lambda: _same_bytes(a, b))
              for path in left if path in right}
    only_a = [path for path in left if path not in right]
    only_b = [path for path in right if path not in left]
    equal = not only_a and not only_b and all(one["equal"] for one in shared.values())
    return {"tensors": shared, "only_a": only_a, "only_b": only_b, "equal": equal}


def compare(a, b, rtol=0.0, atol=0.0, names=None, places=("", "")):
    """The object that is printed; `names`: pairs of the files of A and of B."""
    left, right = checkpoint_files(a), checkpoint_files(b)
    if names is not None:
        left = {one: os.path.join(a, one) for one, _ in names}
        right = {one: os.path.join(b, other) for one, other in names}
    elif os.path.isfile(a) and os.path.isfile(b):
        right = {name: path for name, path in zip(left, right.values())}
    files = {name: compare_files(left[name], right[name], rtol, atol, places)
             for name in sorted(left) if name in right}
    only_a = sorted(name for name in left if name not in right)
    only_b = sorted(name for name in right if name not in left)
    equal = not only_a and not only_b and all(one["equal"] for one in files.values())
    return {"a": a, "b": b, "files": files, "only_a": only_a, "only_b": only_b, "equal": equal}


def _read_names(path):
    """Pairs of names, each name ended by a NUL."""
    with open(path, "rb") as file:
        names = [os.fsdecode(name) for name in file.read().split(b"\0")[:-1]]
    return list(zip(names[::2], names[1::2]))


def main(arguments):
    parser = argparse.ArgumentParser(prog="transplt_simulator.compare_checkpoints",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("a", metavar="A")
    parser.add_argument("b", metavar="B")
    parser.add_argument("--rtol", type=float, default=0.0)
    parser.add_argument("--atol", type=float, default=0.0)
    parser.add_argument("--names", metavar="FILE", help="only these files, a pair each")
    parser.add_argument("--places", nargs=2, default=("", ""), metavar="PLACE",
                        help="the folders where A and B were written; in texts they are equal")
    options = parser.parse_args(arguments)
    for path in (options.a, options.b):
        if not os.path.exists(path):
            parser.error("%s: there is no such file or folder" % path)
    names = None if options.names is None else _read_names(options.names)
    print(json.dumps(compare(options.a, options.b, options.rtol, options.atol, names,
                             options.places), allow_nan=False))


if __name__ == "__main__":
    main(sys.argv[1:])
