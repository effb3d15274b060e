import tensorflow as tf
import npu_bridge.npu_init


def main():
    with tf.Session() as sess:
        sess.run(tf.constant(1))
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
    with tf.Session(config=config) as sess:
        sess.run(tf.constant(1))


main()
