// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/hdf5_plugin.h"

#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace transplt {
namespace {

constexpr size_t kMaxOrders = 1'000'000;
constexpr int kDeepestGroup = 8;
constexpr uint64_t kMaxValues = uint64_t{1} << 30;

/// A handle of the library, closed by `Close`.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  explicit Handle(hid_t id) : id_(id) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
};

using File = Handle<H5Fclose>;
using Object = Handle<H5Oclose>;
using Attribute = Handle<H5Aclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Properties = Handle<H5Pclose>;

/// The library says on stderr what went wrong unless it is told not to; the messages are ours.
void BeQuiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

/// An integer attribute of the object, or nothing.
std::optional<int64_t> IntegerOf(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Attribute attribute(H5Aopen(object, name, H5P_DEFAULT));
  const Space space(attribute ? H5Aget_space(attribute.id()) : -1);
  const Type type(attribute ? H5Aget_type(attribute.id()) : -1);
  if (!space || !type || H5Sget_simple_extent_npoints(space.id()) != 1 ||
      H5Tget_class(type.id()) != H5T_INTEGER) {
    return std::nullopt;
  }
  int64_t value = 0;
  if (H5Aread(attribute.id(), H5T_NATIVE_INT64, &value) < 0) return std::nullopt;
  return value;
}

/// A float of two bytes: HDF5 has names for none, so its fields tell which it is.
NumberType NarrowFloat(hid_t type) {
  size_t sign = 0;
  size_t exponent = 0;
  size_t exponent_size = 0;
  size_t mantissa = 0;
  size_t mantissa_size = 0;
  if (H5Tget_fields(type, &sign, &exponent, &exponent_size, &mantissa, &mantissa_size) < 0 ||
      sign != 15 || mantissa != 0 || exponent != mantissa_size) {
    return NumberType::kOther;
  }
  const size_t bias = H5Tget_ebias(type);
  if (exponent_size == 5 && bias == 15) return NumberType::kFloat16;
  return exponent_size == 8 && bias == 127 ? NumberType::kBFloat16 : NumberType::kOther;
}

NumberType NumberTypeOf(hid_t type, bool& big_endian) {
  const size_t size = H5Tget_size(type);
  big_endian = size > 1 && H5Tget_order(type) == H5T_ORDER_BE;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_FLOAT) {
    if (size == 2) return NarrowFloat(type);
    return size == 4 ? NumberType::kFloat32 : size == 8 ? NumberType::kFloat64 : NumberType::kOther;
  }
  if (kind == H5T_ENUM && size == 1) return NumberType::kBool;
  if (kind != H5T_INTEGER) return NumberType::kOther;
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  switch (size) {
    case 1:
      return is_signed ? NumberType::kInt8 : NumberType::kUInt8;
    case 2:
      return is_signed ? NumberType::kInt16 : NumberType::kUInt16;
    case 4:
      return is_signed ? NumberType::kInt32 : NumberType::kUInt32;
    case 8:
      return is_signed ? NumberType::kInt64 : NumberType::kUInt64;
    default:
      return NumberType::kOther;
  }
}

bool ReadForm(hid_t dataset, DumpedTensor& tensor) {
  const Space space(H5Dget_space(dataset));
  const Type type(H5Dget_type(dataset));
  if (!space || !type) return false;
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0 || rank > H5S_MAX_RANK) return false;
  std::array<hsize_t, H5S_MAX_RANK> sizes{};
  if (H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr) < 0) return false;
  tensor.shape.assign(sizes.begin(), sizes.begin() + rank);
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) tensor.shape = {0};
  tensor.type = NumberTypeOf(type.id(), tensor.place.big_endian);
  if (IntegerOf(dataset, "DataType") == 9) tensor.type = NumberType::kBool;
  tensor.place.bytes = ElementsOf(tensor.shape) * SizeOf(tensor.type);
  return true;
}

class Walker {
 public:
  Walker(std::string path, uint64_t size) : path_(std::move(path)), size_(size) {}

