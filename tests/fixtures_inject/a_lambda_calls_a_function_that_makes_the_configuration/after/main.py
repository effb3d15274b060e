# -*- coding: utf-8 -*-
"""Sessions are made where they are needed."""
from __future__ import print_function

import tensorflow as tf
from npu_bridge.npu_init import *
# transplt-inject: begin
def _npu_dump_config(config_proto=None):
    if config_proto is None:
        config_proto = tf.ConfigProto(allow_soft_placement=True)
    custom_op = None
    for existing_op in config_proto.graph_options.rewrite_options.custom_optimizers:
        if existing_op.name == "NpuOptimizer":
            custom_op = existing_op
    if custom_op is None:
        custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/home/HwHiAiUser/output")
    custom_op.parameter_map["dump_step"].s = tf.compat.as_bytes("0|5|10")
    custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
    return config_proto
# transplt-inject: end

# transplt-inject: replaced 1
#|make_session = lambda config: tf.Session(config=npu_config_proto(config_proto=config))
make_session = lambda config: tf.Session(config=npu_config_proto(config_proto=_npu_dump_config(config)))
# transplt-inject: replaced 1
#|sessions = [tf.Session(config=npu_config_proto()) for _ in range(2)]
sessions = [tf.Session(config=npu_config_proto(config_proto=_npu_dump_config())) for _ in range(2)]


class Holder(object):
    # transplt-inject: replaced 1
    #|    sess = tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto()))
    sess = tf.Session(config=npu_config_proto(config_proto=_npu_dump_config(tf.ConfigProto())))


make_session(None).run(tf.constant(1))
make_session(tf.ConfigProto(allow_soft_placement=True)).run(tf.constant(1))
