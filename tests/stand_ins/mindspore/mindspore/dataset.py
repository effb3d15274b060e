# SPDX-License-Identifier: Apache-2.0
def create_dataset(*_, **__):
    return []
