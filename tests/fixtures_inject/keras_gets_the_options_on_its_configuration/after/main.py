import tensorflow as tf
import tensorflow.python.keras as keras
from npu_bridge.npu_init import *

config_proto = tf.ConfigProto(allow_soft_placement=True)
# transplt-inject: begin
custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = True
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/HwHiAiUser/output')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('0|5|10')
custom_op.parameter_map['dump_mode'].s = tf.compat.as_bytes('all')
config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
npu_keras_sess = set_keras_session_npu_config(config=config_proto)
model = keras.models.Sequential([keras.layers.Dense(1)])
model.compile(optimizer='sgd', loss='mse')
model.fit([[0.0]], [[0.0]])
close_session(npu_keras_sess)
