import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


if __name__ == '__main__':
    # transplt-inject: replaced 1
    #|    dump_config = DumpConfig(enable_dump=True, dump_path = "/home/data_dump", dump_step="20", dump_mode="output")
    dump_config = DumpConfig(enable_dump=True, dump_path = "/home/HwHiAiUser/output", dump_step="0|5|10", dump_mode="all", dump_data="stats")
    config = NPURunConfig(dump_config=dump_config, save_checkpoints_steps=100)
    NPUEstimator(model_fn=model_fn, config=config).train(input_fn=input_fn, max_steps=1)
