# SPDX-License-Identifier: Apache-2.0
"""A device on the CPU: `npu` for migrated scripts, `cuda` for their originals.

A run under it shows that a script is device-consistent (simulated). It shows nothing about an NPU:
neither numerics of lower precision, nor which operators exist there, nor speed.
"""
