import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig


def session_config():
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
	return config
