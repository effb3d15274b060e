# SPDX-License-Identifier: Apache-2.0
"""What the packages beside this one are made of: see the README in the folder above."""
