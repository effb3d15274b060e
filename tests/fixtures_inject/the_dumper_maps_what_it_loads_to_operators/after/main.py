import torch
# transplt-inject: begin dumper
import contextlib
# transplt-inject: end

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    for data in [torch.randn(1)]:
        # transplt-inject: begin dumper
        npu_dumper = contextlib.ExitStack()
        npu_dumper.enter_context(torch.utils.dumper(use_load=True, dump_path="./", load_file_path="./output.h5", load_with_acl_dump=True))
        # transplt-inject: end
        if data is not None:
            loss = model(data)
            loss.backward()
            # transplt-inject: begin dumper
            npu_dumper.close()
            raise SystemExit(0)
            # transplt-inject: end
            optimizer.step()
