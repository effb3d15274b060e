# SPDX-License-Identifier: Apache-2.0
"""What capture.h declares, for ctypes: declare(ctypes.CDLL("libtransplt_capture.so.1")).

Written by make_c_interface.py from capture.h; do not edit.
"""

import ctypes

TRANSPLT_CAPTURE_VERSION = 1
TRANSPLT_MAX_DIMENSIONS = 64
TRANSPLT_WANT_STATISTICS = 1
TRANSPLT_WANT_CRC = 2
TRANSPLT_WANT_PAYLOAD = 4
TRANSPLT_INPUT = 1
TRANSPLT_OUTPUT = 2

# transplt_status
TRANSPLT_OK = 0
# an argument or option is wrong
TRANSPLT_INVALID = 1
# the file system refused
TRANSPLT_IO = 2
# disk or quota is full: the payload was not kept, the rest was
TRANSPLT_FULL = 3
# the writer was too slow: the payload was not kept
TRANSPLT_STATS_ONLY = 4
# nothing of the record was kept; it is counted
TRANSPLT_DROPPED = 5
# the folder holds data of another run, or one runs in it now
TRANSPLT_CLASH = 6
# type, format or plugin that this build lacks
TRANSPLT_UNSUPPORTED = 7
# the handle was opened before fork(): nothing is captured here
TRANSPLT_INERT = 8
TRANSPLT_NO_MEMORY = 9
TRANSPLT_INTERNAL = 10

# transplt_type
TRANSPLT_FLOAT32 = 1
TRANSPLT_FLOAT16 = 2
TRANSPLT_BFLOAT16 = 3
TRANSPLT_FLOAT64 = 4
TRANSPLT_INT8 = 5
TRANSPLT_INT16 = 6
TRANSPLT_INT32 = 7
TRANSPLT_INT64 = 8
TRANSPLT_UINT8 = 9
TRANSPLT_UINT16 = 10
TRANSPLT_UINT32 = 11
TRANSPLT_UINT64 = 12
TRANSPLT_BOOL = 13
# payload and checksum only, no statistics
TRANSPLT_COMPLEX64 = 14
TRANSPLT_COMPLEX128 = 15

# transplt_format
# {root}/{name}.npy
TRANSPLT_FORMAT_NPY = 0
# raw .bin whose name holds type and shape
TRANSPLT_FORMAT_MINDSPORE_SYNC = 1
# DumpData in {op_type}.{op_name}.{task}.{time}
TRANSPLT_FORMAT_MINDSPORE_ASYNC = 2
# DumpData in {type}.{name}.{task}.{stream}.{time}
TRANSPLT_FORMAT_GE = 3
# /{name}/{order}/{direction}/{parameter}, by a plugin
TRANSPLT_FORMAT_HDF5 = 4
# texts and statistics only
TRANSPLT_FORMAT_NONE = 5
# {root}/{name}.pt, as torch.save writes a tensor
TRANSPLT_FORMAT_PT = 6

# transplt_back_pressure
# wait up to block_milliseconds, then KEEP_STATS until the disk goes on
TRANSPLT_BLOCK = 0
# drop the payload at once when the ring is full
TRANSPLT_KEEP_STATS = 1
# drop the record at once
TRANSPLT_DROP = 2


class transplt_tensor(ctypes.Structure):
    """A tensor in host memory. Strides count elements and may be null: C order."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_uint32),
        ("dimensions", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


class transplt_statistics(ctypes.Structure):
    """As IEEE arithmetic has it: minimum, maximum, mean and l2 are NaN if an element is NaN.
    Computed in double precision; all are NaN if there is no element."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("elements", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("minimum", ctypes.c_double),
        ("maximum", ctypes.c_double),
        ("mean", ctypes.c_double),
        ("l2", ctypes.c_double),
        ("nan_count", ctypes.c_uint64),
        ("positive_infinities", ctypes.c_uint64),
        ("negative_infinities", ctypes.c_uint64),
        # of the elements in C order, polynomial of zlib; 0 if not wanted
        ("crc32", ctypes.c_uint32),
        # 0 if not wanted, not defined for the type, or dropped
        ("has_statistics", ctypes.c_uint32),
    ]


