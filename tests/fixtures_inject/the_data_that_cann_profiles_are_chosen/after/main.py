import torch
import torch.nn as nn
import torch_npu
# transplt-inject: begin npu-profile
import contextlib
# transplt-inject: end


def main():
    model = nn.Linear(4, 2)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(2):
        for i, (images, target) in enumerate([(torch.randn(4), torch.randn(2))] * 2):
            # transplt-inject: begin npu-profile
            npu_profiler = contextlib.ExitStack()
            npu_profiler.enter_context(torch.npu.profile('/home/profiling_data', config=torch.npu.profileConfig(ACL_PROF_L2CACHE=True, ACL_PROF_HCCL_TRACE=False, aiCoreMetricsType=2)))
            # transplt-inject: end
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # transplt-inject: begin npu-profile
            npu_profiler.close()
            raise SystemExit(0)
            # transplt-inject: end
            if i % 10 == 0:
                print(epoch, i)
        scheduler.step()


if __name__ == '__main__':
    main()
