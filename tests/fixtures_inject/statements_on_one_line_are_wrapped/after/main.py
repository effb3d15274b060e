import tensorflow as tf
from npu_bridge.npu_init import *
# transplt-inject: begin
def _npu_dump_config(config_proto=None):
    if config_proto is None:
        config_proto = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config_proto.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == "NpuOptimizer":
            custom_op = existing_op
    if custom_op is None:
        custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    return config_proto
# transplt-inject: end

# transplt-inject: replaced 1
#|config = tf.ConfigProto(); sess = tf.Session(config=npu_config_proto(config_proto=config))
config = tf.ConfigProto(); sess = tf.Session(config=npu_config_proto(config_proto=_npu_dump_config(config)))
# transplt-inject: replaced 1
#|if True: other = tf.Session(config=npu_config_proto())
if True: other = tf.Session(config=npu_config_proto(config_proto=_npu_dump_config()))
sess.run(tf.constant(1)); other.run(tf.constant(2))
