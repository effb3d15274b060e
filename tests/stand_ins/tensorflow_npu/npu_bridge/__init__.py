# SPDX-License-Identifier: Apache-2.0
"""Stands in for npu_bridge, the adapter for TensorFlow 1.15."""

from npu_stand_in import names as _names


def _fill(module):
    from npu_stand_in import adapter
    vars(module).update(adapter.names_of(module.__name__))


_names.serve("npu_bridge", _fill)
