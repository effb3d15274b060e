# SPDX-License-Identifier: Apache-2.0
"""Numbers of the last batch, read where the loop over batches has ended."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.tensorboard import SummaryWriter


def points(count, seed):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 6, generator=generator)
    return x, (x[:, 0] * x[:, 1] > 0).long()


def train_epoch(model, loader, criterion, optimizer, device):
    losses = []
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        hits = (out.argmax(1) == y).sum()
    print("hits in the last batch: {} of {}".format(hits.item(), y.size(0)))
    return loss, torch.stack(losses).mean()


def main():
    torch.manual_seed(7)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = DataLoader(TensorDataset(*points(203, 1)), batch_size=24, shuffle=True)
    test_loader = DataLoader(TensorDataset(*points(90, 2)), batch_size=40)
    all_x, all_y = (part.to(device) for part in points(70, 3))
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    writer = SummaryWriter("runs")
    for epoch in range(3):
        loss, average = train_epoch(model, train_loader, criterion, optimizer, device)
        print(f"epoch {epoch} loss {loss.item():.6f} average {average.item():.6f}")
        writer.add_scalar("loss", loss, epoch)
        model.eval()
        with torch.no_grad():
            right = 0
            for x, y in test_loader:
                out = model(x.to(device))
                loss = criterion(out, y.to(device))
                right += (out.argmax(1).cpu() == y).sum().item()
            print("test {} of the last {} loss {:.6f}".format(right, y.size(0), loss.item()))
            hits = (model(all_x).argmax(1) == all_y).sum()
            print("hits of all: %d" % hits.item())
        torch.save({"model": model.state_dict(), "loss": average}, "last.pt")


if __name__ == "__main__":
    main()
