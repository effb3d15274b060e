# SPDX-License-Identifier: Apache-2.0
"""Stands in for the keras that is installed beside TensorFlow."""

import tensorflow as _tensorflow  # noqa: F401
from npu_stand_in import names as _names

_names.serve("keras")
