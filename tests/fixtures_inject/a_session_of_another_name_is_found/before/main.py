from tensorflow import Session as S, ConfigProto as Config
import tensorflow as tf
from npu_bridge.npu_init import *

config = Config()
with S(config=config) as sess:
    sess.run(tf.constant(1))
with S() as sess:
    sess.run(tf.constant(1))
