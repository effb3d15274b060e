# SPDX-License-Identifier: Apache-2.0
import argparse

from trainer import Trainer


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", default=12, type=int)
    p.add_argument("--bs", default=40, type=int)
    p.add_argument("--lr", default=0.3, type=float)
    p.add_argument("--patience", default=2, type=int)
    p.add_argument("--seed", default=0, type=int)
    p.add_argument("--save_path", default="best_model.pt")
    return p.parse_args()


if __name__ == "__main__":
    trainer = Trainer(get_args())
    trainer.train()
    trainer.evaluate_best()
