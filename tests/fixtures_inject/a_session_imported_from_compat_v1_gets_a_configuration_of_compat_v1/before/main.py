from tensorflow.compat.v1 import Session
from npu_device.compat.v1.npu_init import *

with Session() as sess:
    sess.run(sess.graph)
