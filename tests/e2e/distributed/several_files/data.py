# SPDX-License-Identifier: Apache-2.0
import torch
from torch.utils.data import DataLoader, Dataset


class Clusters(Dataset):
    def __init__(self, split, classes=5):
        centers = torch.randn(classes, 3, 8, 8, generator=torch.Generator().manual_seed(1))
        g = torch.Generator().manual_seed({'train': 2, 'val': 3}[split])
        n = {'train': 480, 'val': 150}[split]
        self.labels = torch.arange(n) % classes
        self.images = centers[self.labels] * 0.3 + torch.randn(n, 3, 8, 8, generator=g)

    def __len__(self):
        return self.labels.size(0)

    def __getitem__(self, idx):
        return {'image': self.images[idx], 'label': self.labels[idx]}


def collate(batch):
    images = torch.stack([b['image'] for b in batch])
    labels = torch.stack([b['label'] for b in batch])
    return images, labels


def get_loaders(args):
    loaders = []
    for split in ('train', 'val'):
        loaders.append(DataLoader(Clusters(split), batch_size=args.batch_size,
                                  shuffle=split == 'train', collate_fn=collate,
                                  pin_memory=True))
    return loaders[0], loaders[1], 5
