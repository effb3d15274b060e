import npu_device as npu

# transplt-inject: begin
import os
if int(os.getenv("RANK_ID", "0")) == 0:
    dump_flag = True
else:
    dump_flag = False
npu.global_options().dump_config.enable_dump = dump_flag
npu.global_options().dump_config.dump_path = "/home/out"
npu.global_options().dump_config.dump_step = "0|5"
# transplt-inject: end
npu.open().as_default()

import os
import tensorflow as tf

print(os.getcwd())
