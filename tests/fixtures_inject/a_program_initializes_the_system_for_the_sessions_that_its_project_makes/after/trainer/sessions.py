import tensorflow as tf
from npu_bridge.npu_init import *

from .ranks import rank_of_this_card


class Trainer:
    def train(self, steps):
        # transplt-inject: begin
        session_config = tf.ConfigProto(allow_soft_placement=True)
        custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["op_debug_level"].i = 3
        session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
        # transplt-inject: end
        # transplt-inject: replaced 1
        #|        with tf.Session(config=npu_config_proto()) as sess:
        with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
            for _ in range(steps):
                sess.run(tf.constant(rank_of_this_card()))
