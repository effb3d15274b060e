import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto()
wrong = config.graph_options.rewrite_options.custom_optimizers.add()
wrong.name = "Npuoptimizer"
wrong.parameter_map["use_off_line"].b = True
tf.Session(config=config).run(tf.constant(1))
