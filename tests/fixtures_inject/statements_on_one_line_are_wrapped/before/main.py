import tensorflow as tf
from npu_bridge.npu_init import *

config = tf.ConfigProto(); sess = tf.Session(config=npu_config_proto(config_proto=config))
if True: other = tf.Session(config=npu_config_proto())
sess.run(tf.constant(1)); other.run(tf.constant(2))
