# Ported from a script for cuda.
import mindspore.nn as nn
from mindspore import Model
# transplt-inject: begin metrics
import mindspore.nn
# transplt-inject: end

loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
# transplt-inject: replaced 1 metrics
#|shared = {"accuracy": nn.Accuracy()}
shared = {"accuracy": nn.Accuracy(), "f1_score": mindspore.nn.F1()}


def networks(with_loss=None):
    train = Model(nn.Cell(), optimizer=None)
    plain = Model(nn.Cell(), None)
    hidden = Model(nn.Cell(), with_loss)
    cell = Model(nn.Cell(), eval_network=nn.Cell())
    # transplt-inject: replaced 1 metrics
    #|    indexed = Model(nn.Cell(), eval_network=nn.Cell(), eval_indexes=[0, 1, 2])
    indexed = Model(nn.Cell(), eval_network=nn.Cell(), eval_indexes=[0, 1, 2], metrics={"accuracy": mindspore.nn.Accuracy(), "f1_score": mindspore.nn.F1()})
    # transplt-inject: replaced 1 metrics
    #|    named = Model(nn.Cell(), loss, metrics={"acc"})
    named = Model(nn.Cell(), loss, metrics={"acc", "F1"})
    one = Model(nn.Cell(), loss, metrics=shared)
    other = Model(nn.Cell(), loss, None, shared)
    return [train, plain, hidden, cell], [indexed, named, one, other]


if __name__ == "__main__":
    for model in networks()[1]:
        if model.metrics:
            print(sorted(model.eval([])))
