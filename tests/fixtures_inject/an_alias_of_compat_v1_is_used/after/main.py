import tensorflow.compat.v1 as tf1
from npu_bridge.estimator import npu_ops
# transplt-inject: begin
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
# transplt-inject: end

tf1.disable_v2_behavior()
# transplt-inject: begin
session_config = tf1.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf1.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf1.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf1.compat.as_bytes("all")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with tf1.Session() as sess:
with tf1.Session(config=session_config) as sess:
    sess.run(tf1.constant(1))
