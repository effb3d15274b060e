# SPDX-License-Identifier: Apache-2.0
"""torch.utils.dumper of the Ascend PyTorch of old, for any device:

    with dumper(use_dump=True, dump_path="./model_gpu.h5"):
        loss = model(x); loss.backward()          # not the step of the optimizer

records the inputs and outputs of every operator below the API ("IR"), forward and backward, into
one HDF5 file that msaccucmp compares. `load_file_path` replays: an operator that the file knows by
name and number is fed the inputs of the file. So results are those of the file, on purpose.
"""

import os
import shutil
import tempfile

import torch

from . import _native
from .acl_dump import OperatorDump
from .ending import UNSUPPORTED, finish_capture, losses, open_capture, say
from .operators import mode_class, operator_name
from .tensors import FORMAT_HDF5, WANT_STATISTICS, has_bad_number, on_host, tensors_in

_TORCH_OF_NUMBER = {1: torch.float32, 2: torch.float16, 4: torch.float64, 5: torch.int8,
                    6: torch.int16, 7: torch.int32, 8: torch.int64, 9: torch.uint8,
                    13: torch.bool}
_DEVICE_NUMBER = {"cpu": 0, "cuda": 1, "npu": 10}
# What makes no values, or only another view of them.
_SILENT = {"detach", "alias", "_local_scalar_dense", "is_same_size", "lift_fresh", "empty",
           "empty_like", "empty_strided", "new_empty", "new_empty_strided"}


class _Golden:
    """The tensors of a file that is replayed."""

    def __init__(self, path):
        self._tensors = _native.read_hdf5(path)

    def tensor(self, name, number, parameter):
        found = self._tensors.get(f"/{name}/{number}/input/{parameter}")
        if found is None:
            return None
        kind, shape, data = found
        if kind not in _TORCH_OF_NUMBER:
            return None
        dtype = _TORCH_OF_NUMBER[kind]
        if not data:
            return torch.zeros(shape, dtype=dtype)
        return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


