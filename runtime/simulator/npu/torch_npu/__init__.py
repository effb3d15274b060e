# SPDX-License-Identifier: Apache-2.0
"""The name torch_npu of the simulator: everything runs on the CPU, nothing here talks to an NPU."""

from transplt_simulator import npu_package

npu_package.fill(__name__)
