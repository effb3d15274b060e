# SPDX-License-Identifier: Apache-2.0
def init(*_):
    pass
