from tensorflow import Session, ConfigProto
from npu_bridge.npu_init import *

config = ConfigProto()
# transplt-inject: begin
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
Session(config=config).run(None)
# transplt-inject: begin
session_config = ConfigProto(allow_soft_placement=True)
custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
# transplt-inject: end
# transplt-inject: replaced 1
#|Session(config=npu_config_proto()).run(None)
Session(config=npu_config_proto(config_proto=session_config)).run(None)
