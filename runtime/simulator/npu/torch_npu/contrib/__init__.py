# SPDX-License-Identifier: Apache-2.0
"""torch_npu.contrib of the simulator; transfer_to_npu is all of it."""
