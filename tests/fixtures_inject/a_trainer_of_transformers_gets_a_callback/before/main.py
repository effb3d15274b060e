import torch
import transformers
from transformers import AutoModel, Trainer, TrainingArguments


class Logger:
    def train(self):
        print("not a trainer of transformers")


def main(resume=False):
    model = AutoModel.from_pretrained("org/model")
    trainer = Trainer(
        model=model,
        args=TrainingArguments(output_dir="out"),
    )
    model.train()
    Logger().train()
    if resume:
        trainer.train(resume_from_checkpoint="out")
    else:
        trainer.train()


main()
