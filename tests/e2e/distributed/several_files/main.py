# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import os.path as osp

import torch

from data import get_loaders
from engine import evaluate, train_epoch
from model import build_model

parser = argparse.ArgumentParser('several files')
parser.add_argument('-b', '--batch-size', type=int, default=48)
parser.add_argument('--epochs', default=3, type=int)
parser.add_argument('--lr', '--learning-rate', default=0.1, type=float, dest='lr')
parser.add_argument('--print-freq', '-p', default=4, type=int)
parser.add_argument('--arch', default='mlp', choices=['mlp', 'conv'])
parser.add_argument('--out', default='checkpoints')
parser.add_argument('--seed', default=42, type=int)
best_acc = 0.


def adjust_learning_rate(optimizer, epoch, args):
    lr = args.lr * (0.5 ** (epoch // 2))
    for param_group in optimizer.param_groups:
        param_group['lr'] = lr


def save_checkpoint(state, is_best, folder):
    torch.save(state, osp.join(folder, 'checkpoint.pth.tar'))
    if is_best:
        import shutil
        shutil.copyfile(osp.join(folder, 'checkpoint.pth.tar'),
                        osp.join(folder, 'model_best.pth.tar'))


def main():
    global best_acc
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)
    train_loader, val_loader, num_classes = get_loaders(args)
    model = build_model(args.arch, num_classes).cuda()
    criterion = torch.nn.CrossEntropyLoss().cuda()
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)
    for epoch in range(args.epochs):
        adjust_learning_rate(optimizer, epoch, args)
        train_epoch(train_loader, model, criterion, optimizer, epoch, args)
        acc = evaluate(val_loader, model, criterion, args)
        is_best = acc > best_acc
        best_acc = max(acc, best_acc)
        save_checkpoint({
            'epoch': epoch + 1,
            'arch': args.arch,
            'state_dict': model.state_dict(),
            'best_acc': best_acc,
            'optimizer': optimizer.state_dict(),
        }, is_best, args.out)


if __name__ == '__main__':
    main()
