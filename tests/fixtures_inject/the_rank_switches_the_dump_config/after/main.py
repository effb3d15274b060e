import tensorflow as tf
from npu_bridge.npu_init import *
# transplt-inject: begin
import os
# transplt-inject: end


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


if __name__ == '__main__':
    # transplt-inject: begin
    if int(os.getenv('RANK_ID', '0')) == 7:
        dump_flag = True
    else:
        dump_flag = False
    dump_config = DumpConfig(enable_dump=dump_flag, dump_path='/home/HwHiAiUser/output', dump_step='0|5|10', dump_mode='all')
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    config = NPURunConfig(model_dir='/tmp/model')
    config = NPURunConfig(model_dir='/tmp/model', dump_config=dump_config)
    NPUEstimator(model_fn=model_fn, config=config).train(input_fn=input_fn, max_steps=1)
