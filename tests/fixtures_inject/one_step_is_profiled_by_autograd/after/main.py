import torch
import torch.nn as nn
import torch_npu
# transplt-inject: begin autograd-profile
import contextlib
# transplt-inject: end


def main():
    model = nn.Linear(4, 2)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(2):
        for i, (images, target) in enumerate([(torch.randn(4), torch.randn(2))] * 2):
            # transplt-inject: begin autograd-profile
            npu_profiler = contextlib.ExitStack()
            npu_prof = npu_profiler.enter_context(torch.autograd.profiler.profile(use_npu=True, record_shapes=True))
            # transplt-inject: end
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # transplt-inject: begin autograd-profile
            npu_profiler.close()
            print(npu_prof)
            npu_prof.export_chrome_trace('/home/HwHiAiUser/profile_data.json')
            raise SystemExit(0)
            # transplt-inject: end
            if i % 10 == 0:
                print(epoch, i)
        scheduler.step()


if __name__ == '__main__':
    main()
