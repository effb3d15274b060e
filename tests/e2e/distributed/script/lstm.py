# SPDX-License-Identifier: Apache-2.0
import math

import torch
import torch.nn as nn
import torch.utils.data as Data

torch.manual_seed(1)

# Hyper Parameters
EPOCH = 2
BATCH_SIZE = 20
TIME_STEP = 8
LR = 0.05

t = torch.arange(400).float()
wave = torch.sin(t * 0.3) + 0.5 * torch.cos(t * 0.11 * math.pi)
x = wave.unfold(0, TIME_STEP, 1)[:360].unsqueeze(2)
y = wave[TIME_STEP:][:360]
train_data = Data.TensorDataset(x[:300], y[:300])
test_x, test_y = x[300:].cuda(), y[300:].cuda()
loader = Data.DataLoader(dataset=train_data, batch_size=BATCH_SIZE, shuffle=True)


class RNN(nn.Module):
    def __init__(self):
        super(RNN, self).__init__()
        self.rnn = nn.LSTM(input_size=1, hidden_size=12, num_layers=1, batch_first=True)
        self.out = nn.Linear(12, 1)

    def forward(self, x):
        r_out, (h_n, h_c) = self.rnn(x, None)
        return self.out(r_out[:, -1, :])


rnn = RNN()
rnn.cuda()
print(rnn)

optimizer = torch.optim.SGD(rnn.parameters(), lr=LR, momentum=0.8)
loss_func = nn.MSELoss()

for epoch in range(EPOCH):
    for step, (b_x, b_y) in enumerate(loader):
        b_x = b_x.cuda()
        b_y = b_y.cuda()
        output = rnn(b_x)
        loss = loss_func(output.squeeze(1), b_y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        if step % 5 == 0:
            test_output = rnn(test_x)
            test_loss = torch.mean((test_output.squeeze(1) - test_y) ** 2).data.cpu().numpy()
            print('Epoch: ', epoch, '| train loss: %.5f' % loss.data.cpu().numpy(),
                  '| test loss: %.5f' % test_loss)

torch.save(rnn, 'rnn.pkl')
torch.save(rnn.state_dict(), 'rnn_params.pkl')
