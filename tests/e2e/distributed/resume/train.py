# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import sys

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser(description='training that goes on where it was stopped')
parser.add_argument('--resume', '-r', default='', type=str, metavar='PATH')
parser.add_argument('--start-epoch', default=0, type=int)
parser.add_argument('--epochs', default=2, type=int)
parser.add_argument('--bs', default=36, type=int)
args = parser.parse_args()

device = 'cuda' if torch.cuda.is_available() else 'cpu'
best_loss = float('inf')

torch.manual_seed(77)
g = torch.Generator().manual_seed(6)
X = torch.randn(288, 9, generator=g)
Y = (X[:, 0] > X[:, 1]).long() + (X[:, 2] > 0).long()
trainloader = DataLoader(TensorDataset(X, Y), batch_size=args.bs, shuffle=False)
testloader = DataLoader(TensorDataset(X[:72] + 0.1, Y[:72]), batch_size=70, shuffle=False)

net = nn.Sequential()
net.add_module('fc1', nn.Linear(9, 18))
net.add_module('act', nn.ELU())
net.add_module('fc2', nn.Linear(18, 3))
net = net.to(device)

criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)

if args.resume:
    if os.path.isfile(args.resume):
        print("=> loading checkpoint '{}'".format(args.resume))
        checkpoint = torch.load(args.resume)
        args.start_epoch = checkpoint['epoch']
        best_loss = checkpoint['best_loss']
        net.load_state_dict(checkpoint['net'])
        optimizer.load_state_dict(checkpoint['optimizer'])
        print("=> loaded checkpoint (epoch {})".format(checkpoint['epoch']))
    else:
        sys.exit("=> no checkpoint found at '{}'".format(args.resume))


def train(epoch):
    net.train()
    train_loss = 0
    correct = 0
    total = 0
    for batch_idx, (inputs, targets) in enumerate(trainloader):
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()

        train_loss += loss.item()
        _, predicted = outputs.max(1)
        total += targets.size(0)
        correct += predicted.eq(targets).sum().item()

        print(epoch, batch_idx, len(trainloader), 'Loss: %.5f | Acc: %.3f%% (%d/%d)'
              % (train_loss / (batch_idx + 1), 100. * correct / total, correct, total))


def test(epoch):
    global best_loss
    net.eval()
    test_loss = 0
    with torch.no_grad():
        for inputs, targets in testloader:
            inputs, targets = inputs.to(device), targets.to(device)
            test_loss += criterion(net(inputs), targets).item()
    print('test', epoch, 'Loss: %.5f' % test_loss)

    state = {
        'net': net.state_dict(),
        'optimizer': optimizer.state_dict(),
        'best_loss': min(best_loss, test_loss),
        'epoch': epoch + 1,
    }
    if not os.path.isdir('checkpoint'):
        os.mkdir('checkpoint')
    torch.save(state, './checkpoint/last.pth')
    if test_loss < best_loss:
        torch.save(state, './checkpoint/ckpt.pth')
        best_loss = test_loss


for epoch in range(args.start_epoch, args.epochs):
    train(epoch)
    test(epoch)
