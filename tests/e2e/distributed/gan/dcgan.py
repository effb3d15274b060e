# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import random

import torch
import torch.nn as nn
import torch.optim as optim
import torch.utils.data

parser = argparse.ArgumentParser()
parser.add_argument('--batchSize', type=int, default=32, help='input batch size')
parser.add_argument('--nz', type=int, default=8, help='size of the latent z vector')
parser.add_argument('--ngf', type=int, default=24)
parser.add_argument('--ndf', type=int, default=24)
parser.add_argument('--niter', type=int, default=3, help='number of epochs to train for')
parser.add_argument('--lr', type=float, default=0.02)
parser.add_argument('--cuda', action='store_true', help='enables cuda')
parser.add_argument('--outf', default='out', help='folder to output images and model checkpoints')
parser.add_argument('--manualSeed', type=int, default=7, help='manual seed')
opt = parser.parse_args()
print(opt)

try:
    os.makedirs(opt.outf)
except OSError:
    pass

random.seed(opt.manualSeed)
torch.manual_seed(opt.manualSeed)
device = torch.device("cuda:0" if opt.cuda else "cpu")


class Ring(torch.utils.data.Dataset):
    """Points on a ring, each with the latent code that belongs to it."""

    def __init__(self, nz, n=512):
        gen = torch.Generator().manual_seed(2)
        angle = torch.rand(n, generator=gen) * 6.2832
        self.points = torch.stack([angle.cos(), angle.sin()], 1)
        self.codes = torch.randn(n, nz, generator=gen)

    def __getitem__(self, i):
        return self.points[i], self.codes[i]

    def __len__(self):
        return len(self.points)


dataset = Ring(opt.nz)
dataloader = torch.utils.data.DataLoader(dataset, batch_size=opt.batchSize, shuffle=True,
                                         num_workers=0)


def weights_init(m):
    if m.__class__.__name__.find('Linear') != -1:
        torch.nn.init.normal_(m.weight, 0.0, 0.2)
        torch.nn.init.zeros_(m.bias)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(nn.Linear(opt.nz, opt.ngf), nn.Tanh(), nn.Linear(opt.ngf, 2))

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(nn.Linear(2, opt.ndf), nn.LeakyReLU(0.2),
                                  nn.Linear(opt.ndf, 1), nn.Sigmoid())

    def forward(self, input):
        return self.main(input).view(-1, 1).squeeze(1)


netG = Generator().to(device)
netG.apply(weights_init)
netD = Discriminator().to(device)
netD.apply(weights_init)

criterion = nn.BCELoss()
real_label = 1.
fake_label = 0.
optimizerD = optim.SGD(netD.parameters(), lr=opt.lr, momentum=0.5)
optimizerG = optim.SGD(netG.parameters(), lr=opt.lr, momentum=0.5)

if __name__ == '__main__':
    fixed_noise = dataset.codes[:16].to(device)
    for epoch in range(opt.niter):
        for i, data in enumerate(dataloader, 0):
            # (1) Update D network: maximize log(D(x)) + log(1 - D(G(z)))
            netD.zero_grad()
            real = data[0].to(device)
            batch_size = real.size(0)
            label = torch.full((batch_size,), real_label, dtype=real.dtype, device=device)
            output = netD(real)
            errD_real = criterion(output, label)
            errD_real.backward()
            D_x = output.mean().item()

            noise = data[1].to(device)
            fake = netG(noise)
            label.fill_(fake_label)
            output = netD(fake.detach())
            errD_fake = criterion(output, label)
            errD_fake.backward()
            D_G_z1 = output.mean().item()
            errD = errD_real + errD_fake
            optimizerD.step()

            # (2) Update G network: maximize log(D(G(z)))
            netG.zero_grad()
            label.fill_(real_label)
            output = netD(fake)
            errG = criterion(output, label)
            errG.backward()
            D_G_z2 = output.mean().item()
            optimizerG.step()

            print('[%d/%d][%d/%d] Loss_D: %.5f Loss_G: %.5f D(x): %.4f D(G(z)): %.4f / %.4f'
                  % (epoch, opt.niter, i, len(dataloader),
                     errD.item(), errG.item(), D_x, D_G_z1, D_G_z2))
            if i % 8 == 0:
                with torch.no_grad():
                    sample = netG(fixed_noise)
                torch.save(sample.cpu(), '%s/samples_epoch_%03d.pt' % (opt.outf, epoch))

        torch.save(netG.state_dict(), '%s/netG_epoch_%d.pth' % (opt.outf, epoch))
        torch.save(netD.state_dict(), '%s/netD_epoch_%d.pth' % (opt.outf, epoch))
