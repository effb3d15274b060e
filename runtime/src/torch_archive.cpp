// SPDX-License-Identifier: Apache-2.0
#include "runtime/src/torch_archive.h"

#include <string_view>

#include "runtime/src/block_statistics.h"
#include "runtime/src/frame.h"
#include "runtime/src/tensor_type.h"

namespace transplt::capture {
namespace {

constexpr uint64_t kElsewhere = 0xFFFFFFFF;  ///< what a field of 4 bytes says of a larger number
constexpr size_t kDataAlignment = 64;        ///< as torch.save aligns members

/// Appends little-endian numbers.
class Bytes {
 public:
  explicit Bytes(std::string& text) : text_(text) {}

  Bytes& U16(uint64_t value) { return Number(value, 2); }
  Bytes& U32(uint64_t value) { return Number(value, 4); }
  Bytes& U64(uint64_t value) { return Number(value, 8); }
  Bytes& Text(std::string_view text) {
    text_.append(text);
    return *this;
  }

 private:
  Bytes& Number(uint64_t value, size_t width) {
    for (size_t i = 0; i < width; ++i) text_ += static_cast<char>(value >> (8 * i) & 0xFF);
    return *this;
  }

  std::string& text_;
};

/// The parts of a pickle of protocol 2.
class Pickle {
 public:
  void Raw(std::string_view bytes) { text_.append(bytes); }
  void Name(const std::string& module, const std::string& name) {
    text_ += 'c' + module + '\n' + name + '\n';
  }
  void Text(std::string_view text) {
    text_ += 'X';
    Bytes(text_).U32(text.size()).Text(text);
  }
  void Number(uint64_t value) {
    if (value <= 0x7FFFFFFF) {
      text_ += 'J';
      Bytes(text_).U32(value);
    } else {
      text_ += "\x8a\x08";
      Bytes(text_).U64(value);
    }
  }
  void Tuple(const std::vector<int64_t>& numbers) {
    text_ += '(';
    for (int64_t number : numbers) Number(static_cast<uint64_t>(number));
    text_ += 't';
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_{"\x80\x02"};
};

/// The calls that make the tensor of its elements. Types that came without a kind of storage are
/// made of bytes, with the type named.
std::string PickleOf(const RecordMeta& meta) {
  const TypeNames& names = *NamesOf(meta.type);
  const std::string type = names.torch;
  const bool has_storage = type.ends_with("Storage");
  std::vector<int64_t> strides(meta.shape.size());
  int64_t step = 1;
  for (size_t i = meta.shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(meta.shape[i], 1);
  }
  Pickle pickle;
  pickle.Name("torch._utils", has_storage ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
  pickle.Raw("((");
  pickle.Text("storage");
  if (has_storage) {
    pickle.Name("torch", type);
  } else {
    pickle.Name("torch.storage", "UntypedStorage");
  }
  pickle.Text("0");
  pickle.Text("cpu");
  pickle.Number(has_storage ? meta.bytes / names.size : meta.bytes);
  pickle.Raw("tQ");  // what torch.load is to fetch
  pickle.Number(0);  // the first element
  pickle.Tuple(meta.shape);
  pickle.Tuple(strides);
  pickle.Raw("\x89");  // no gradient
  pickle.Name("collections", "OrderedDict");
  pickle.Raw(")R");
  if (!has_storage) pickle.Name("torch", type);
  pickle.Raw("tR.");
  return pickle.text();
}

}  // namespace

uint16_t TorchArchive::Member::flags() const {
  constexpr uint16_t kUtf8 = 0x0800;
  constexpr uint16_t kDescribedBehind = 0x0008;
  return is_described_behind ? kUtf8 | kDescribedBehind : kUtf8;
}

uint16_t TorchArchive::Member::version() const { return is_large() ? 45 : 20; }

TorchArchive::TorchArchive(const RecordMeta& meta) {
  AddMember("archive/data.pkl", PickleOf(meta));
  AddMember("archive/byteorder", "little");
  AddMember("archive/version", "3\n");
  // The last one, so that no member begins beyond what 4 bytes can say.
  Member elements{"archive/data/0", head_.size(), meta.bytes, 0, true};
  AppendLocalHeader(elements);
  members_.push_back(std::move(elements));
}

void TorchArchive::AddMember(const char* name, const std::string& bytes) {
  Member member{name, head_.size(), bytes.size(), Crc32(0, bytes.data(), bytes.size()), false};
  AppendLocalHeader(member);
  head_ += bytes;
  members_.push_back(std::move(member));
}

void TorchArchive::AppendLocalHeader(const Member& member) {
  constexpr size_t kFixed = 30;
  constexpr size_t kFieldHeader = 4;
  std::string extra;
  if (member.is_large()) Bytes(extra).U16(1).U16(16).U64(0).U64(0);
  const size_t end = head_.size() + kFixed + member.name.size() + extra.size() + kFieldHeader;
  const size_t padding = RoundUp(end, kDataAlignment) - end;
  Bytes(extra).Text("FB").U16(padding).Text(std::string(padding, 'Z'));
  const bool says_size = !member.is_described_behind;
  const uint64_t size = member.is_large() ? kElsewhere : says_size ? member.bytes : 0;
  constexpr uint16_t kFirstOfJanuary1980 = 0x21;
  Bytes(head_)
      .Text("PK\x03\x04")
      .U16(member.version())
      .U16(member.flags())
      .U16(0)
      .U16(0)
      .U16(kFirstOfJanuary1980)
      .U32(member.crc)
      .U32(size)
      .U32(size)
      .U16(member.name.size())
      .U16(extra.size())
      .Text(member.name)
      .Text(extra);
}

std::string TorchArchive::Tail(uint32_t crc) {
  Member& elements = members_.back();
  elements.crc = crc;
  std::string tail;
  Bytes out(tail);
  out.Text("PK\x07\x08").U32(crc);
  for (int i = 0; i < 2; ++i) {
    elements.is_large() ? out.U64(elements.bytes) : out.U32(elements.bytes);
  }
  const uint64_t start = head_.size() + elements.bytes + tail.size();
  const size_t before = tail.size();
  for (const Member& member : members_) {
    std::string extra;
    if (member.is_large()) Bytes(extra).U16(1).U16(16).U64(member.bytes).U64(member.bytes);
    const uint64_t size = member.is_large() ? kElsewhere : member.bytes;
    out.Text("PK\x01\x02")
        .U16(member.version())
        .U16(member.version())
        .U16(member.flags())
        .U16(0)
        .U16(0)
        .U16(0x21)
        .U32(member.crc)
        .U32(size)
        .U32(size)
        .U16(member.name.size())
        .U16(extra.size())
        .U16(0)
        .U16(0)
        .U16(0)
        .U32(0)
        .U32(member.offset)
        .Text(member.name)
        .Text(extra);
  }
  const uint64_t directory = tail.size() - before;
  if (start >= kElsewhere) {
    out.Text("PK\x06\x06").U64(44).U16(45).U16(45).U32(0).U32(0);
    out.U64(members_.size()).U64(members_.size()).U64(directory).U64(start);
    out.Text("PK\x06\x07").U32(0).U64(start + directory).U32(1);
  }
  out.Text("PK\x05\x06").U16(0).U16(0).U16(members_.size()).U16(members_.size());
  out.U32(directory).U32(std::min(start, kElsewhere)).U16(0);
  return tail;
}

}  // namespace transplt::capture
