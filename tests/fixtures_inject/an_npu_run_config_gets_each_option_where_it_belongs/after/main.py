import tensorflow as tf
from npu_bridge.estimator.npu.npu_config import NPURunConfig
from npu_bridge.estimator.npu.npu_estimator import NPUEstimator
# transplt-inject: begin
from npu_bridge.estimator.npu.npu_config import DumpConfig
from npu_bridge.estimator.npu.npu_config import ProfilingConfig
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
# transplt-inject: end


def model_fn(features, labels, mode):
    loss = tf.reduce_mean(tf.layers.dense(features, 1))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def input_fn():
    return tf.data.Dataset.from_tensors([[0.0] * 4])


def main():
    # transplt-inject: begin
    dump_config = DumpConfig(enable_dump=True, dump_path='/d')
    profiling_config = ProfilingConfig(enable_profiling=True, profiling_options='{"output":"/tmp/prof","task_trace":"on"}')
    session_config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = 'NpuOptimizer'
    custom_op.parameter_map['use_off_line'].b = True
    session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    # transplt-inject: end
    # transplt-inject: replaced 8
    #|    config = NPURunConfig(
    #|        iterations_per_loop=1,
    #|        model_dir='/tmp/model',
    #|        precision_mode='force_fp32',
    config = NPURunConfig(
        iterations_per_loop=1,
        model_dir='/tmp/model',
        precision_mode='allow_mix_precision',
        dump_config=dump_config,
        profiling_config=profiling_config,
        op_debug_level=1,
        session_config=session_config,
    )
    NPUEstimator(model_fn=model_fn, config=config).train(input_fn=input_fn, max_steps=1)


main()
