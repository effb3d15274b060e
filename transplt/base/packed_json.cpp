// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/packed_json.h"

#include <bit>
#include <cstdlib>
#include <utility>

#include "transplt/base/one_of.h"

namespace transplt {
namespace {

// The variable-length integers of Protocol Buffers: seven bits a byte, the lowest first.
constexpr unsigned kBits = 7;
constexpr uint8_t kMore = 1U << kBits;

void PutNumber(uint64_t number, std::string& bytes) {
  for (; number >= kMore; number >>= kBits) {
    bytes += static_cast<char>((number & (kMore - 1U)) | kMore);
  }
  bytes += static_cast<char>(number);
}

void PutString(std::string_view text, std::string& bytes) {
  PutNumber(text.size(), bytes);
  bytes += text;
}

void PutPlace(JsonPlace place, std::string& bytes) {
  PutNumber(place.offset, bytes);
  PutNumber(place.line, bytes);
  PutNumber(place.column, bytes);
}

}  // namespace

/// Writes a value: its type, its place, then what it holds. The members of an object begin with the
/// name and the place of the name.
class JsonPacker {
 public:
  explicit JsonPacker(const std::vector<std::string_view>& left_out) : left_out_(left_out) {}

  void Put(const JsonValue& value) {
    bytes_ += static_cast<char>(value.type());
    PutPlace(value.place(), bytes_);
    switch (value.type()) {
      case JsonValue::Type::kNull:
        return;
      case JsonValue::Type::kBoolean:
        return PutNumber(value.boolean() ? 1 : 0, bytes_);
      case JsonValue::Type::kInteger:
        return PutNumber(std::bit_cast<uint64_t>(value.integer()), bytes_);
      case JsonValue::Type::kNumber:
        return PutNumber(std::bit_cast<uint64_t>(value.number()), bytes_);
      case JsonValue::Type::kString:
        return PutString(value.string(), bytes_);
      case JsonValue::Type::kList:
        PutNumber(value.children().size(), bytes_);
        for (const JsonValue* child : value.children()) Put(*child);
        return;
      case JsonValue::Type::kObject:
        return PutMembers(value);
    }
  }

  std::string TakeBytes() { return std::move(bytes_); }

 private:
  void PutMembers(const JsonValue& object) {
    std::vector<const JsonValue*> members;
    for (const JsonValue* member : object.children()) {
      if (!IsOneOf(member->key(), left_out_)) members.push_back(member);
    }
    PutNumber(members.size(), bytes_);
    for (const JsonValue* member : members) {
      PutString(member->key(), bytes_);
      PutPlace(member->key_place(), bytes_);
      Put(*member);
    }
  }

  const std::vector<std::string_view>& left_out_;
  std::string bytes_;
};

class JsonUnpacker {
 public:
  explicit JsonUnpacker(std::string_view packed) : left_(packed) {}

  JsonDocument TakeDocument(std::string name) {
    JsonDocument document;
    document.name_ = std::move(name);
    TakeInto(values_.emplace_back());
    if (!left_.empty()) std::abort();
    document.values_ = std::move(values_);
    return document;
  }

 private:
  uint8_t TakeByte() {
    if (left_.empty()) std::abort();
    const auto byte = static_cast<uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }

  uint64_t TakeNumber() {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += kBits) {
      const uint8_t byte = TakeByte();
      number |= uint64_t{byte & (kMore - 1U)} << shift;
      if (byte < kMore) return number;
    }
  }

  std::string TakeString() {
    const uint64_t size = TakeNumber();
    if (size > left_.size()) std::abort();
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }

  JsonPlace TakePlace() {
    JsonPlace place;
    place.offset = static_cast<uint32_t>(TakeNumber());
    place.line = static_cast<uint32_t>(TakeNumber());
    place.column = static_cast<uint32_t>(TakeNumber());
    return place;
  }

  void TakeInto(JsonValue& value) {
    value.type_ = static_cast<JsonValue::Type>(TakeByte());
    value.place_ = TakePlace();
    switch (value.type_) {
      case JsonValue::Type::kNull:
        return;
      case JsonValue::Type::kBoolean:
        value.scalar_ = TakeNumber() != 0;
        return;
      case JsonValue::Type::kInteger:
        value.scalar_ = std::bit_cast<int64_t>(TakeNumber());
        return;
      case JsonValue::Type::kNumber:
        value.scalar_ = std::bit_cast<double>(TakeNumber());
        return;
      case JsonValue::Type::kString:
        value.scalar_ = TakeString();
        return;
      case JsonValue::Type::kList:
      case JsonValue::Type::kObject:
        return TakeChildren(value);
    }
    std::abort();
  }

  void TakeChildren(JsonValue& holder) {
    const uint64_t size = TakeNumber();
    holder.children_.reserve(size);
    for (uint32_t i = 0; i < size; ++i) {
      JsonValue& child = values_.emplace_back();
      child.parent_ = &holder;
      child.index_ = i;
      if (holder.type_ == JsonValue::Type::kObject) {
        child.key_ = TakeString();
        child.key_place_ = TakePlace();
      }
      holder.children_.push_back(&child);
      TakeInto(child);
    }
  }

  std::string_view left_;
  std::deque<JsonValue> values_;
};

std::string PackJson(const JsonDocument& document, const std::vector<std::string_view>& left_out) {
  JsonPacker packer(left_out);
  packer.Put(document.root());
  return packer.TakeBytes();
}

JsonDocument UnpackJson(std::string name, std::string_view packed) {
  return JsonUnpacker(packed).TakeDocument(std::move(name));
}

}  // namespace transplt
