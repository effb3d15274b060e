# SPDX-License-Identifier: Apache-2.0
class Print:
    def __call__(self, *arguments):
        from . import event
        event("Print", arguments=list(arguments))


class ReLU:
    def __call__(self, x):
        return x
