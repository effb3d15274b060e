import sys
import tensorflow as tf
import npu_device as npu


def configure(overflow):
    if overflow:
        npu.global_options().dump_config.enable_dump_debug = True
    npu.open().as_default()


configure(len(sys.argv) > 1)
