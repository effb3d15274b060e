# SPDX-License-Identifier: Apache-2.0
"""Stands in for absl: app, flags and logging."""

from npu_stand_in import names as _names

_names.serve("absl")
