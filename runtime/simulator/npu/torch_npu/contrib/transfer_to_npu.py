# SPDX-License-Identifier: Apache-2.0
"""From its import on, CUDA means the simulated NPU."""

from transplt_simulator import transfer

transfer.begin()
