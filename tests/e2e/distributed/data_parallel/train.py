# SPDX-License-Identifier: Apache-2.0
import argparse
import os

import numpy as np
import torch
import torch.nn as nn
import torch.backends.cudnn as cudnn
from torch.autograd import Variable
from torch.utils.data import DataLoader

from nets import SegNet, Shapes, DiceLoss

parser = argparse.ArgumentParser()
parser.add_argument('--root_path', type=str, default='.')
parser.add_argument('--batch_size', type=int, default=24)
parser.add_argument('--max_epochs', type=int, default=2)
parser.add_argument('--base_lr', type=float, default=0.2)
parser.add_argument('--seed', type=int, default=1234)
parser.add_argument('--multi_gpu', action='store_true')
args = parser.parse_args()


def trainer(args, model, snapshot_path):
    db_train = Shapes(240)
    trainloader = DataLoader(db_train, batch_size=args.batch_size, shuffle=True, num_workers=0,
                             pin_memory=True,
                             worker_init_fn=lambda worker: np.random.seed(args.seed + worker))
    print("{} iterations per epoch".format(len(trainloader)))
    if torch.cuda.device_count() > 1:
        print("Let's use", torch.cuda.device_count(), "GPUs!")
        model = nn.DataParallel(model)
    model.train()
    ce_loss = nn.CrossEntropyLoss()
    dice_loss = DiceLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.base_lr, momentum=0.9,
                                weight_decay=0.0001)
    iter_num = 0
    max_iterations = args.max_epochs * len(trainloader)
    for epoch_num in range(args.max_epochs):
        for i_batch, sampled_batch in enumerate(trainloader):
            image_batch, label_batch = sampled_batch['image'], sampled_batch['label']
            image_batch = Variable(image_batch.cuda())
            label_batch = Variable(label_batch.cuda())
            outputs = model(image_batch)
            loss_ce = ce_loss(outputs, label_batch[:].long())
            loss_dice = dice_loss(outputs, label_batch)
            loss = 0.5 * loss_ce + 0.5 * loss_dice
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lr_ = args.base_lr * (1.0 - iter_num / max_iterations) ** 0.9
            for param_group in optimizer.param_groups:
                param_group['lr'] = lr_
            iter_num = iter_num + 1
            print('iteration %d : loss : %f, loss_ce: %f' % (iter_num, loss.item(), loss_ce.item()))
        save_mode_path = os.path.join(snapshot_path, 'epoch_' + str(epoch_num) + '.pth')
        torch.save(model.state_dict(), save_mode_path)
    return "Training Finished!"


if __name__ == "__main__":
    cudnn.benchmark = False
    cudnn.deterministic = True
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    torch.cuda.manual_seed(args.seed)
    snapshot_path = os.path.join(args.root_path, "snapshots")
    if not os.path.exists(snapshot_path):
        os.makedirs(snapshot_path)
    net = SegNet().cuda()
    print(trainer(args, net, snapshot_path))
