import sys
import tensorflow as tf
import npu_device as npu


def configure(overflow):
    if overflow:
        npu.global_options().dump_config.enable_dump_debug = True
    # transplt-inject: begin
    npu.global_options().dump_config.enable_dump = True
    npu.global_options().dump_config.dump_path = "/home/out"
    npu.global_options().dump_config.dump_step = "0|5"
    # transplt-inject: end
    npu.open().as_default()


configure(len(sys.argv) > 1)