  Result<std::vector<DumpedTensor>> Read() {
    const File file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    if (!file) {
      return Error{Error::Code::kBadInput, path_,
                   Say("is no HDF5 file, or it was not closed by who wrote it",
                       "不是 HDF5 文件，或写入方未正常关闭该文件")};
    }
    Walk(file.id(), "", 0);
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Found& a, const Found& b) { return a.order < b.order; });
    std::vector<DumpedTensor> tensors;
    for (Found& found : found_) tensors.push_back(std::move(found.tensor));
    return tensors;
  }

 private:
  struct Found {
    uint64_t order;
    DumpedTensor tensor;
  };

  void Walk(hid_t group, const std::string& name, int depth) {
    H5G_info_t about;
    if (depth > kDeepestGroup || H5Gget_info(group, &about) < 0) return;
    for (hsize_t i = 0; i < about.nlinks && found_.size() < kMaxOrders; ++i) {
      std::array<char, 1024> link{};
      const ssize_t size = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i,
                                              link.data(), link.size(), H5P_DEFAULT);
      H5L_info_t kind;
      if (size <= 0 || static_cast<size_t>(size) >= link.size() ||
          H5Lget_info(group, link.data(), &kind, H5P_DEFAULT) < 0 || kind.type != H5L_TYPE_HARD) {
        continue;  // links to other files are not followed
      }
      const Object object(H5Oopen(group, link.data(), H5P_DEFAULT));
      if (!object) continue;
      const std::string inner = name.empty() ? std::string(link.data()) : name + "/" + link.data();
      const H5I_type_t type = H5Iget_type(object.id());
      if (type == H5I_GROUP) Walk(object.id(), inner, depth + 1);
      if (type == H5I_DATASET) Add(object.id(), inner);
    }
  }

  void Add(hid_t dataset, const std::string& name) {
    // Values that are no tensors have another Type; files of other tools have none at all.
    if (IntegerOf(dataset, "Type").value_or(0) != 0) return;
    Found found{AddressOf(dataset), {}};
    DumpedTensor& tensor = found.tensor;
    if (!ReadForm(dataset, tensor)) return;
    tensor.name = name;
    tensor.place.file = path_;
    const haddr_t offset = H5Dget_offset(dataset);
    const Properties properties(H5Dget_create_plist(dataset));
    const bool is_piece = properties && H5Pget_layout(properties.id()) == H5D_CONTIGUOUS &&
                          H5Pget_external_count(properties.id()) == 0 && offset != HADDR_UNDEF &&
                          offset <= size_ && tensor.place.bytes <= size_ - offset;
    if (is_piece) {
      tensor.place.offset = offset;
    } else {
      tensor.place.dataset = name;
      tensor.place.big_endian = false;  // ReadValues turns them
    }
    found_.push_back(std::move(found));
  }

  /// Who writes a file while operators run appends: the address of a header says which was first.
  /// The numbers in names count the calls of one operator only.
  static uint64_t AddressOf(hid_t dataset) {
#if H5_VERSION_GE(1, 12, 0)
    H5O_info1_t about;
#else
    H5O_info_t about;
#endif
    return H5Oget_info1(dataset, &about) < 0 ? 0 : about.addr;
  }

  std::string path_;
  uint64_t size_;
  std::vector<Found> found_;
};

hid_t MemoryType(NumberType type) {
  switch (type) {
    case NumberType::kFloat32:
      return H5T_IEEE_F32LE;
    case NumberType::kFloat64:
      return H5T_IEEE_F64LE;
    case NumberType::kInt8:
      return H5T_STD_I8LE;
    case NumberType::kInt16:
      return H5T_STD_I16LE;
    case NumberType::kInt32:
      return H5T_STD_I32LE;
    case NumberType::kInt64:
      return H5T_STD_I64LE;
    case NumberType::kUInt8:
      return H5T_STD_U8LE;
    case NumberType::kUInt16:
      return H5T_STD_U16LE;
    case NumberType::kUInt32:
      return H5T_STD_U32LE;
    case NumberType::kUInt64:
      return H5T_STD_U64LE;
    default:
      return -1;
  }
}

