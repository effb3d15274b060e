import torch
import transformers
from transformers import AutoModel, Trainer, TrainingArguments
# transplt-inject: begin msprobe
import os
from msprobe.pytorch import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump")
from transformers import TrainerCallback
class NpuDebuggerCallback(TrainerCallback):
    def on_step_begin(self, *args, **kwargs):
        if int(os.getenv("RANK", "0")) == 0:
            debugger.start()
    def on_step_end(self, *args, **kwargs):
        if int(os.getenv("RANK", "0")) == 0:
            debugger.stop()
            debugger.step()
# transplt-inject: end


class Logger:
    def train(self):
        print("not a trainer of transformers")


def main(resume=False):
    model = AutoModel.from_pretrained("org/model")
    trainer = Trainer(
        model=model,
        args=TrainingArguments(output_dir="out"),
    )
    # transplt-inject: begin msprobe
    trainer.add_callback(NpuDebuggerCallback())
    # transplt-inject: end
    model.train()
    Logger().train()
    if resume:
        trainer.train(resume_from_checkpoint="out")
    else:
        trainer.train()


main()
