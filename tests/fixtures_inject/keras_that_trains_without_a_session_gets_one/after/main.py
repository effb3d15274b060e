"""Trains a generator without end, in the session that keras makes when it first needs one."""
import sys
sys.path.append('..')
from npu_bridge.npu_init import *
from keras.models import Model
from keras.layers import *
from keras import backend as K
import os

# transplt-inject: begin
config_proto = tf.ConfigProto(allow_soft_placement=True)
if int(os.getenv('RANK_ID', '0')) == 0:
    dump_flag = True
else:
    dump_flag = False
custom_op = config_proto.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = 'NpuOptimizer'
custom_op.parameter_map['enable_dump'].b = dump_flag
custom_op.parameter_map['dump_path'].s = tf.compat.as_bytes('/home/out')
custom_op.parameter_map['dump_step'].s = tf.compat.as_bytes('3')
config_proto.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
K.set_session(tf.Session(config=npu_config_proto(config_proto=config_proto)))
# transplt-inject: end
if not os.path.isdir('samples'):
    print('no folder for samples')


def batches():
    while True:
        yield [[0.0]], [[1.0]]


inputs = Input(shape=(64,))
model = Model(inputs, Dense(1)(inputs))
model.compile(optimizer='adam', loss='mse')
source = batches()
for i in range(2):
    x, y = next(source)
    loss = model.train_on_batch(x, y)
