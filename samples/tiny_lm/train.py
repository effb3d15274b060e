#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train the tiny language model. Start with: python3 train.py --config configs/tiny.json"""
import argparse
import logging
import sys

from tiny_lm import (
    Config,
    Corpus,
    Trainer,
    cuda_available,
    load_checkpoint,
    make_corpus,
    save_checkpoint,
)
from tiny_lm.device import seed_all


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", help="YAML or JSON file, see configs/")
    parser.add_argument("--device", help="overrides train.device: cuda, cuda:1 or cpu")
    parser.add_argument("--require-gpu", action="store_true", help="stop when CUDA cannot be used")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--resume", metavar="FILE", help="checkpoint to go on from")
    parser.add_argument("--save", metavar="FILE", help="where to write the checkpoint at the end")
    parser.add_argument("--metrics", metavar="FILE", help="append one JSON object per logged step")
    parser.add_argument("--profile", metavar="TRACE", help="write a CUDA/CPU trace for chrome://tracing")
    parser.add_argument("--nvtx", action="store_true", help="mark forward and backward for Nsight Systems")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N generated characters")
    parser.add_argument("override", nargs="*", help="for example train.steps=10 model.layers=2")
    return parser.parse_intermixed_args()


def main() -> None:
    args = parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    if args.require_gpu and not cuda_available():
        raise SystemExit("no CUDA device is usable (is CUDA_VISIBLE_DEVICES empty?)")

    config = Config.from_file(args.config) if args.config else Config()
    config.override(args.override)
    if args.device:
        config.train.device = args.device
    if args.seed is not None:
        config.train.seed = args.seed
    seed_all(config.train.seed)

    text = make_corpus(config.corpus_sentences, config.train.seed)
    cut = len(text) * 9 // 10
    train_set = Corpus(text[:cut], config.model.context)
    eval_set = Corpus(text[cut:], config.model.context, train_set.alphabet)

    trainer = Trainer(config, train_set, eval_set, nvtx=args.nvtx)
    if args.resume:
        load_checkpoint(args.resume, trainer)
    trainer.fit(trace_file=args.profile, metrics_file=args.metrics)
    print(f"final eval loss {trainer.evaluate():.6f}", flush=True)
    if args.save:
        save_checkpoint(args.save, trainer)
    if args.sample > 0:
        prompt = train_set.encode("the ").unsqueeze(0).to(trainer.device)
        print(train_set.decode(trainer.model.continue_text(prompt, args.sample)[0].cpu()))


if __name__ == "__main__":
    main()
