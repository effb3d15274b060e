import torch
import torch.nn as nn
import torch_npu


def main():
    model = nn.Linear(4, 2)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(2):
        for i, (images, target) in enumerate([(torch.randn(4), torch.randn(2))] * 2):
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 10 == 0:
                print(epoch, i)
        scheduler.step()


if __name__ == '__main__':
    main()
