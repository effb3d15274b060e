from tensorflow import Session as S, ConfigProto as Config
import tensorflow as tf
from npu_bridge.npu_init import *

config = Config()
# transplt-inject: begin
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
with S(config=config) as sess:
    sess.run(tf.constant(1))
# transplt-inject: begin
session_config = Config(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with S() as sess:
with S(config=session_config) as sess:
    sess.run(tf.constant(1))
