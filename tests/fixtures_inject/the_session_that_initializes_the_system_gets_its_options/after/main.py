import tensorflow as tf
from npu_bridge.npu_init import *

npu_int = npu_ops.initialize_system()
npu_shutdown = npu_ops.shutdown_system()
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
# transplt-inject: begin
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
# transplt-inject: end
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF

init_sess = tf.Session(config=config)
init_sess.run(npu_int)
# transplt-inject: begin
session_config = tf.ConfigProto(allow_soft_placement=True)
npu_custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
npu_custom_op.name = "NpuOptimizer"
npu_custom_op.parameter_map["enable_dump"].b = True
npu_custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
npu_custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
npu_custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
npu_custom_op.parameter_map["dump_data"].s = tf.compat.as_bytes("tensor")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with tf.Session(config=npu_config_proto()) as sess:
with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
    sess.run(tf.constant(1))
init_sess.run(npu_shutdown)
init_sess.close()
