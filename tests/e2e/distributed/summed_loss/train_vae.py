# SPDX-License-Identifier: Apache-2.0
import argparse

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser(description='autoencoder with a latent prior')
parser.add_argument('--batch-size', type=int, default=32)
parser.add_argument('--epochs', type=int, default=4)
parser.add_argument('--no-cuda', action='store_true', default=False)
parser.add_argument('--seed', type=int, default=3)
parser.add_argument('--log-interval', type=int, default=4)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()

torch.manual_seed(args.seed)
device = torch.device("cuda" if args.cuda else "cpu")


def patterns(count, seed):
    g = torch.Generator().manual_seed(seed)
    rows = torch.randint(0, 2, (6, 64), generator=torch.Generator().manual_seed(0)).float()
    pictures = rows[torch.randint(0, 6, (count,), generator=g)]
    flips = (torch.rand(count, 64, generator=g) < 0.08).float()
    return (pictures - flips).abs()


kwargs = {'num_workers': 0, 'pin_memory': True} if args.cuda else {}
train_loader = DataLoader(TensorDataset(patterns(480, 1)), batch_size=args.batch_size,
                          shuffle=True, **kwargs)
test_loader = DataLoader(TensorDataset(patterns(90, 2)), batch_size=args.batch_size, **kwargs)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 32)
        self.fc21 = nn.Linear(32, 4)
        self.fc22 = nn.Linear(32, 4)
        self.fc3 = nn.Linear(4, 32)
        self.fc4 = nn.Linear(32, 64)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar, x):
        std = torch.exp(0.5 * logvar)
        # Repeatable: what stands for the noise comes from the picture.
        eps = torch.sin(37.0 * x[:, :4].cumsum(1) + 11.0 * x[:, 8:12])
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 64))
        z = self.reparameterize(mu, logvar, x)
        return self.decode(z), mu, logvar


model = VAE().to(device)
optimizer = optim.SGD(model.parameters(), lr=2e-4, momentum=0.9)


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 64), reduction='sum')
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


def train(epoch):
    model.train()
    train_loss = 0
    for batch_idx, (data,) in enumerate(train_loader):
        data = data.to(device)
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        if batch_idx % args.log_interval == 0:
            print('Train Epoch: {} [{}/{}] Loss: {:.6f}'.format(
                epoch, batch_idx, len(train_loader), loss.item() / args.batch_size))

    print('====> Epoch: {} Average loss: {:.5f}'.format(
        epoch, train_loss / len(train_loader.dataset)))


def test(epoch):
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for i, (data,) in enumerate(test_loader):
            data = data.to(device)
            recon_batch, mu, logvar = model(data)
            test_loss += loss_function(recon_batch, data, mu, logvar).item()

    test_loss /= len(test_loader.dataset)
    print('====> Test set loss: {:.5f}'.format(test_loss))


if __name__ == "__main__":
    for epoch in range(1, args.epochs + 1):
        train(epoch)
        test(epoch)
        torch.save({'model': model.state_dict(), 'epoch': epoch}, 'vae_%d.pth' % epoch)
