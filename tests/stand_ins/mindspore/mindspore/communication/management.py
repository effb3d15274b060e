# SPDX-License-Identifier: Apache-2.0
from . import init  # noqa: F401
