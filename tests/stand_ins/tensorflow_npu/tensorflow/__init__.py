# SPDX-License-Identifier: Apache-2.0
"""Stands in for TensorFlow 1.15, or 2.6 where TRANSPLT_TENSORFLOW is 2."""

from npu_stand_in import keras as _keras
from npu_stand_in import names as _names

_names.serve("tensorflow")
_keras.PLACE["two"] = _names.is_two()
