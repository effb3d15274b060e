import torch
import pytorch_lightning as pl
# transplt-inject: begin ptdbg
from ptdbg_ascend import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump", hook_name="dump")
from pytorch_lightning.callbacks import Callback
class NpuDebuggerCallback(Callback):
    def on_train_batch_start(self, *args, **kwargs):
        debugger.start()
    def on_train_batch_end(self, *args, **kwargs):
        debugger.stop()
        debugger.step()
# transplt-inject: end


class Model(pl.LightningModule):
    def training_step(self, batch, index):
        return torch.randn(1)


class Program:
    def __init__(self):
        self.trainer = pl.Trainer(max_epochs=1)
        # transplt-inject: begin ptdbg
        self.trainer.callbacks.append(NpuDebuggerCallback())
        # transplt-inject: end
        self.tester = pl.Trainer()

    def run(self):
        self.trainer.fit(Model())
        self.tester.test(Model())


Program().run()
