import tensorflow as tf
from npu_bridge.npu_init import *


class Session(object):
    def __init__(self):
        self.estimator_config = tf.ConfigProto()
        custom_op = self.estimator_config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        custom_op.parameter_map["hcom_parallel"].b = True
        self.sess = tf.Session(config=self.estimator_config)


Session().sess.run(tf.constant(1))
