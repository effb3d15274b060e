# transplt-inject: begin callbacks
from mindspore.train.callback import Callback, LossMonitor
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
class CustomCallback(Callback):
    def begin(self, run_context):
        params = run_context.original_args()
        print(params.mode, "steps of an epoch:", params.batch_num)
    def epoch_begin(self, run_context):
        pass
    def epoch_end(self, run_context):
        pass
    def step_begin(self, run_context):
        pass
    def step_end(self, run_context):
        params = run_context.original_args()
        print("epoch:", params.get("cur_epoch_num"), "step:", params.cur_step_num, "output:", params.net_outputs)
    def end(self, run_context):
        pass
# transplt-inject: end
def train(model):
    # transplt-inject: replaced 1 callbacks
    #|    model.train(1, [])
    model.train(1, [], callbacks=[LossMonitor(), StopAtTime(5), CustomCallback()])
