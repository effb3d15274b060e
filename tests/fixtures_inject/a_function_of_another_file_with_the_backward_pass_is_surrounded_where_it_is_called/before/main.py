from models import *
from engine import compute_accuracy, run_backward, update_parameters

model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    loss = model(torch.randn(1))
    run_backward(loss)
    update_parameters(optimizer)
    print(compute_accuracy(), "backward")

for step in range(2):
    model(torch.randn(1))  # evaluation
