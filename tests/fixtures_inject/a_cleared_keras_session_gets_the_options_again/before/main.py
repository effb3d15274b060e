import tensorflow as tf
from npu_bridge.npu_init import *

npu_keras_sess = set_keras_session_npu_config()
npu_clear_session()
