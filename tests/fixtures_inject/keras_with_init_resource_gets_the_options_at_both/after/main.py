import tensorflow as tf
import tensorflow.python.keras as keras
from tensorflow.python.keras import backend as K
from npu_bridge.npu_init import *


def main():
    # transplt-inject: begin
    config_proto = tf.ConfigProto(allow_soft_placement=True)
    custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    npu_keras_sess = set_keras_session_npu_config()
    npu_keras_sess = set_keras_session_npu_config(config=config_proto)
    model = keras.models.Sequential([keras.layers.Dense(1)])
    model.compile(optimizer='sgd', loss='mse')
    model.fit([[0.0]], [[0.0]])
    close_session(npu_keras_sess)


if __name__ == '__main__':
    # transplt-inject: begin
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
    custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
    custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    (npu_sess, npu_shutdown) = init_resource()
    (npu_sess, npu_shutdown) = init_resource(config=session_config)
    main()
    shutdown_resource(npu_sess, npu_shutdown)
    close_session(npu_sess)
