// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/record_meta.h"

#include "runtime/src/byte_string.h"

namespace transplt::capture {

std::string RecordMeta::Serialise() const {
  ByteWriter out;
  for (const std::string* text : {&name, &op_type, &parameter, &layout}) out.Text(*text);
  for (uint64_t number : {uint64_t{direction}, uint64_t{index}, order, uint64_t{stream_id}, time,
                          static_cast<uint64_t>(type), bytes, uint64_t{shape.size()}}) {
    out.Number(number);
  }
  for (int64_t size : shape) out.Number(static_cast<uint64_t>(size));
  return out.bytes();
}

bool RecordMeta::Parse(std::string_view bytes, RecordMeta* meta) {
  ByteReader in(bytes);
  for (std::string* text : {&meta->name, &meta->op_type, &meta->parameter, &meta->layout}) {
    *text = in.Text();
  }
  meta->direction = static_cast<uint32_t>(in.Number());
  meta->index = static_cast<uint32_t>(in.Number());
  meta->order = in.Number();
  meta->stream_id = static_cast<uint32_t>(in.Number());
  meta->time = in.Number();
  const uint64_t type = in.Number();
  meta->bytes = in.Number();
  const uint64_t dimensions = in.Number();
  if (!in.ok() || dimensions > TRANSPLT_MAX_DIMENSIONS || type > TRANSPLT_COMPLEX128) return false;
  meta->type = static_cast<transplt_type>(type);
  if (NamesOf(meta->type) == nullptr) return false;
  meta->shape.resize(dimensions);
  for (int64_t& size : meta->shape) size = static_cast<int64_t>(in.Number());
  uint64_t bytes_of_shape = NamesOf(meta->type)->size;
  bool fits = true;
  for (size_t i = meta->shape.size(); i-- > 0;) {
    fits = fits && meta->shape[i] >= 0 &&
           !__builtin_mul_overflow(bytes_of_shape, static_cast<uint64_t>(meta->shape[i]),
                                   &bytes_of_shape);
  }
  return in.ok() && fits && meta->bytes == bytes_of_shape;
}

std::string Layout::Serialise() const {
  ByteWriter out;
  for (const std::string* text : {&model_name, &net_name, &time_folder, &hdf5_file}) {
    out.Text(*text);
  }
  for (uint64_t number : {static_cast<uint64_t>(format), uint64_t{device_id}, uint64_t{model_id},
                          uint64_t{hdf5_device}, next_step}) {
    out.Number(number);
  }
  return out.bytes();
}

bool Layout::Parse(std::string_view bytes, Layout* layout) {
  ByteReader in(bytes);
  for (std::string* text :
       {&layout->model_name, &layout->net_name, &layout->time_folder, &layout->hdf5_file}) {
    *text = in.Text();
  }
  const uint64_t format = in.Number();
  if (format > TRANSPLT_FORMAT_PT) return false;
  layout->format = static_cast<transplt_format>(format);
  layout->device_id = static_cast<uint32_t>(in.Number());
  layout->model_id = static_cast<uint32_t>(in.Number());
  layout->hdf5_device = static_cast<uint32_t>(in.Number());
  layout->next_step = in.Number();
  return in.ok();
}

}  // namespace transplt::capture
