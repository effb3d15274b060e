import npu_device as npu

npu.open().as_default()

import os
import tensorflow as tf

print(os.getcwd())