class dumper:  # noqa: N801: the name that scripts use
    def __init__(self, use_dump=False, use_load=False, dump_path="", load_file_path="",
                 check_overflow=False, load_with_acl_dump=False, device_type=None):
        if load_with_acl_dump and not load_file_path:
            raise ValueError("load_with_acl_dump needs load_file_path")
        if use_load and not load_file_path:
            raise ValueError("use_load needs load_file_path")
        if (use_dump or check_overflow) and not dump_path:
            raise ValueError("dump_path is missing")
        if use_dump and check_overflow:
            raise ValueError("use_dump and check_overflow exclude each other")
        if load_file_path and not os.path.isfile(load_file_path):
            raise ValueError(f"load_file_path: {load_file_path}: no such file")
        if use_dump and os.path.exists(dump_path):
            raise ValueError(f"dump_path: {dump_path} is there already; delete it first")
        self._dumps = bool(use_dump)
        self._overflow = bool(check_overflow)
        self._path = dump_path
        self._golden = _Golden(load_file_path) if load_file_path else None
        # As the manual has it: acl.json in the folder where the training runs.
        self._acl = OperatorDump("load_with_acl_dump", "acl.json") if load_with_acl_dump else None
        self._hits = 0
        self._device = device_type
        self._counts = {}
        self._capture = None
        self._is_lost = False  # the disk has refused the file
        self._left_out = {}  # type of elements that HDF5 has no code for: why
        self._folder = None
        self.overflows = []
        self._mode = None

    def __enter__(self):
        self._mode = mode_class()(self)
        self._mode.__enter__()
        return self

    def __exit__(self, kind, value, trace):
        self._mode.__exit__(kind, value, trace)
        self._finish()
        return False

    # One operator.

    def call(self, function, args, kwargs):
        name = operator_name(function)
        if name in _SILENT:
            return function(*args, **kwargs)
        number = self._counts.get(name, 0) + 1
        self._counts[name] = number
        hits_before = self._hits
        described = function._schema.arguments
        parameters = [argument.name for argument in described]
        if self._golden is not None:
            written = {a.name for a in described if a.alias_info and a.alias_info.is_write}
            args = tuple(self._replay(name, number, p, a, p in written)
                         for p, a in zip(parameters, args))
            kwargs = {p: self._replay(name, number, p, a, p in written)
                      for p, a in kwargs.items()}
        named = list(zip(parameters, args)) + list(kwargs.items())
        bad_input = False
        if self._overflow:
            values = [value for _, value in named]
            bad_input = has_bad_number(values) or any(map(_is_bad, tensors_in(values)))
        inputs = [(p, _kept(v)) for p, v in named] if self._overflow else named
        if self._dumps:
            self._put_all(name, number, inputs, 1)
        if self._acl is not None and self._hits > hits_before:
            with self._acl:
                result = function(*args, **kwargs)
        else:
            result = function(*args, **kwargs)
        outputs = [(str(i), t) for i, t in enumerate(tensors_in(result))]
        if self._dumps:
            self._put_all(name, number, outputs, 2)
        elif self._overflow and not bad_input and any(_is_bad(t) for _, t in outputs):
            say(f"{name} overflows (bad output from clean input, by values on the host)")
            self.overflows.append(name)
            self._put_all(name, number, inputs, 1)
            self._put_all(name, number, outputs, 2)
        return result

    def _replay(self, name, number, parameter, value, is_written):
        if isinstance(value, (list, tuple)):
            return type(value)(self._replay(name, number, f"{parameter}_{index}", item, is_written)
                               for index, item in enumerate(value))
        if not isinstance(value, torch.Tensor):
            return value
        golden = self._golden.tensor(name, number, parameter)
        if golden is None or golden.shape != value.shape:
            return value
        self._hits += 1
        # Where the golden run had another precision, this run keeps its own.
        golden = golden.to(value.device, value.dtype)
        if is_written:
            value.copy_(golden)  # whoever holds the tensor shall see the result
            return value
        return _laid_out_as(value, golden)

    def _put_all(self, name, number, named, direction):
        for parameter, value in named:
            for index, tensor in enumerate(tensors_in(value)):
                host = on_host(tensor)
                if host is None:
                    continue
                label = parameter if isinstance(value, torch.Tensor) else f"{parameter}_{index}"
                capture = self._open(tensor)
                if capture is None:
                    return
                try:
                    capture.put(host, name, None, label, None, direction, index, number)
                except _native.CaptureError as error:
                    if error.args[0] != UNSUPPORTED:
                        raise
                    self._left_out.setdefault(str(tensor.dtype), error.args[1])

    def _open(self, tensor):
        if self._capture is None and not self._is_lost:
            target = os.path.abspath(self._path)
            if self._overflow:
                target = _free_name(os.path.join(target, f"overflow_{os.getpid()}"), ".h5")
            self._target = target
            try:
                self._open_in_new_folder(os.path.dirname(target), tensor)
            except OSError as trouble:
                losses.lose_file(target, trouble)
            self._is_lost = self._capture is None
        return self._capture

    def _open_in_new_folder(self, parent, tensor):
        os.makedirs(parent, mode=0o750, exist_ok=True)
        device = self._device or tensor.device.type
        self._folder = tempfile.mkdtemp(prefix=".transplt-", dir=parent)
        try:
            self._capture = open_capture(0, self._folder, format=FORMAT_HDF5,
                                         hdf5_device=_DEVICE_NUMBER.get(device, 0))
        finally:
            if self._capture is None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _finish(self):
        if self._acl is not None and self._hits == 0:
            say("transplt_capture: no operator of load_file_path was met: nothing was dumped")
        if self._capture is None:
            return
        capture, self._capture = self._capture, None
        finish_capture(capture, 0, self._folder)
        made = os.path.join(self._folder, "capture.h5")
        try:
            os.replace(made, self._target)
        except FileNotFoundError:
            say(f"transplt_capture: {self._target} was not made")
            return
        except OSError as trouble:
            losses.lose_file(self._target, trouble)
            return
        shutil.rmtree(self._folder, ignore_errors=True)
        for dtype, why in self._left_out.items():
            say(f"transplt_capture: tensors of {dtype} are not in {self._target}: {why}")


def _laid_out_as(value, golden):
    """The golden tensor with the strides of the one that it replaces: on other strides torch calls
    other operators (view instead of clone), and the numbers of operators would no longer agree."""
    repeated = [dim for dim, stride in enumerate(value.stride())
                if stride == 0 and value.shape[dim] > 1]
    narrow = golden
    for dim in repeated:
        narrow = narrow.narrow(dim, 0, 1)
    if repeated and not torch.equal(narrow.expand(golden.shape), golden):
        return golden
    try:
        made = torch.empty_strided(narrow.shape, value.stride(), dtype=golden.dtype,
                                   device=golden.device)
        return made.copy_(narrow).expand(golden.shape)
    except RuntimeError:  # elements that share memory
        return golden


def _free_name(base, suffix):
    """The name, or that with a number where an earlier step has written it."""
    number, path = 1, base + suffix
    while os.path.exists(path):
        number += 1
        path = f"{base}_{number}{suffix}"
    return path


def _kept(value):
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _is_bad(tensor):
    host = on_host(tensor) if tensor.dtype.is_floating_point else None
    return host is not None and _native.describe(host, None, "", WANT_STATISTICS, 1)[1]