class transplt_options(ctypes.Structure):
    """112 bytes."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        # TRANSPLT_CAPTURE_VERSION
        ("version", ctypes.c_uint32),
        ("format", ctypes.c_uint32),
        # folder; made with mode 0750 if missing, and one run's at a time
        ("root", ctypes.c_char_p),
        # 0: 64 MiB
        ("ring_bytes", ctypes.c_uint64),
        ("back_pressure", ctypes.c_uint32),
        # 0: 30000
        ("block_milliseconds", ctypes.c_uint32),
        # quota of payload of this handle; 0: none
        ("max_payload_bytes", ctypes.c_uint64),
        # payloads stop when the disk has less; 0: 16 MiB, and no more than 1/64 of the disk
        ("min_free_bytes", ctypes.c_uint64),
        # 1: syncs log and files at each step: power loss loses none
        ("power_loss_safe", ctypes.c_uint32),
        # 1: no O_DIRECT, which power_loss_safe writes the log with
        ("buffered_io", ctypes.c_uint32),
        ("device_id", ctypes.c_uint32),
        # graph id for MindSpore async
        ("model_id", ctypes.c_uint32),
        # null: the layout of single operators, without this level
        ("model_name", ctypes.c_char_p),
        # MindSpore
        ("net_name", ctypes.c_char_p),
        # GE, YYYYMMDDHHMMSS; null: the time of opening
        ("time_folder", ctypes.c_char_p),
        # within root, null: capture.h5; step N > 0 writes capture.N.h5
        ("hdf5_file", ctypes.c_char_p),
        # DeviceType that is written: 0 CPU, 1 GPU, 10 NPU
        ("hdf5_device", ctypes.c_uint32),
        # 1: root may hold files of an earlier run, and they are replaced
        ("allow_existing", ctypes.c_uint32),
    ]


class transplt_record(ctypes.Structure):
    """One tensor of one operator or module. Records with the same name and order are one
    operator."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        # npy, pt: the path below root, without the ending; else the operator's name
        ("name", ctypes.c_char_p),
        # GE, MindSpore async, which need it
        ("op_type", ctypes.c_char_p),
        # HDF5; null: the index
        ("parameter", ctypes.c_char_p),
        # "NCHW", "ND" ...; null: ND, DefaultFormat
        ("layout", ctypes.c_char_p),
        # TRANSPLT_INPUT or TRANSPLT_OUTPUT; all but npy and pt need it
        ("direction", ctypes.c_uint32),
        ("index", ctypes.c_uint32),
        # the operator's number of execution: HDF5, and task id of GE
        ("order", ctypes.c_uint64),
        ("stream_id", ctypes.c_uint32),
        # TRANSPLT_WANT_*
        ("want", ctypes.c_uint32),
        ("tensor", ctypes.POINTER(transplt_tensor)),
    ]


