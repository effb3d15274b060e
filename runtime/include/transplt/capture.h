// SPDX-License-Identifier: Apache-2.0
// The C interface of the capture library. It is plain C, so that any language and any compiler
// can call it: opaque handles, sizes in front of structures, numbers for errors.
//
// Every structure begins with `struct_size`, which the caller sets to sizeof of the structure that
// it was compiled with; fields that a caller does not know are zero, and zero is their default.
// Every function that can fail returns a status; transplt_capture_last_error() says more. No
// exception leaves the library. Calls for one handle may come from several threads.
#ifndef TRANSPLT_CAPTURE_H
#define TRANSPLT_CAPTURE_H

#include <stddef.h>  // NOLINT: this is a header for C as well
#include <stdint.h>  // NOLINT

#ifdef __cplusplus
extern "C" {
#endif

#define TRANSPLT_CAPTURE_VERSION 1
#define TRANSPLT_CAPTURE_API __attribute__((visibility("default")))

// NOLINTBEGIN: names of C
typedef enum transplt_status {
  TRANSPLT_OK = 0,
  TRANSPLT_INVALID = 1,      ///< an argument or option is wrong
  TRANSPLT_IO = 2,           ///< the file system refused
  TRANSPLT_FULL = 3,         ///< disk or quota is full: the payload was not kept, the rest was
  TRANSPLT_STATS_ONLY = 4,   ///< the writer was too slow: the payload was not kept
  TRANSPLT_DROPPED = 5,      ///< nothing of the record was kept; it is counted
  TRANSPLT_CLASH = 6,        ///< the folder holds data of another run, or one runs in it now
  TRANSPLT_UNSUPPORTED = 7,  ///< type, format or plugin that this build lacks
  TRANSPLT_INERT = 8,        ///< the handle was opened before fork(): nothing is captured here
  TRANSPLT_NO_MEMORY = 9,
  TRANSPLT_INTERNAL = 10
} transplt_status;

typedef enum transplt_type {
  TRANSPLT_FLOAT32 = 1,
  TRANSPLT_FLOAT16 = 2,
  TRANSPLT_BFLOAT16 = 3,
  TRANSPLT_FLOAT64 = 4,
  TRANSPLT_INT8 = 5,
  TRANSPLT_INT16 = 6,
  TRANSPLT_INT32 = 7,
  TRANSPLT_INT64 = 8,
  TRANSPLT_UINT8 = 9,
  TRANSPLT_UINT16 = 10,
  TRANSPLT_UINT32 = 11,
  TRANSPLT_UINT64 = 12,
  TRANSPLT_BOOL = 13,
  TRANSPLT_COMPLEX64 = 14,  ///< payload and checksum only, no statistics
  TRANSPLT_COMPLEX128 = 15
} transplt_type;

#define TRANSPLT_MAX_DIMENSIONS 64

/// A tensor in host memory. Strides count elements and may be null: C order.
typedef struct transplt_tensor {
  size_t struct_size;
  const void* data;
  transplt_type type;
  uint32_t dimensions;
  const int64_t* shape;
  const int64_t* strides;
} transplt_tensor;

enum { TRANSPLT_WANT_STATISTICS = 1, TRANSPLT_WANT_CRC = 2, TRANSPLT_WANT_PAYLOAD = 4 };

/// As IEEE arithmetic has it: minimum, maximum, mean and l2 are NaN if an element is NaN.
/// Computed in double precision; all are NaN if there is no element.
typedef struct transplt_statistics {
  size_t struct_size;
  uint64_t elements;
  uint64_t bytes;
  double minimum;
  double maximum;
  double mean;
  double l2;
  uint64_t nan_count;
  uint64_t positive_infinities;
  uint64_t negative_infinities;
  uint32_t crc32;           ///< of the elements in C order, polynomial of zlib; 0 if not wanted
  uint32_t has_statistics;  ///< 0 if not wanted, not defined for the type, or dropped
} transplt_statistics;

typedef enum transplt_format {
  TRANSPLT_FORMAT_NPY = 0,              ///< {root}/{name}.npy
  TRANSPLT_FORMAT_MINDSPORE_SYNC = 1,   ///< raw .bin whose name holds type and shape
  TRANSPLT_FORMAT_MINDSPORE_ASYNC = 2,  ///< DumpData in {op_type}.{op_name}.{task}.{time}
  TRANSPLT_FORMAT_GE = 3,               ///< DumpData in {type}.{name}.{task}.{stream}.{time}
  TRANSPLT_FORMAT_HDF5 = 4,             ///< /{name}/{order}/{direction}/{parameter}, by a plugin
  TRANSPLT_FORMAT_NONE = 5,             ///< texts and statistics only
  TRANSPLT_FORMAT_PT = 6                ///< {root}/{name}.pt, as torch.save writes a tensor
} transplt_format;

typedef enum transplt_back_pressure {
  TRANSPLT_BLOCK = 0,  ///< wait up to block_milliseconds, then KEEP_STATS until the disk goes on
  TRANSPLT_KEEP_STATS = 1,  ///< drop the payload at once when the ring is full
  TRANSPLT_DROP = 2         ///< drop the record at once
} transplt_back_pressure;

typedef struct transplt_options {
  size_t struct_size;
  uint32_t version;  ///< TRANSPLT_CAPTURE_VERSION
  transplt_format format;
  const char* root;     ///< folder; made with mode 0750 if missing, and one run's at a time
  uint64_t ring_bytes;  ///< 0: 64 MiB
  transplt_back_pressure back_pressure;
  uint32_t block_milliseconds;  ///< 0: 30000
  uint64_t max_payload_bytes;   ///< quota of payload of this handle; 0: none
  uint64_t min_free_bytes;      ///< payloads stop when the disk has less; 0: 16 MiB, and no more
                                ///< than 1/64 of the disk
  uint32_t power_loss_safe;     ///< 1: syncs log and files at each step: power loss loses none
  uint32_t buffered_io;         ///< 1: no O_DIRECT, which power_loss_safe writes the log with
  // Parts of the paths of GE and MindSpore.
  uint32_t device_id;
  uint32_t model_id;        ///< graph id for MindSpore async
  const char* model_name;   ///< null: the layout of single operators, without this level
  const char* net_name;     ///< MindSpore
  const char* time_folder;  ///< GE, YYYYMMDDHHMMSS; null: the time of opening
  const char* hdf5_file;    ///< within root, null: capture.h5; step N > 0 writes capture.N.h5
  uint32_t hdf5_device;     ///< DeviceType that is written: 0 CPU, 1 GPU, 10 NPU
  uint32_t allow_existing;  ///< 1: root may hold files of an earlier run, and they are replaced
} transplt_options;

enum { TRANSPLT_INPUT = 1, TRANSPLT_OUTPUT = 2 };

/// One tensor of one operator or module. Records with the same name and order are one operator.
typedef struct transplt_record {
  size_t struct_size;
  const char* name;  ///< npy, pt: the path below root, without the ending; else the operator's name
  const char* op_type;    ///< GE, MindSpore async, which need it
  const char* parameter;  ///< HDF5; null: the index
  const char* layout;     ///< "NCHW", "ND" ...; null: ND, DefaultFormat
  uint32_t direction;     ///< TRANSPLT_INPUT or TRANSPLT_OUTPUT; all but npy and pt need it
  uint32_t index;
  uint64_t order;  ///< the operator's number of execution: HDF5, and task id of GE
  uint32_t stream_id;
  uint32_t want;  ///< TRANSPLT_WANT_*
  const transplt_tensor* tensor;
} transplt_record;

typedef struct transplt_counters {
  size_t struct_size;
  uint64_t records;     ///< put() calls
  uint64_t payloads;    ///< whose tensor was kept
  uint64_t stats_only;  ///< payload lost to back-pressure
  uint64_t dropped;     ///< lost wholly to back-pressure
  uint64_t full;        ///< payload lost to a full disk or to the quota
  uint64_t
      lost_in_files;    ///< kept, but its file could not be written (see recover) or is another's
  uint64_t texts_lost;  ///< text() calls that could not be kept
  uint64_t payload_bytes;
  uint64_t files;         ///< public files written
  uint64_t acknowledged;  ///< payloads that survive kill -9 now
  uint64_t lost_bytes;    ///< of the tensors that were not kept or have no file
  uint64_t error;         ///< errno of the first trouble with the disk; 0: there was none
} transplt_counters;

typedef struct transplt_capture transplt_capture;

TRANSPLT_CAPTURE_API uint32_t transplt_capture_version(void);
/// What the last failed call of this thread met; English, valid until the thread's next call.
TRANSPLT_CAPTURE_API const char* transplt_capture_last_error(void);
/// errno of that call, where the system refused something; else 0.
TRANSPLT_CAPTURE_API int transplt_capture_last_errno(void);
/// The instruction set that was chosen at run time ("AVX3", "NEON" ...).
TRANSPLT_CAPTURE_API const char* transplt_capture_target(void);

/// One pass over the tensor. Needs no handle.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_statistics(const transplt_tensor* tensor,
                                                                 uint32_t want,
                                                                 transplt_statistics* result);
