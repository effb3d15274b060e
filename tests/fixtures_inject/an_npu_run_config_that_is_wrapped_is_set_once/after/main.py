import tensorflow as tf
from npu_bridge.npu_init import *


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


# transplt-inject: begin
dump_config = DumpConfig(enable_dump=True, dump_path="/home/HwHiAiUser/output", dump_step="0|5|10", dump_mode="all")
# transplt-inject: end
# transplt-inject: replaced 1
#|run_config = NPURunConfig(save_checkpoints_steps=10)
run_config = NPURunConfig(save_checkpoints_steps=10, dump_config=dump_config)
config = npu_run_config_init(run_config=run_config)
NPUEstimator(model_fn=model_fn, config=run_config).train(input_fn=input_fn, max_steps=1)
