import tensorflow as tf
from npu_bridge.npu_init import *

# transplt-inject: begin
config_proto = tf.ConfigProto(allow_soft_placement=True)
custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|npu_keras_sess = set_keras_session_npu_config()
npu_keras_sess = set_keras_session_npu_config(config=config_proto)
# transplt-inject: begin
config_proto = tf.ConfigProto(allow_soft_placement=True)
custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|npu_clear_session()
npu_clear_session(config=config_proto)
