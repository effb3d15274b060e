from __future__ import print_function
import tensorflow as tf
from npu_bridge.estimator.npu import npu_convert_dropout
from tensorflow.keras.callbacks import EarlyStopping

from network import build
# transplt-inject: begin
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from npu_bridge.npu_init import set_keras_session_npu_config
# transplt-inject: end

EPOCHS = 3


class Trainer(object):
    def __init__(self, model):
        self.model = model
        self.model.compile(optimizer='sgd', loss='mse')

    def run(self, generator):
        return self.model.fit_generator(generator, steps_per_epoch=1, epochs=EPOCHS,
                                        callbacks=[EarlyStopping()])


def main():
    config_proto = 'a name that is taken'
    print(config_proto)
    Trainer(build()).run(iter([([0.0], [1.0])]))


if __name__ == '__main__':
    # transplt-inject: begin
    config_proto = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump_debug'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
    config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    npu_keras_sess = set_keras_session_npu_config(config=config_proto)
    # transplt-inject: end
    main()
