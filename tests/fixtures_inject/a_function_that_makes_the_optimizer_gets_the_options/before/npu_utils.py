import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig


def session_config():
	config = tf.ConfigProto()
	custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
	custom_op.name = "NpuOptimizer"
	custom_op.parameter_map["use_off_line"].b = True
	config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
	return config
