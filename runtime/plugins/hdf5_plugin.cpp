// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/hdf5_plugin.h"

#include <hdf5.h>

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/plugins/hdf5_disk.h"

namespace {

using transplt::capture::Hdf5Disk;
using transplt::capture::PropertiesFor;

/// An identifier of HDF5 that is closed at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { Close(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  bool Close() {
    if (id_ < 0) return true;
    const hid_t id = id_;
    id_ = -1;
    return close_(id) >= 0;
  }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

struct TypeOfHdf5 {
  transplt_type type;
  hid_t id;
};

/// IEEE half precision, which HDF5 1.10 has no name for.
hid_t HalfType() {
  const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
  H5Tset_fields(type, 15, 10, 5, 0, 10);
  H5Tset_size(type, 2);
  H5Tset_ebias(type, 15);
  return type;
}

/// The enumeration that h5py reads and writes as bool.
hid_t BoolType() {
  const hid_t type = H5Tenum_create(H5T_STD_I8LE);
  signed char value = 0;
  H5Tenum_insert(type, "FALSE", &value);
  value = 1;
  H5Tenum_insert(type, "TRUE", &value);
  return type;
}

std::vector<TypeOfHdf5> Types(const Handle& half, const Handle& boolean) {
  return {{TRANSPLT_FLOAT32, H5T_IEEE_F32LE}, {TRANSPLT_FLOAT64, H5T_IEEE_F64LE},
          {TRANSPLT_FLOAT16, half.get()},     {TRANSPLT_BOOL, boolean.get()},
          {TRANSPLT_INT8, H5T_STD_I8LE},      {TRANSPLT_INT16, H5T_STD_I16LE},
          {TRANSPLT_INT32, H5T_STD_I32LE},    {TRANSPLT_INT64, H5T_STD_I64LE},
          {TRANSPLT_UINT8, H5T_STD_U8LE}};
}

bool WriteNumber(hid_t where, const char* name, int32_t value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(where, name, H5T_STD_I32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), H5T_NATIVE_INT32, &value) >= 0;
}

bool WriteStrides(hid_t where, const TranspltHdf5Tensor& tensor) {
  std::vector<int64_t> strides(tensor.dimensions, 1);
  for (uint32_t i = tensor.dimensions; i-- > 1;) strides[i - 1] = strides[i] * tensor.shape[i];
  if (strides.empty()) strides.push_back(1);
  const hsize_t size = strides.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle attribute(
      H5Acreate2(where, "Stride", H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), H5T_NATIVE_INT64, strides.data()) >= 0;
}

enum class Outcome { kWritten, kRefused, kFailed };

