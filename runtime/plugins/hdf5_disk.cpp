// SPDX-License-Identifier: Apache-2.0
#include "runtime/plugins/hdf5_disk.h"

#if __has_include(<H5FDdevelop.h>)  // from 1.14 on
#include <H5FDdevelop.h>
#endif
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace transplt::capture {
namespace {

/// An open file; libhdf5 keeps its own things in the first part.
struct OpenFile {
  H5FD_t of_hdf5;
  int file;
  haddr_t end_of_allocation;
  haddr_t end_of_file;
  Hdf5Disk* disk;
};

OpenFile* Of(H5FD_t* file) { return reinterpret_cast<OpenFile*>(file); }
const OpenFile* Of(const H5FD_t* file) { return reinterpret_cast<const OpenFile*>(file); }

H5FD_t* Open(const char* name, unsigned /*flags*/, hid_t properties, haddr_t /*largest*/) {
  const void* given = H5Pget_driver_info(properties);
  if (given == nullptr) return nullptr;
  auto made = std::make_unique<OpenFile>();
  std::memcpy(&made->disk, given, sizeof made->disk);
  made->file = ::open(name, O_RDWR | O_CLOEXEC | O_TRUNC);
  if (made->file < 0) {
    made->disk->error = errno;
    return nullptr;
  }
  return &made.release()->of_hdf5;
}

herr_t Close(H5FD_t* file) {
  const std::unique_ptr<OpenFile> closed(Of(file));
  if (::close(closed->file) != 0 && closed->disk->error == 0) closed->disk->error = errno;
  return 0;
}

int Compare(const H5FD_t* a, const H5FD_t* b) { return Of(a)->file - Of(b)->file; }

herr_t Query(const H5FD_t* /*file*/, unsigned long* flags) {  // NOLINT: a type of libhdf5
  *flags =
      H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t EndOfAllocation(const H5FD_t* file, H5FD_mem_t /*type*/) {
  return Of(file)->end_of_allocation;
}

herr_t SetEndOfAllocation(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  Of(file)->end_of_allocation = end;
  return 0;
}

haddr_t EndOfFile(const H5FD_t* file, H5FD_mem_t /*type*/) { return Of(file)->end_of_file; }

/// What memory has in the place of the disk, into the range of `size` bytes at `start`.
void CopyKept(const Hdf5Disk& disk, haddr_t start, size_t size, char* bytes) {
  for (const auto& [place, kept] : disk.kept) {
    const haddr_t from = std::max(place, start);
    const haddr_t until = std::min(place + kept.size(), start + size);
    if (from < until)
      std::memcpy(bytes + (from - start), kept.data() + (from - place), until - from);
  }
}

herr_t Read(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t start, size_t size,
            void* buffer) {
  char* bytes = static_cast<char*>(buffer);
  for (size_t done = 0; done < size;) {
    const ssize_t count =
        ::pread(Of(file)->file, bytes + done, size - done, static_cast<off_t>(start + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && Of(file)->disk->error == 0) Of(file)->disk->error = errno;
    if (count <= 0) {
      std::memset(bytes + done, 0, size - done);
      break;
    }
    done += static_cast<size_t>(count);
  }
  CopyKept(*Of(file)->disk, start, size, bytes);
  return 0;
}

herr_t Write(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t start, size_t size,
             const void* buffer) {
  const char* bytes = static_cast<const char*>(buffer);
  Hdf5Disk& disk = *Of(file)->disk;
  Of(file)->end_of_file = std::max(Of(file)->end_of_file, start + size);
  for (size_t done = 0; done < size && disk.error == 0;) {
    const ssize_t count =
        ::pwrite(Of(file)->file, bytes + done, size - done, static_cast<off_t>(start + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) disk.error = count < 0 ? errno : EIO;
    if (count > 0) done += static_cast<size_t>(count);
  }
  if (disk.error != 0) disk.kept[start].assign(bytes, size);
  return 0;
}

herr_t Truncate(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  OpenFile* open = Of(file);
  if (open->end_of_allocation == open->end_of_file) return 0;
  if (::ftruncate(open->file, static_cast<off_t>(open->end_of_allocation)) != 0 &&
      open->disk->error == 0) {
    open->disk->error = errno;
  }
  open->end_of_file = open->end_of_allocation;
  return 0;
}

hid_t RegisterDriver() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // of those for one's own use
#endif
  driver.name = "transplt_capture";
  driver.maxaddr = (haddr_t{1} << 63) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Hdf5Disk*);
  driver.open = Open;
  driver.close = Close;
  driver.cmp = Compare;
  driver.query = Query;
  driver.get_eoa = EndOfAllocation;
  driver.set_eoa = SetEndOfAllocation;
  driver.get_eof = EndOfFile;
  driver.read = Read;
  driver.write = Write;
  driver.truncate = Truncate;
  const H5FD_mem_t types[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(types), std::end(types), std::begin(driver.fl_map));
  return H5FDregister(&driver);
}

}  // namespace

hid_t PropertiesFor(Hdf5Disk* disk) {
  static const hid_t kDriver = RegisterDriver();
  const hid_t properties = H5Pcreate(H5P_FILE_ACCESS);
  if (kDriver >= 0 && properties >= 0 && H5Pset_driver(properties, kDriver, &disk) >= 0) {
    return properties;
  }
  if (properties >= 0) H5Pclose(properties);
  return -1;
}

}  // namespace transplt::capture
