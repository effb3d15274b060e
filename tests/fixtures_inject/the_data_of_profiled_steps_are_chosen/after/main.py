import torch
import torch.nn as nn
import torch_npu
# transplt-inject: begin prof
import itertools
npu_steps = itertools.count()
# transplt-inject: end


def main():
    model = nn.Linear(4, 2)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(2):
        for i, (images, target) in enumerate([(torch.randn(4), torch.randn(2))] * 2):
            # transplt-inject: begin prof
            npu_step = next(npu_steps)
            if npu_step == 1:
                torch.npu.prof_init('/home/profiling_data')
                torch.npu.prof_start(torch.npu.profileConfig(ACL_PROF_TRAINING_TRACE=True))
            if 1 <= npu_step <= 2:
                torch.npu.iteration_start()
            # transplt-inject: end
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # transplt-inject: begin prof
            if 1 <= npu_step <= 2:
                torch.npu.iteration_end()
            if npu_step == 2:
                torch.npu.prof_stop()
                torch.npu.prof_finalize()
            # transplt-inject: end
            if i % 10 == 0:
                print(epoch, i)
        scheduler.step()


if __name__ == '__main__':
    main()
