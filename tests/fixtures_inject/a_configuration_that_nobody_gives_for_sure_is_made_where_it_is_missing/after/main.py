import tensorflow as tf
from npu_bridge.npu_init import *


def get_config(growth):
    if growth:
        return tf.ConfigProto(log_device_placement=False)
    return None


def run(cfg):
    # transplt-inject: begin
    if cfg is None:
        cfg = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in cfg.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == 'NpuOptimizer':
            custom_op = existing_op
    if custom_op is None:
        custom_op = cfg.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = 'NpuOptimizer'
        cfg.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/tmp/dump')
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=cfg)) as sess:
        sess.run(tf.constant(1))


class Trainer:
    def __init__(self, config=None):
        self.config = config

    def train(self):
        # transplt-inject: begin
        session_config = self.config or tf.ConfigProto(allow_soft_placement=True)
        custom_op = None
        for existing_op in session_config.graph_options.rewrite_options.custom_optimizers:
            if existing_op.name == 'NpuOptimizer':
                custom_op = existing_op
        if custom_op is None:
            custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
            custom_op.name = 'NpuOptimizer'
            session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
        custom_op.parameter_map['enable_dump'].b = True
        custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/tmp/dump')
        # transplt-inject: end
        # transplt-inject: replaced 1
        #|        with tf.Session(config=npu_config_proto(config_proto=self.config)) as sess:
        with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
            sess.run(tf.constant(2))


def train():
    config = get_config(False)
    # transplt-inject: begin
    if config is None:
        config = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == 'NpuOptimizer':
            custom_op = existing_op
    if custom_op is None:
        custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = 'NpuOptimizer'
        config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/tmp/dump')
    # transplt-inject: end
    with tf.Session(config=npu_config_proto(config_proto=config)) as sess:
        sess.run(tf.constant(3))
    # transplt-inject: begin
    session_config = get_config(False) or tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in session_config.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == 'NpuOptimizer':
            custom_op = existing_op
    if custom_op is None:
        custom_op = session_config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = 'NpuOptimizer'
        session_config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map['enable_dump'].b = True
    custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/tmp/dump')
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    with tf.Session(config=npu_config_proto(config_proto=get_config(False))) as sess:
    with tf.Session(config=npu_config_proto(config_proto=session_config)) as sess:
        sess.run(tf.constant(4))


if __name__ == '__main__':
    run(None)
    Trainer().train()
    train()