TRANSPLT_CAPTURE_API uint32_t transplt_capture_crc32(uint32_t before, const void* data,
                                                     size_t size);

/// What open() would refuse whatever the disk does: INVALID, UNSUPPORTED, and CLASH if `root` holds
/// data of another run. Makes nothing: for the time before a training.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_check(const transplt_options* options);
TRANSPLT_CAPTURE_API transplt_status transplt_capture_open(const transplt_options* options,
                                                           transplt_capture** result);
/// Records a tensor; `result` may be null. The memory may be changed when the call returns.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_put(transplt_capture* capture,
                                                          const transplt_record* record,
                                                          transplt_statistics* result);
/// Adds `text` to what {root}/{path} will hold after the next step: begin(prefix, separator,
/// suffix) once, then any number of items. The file is begin.prefix, the items with the separator
/// between them, and begin.suffix.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_text_begin(transplt_capture* capture,
                                                                 const char* path,
                                                                 const char* prefix,
                                                                 const char* separator,
                                                                 const char* suffix);
TRANSPLT_CAPTURE_API transplt_status transplt_capture_text(transplt_capture* capture,
                                                           const char* path, const char* text,
                                                           size_t size);
/// All that was put before is in the segment log or in its file: it survives kill -9.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_flush(transplt_capture* capture);
/// flush(), then writes the public files of this step that are still missing. `step` is the data
/// index or iteration in paths. DROPPED if tensors have no file of their own: where two have one
/// name, the first is kept.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_step(transplt_capture* capture,
                                                           uint64_t step);
TRANSPLT_CAPTURE_API transplt_status transplt_capture_counters(transplt_capture* capture,
                                                               transplt_counters* result);
/// step() for what is left, writes transplt_capture.json (the counters), frees the handle always.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_close(transplt_capture* capture);

/// Writes the public files of what an interrupted run has left in `root`. `files` may be null.
/// CLASH if a run still writes into it: that is left alone. IO if a segment is damaged: what is
/// whole is written, and the segment is kept as *.damaged.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_recover(const char* root, uint64_t* files);

/// The grammar of steps and ranks: "0|3-5|10"; empty or null selects everything.
TRANSPLT_CAPTURE_API transplt_status transplt_capture_selected(const char* selection,
                                                               uint64_t number, uint32_t* result);
// NOLINTEND

#ifdef __cplusplus
}
#endif

#endif  // TRANSPLT_CAPTURE_H
