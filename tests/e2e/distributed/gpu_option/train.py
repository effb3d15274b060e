# SPDX-License-Identifier: Apache-2.0
import argparse
import csv
import os
import os.path as osp

parser = argparse.ArgumentParser()
parser.add_argument('--gpu', default=0, type=int, help='which card')
parser.add_argument('--exp', default='exp0')
parser.add_argument('--epochs', default=3, type=int)
parser.add_argument('--bsz', default=28, type=int)
parser.add_argument('--visible', default='0,1,2,3')
args = parser.parse_args()

os.environ['CUDA_VISIBLE_DEVICES'] = args.visible

import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
from torch.utils import data  # noqa: E402


class Pairs(data.Dataset):
    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        self.a = torch.randn(n, 7, generator=gen)
        self.b = self.a.roll(1, 1) * 0.5 + 0.2 * torch.randn(n, 7, generator=gen)

    def __len__(self):
        return len(self.a)

    def __getitem__(self, i):
        return self.a[i], self.b[i]


def run_epoch(model, loader, crit, opt=None):
    total, count = 0.0, 0
    for a, b in loader:
        a, b = a.cuda(args.gpu), b.cuda(args.gpu, non_blocking=True)
        loss = crit(model(a), b)
        if opt is not None:
            opt.zero_grad()
            loss.backward()
            opt.step()
        total += loss.item() * len(a)
        count += len(a)
    return total / count


def main():
    torch.cuda.set_device(args.gpu)
    torch.manual_seed(15)
    torch.cuda.manual_seed(15)
    os.mkdir(args.exp)
    log = open(osp.join(args.exp, 'log.csv'), 'w', newline='')
    writer = csv.writer(log)
    writer.writerow(['epoch', 'train', 'valid'])

    model = nn.Sequential(nn.Linear(7, 21), nn.Tanh(), nn.Linear(21, 7)).cuda(args.gpu)
    crit = nn.SmoothL1Loss().cuda(args.gpu)
    opt = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
    train_dl = data.DataLoader(Pairs(280, 1), args.bsz, shuffle=True)
    valid_dl = data.DataLoader(Pairs(84, 2), args.bsz)
    for ep in range(args.epochs):
        model.train()
        tr = run_epoch(model, train_dl, crit, opt)
        model.eval()
        with torch.no_grad():
            va = run_epoch(model, valid_dl, crit)
        writer.writerow([ep, '%.6f' % tr, '%.6f' % va])
        log.flush()
        print('ep %d train %.6f valid %.6f on cuda:%d' % (ep, tr, va, torch.cuda.current_device()))
        torch.save({'model': model.state_dict(), 'gpu': args.gpu}, osp.join(args.exp, 'last.pt'))
    log.close()


if __name__ == '__main__':
    main()
