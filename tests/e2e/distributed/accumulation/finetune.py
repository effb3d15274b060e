# SPDX-License-Identifier: Apache-2.0
"""Learns the next token of short sequences; gradients of several batches make one step."""
import argparse
import math
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, RandomSampler, SequentialSampler

logging.basicConfig(format="%(levelname)s - %(message)s", level=logging.INFO)
logger = logging.getLogger(__name__)


class Sequences(Dataset):
    def __init__(self, size, seed, vocab=12, length=10):
        g = torch.Generator().manual_seed(seed)
        start = torch.randint(0, vocab, (size, 1), generator=g)
        step = torch.randint(1, 3, (size, 1), generator=g)
        self.ids = (start + step * torch.arange(length)) % vocab

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, item):
        return self.ids[item]


class TinyLM(nn.Module):
    def __init__(self, vocab=12, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.lm_head = nn.Linear(width, vocab)

    def forward(self, input_ids, labels=None):
        hidden, _ = self.rnn(self.embed(input_ids))
        logits = self.lm_head(hidden)
        outputs = (logits,)
        if labels is not None:
            loss_fct = nn.CrossEntropyLoss()
            loss = loss_fct(logits[:, :-1].reshape(-1, logits.size(-1)), labels[:, 1:].reshape(-1))
            outputs = (loss,) + outputs
        return outputs


def evaluate(args, model, dataset):
    loader = DataLoader(dataset, sampler=SequentialSampler(dataset), batch_size=50)
    model.eval()
    eval_loss, nb_eval_steps = 0.0, 0
    for batch in loader:
        batch = batch.to(args.device)
        with torch.no_grad():
            eval_loss += model(batch, labels=batch)[0].mean().item()
        nb_eval_steps += 1
    return math.exp(eval_loss / nb_eval_steps)


def train(args, train_dataset, eval_dataset, model):
    train_dataloader = DataLoader(train_dataset, sampler=RandomSampler(train_dataset),
                                  batch_size=args.per_gpu_train_batch_size)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.learning_rate, momentum=0.9)
    t_total = len(train_dataloader) // args.gradient_accumulation_steps * args.num_train_epochs
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: max(0.0, float(t_total - s) / max(1, t_total)))
    logger.info("  Total optimization steps = %d", t_total)
    global_step = 0
    tr_loss, logging_loss = 0.0, 0.0
    model.zero_grad()
    for epoch in range(int(args.num_train_epochs)):
        for step, batch in enumerate(train_dataloader):
            model.train()
            inputs = batch.to(args.device)
            outputs = model(inputs, labels=inputs)
            loss = outputs[0]
            if args.gradient_accumulation_steps > 1:
                loss = loss / args.gradient_accumulation_steps
            loss.backward()
            tr_loss += loss.item()
            if (step + 1) % args.gradient_accumulation_steps == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
                scheduler.step()
                model.zero_grad()
                global_step += 1
                if global_step % args.logging_steps == 0:
                    print("step", global_step, "loss",
                          round((tr_loss - logging_loss) / args.logging_steps, 6),
                          "lr", scheduler.get_last_lr()[0])
                    logging_loss = tr_loss
        print("perplexity", round(evaluate(args, model, eval_dataset), 5))
    return global_step, tr_loss / global_step


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--per_gpu_train_batch_size", default=16, type=int)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    parser.add_argument("--learning_rate", default=0.5, type=float)
    parser.add_argument("--max_grad_norm", default=1.0, type=float)
    parser.add_argument("--num_train_epochs", default=2, type=int)
    parser.add_argument("--logging_steps", type=int, default=2)
    parser.add_argument("--no_cuda", action="store_true")
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    args.device = torch.device(
        "cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")
    args.n_gpu = torch.cuda.device_count()
    torch.manual_seed(args.seed)
    if args.n_gpu > 0:
        torch.cuda.manual_seed_all(args.seed)
    model = TinyLM()
    model.to(args.device)
    global_step, tr_loss = train(args, Sequences(512, 1), Sequences(100, 2), model)
    print(f" global_step = {global_step}, average loss = {tr_loss:.6f}")
    model_to_save = model.module if hasattr(model, "module") else model
    torch.save(model_to_save.state_dict(), "pytorch_model.bin")
    torch.save(args, "training_args.bin")


if __name__ == "__main__":
    main()
