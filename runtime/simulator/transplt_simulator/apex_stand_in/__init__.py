# SPDX-License-Identifier: Apache-2.0
"""In the place of apex: mixed precision that changes nothing, as all of the simulator's."""
