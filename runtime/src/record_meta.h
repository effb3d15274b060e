// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/src/tensor_type.h"

namespace transplt::capture {

/// What the segment log says about a record, apart from its elements.
struct RecordMeta {
  std::string name;
  std::string op_type;
  std::string parameter;
  std::string layout;
  uint32_t direction = 0;
  uint32_t index = 0;
  uint64_t order = 0;
  uint32_t stream_id = 0;
  uint64_t time = 0;  ///< microseconds since 1970
  transplt_type type = TRANSPLT_FLOAT32;
  std::vector<int64_t> shape;
  uint64_t bytes = 0;

  std::string Serialise() const;
  static bool Parse(std::string_view bytes, RecordMeta* meta);
};

/// Where and as what the public files are written; also the first frame of a segment, so that a
/// recovery needs nothing else.
struct Layout {
  transplt_format format = TRANSPLT_FORMAT_NPY;
  std::string root;
  std::string model_name;  ///< empty: the layout of single operators
  std::string net_name;
  std::string time_folder;
  std::string hdf5_file;
  uint32_t device_id = 0;
  uint32_t model_id = 0;
  uint32_t hdf5_device = 0;
  uint64_t next_step = 0;  ///< the step that the segment belongs to, unless it says otherwise

  std::string Serialise() const;
  static bool Parse(std::string_view bytes, Layout* layout);
};

}  // namespace transplt::capture
