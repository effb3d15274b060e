# SPDX-License-Identifier: Apache-2.0
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Regressor(nn.Module):
    def __init__(self, hidden=20):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, hidden), nn.Linear(hidden, hidden)])
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x).squeeze(-1)

    def l2(self):
        return sum((p ** 2).sum() for p in self.parameters())


class EarlyStopping:
    def __init__(self, patience, path):
        self.patience, self.path = patience, path
        self.counter = 0
        self.best = None
        self.early_stop = False

    def __call__(self, val_loss, model):
        if self.best is None or val_loss < self.best - 0.01:
            self.best = val_loss
            torch.save(model.state_dict(), self.path)
            self.counter = 0
        else:
            self.counter += 1
            print(f"EarlyStopping counter: {self.counter} out of {self.patience}")
            if self.counter >= self.patience:
                self.early_stop = True


class Trainer(object):
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.set_seed(args.seed)
        self._build_data()
        self.model = Regressor().to(self.device)
        self.criterion = nn.MSELoss().to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr)
        self.stopper = EarlyStopping(args.patience, args.save_path)
        self.history = {"train": [], "val": []}

    @staticmethod
    def set_seed(seed):
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        if torch.cuda.is_available():
            torch.cuda.manual_seed_all(seed)

    def _build_data(self):
        rng = np.random.RandomState(4)
        x = rng.randn(500, 6).astype(np.float32)
        y = (np.sin(x[:, 0]) + x[:, 1] * x[:, 2] * 0.3).astype(np.float32)
        full = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
        train_set, val_set = random_split(full, [400, 100])
        self.train_loader = DataLoader(train_set, self.args.bs, shuffle=True, drop_last=True)
        self.val_loader = DataLoader(val_set, self.args.bs, shuffle=False)

    def train_one_epoch(self):
        self.model.train()
        losses = []
        for x, y in self.train_loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad(set_to_none=True)
            pred = self.model(x)
            loss = self.criterion(pred, y) + 1e-4 * self.model.l2()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            losses.append(loss.item())
        return np.mean(losses)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        losses = []
        for x, y in self.val_loader:
            x, y = x.to(self.device), y.to(self.device)
            losses.append(self.criterion(self.model(x), y).item())
        return float(np.average(losses))

    def train(self):
        for epoch in range(self.args.epochs):
            train_loss = self.train_one_epoch()
            val_loss = self.validate()
            self.history["train"].append(train_loss)
            self.history["val"].append(val_loss)
            print(f"epoch {epoch:02d} | train_loss={train_loss:.5f} | val_loss={val_loss:.5f}")
            self.stopper(val_loss, self.model)
            if self.stopper.early_stop:
                print("Early stopping")
                break

    def evaluate_best(self):
        self.model.load_state_dict(torch.load(self.args.save_path))
        print(f"best val_loss={self.validate():.5f}")
