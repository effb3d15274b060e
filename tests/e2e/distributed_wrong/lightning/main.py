# SPDX-License-Identifier: Apache-2.0
import pytorch_lightning as pl
import torch
from torch.utils.data import DataLoader, TensorDataset


class Module(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def training_step(self, batch, index):
        x, y = batch
        return torch.nn.functional.cross_entropy(self.layer(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


if __name__ == "__main__":
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.zeros(64).long()), batch_size=16)
    pl.Trainer(accelerator="gpu", devices=1, max_epochs=1).fit(Module(), loader)
