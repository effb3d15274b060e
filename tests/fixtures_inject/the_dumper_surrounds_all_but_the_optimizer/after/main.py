import torch
import torch.nn as nn
import torch_npu
# transplt-inject: begin dumper
import contextlib
# transplt-inject: end


def main():
    model = nn.Linear(4, 2)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(2):
        for i, (images, target) in enumerate([(torch.randn(4), torch.randn(2))] * 2):
            # transplt-inject: begin dumper
            npu_dumper = contextlib.ExitStack()
            npu_dumper.enter_context(torch.utils.dumper(use_dump=True, dump_path='./model_npu.h5'))
            # transplt-inject: end
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            # transplt-inject: begin dumper
            npu_dumper.close()
            raise SystemExit(0)
            # transplt-inject: end
            optimizer.step()
            if i % 10 == 0:
                print(epoch, i)
        scheduler.step()


if __name__ == '__main__':
    main()
