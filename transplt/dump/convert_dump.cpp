// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/convert_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>

#include "transplt/dump/device_layout.h"
#include "transplt/dump/npy_file.h"
#include "transplt/dump/tensor_values.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChunk = size_t{1} << 16;
constexpr size_t kLongestName = 255;

using OutFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

bool WriteNpy(const DumpedTensor& tensor, TensorValues& values, std::FILE* file) {
  const bool widens = tensor.type == NumberType::kBFloat16;
  const std::string header = NpyHeader(widens ? NumberType::kFloat32 : tensor.type, tensor.shape);
  if (std::fwrite(header.data(), 1, header.size(), file) != header.size()) return false;
  for (uint64_t start = 0; start < values.count(); start += kChunk) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kChunk, values.count() - start));
    const void* bytes = widens ? static_cast<const void*>(values.Floats(start, count))
                               : static_cast<const void*>(values.Raw(start, count));
    const size_t width = widens ? sizeof(float) : values.width();
    if (bytes == nullptr || std::fwrite(bytes, width, count, file) != count) return false;
  }
  return true;
}

/// A row for each run of the last index; numbers with as many digits as they need.
bool WriteText(const DumpedTensor& tensor, TensorValues& values, std::FILE* file) {
  fmt::print(file, "# {} {}\n", NameOf(tensor.type), ShapeText(tensor.shape));
  const uint64_t row =
      (tensor.shape.empty() ? 1 : tensor.shape.back()) * (IsComplex(tensor.type) ? 2 : 1);
  std::string line;
  for (uint64_t start = 0; start < values.count(); start += kChunk) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kChunk, values.count() - start));
    const float* floats = values.fits_float() ? values.Floats(start, count) : nullptr;
    const double* doubles = floats == nullptr ? values.Doubles(start, count) : nullptr;
    if (floats == nullptr && doubles == nullptr) return false;
    line.clear();
    for (size_t i = 0; i < count; ++i) {
      const bool ends_row = (start + i + 1) % row == 0;
      // The shortest text of a float32 is shorter than that of the same float64.
      line += floats != nullptr ? fmt::format("{}", floats[i]) : fmt::format("{}", doubles[i]);
      line.push_back(ends_row ? '\n' : ' ');
    }
    if (std::fwrite(line.data(), 1, line.size(), file) != line.size()) return false;
  }
  return true;
}

class Converter {
 public:
  Converter(fs::path folder, DumpFormat format, bool force)
      : folder_(std::move(folder)), format_(format), force_(force) {}

  Result<Done> Convert(const DumpedTensor& tensor) {
    if (tensor.place.file.empty()) {
      ++result_.skipped;
      return Done();
    }
    Result<TensorValues> values = TensorValues::Open(tensor);
    if (!values) {
      result_.troubles.push_back(values.error());
      return Done();
    }
    const size_t mapped = result_.mapping.size();
    const fs::path target = Place(tensor);
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    std::vector<fs::path> wanted = {target};
    if (mapped == 0 && !result_.mapping.empty()) wanted.push_back(folder_ / "mapping.csv");
    for (const fs::path& path : wanted) {
      if (force_ || !fs::exists(fs::symlink_status(path, error))) continue;
      result_.mapping.resize(mapped);
      return Error{
          Error::Code::kUsage, path.string(),
          Say("the file exists; give --force to replace it", "文件已存在；如需替换请加 --force")};
    }
    return Write(tensor, *values, target);
  }

  ConvertedDump Take() { return std::move(result_); }

  void Stop(Error error) { result_.stopped = std::move(error); }

 private:
  static Error CannotWrite(const std::string& path) {
    return {Error::Code::kIo, path,
            Say("cannot be written: {}", "无法写入：{}", std::generic_category().message(errno))};
  }

  fs::path Place(const DumpedTensor& tensor) {
    std::string name = tensor.name;
    std::replace(name.begin(), name.end(), '/', '.');
    name += format_ == DumpFormat::kNpy ? ".npy" : ".txt";
    if (name.size() > kLongestName - 16) {
      const std::string number =
          fmt::format("{:020}.{}", names_.size(), name.substr(name.size() - 3));
      result_.mapping += number + "," + name + "\n";
      name = number;
    }
    const fs::path place = folder_ / tensor.folder / name;
    // Two tensors of one name, as of two runs of one operation, keep both.
    for (int n = 2; !names_.insert((place.parent_path() / name).string()).second; ++n) {
      name = fmt::format("{}.{}{}", place.stem().string(), n, place.extension().string());
    }
    return place.parent_path() / name;
  }

  Result<Done> Write(const DumpedTensor& tensor, TensorValues& values, const fs::path& target) {
    const std::string temporary = target.string() + ".part";
    OutFile file(std::fopen(temporary.c_str(), "we"), std::fclose);
    if (file == nullptr) return CannotWrite(temporary);
    const bool was_written = format_ == DumpFormat::kNpy ? WriteNpy(tensor, values, file.get())
                                                         : WriteText(tensor, values, file.get());
    const bool had_error = std::ferror(file.get()) != 0;
    const bool is_whole = std::fclose(file.release()) == 0 && !had_error;
    const int number = errno;
    if (!is_whole) {
      std::remove(temporary.c_str());
      errno = number;
      return CannotWrite(target.string());
    }
    if (!was_written) {
      std::remove(temporary.c_str());
      result_.troubles.push_back(
          {Error::Code::kIo, tensor.place.file, Say("values are missing", "数据不完整")});
      return Done();
    }
    if (std::rename(temporary.c_str(), target.c_str()) != 0) return CannotWrite(target.string());
    ++result_.files;
    return Done();
  }

  fs::path folder_;
  DumpFormat format_;
  bool force_;
  std::set<std::string> names_;
  ConvertedDump result_;
};

}  // namespace

uint64_t TakeOutOfBlocks(Dump& dump) {
  uint64_t left = 0;
  for (DumpedTensor& tensor : dump.tensors) {
    if (tensor.format == DeviceFormat::kPlain) continue;
    if (std::optional<DumpedTensor> taken = OutOfBlocks(tensor)) {
      tensor = *std::move(taken);
    } else {
      ++left;
    }
  }
  return left;
}

Result<ConvertedDump> ConvertDump(const Dump& dump, const std::string& folder, DumpFormat format,
                                  bool force) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{Error::Code::kIo, folder,
                 Say("cannot be created: {}", "无法创建：{}", error.message())};
  }
  Converter converter(folder, format, force);
  for (const DumpedTensor& tensor : dump.tensors) {
    if (Result<Done> converted = converter.Convert(tensor); !converted) {
      converter.Stop(converted.error());
      break;
    }
  }
  return converter.Take();
}

}  // namespace transplt
