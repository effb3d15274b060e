import tensorflow as tf
from npu_bridge.npu_init import *

import training

if __name__ == '__main__':
    training.train(tf.estimator.RunConfig(model_dir='/tmp/model', tf_random_seed=1))
