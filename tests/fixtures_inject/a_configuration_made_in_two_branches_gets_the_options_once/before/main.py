import tensorflow as tf
from npu_bridge.npu_init import *

import sys

if len(sys.argv) > 1:
    config = tf.ConfigProto(log_device_placement=True)
else:
    config = tf.ConfigProto(allow_soft_placement=True)
config.gpu_options.allow_growth = True
for part in range(2):
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.constant(part))
sess = tf.Session(config=config)
sess.run(tf.constant(2))
