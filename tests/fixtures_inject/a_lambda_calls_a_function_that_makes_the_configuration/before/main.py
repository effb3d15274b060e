# -*- coding: utf-8 -*-
"""Sessions are made where they are needed."""
from __future__ import print_function

import tensorflow as tf
from npu_bridge.npu_init import *

make_session = lambda config: tf.Session(config=npu_config_proto(config_proto=config))
sessions = [tf.Session(config=npu_config_proto()) for _ in range(2)]


class Holder(object):
    sess = tf.Session(config=npu_config_proto(config_proto=tf.ConfigProto()))


make_session(None).run(tf.constant(1))
make_session(tf.ConfigProto(allow_soft_placement=True)).run(tf.constant(1))
