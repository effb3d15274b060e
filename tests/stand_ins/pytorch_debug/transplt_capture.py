# SPDX-License-Identifier: Apache-2.0
from debug_stand_in import PrecisionDebugger  # noqa: F401
