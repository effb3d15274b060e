// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/torch_file.h"

#include <array>
#include <map>
#include <optional>

#include "transplt/dump/tensor_pickle.h"

namespace transplt {
namespace {

constexpr size_t kMaxPickle = 1 << 20;
constexpr size_t kMaxDirectory = 16 << 20;
constexpr size_t kEndRecord = 22;
constexpr size_t kMaxComment = 1 << 16;

uint64_t Little(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  }
  return value;
}

struct Member {
  uint64_t offset = 0;  // of its local header
  uint64_t bytes = 0;
  bool stored = false;
};

/// Size and place of a member of 4 GB and more stand in an extra field.
void ReadLargeSizes(std::string_view extra, uint64_t compressed, Member& member) {
  constexpr uint64_t kElsewhere = 0xFFFFFFFF;
  for (size_t at = 0; at + 4 <= extra.size();) {
    const size_t size = Little(extra, at + 2, 2);
    if (Little(extra, at, 2) == 1 && at + 4 + size <= extra.size()) {
      size_t field = at + 4;
      const auto take = [&](uint64_t& value) {
        if (value != kElsewhere) return;
        value = Little(extra, field, 8);
        field += 8;
      };
      take(member.bytes);
      take(compressed);
      take(member.offset);
    }
    at += 4 + size;
  }
}

/// The directory at the end of the archive; empty if the file is none.
std::string Directory(const ByteSource& source) {
  const uint64_t size = source.size();
  const uint64_t start = size > kEndRecord + kMaxComment ? size - kEndRecord - kMaxComment : 0;
  const std::string tail = source.Text(start, kEndRecord + kMaxComment);
  const size_t end = tail.rfind("PK\x05\x06");
  if (end == tail.npos || tail.size() - end < kEndRecord) return {};
  uint64_t bytes = Little(tail, end + 12, 4);
  uint64_t offset = Little(tail, end + 16, 4);
  const size_t locator = end >= 20 ? end - 20 : 0;
  if (offset == 0xFFFFFFFF && end >= 20 && tail.compare(locator, 4, "PK\x06\x07") == 0) {
    const std::string large = source.Text(Little(tail, locator + 8, 8), 56);
    if (!large.starts_with("PK\x06\x06")) return {};
    bytes = Little(large, 40, 8);
    offset = Little(large, 48, 8);
  }
  if (bytes > kMaxDirectory) return {};
  return source.Text(offset, bytes);
}

std::map<std::string, Member> Members(const ByteSource& source) {
  constexpr size_t kEntry = 46;
  std::map<std::string, Member> members;
  const std::string directory = Directory(source);
  for (size_t at = 0; at + kEntry <= directory.size();) {
    if (directory.compare(at, 4, "PK\x01\x02") != 0) break;
    const size_t name_size = Little(directory, at + 28, 2);
    const size_t extra_size = Little(directory, at + 30, 2);
    Member member;
    member.stored = Little(directory, at + 10, 2) == 0;
    member.bytes = Little(directory, at + 24, 4);
    member.offset = Little(directory, at + 42, 4);
    if (at + kEntry + name_size + extra_size > directory.size()) break;
    const std::string_view rest = std::string_view(directory).substr(at + kEntry);
    ReadLargeSizes(rest.substr(name_size, extra_size), Little(directory, at + 20, 4), member);
    members.emplace(rest.substr(0, name_size), member);
    at += kEntry + name_size + extra_size + Little(directory, at + 32, 2);
  }
  return members;
}

/// Where the bytes of the member start in the file, or nothing if they are not all there.
std::optional<uint64_t> DataOffset(const ByteSource& source, const Member& member) {
  constexpr size_t kLocal = 30;
  const std::string local = source.Text(member.offset, kLocal);
  if (!member.stored || local.size() < kLocal || !local.starts_with("PK\x03\x04")) {
    return std::nullopt;
  }
  const uint64_t offset = member.offset + kLocal + Little(local, 26, 2) + Little(local, 28, 2);
  if (offset > source.size() || member.bytes > source.size() - offset) return std::nullopt;
  return offset;
}

Error BrokenTorchFile(const std::string& name, const Text& why) {
  return {Error::Code::kBadInput,
          name,
          {"is no .pt file with one tensor: " + why.en, "不是只含一个张量的 .pt 文件：" + why.zh}};
}

}  // namespace

Result<DumpedTensor> ReadTorchFile(const ByteSource& source, const std::string& name) {
  const std::map<std::string, Member> members = Members(source);
  std::string folder;
  std::string pickle;
  for (const auto& [path, member] : members) {
    if (!path.ends_with("/data.pkl") || member.bytes > kMaxPickle) continue;
    if (const auto offset = DataOffset(source, member)) {
      folder = path.substr(0, path.size() - std::string_view("data.pkl").size());
      pickle = source.Text(*offset, member.bytes);
    }
  }
  if (pickle.empty()) {
    return BrokenTorchFile(
        name, Say("no data.pkl in a zip archive; files of torch before 1.6 must be saved "
                  "again",
                  "zip 归档中没有 data.pkl；torch 1.6 之前的文件须重新保存"));
  }
  const std::optional<PickledTensor> found = ReadTensorPickle(pickle);
  if (!found) return BrokenTorchFile(name, Say("it holds something else", "内容不是单个张量"));
  if (!found->is_contiguous) {
    return BrokenTorchFile(name, Say("its tensor is not contiguous; save tensor.contiguous()",
                                     "张量不连续；请保存 tensor.contiguous()"));
  }
  const auto storage = members.find(folder + "data/" + found->storage);
  if (storage == members.end())
    return BrokenTorchFile(name, Say("its storage is missing", "缺少存储数据"));
  const auto offset = DataOffset(source, storage->second);
  const size_t width = SizeOf(found->type);
  const uint64_t elements = ElementsOf(found->shape);
  const uint64_t have = width == 0 ? 0 : storage->second.bytes / width;
  if (!offset || found->offset > have || elements > have - found->offset) {
    return BrokenTorchFile(name, Say("its values are cut off or compressed", "数据被截断或被压缩"));
  }
  DumpedTensor tensor;
  tensor.type = found->type;
  tensor.shape = found->shape;
  tensor.requires_grad = found->requires_grad;
  tensor.place.offset = *offset + found->offset * width;
  tensor.place.bytes = elements * width;
  return tensor;
}

}  // namespace transplt
