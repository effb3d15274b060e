#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pre-check of ptdbg's overflow detection: which overflows are normal?

    python -m transplt_capture.run_overflow_check -forward forward_info_0.json

runs each API of the file again on the CPU, with random inputs of the same ranges. If that
overflows as well, the overflow is normal: it comes from the values. Else it is abnormal.
"""

import argparse
import json
import re
import sys

import torch

BACKWARD_REFUSED = ("反向过程溢出的API暂不支持精度预检功能。"
                    " APIs that overflowed in the backward pass are not supported.")
_OWNERS = {"Functional": torch.nn.functional, "Torch": torch, "Tensor": torch.Tensor,
           "VF": getattr(torch, "_VF", None)}
_HALVES = (torch.float16, torch.bfloat16)


class NotSupported(Exception):
    pass


def _dtype(name):
    dtype = getattr(torch, name.split(".")[-1], None)
    if not isinstance(dtype, torch.dtype):
        raise NotSupported(f"type {name}")
    return dtype


def _tensor(described):
    dtype, shape = _dtype(described["dtype"]), described["shape"]
    low, high = described.get("Min"), described.get("Max")
    if low is None or high is None:
        return torch.zeros(shape, dtype=dtype)
    if dtype is torch.bool:
        return torch.rand(shape) < 0.5 if low != high else torch.full(shape, bool(high))
    if not dtype.is_floating_point:
        return torch.randint(int(low), int(high) + 1, shape, dtype=dtype)
    values = low + torch.rand(shape, dtype=torch.float64) * (high - low)
    if values.numel() > 1:
        # The ends themselves, which are what overflows.
        flat = values.view(-1)
        flat[0], flat[-1] = low, high
    # Half precision is computed in single precision, and looked at in its own.
    return values.to(torch.float32 if dtype in _HALVES else dtype)


def argument(described):
    """The value that a part of forward_info.json stands for."""
    if isinstance(described, list):
        return [argument(item) for item in described]
    if not isinstance(described, dict):
        return described
    kind = described.get("type")
    if kind == "torch.Tensor":
        return _tensor(described)
    if kind == "torch.dtype":
        return _dtype(described["value"])
    if kind == "torch.Size":
        return torch.Size(described["value"])
    if kind == "torch.device":
        return torch.device("cpu")
    if kind == "slice":
        return slice(*described["value"])
    if kind in ("int", "float", "str", "bool"):
        return described["value"]
    if "type" not in described:
        return {key: argument(value) for key, value in described.items()}
    raise NotSupported(f"argument of type {kind}")


def _tensors(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)


def _input_types(described):
    for item in list(described["args"]) + list(described["kwargs"].values()):
        if isinstance(item, dict) and item.get("type") == "torch.Tensor":
            yield _dtype(item["dtype"])


def overflows_on_cpu(name, described):
    """True if the API overflows on the CPU too."""
    # "_step2": a call of a later step than the first one of this name.
    kind, _, rest = re.sub(r"_step\d+$", "", name).partition("_")
    api = rest.rsplit("_", 1)[0]
    function = getattr(_OWNERS.get(kind), api, None)
    if function is None:
        raise NotSupported(f"{kind}.{api} is no API of this torch ({torch.__version__})")
    halves = [dtype for dtype in _input_types(described) if dtype in _HALVES]
    arguments = [argument(item) for item in described["args"]]
    keywords = {key: argument(item) for key, item in described["kwargs"].items()}
    with torch.no_grad():
        outputs = list(_tensors(function(*arguments, **keywords)))
    for output in outputs:
        if not output.dtype.is_floating_point:
            continue
        seen = output.to(halves[0]) if halves else output
        limit = torch.finfo(seen.dtype).max
        if seen.numel() and not bool((seen.abs().double() < limit).all()):
            return True
    return False


def check(path, out=sys.stdout):
    """Prints a verdict for each API; the number of those without one."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if not isinstance(content, dict) or not all(
            isinstance(described, dict) and {"args", "kwargs"} <= described.keys()
            for described in content.values()):
        raise ValueError("is no forward_info_N.json: an object of APIs, each with args and kwargs, "
                         "is expected")
    if not content:
        print(f"{path}: no API overflowed", file=out)
    open_cases = 0
    for name, described in content.items():
        try:
            verdict = "normal overflow" if overflows_on_cpu(name, described) \
                else "abnormal overflow"
        except (NotSupported, TypeError, RuntimeError, ValueError) as problem:
            verdict = f"not checked: {problem}"
            open_cases += 1
        print(f"{name}: {verdict}", file=out)
    return open_cases


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="run_overflow_check", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-forward", "--forward", metavar="forward_info_N.json")
    parser.add_argument("-backward", "--backward", metavar="backward_info_N.json")
    given = parser.parse_args(arguments)
    if given.backward:
        parser.error(BACKWARD_REFUSED)
    if not given.forward:
        parser.error("-forward forward_info_N.json is missing")
    try:
        return 1 if check(given.forward) else 0
    except OSError as problem:
        parser.error(f"{given.forward}: {problem.strerror}")
    except ValueError as problem:  # no JSON, or not of this kind
        parser.error(f"{given.forward}: {problem}")


if __name__ == "__main__":
    sys.exit(main())
