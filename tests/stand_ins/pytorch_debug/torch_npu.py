# SPDX-License-Identifier: Apache-2.0
"""torch_npu: torch.npu is there anyway."""
