# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
from torch.utils.data import Dataset


class SegNet(nn.Module):
    def __init__(self, width=6):
        super(SegNet, self).__init__()
        self.down = nn.Conv2d(1, width, 3, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.out = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        x = torch.relu(self.down(x))
        x = x + torch.relu(self.mid(x))
        return self.out(x)


class DiceLoss(nn.Module):
    """1 - dice of each picture, averaged over the pictures."""

    def forward(self, logits, target):
        p = torch.softmax(logits, 1)[:, 1].flatten(1)
        t = target.float().flatten(1)
        dice = (2 * (p * t).sum(1) + 1) / (p.sum(1) + t.sum(1) + 1)
        return 1 - dice.mean()


class Shapes(Dataset):
    def __init__(self, count):
        g = torch.Generator().manual_seed(17)
        self.labels = torch.zeros(count, 10, 10, dtype=torch.long)
        corner = torch.randint(0, 6, (count, 2), generator=g)
        for label, (r, c) in zip(self.labels, corner.tolist()):
            label[r:r + 4, c:c + 4] = 1
        self.images = self.labels[:, None] + 0.5 * torch.randn(count, 1, 10, 10, generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        return {'image': self.images[idx], 'label': self.labels[idx], 'case_name': 'case%d' % idx}
