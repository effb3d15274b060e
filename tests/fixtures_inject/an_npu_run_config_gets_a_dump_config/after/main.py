import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


if __name__ == '__main__':
    session_config = tf.ConfigProto(allow_soft_placement=True)
    # transplt-inject: begin
    dump_config = DumpConfig(enable_dump=True, dump_path='/home/HwHiAiUser/output', dump_step='0|5|10', dump_mode='all')
    # transplt-inject: end
    # transplt-inject: replaced 4
    #|    config = NPURunConfig(
    #|        model_dir='/tmp/model',
    #|        session_config=session_config
    config = NPURunConfig(
        model_dir='/tmp/model',
        session_config=session_config,
        dump_config=dump_config
    )
    estimator = NPUEstimator(model_fn=model_fn, config=config)
    estimator.train(input_fn=input_fn, max_steps=1)
