# SPDX-License-Identifier: Apache-2.0
import torch
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments

model = AutoModelForSequenceClassification.from_pretrained("some-model").cuda()
dataset = [{"input_ids": torch.arange(8), "labels": torch.tensor(n % 2)} for n in range(64)]
trainer = Trainer(model=model, args=TrainingArguments(output_dir="out"), train_dataset=dataset)
trainer.train()
