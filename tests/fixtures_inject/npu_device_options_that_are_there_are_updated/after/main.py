import os
import tensorflow as tf
import npu_device


def open_device(dump):
    # transplt-inject: begin
    if int(os.getenv('RANK_ID', '0')) == 1:
        dump_flag = True
    else:
        dump_flag = False
    # transplt-inject: end
    # transplt-inject: replaced 1
    #|    npu_device.global_options().dump_config.enable_dump = True
    npu_device.global_options().dump_config.enable_dump = dump_flag
    # transplt-inject: replaced 1
    #|    npu_device.global_options().dump_config.dump_path = '/home/old'
    npu_device.global_options().dump_config.dump_path = '/home/HwHiAiUser/output'
    npu_device.global_options().precision_mode = 'must_keep_origin_dtype'
    if dump:
        npu_device.global_options().dump_config.dump_step = '7'
    # transplt-inject: begin
    npu_device.global_options().dump_config.dump_step = '0|5|10'
    npu_device.global_options().dump_config.dump_mode = 'all'
    # transplt-inject: end
    npu_device.open().as_default()


open_device(False)
