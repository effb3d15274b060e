import tensorflow as tf
from npu_bridge.npu_init import *


def main():
	config = tf.ConfigProto()
	if config:
		with tf.Session(config=npu_config_proto()) as sess:
			sess.run(tf.constant(1))


main()
sess = tf.Session(config=npu_config_proto())