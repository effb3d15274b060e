// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <array>
#include <cstring>

#include "runtime/src/exporter.h"
#include "runtime/src/hdf5_plugin.h"
#include "runtime/src/output_file.h"

namespace transplt::capture {
namespace {

/// The plugin beside this library, else wherever the loader finds it.
void* LoadPlugin() {
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&LoadPlugin), &here) != 0) {
    std::string path = here.dli_fname;
    const size_t slash = path.rfind('/');
    path = slash == std::string::npos ? "." : path.substr(0, slash);
    void* plugin = ::dlopen((path + "/" TRANSPLT_HDF5_PLUGIN).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (plugin != nullptr) return plugin;
  }
  return ::dlopen(TRANSPLT_HDF5_PLUGIN, RTLD_NOW | RTLD_LOCAL);
}

/// HDF5 files of msaccucmp have no bfloat16; every one is a float, so nothing is lost.
std::string Widened(const std::string& halves) {
  std::string floats(halves.size() * 2, '\0');
  for (size_t i = 0; i + 2 <= halves.size(); i += 2) {
    std::memcpy(floats.data() + i * 2 + 2, halves.data() + i, 2);
  }
  return floats;
}

std::string OperatorName(std::string_view name) {
  std::string clean(name);
  for (char& c : clean) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!keep) c = '_';
  }
  return clean;
}

/// The records one after the other, each put together only when it is its turn.
struct Feed {
  const SegmentReader* segment;
  int32_t device_type;
  size_t at = 0;
  std::string path;
  std::string data;
  Status read_error;

  static int Next(void* context, TranspltHdf5Tensor* tensor) {
    return static_cast<Feed*>(context)->Fill(tensor);
  }

  int Fill(TranspltHdf5Tensor* tensor) {
    if (at == segment->records().size()) return 0;
    const StoredRecord& record = segment->records()[at++];
    const RecordMeta& meta = record.meta;
    path = "/" + OperatorName(meta.name) + "/" + std::to_string(meta.order) +
           (meta.direction == TRANSPLT_INPUT ? "/input/" : "/output/") +
           (meta.parameter.empty() ? std::to_string(meta.index) : meta.parameter);
    read_error = segment->Join(record, &data);
    if (!read_error.ok()) return 0;
    transplt_type type = meta.type;
    if (type == TRANSPLT_BFLOAT16) {
      data = Widened(data);
      type = TRANSPLT_FLOAT32;
    }
    *tensor = {};
    tensor->path = path.c_str();
    tensor->type = type;
    tensor->dimensions = static_cast<uint32_t>(meta.shape.size());
    tensor->shape = meta.shape.data();
    tensor->data = data.data();
    tensor->element_size = NamesOf(type)->size;
    tensor->data_type = NamesOf(type)->hdf5;
    tensor->device_type = device_type;
    return 1;
  }
};

Status FindWriter(TranspltHdf5Write* write) {
  void* plugin = LoadPlugin();
  if (plugin != nullptr) {
    *write = reinterpret_cast<TranspltHdf5Write>(::dlsym(plugin, "transplt_hdf5_write"));
    if (*write != nullptr) return {};
  }
  const char* why = ::dlerror();
  return {TRANSPLT_UNSUPPORTED,
          std::string("HDF5 needs the plugin " TRANSPLT_HDF5_PLUGIN " and libhdf5: ") +
              (why == nullptr ? "not found" : why)};
}

}  // namespace

Status CheckHdf5() {
  TranspltHdf5Write write = nullptr;
  return FindWriter(&write);
}

bool HasHdf5Type(transplt_type type) {
  return type == TRANSPLT_BFLOAT16 || NamesOf(type)->hdf5 >= 0;
}

std::string Hdf5Name(const Layout& layout, uint64_t step) {
  const std::string& file = layout.hdf5_file;
  if (step == 0) return file;
  const size_t name = file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1;
  const size_t dot = file.rfind('.');
  std::string numbered = file;
  const bool has_ending = dot != std::string::npos && dot > name;
  return numbered.insert(has_ending ? dot : file.size(), "." + std::to_string(step));
}

Status WriteHdf5(const SegmentReader& segment, const Layout& layout, const std::string& path,
                 uint64_t* refused, std::string* why) {
  TranspltHdf5Write write = nullptr;
  if (Status status = FindWriter(&write); !status.ok()) return status;
  OutputFile file;
  if (Status status = file.Create(path); !status.ok()) return status;
  Feed feed{&segment, static_cast<int32_t>(layout.hdf5_device), 0, {}, {}, {}};
  std::array<char, 512> error{};
  int number = 0;
  if (write(file.temporary_path().c_str(), &Feed::Next, &feed, refused, &number, error.data(),
            error.size()) != 0) {
    const std::string what = path + ": " + error.data();
    return number == 0 ? Status{TRANSPLT_IO, what} : IoError(what, number);
  }
  if (!feed.read_error.ok()) return feed.read_error;
  *why = error.data();
  return file.Finish();
}

}  // namespace transplt::capture
