# SPDX-License-Identifier: Apache-2.0
import torch
from nvidia.dali import fn, pipeline_def
from nvidia.dali.plugin.pytorch import DALIGenericIterator


@pipeline_def(batch_size=16, num_threads=2, device_id=0)
def pictures():
    files, labels = fn.readers.file(file_root="data", random_shuffle=True, name="Reader")
    return fn.decoders.image(files, device="mixed"), labels


loader = DALIGenericIterator(pictures(), ["data", "label"], reader_name="Reader")
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in loader:
    x, y = batch[0]["data"], batch[0]["label"].squeeze(-1).long().cuda()
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
