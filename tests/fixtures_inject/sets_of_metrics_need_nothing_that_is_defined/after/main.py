import mindspore.nn as nn
from mindspore import Model
from models import plain

if __name__ == "__main__":
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    # transplt-inject: replaced 1 metrics
    #|    for model in (Model(nn.Cell(), loss, metrics={"acc"}), plain()):
    for model in (Model(nn.Cell(), loss, metrics={"acc", "loss"}), plain()):
        print(sorted(model.eval([])))
