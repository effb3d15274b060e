import torch
import pytorch_lightning as pl


class Model(pl.LightningModule):
    def training_step(self, batch, index):
        return torch.randn(1)


class Program:
    def __init__(self):
        self.trainer = pl.Trainer(max_epochs=1)
        self.tester = pl.Trainer()

    def run(self):
        self.trainer.fit(Model())
        self.tester.test(Model())


Program().run()
