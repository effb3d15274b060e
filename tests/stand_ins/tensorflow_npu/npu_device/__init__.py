# SPDX-License-Identifier: Apache-2.0
"""Stands in for npu_device, the adapter for TensorFlow 2.6."""

from npu_stand_in import device as _device
from npu_stand_in import names as _names

vars().update(_device.TOP)


def _fill(module):
    vars(module).update(_device.names_of(module.__name__))


_names.serve("npu_device", _fill)
