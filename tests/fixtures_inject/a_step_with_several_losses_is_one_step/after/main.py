import torch
# transplt-inject: begin ptdbg
from ptdbg_ascend import PrecisionDebugger
debugger = PrecisionDebugger(dump_path="./dump", hook_name="dump")
# transplt-inject: end

net_d, net_g = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
optimizer_d, optimizer_g = torch.optim.Adam(net_d), torch.optim.Adam(net_g)
for step in range(2):
    # transplt-inject: begin ptdbg
    debugger.start()
    # transplt-inject: end
    real = torch.randn(1)
    loss_d = net_d(real)
    loss_d.backward()
    optimizer_d.step()
    loss_g = net_d(net_g(real))
    loss_g.backward()
    optimizer_g.step()
    # transplt-inject: begin ptdbg
    debugger.stop()
    debugger.step()
    # transplt-inject: end
    print(step)
