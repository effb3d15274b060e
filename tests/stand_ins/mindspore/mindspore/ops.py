# SPDX-License-Identifier: Apache-2.0
class Print:
    def __call__(self, *arguments):
        # As infer_dtype of Print in mindspore/ops/operations/debug_ops.py refuses.
        from . import event
        if any(argument is None or isinstance(argument, (dict, list)) for argument in arguments):
            raise TypeError("Print: an input must be a tensor, a number or a text")
        event("Print", arguments=list(arguments))


class ReLU:
    def __call__(self, x):
        return x


def add_flags(**flags):
    def add(function):
        function._mindspore_flags = flags
        return function

    return add