class transplt_counters(ctypes.Structure):
    """104 bytes."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        # put() calls
        ("records", ctypes.c_uint64),
        # whose tensor was kept
        ("payloads", ctypes.c_uint64),
        # payload lost to back-pressure
        ("stats_only", ctypes.c_uint64),
        # lost wholly to back-pressure
        ("dropped", ctypes.c_uint64),
        # payload lost to a full disk or to the quota
        ("full", ctypes.c_uint64),
        # kept, but its file could not be written (see recover) or is another's
        ("lost_in_files", ctypes.c_uint64),
        # text() calls that could not be kept
        ("texts_lost", ctypes.c_uint64),
        ("payload_bytes", ctypes.c_uint64),
        # public files written
        ("files", ctypes.c_uint64),
        # payloads that survive kill -9 now
        ("acknowledged", ctypes.c_uint64),
        # of the tensors that were not kept or have no file
        ("lost_bytes", ctypes.c_uint64),
        # errno of the first trouble with the disk; 0: there was none
        ("error", ctypes.c_uint64),
    ]


def declare(library):
    """Sets the types of the functions of `library`, and gives it back."""
    library.transplt_capture_version.argtypes = []
    library.transplt_capture_version.restype = ctypes.c_uint32
    # What the last failed call of this thread met; English, valid until the thread's next call.
    library.transplt_capture_last_error.argtypes = []
    library.transplt_capture_last_error.restype = ctypes.c_char_p
    # errno of that call, where the system refused something; else 0.
    library.transplt_capture_last_errno.argtypes = []
    library.transplt_capture_last_errno.restype = ctypes.c_int
    # The instruction set that was chosen at run time ("AVX3", "NEON" ...).
    library.transplt_capture_target.argtypes = []
    library.transplt_capture_target.restype = ctypes.c_char_p
    # One pass over the tensor. Needs no handle.
    library.transplt_capture_statistics.argtypes = [
        ctypes.POINTER(transplt_tensor), ctypes.c_uint32, ctypes.POINTER(transplt_statistics)]
    library.transplt_capture_statistics.restype = ctypes.c_uint32
    library.transplt_capture_crc32.argtypes = [ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t]
    library.transplt_capture_crc32.restype = ctypes.c_uint32
    # What open() would refuse whatever the disk does: INVALID, UNSUPPORTED, and CLASH if `root`
    # holds data of another run. Makes nothing: for the time before a training.
    library.transplt_capture_check.argtypes = [ctypes.POINTER(transplt_options)]
    library.transplt_capture_check.restype = ctypes.c_uint32
    library.transplt_capture_open.argtypes = [
        ctypes.POINTER(transplt_options), ctypes.POINTER(ctypes.c_void_p)]
    library.transplt_capture_open.restype = ctypes.c_uint32
    # Records a tensor; `result` may be null. The memory may be changed when the call returns.
    library.transplt_capture_put.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(transplt_record), ctypes.POINTER(transplt_statistics)]
    library.transplt_capture_put.restype = ctypes.c_uint32
    # Adds `text` to what {root}/{path} will hold after the next step: begin(prefix, separator,
    # suffix) once, then any number of items. The file is begin.prefix, the items with the
    # separator between them, and begin.suffix.
    library.transplt_capture_text_begin.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p]
    library.transplt_capture_text_begin.restype = ctypes.c_uint32
    library.transplt_capture_text.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    library.transplt_capture_text.restype = ctypes.c_uint32
    # All that was put before is in the segment log or in its file: it survives kill -9.
    library.transplt_capture_flush.argtypes = [ctypes.c_void_p]
    library.transplt_capture_flush.restype = ctypes.c_uint32
    # flush(), then writes the public files of this step that are still missing. `step` is the
    # data index or iteration in paths. DROPPED if tensors have no file of their own: where two
    # have one name, the first is kept.
    library.transplt_capture_step.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.transplt_capture_step.restype = ctypes.c_uint32
    library.transplt_capture_counters.argtypes = [
        ctypes.c_void_p, ctypes.POINTER(transplt_counters)]
    library.transplt_capture_counters.restype = ctypes.c_uint32
    # step() for what is left, writes transplt_capture.json (the counters), frees the handle
    # always.
    library.transplt_capture_close.argtypes = [ctypes.c_void_p]
    library.transplt_capture_close.restype = ctypes.c_uint32
    # Writes the public files of what an interrupted run has left in `root`. `files` may be null.
    # CLASH if a run still writes into it: that is left alone. IO if a segment is damaged: what is
    # whole is written, and the segment is kept as *.damaged.
    library.transplt_capture_recover.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64)]
    library.transplt_capture_recover.restype = ctypes.c_uint32
    # The grammar of steps and ranks: "0|3-5|10"; empty or null selects everything.
    library.transplt_capture_selected.argtypes = [
        ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint32)]
    library.transplt_capture_selected.restype = ctypes.c_uint32
    return library
