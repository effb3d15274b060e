# SPDX-License-Identifier: Apache-2.0
"""Callbacks of Lightning."""


class Callback:
    def on_train_batch_start(self, trainer, module, batch, batch_index):
        pass

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_index):
        pass
