import tensorflow as tf
from npu_bridge.npu_init import *

sess = tf.InteractiveSession()
sess.run(tf.constant(1))
config = tf.ConfigProto(allow_soft_placement=True)
with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(last_step=1)],
                                       config=config) as monitored:
    monitored.run(tf.constant(1))
creator = tf.train.ChiefSessionCreator(config=config)
supervisor = tf.train.Supervisor(logdir='/tmp/log')
with supervisor.managed_session(config=npu_config_proto()) as managed:
    managed.run(tf.constant(1))
