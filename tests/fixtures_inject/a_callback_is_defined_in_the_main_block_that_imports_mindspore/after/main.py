import os

if __name__ == "__main__":
    import mindspore.nn as nn
    from mindspore import Model
    from mindspore.dataset import create_dataset
    # transplt-inject: begin callbacks
    from mindspore.train.callback import Callback
    import time
    class StopAtTime(Callback):
        def __init__(self, minutes):
            super(StopAtTime, self).__init__()
            self.seconds = minutes * 60
        def begin(self, run_context):
            self.started = time.time()
        def step_end(self, run_context):
            if time.time() - self.started > self.seconds:
                params = run_context.original_args()
                print("epoch:", params.cur_epoch_num, "step:", params.cur_step_num, "loss:", params.net_outputs)
                run_context.request_stop()
    # transplt-inject: end

    network = nn.Cell()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, loss, optimizer)
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, create_dataset("train"))
    model.train(1, create_dataset("train"), callbacks=[StopAtTime(10)])
