import os
import sys
import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main(over_dump, data_dump):
    dump_config = None
    if over_dump:
        dump_config = DumpConfig(dump_path='/tmp/overflow', enable_dump_debug=True, dump_debug_mode='all')
    if data_dump:
        dump_config = DumpConfig(enable_dump=True, dump_path='/tmp/data', dump_step='1')
    # transplt-inject: begin
    if int(os.getenv('RANK_ID', '0')) == 7:
        dump_flag = True
    else:
        dump_flag = False
    dump_config = DumpConfig(enable_dump=dump_flag, dump_path='/home/out', dump_step='0|5')
    # transplt-inject: end
    run_config = NPURunConfig(
        model_dir='/tmp/model',
        dump_config=dump_config)
    NPUEstimator(model_fn=model_fn, config=run_config).train(input_fn, steps=1)


if __name__ == '__main__':
    main('over' in sys.argv, 'data' in sys.argv)
