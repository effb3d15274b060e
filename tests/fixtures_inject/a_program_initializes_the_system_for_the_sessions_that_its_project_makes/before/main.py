import os
import sys

import tensorflow as tf

from trainer import Trainer


def freeze():
    """Runs on the CPU."""
    with tf.Session() as sess:
        sess.run(tf.constant(1))


def main(steps):
    Trainer().train(steps)


if __name__ == '__main__':
    print('trains')
    os.environ['ASCEND_GLOBAL_LOG_LEVEL'] = '3'
    main(len(sys.argv))