Outcome WriteTensor(hid_t file, const TranspltHdf5Tensor& tensor, hid_t type) {
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.get(), 1);
  const std::vector<hsize_t> shape(tensor.shape, tensor.shape + tensor.dimensions);
  const Handle space(tensor.dimensions == 0
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                     H5Sclose);
  const Handle set(
      H5Dcreate2(file, tensor.path, type, space.get(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  // Another tensor has the path, or more dimensions than HDF5 has.
  if (!set) return Outcome::kRefused;
  // A tensor is a dataset with an attribute Type; 0 stands for a tensor.
  const bool is_written =
      H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.data) >= 0 &&
      WriteNumber(set.get(), "Type", 0) && WriteNumber(set.get(), "DataType", tensor.data_type) &&
      WriteNumber(set.get(), "DeviceType", tensor.device_type) &&
      WriteNumber(set.get(), "FormatType", 0) && WriteStrides(set.get(), tensor);
  return is_written ? Outcome::kWritten : Outcome::kFailed;
}

int Fail(char* error, size_t size, const std::string& text) {
  std::snprintf(error, size, "%s", text.c_str());
  return 1;
}

struct Visit {
  TranspltHdf5Take take;
  void* context;
  const std::vector<TypeOfHdf5>* types;
};

/// One object of the file; 0 goes on, 1 ends, -1 fails.
herr_t TakeObject(hid_t file, const char* name, const H5O_info_t* what, void* context) {
  if (what->type != H5O_TYPE_DATASET) return 0;
  const Visit& visit = *static_cast<Visit*>(context);
  const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  const Handle type(H5Dget_type(set.get()), H5Tclose);
  const Handle space(H5Dget_space(set.get()), H5Sclose);
  TranspltHdf5Tensor tensor{};
  hid_t memory = -1;
  for (const TypeOfHdf5& known : *visit.types) {
    if (H5Tequal(known.id, type.get()) <= 0) continue;
    tensor.type = known.type;
    memory = known.id;
  }
  const int dimensions = H5Sget_simple_extent_ndims(space.get());
  if (memory < 0 || dimensions < 0 || dimensions > TRANSPLT_MAX_DIMENSIONS) return 0;
  std::vector<hsize_t> extent(static_cast<size_t>(dimensions));
  H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
  const std::vector<int64_t> shape(extent.begin(), extent.end());
  const hssize_t points = H5Sget_simple_extent_npoints(space.get());
  if (points < 0) return -1;
  std::string data(static_cast<size_t>(points) * H5Tget_size(type.get()), '\0');
  if (H5Dread(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()) < 0) return -1;
  const std::string path = std::string("/") + name;
  tensor.path = path.c_str();
  tensor.dimensions = static_cast<uint32_t>(dimensions);
  tensor.shape = shape.data();
  tensor.data = data.data();
  tensor.element_size = static_cast<uint32_t>(H5Tget_size(type.get()));
  return visit.take(visit.context, &tensor) == 0 ? 0 : 1;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int transplt_hdf5_write(  // NOLINT: a name of C
    const char* path, TranspltHdf5Next next, void* context, uint64_t* refused, int* number,
    char* error, size_t error_size) {
  // Its messages would go to stderr.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle half(HalfType(), H5Tclose);
  const Handle boolean(BoolType(), H5Tclose);
  Hdf5Disk disk;
  const Handle access(PropertiesFor(&disk), H5Pclose);
  Handle file(access ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access.get()) : -1, H5Fclose);
  *number = disk.error;
  if (!file) return Fail(error, error_size, "HDF5 cannot create the file");
  TranspltHdf5Tensor tensor{};
  while (disk.error == 0 && next(context, &tensor) != 0) {
    hid_t type = -1;
    for (const TypeOfHdf5& known : Types(half, boolean)) {
      if (known.type == tensor.type) type = known.id;
    }
    const Outcome outcome = type < 0 || tensor.data_type < 0
                                ? Outcome::kRefused
                                : WriteTensor(file.get(), tensor, type);
    if (outcome == Outcome::kFailed) {
      *number = disk.error;
      return Fail(error, error_size, std::string(tensor.path) + ": HDF5 cannot write it");
    }
    if (outcome == Outcome::kRefused && (*refused)++ == 0) {
      Fail(error, error_size,
           std::string(tensor.path) + ": left out, since HDF5 has no code for its type or another" +
               " tensor has this path");
    }
  }
  const bool is_closed = file.Close();
  *number = disk.error;
  if (!is_closed || disk.error != 0) return Fail(error, error_size, "HDF5 cannot finish the file");
  return 0;
}

__attribute__((visibility("default"))) int transplt_hdf5_read(  // NOLINT: a name of C
    const char* path, TranspltHdf5Take take, void* context, char* error, size_t error_size) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle half(HalfType(), H5Tclose);
  const Handle boolean(BoolType(), H5Tclose);
  const Handle file(H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) return Fail(error, error_size, std::string(path) + ": not an HDF5 file");
  const std::vector<TypeOfHdf5> types = Types(half, boolean);
  Visit visit{take, context, &types};
  if (H5Ovisit2(file.get(), H5_INDEX_NAME, H5_ITER_NATIVE, TakeObject, &visit, H5O_INFO_BASIC) <
      0) {
    return Fail(error, error_size, std::string(path) + ": a dataset cannot be read");
  }
  return 0;
}
}
