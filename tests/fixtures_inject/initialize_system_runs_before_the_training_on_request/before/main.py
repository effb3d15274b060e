import time
import tensorflow as tf
from npu_bridge.npu_init import *


def train():
    loss = tf.constant([1.0])
    start = time.time()
    with tf.Session(config=npu_config_proto()) as sess:
        sess.run(loss)
    return time.time() - start


if __name__ == "__main__":
    print("training")
    train()
