import os
import tensorflow as tf
import npu_device


def open_device(dump):
    npu_device.global_options().dump_config.enable_dump = True
    npu_device.global_options().dump_config.dump_path = '/home/old'
    npu_device.global_options().precision_mode = 'must_keep_origin_dtype'
    if dump:
        npu_device.global_options().dump_config.dump_step = '7'
    npu_device.open().as_default()


open_device(False)
