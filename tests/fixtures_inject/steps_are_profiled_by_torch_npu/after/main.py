import torch
import torch.nn as nn
import torch_npu
# transplt-inject: begin torch-npu-profiler
import torch_npu
# transplt-inject: end


def main():
    model = nn.Linear(4, 2)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    # transplt-inject: begin torch-npu-profiler
    npu_prof = torch_npu.profiler.profile(schedule=torch_npu.profiler.schedule(wait=0, warmup=1, active=2, repeat=1, skip_first=0), on_trace_ready=torch_npu.profiler.tensorboard_trace_handler('/home/profiling_data'), with_stack=True, experimental_config=torch_npu.profiler._ExperimentalConfig(aic_metrics=torch_npu.profiler.AiCMetrics.L2Cache))
    npu_prof.start()
    # transplt-inject: end
    for epoch in range(2):
        for i, (images, target) in enumerate([(torch.randn(4), torch.randn(2))] * 2):
            output = model(images)
            loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # transplt-inject: begin torch-npu-profiler
            npu_prof.step()
            # transplt-inject: end
            if i % 10 == 0:
                print(epoch, i)
        scheduler.step()
    # transplt-inject: begin torch-npu-profiler
    npu_prof.stop()
    # transplt-inject: end


if __name__ == '__main__':
    main()
