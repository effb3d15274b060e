# SPDX-License-Identifier: Apache-2.0
def install(module):
    pass
