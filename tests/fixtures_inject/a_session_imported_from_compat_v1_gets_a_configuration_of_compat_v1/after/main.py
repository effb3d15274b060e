from tensorflow.compat.v1 import Session
from npu_device.compat.v1.npu_init import *

# transplt-inject: begin
session_config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/out")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|with Session() as sess:
with Session(config=session_config) as sess:
    sess.run(sess.graph)