Error CopyError(const std::string& where, const Text& what) {
  return {Error::Code::kIo, where, what};
}

Result<std::vector<DumpedTensor>> Read(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return Error{Error::Code::kIo, path, Say("cannot be read", "无法读取")};
  }
  BeQuiet();
  return Walker(path, static_cast<uint64_t>(status.st_size)).Read();
}

Result<std::string> ReadValues(const DumpedTensor& tensor) {
  const Error error{Error::Code::kIo, tensor.place.file + ":" + tensor.place.dataset,
                    Say("the values cannot be read", "无法读取数据")};
  if (tensor.place.bytes > kMaxValues) {
    return Error{Error::Code::kBadInput, error.where,
                 Say("a chunked or compressed dataset of more than 1 GiB is not read; repack it "
                     "with h5repack -l CONTI",
                     "不读取超过 1 GiB 的分块或压缩数据集；请用 h5repack -l CONTI 重新打包")};
  }
  BeQuiet();
  const File file(H5Fopen(tensor.place.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Object dataset(file ? H5Oopen(file.id(), tensor.place.dataset.c_str(), H5P_DEFAULT) : -1);
  if (!dataset) return error;
  const Type own(H5Dget_type(dataset.id()));
  // What the library has no name for, half and bool, is read as it is but for the order of bytes.
  const Type turned(own ? H5Tcopy(own.id()) : -1);
  hid_t memory = MemoryType(tensor.type);
  if (memory < 0) {
    memory = turned.id();
    if (H5Tget_class(memory) == H5T_FLOAT) H5Tset_order(memory, H5T_ORDER_LE);
  }
  if (!own || H5Tget_size(memory) != SizeOf(tensor.type)) return error;
  std::string values(tensor.place.bytes, '\0');
  if (values.empty()) return values;
  if (H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return error;
  return values;
}

Result<Done> CopyGroups(const std::string& from, const std::string& to,
                        const std::vector<std::string>& groups) {
  BeQuiet();
  const File source(H5Fopen(from.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!source) return CopyError(from, Say("is no HDF5 file", "不是 HDF5 文件"));
  for (const std::string& group : groups) {
    const size_t slash = group.find('/');
    const bool has_op = H5Lexists(source.id(), group.substr(0, slash).c_str(), H5P_DEFAULT) > 0;
    if (!has_op || H5Lexists(source.id(), group.c_str(), H5P_DEFAULT) <= 0) {
      return CopyError(from, Say("has no group /{}; transplt dump ls shows what there is",
                                 "没有组 /{}；可用 transplt dump ls 查看", group));
    }
  }
  struct stat status {};
  const bool is_there = stat(to.c_str(), &status) == 0;
  const File target(is_there ? H5Fopen(to.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                             : H5Fcreate(to.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
  if (!target) return CopyError(to, Say("cannot be written", "无法写入"));
  const Properties links(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(links.id(), 1);
  for (const std::string& group : groups) {
    const std::string op = group.substr(0, group.find('/'));
    if (H5Lexists(target.id(), op.c_str(), H5P_DEFAULT) > 0 &&
        H5Lexists(target.id(), group.c_str(), H5P_DEFAULT) > 0) {
      return CopyError(to, Say("has a group /{} already", "已有组 /{}", group));
    }
    if (H5Ocopy(source.id(), group.c_str(), target.id(), group.c_str(), H5P_DEFAULT, links.id()) <
        0) {
      return CopyError(to, Say("/{} cannot be copied", "无法复制 /{}", group));
    }
  }
  if (H5Fflush(target.id(), H5F_SCOPE_GLOBAL) < 0) {
    return CopyError(to, Say("cannot be written", "无法写入"));
  }
  return Done();
}

}  // namespace
}  // namespace transplt

const transplt::Hdf5Functions* transplt_hdf5_functions() {
  static constexpr transplt::Hdf5Functions kFunctions = {transplt::Read, transplt::ReadValues,
                                                         transplt::CopyGroups};
  return &kFunctions;
}
