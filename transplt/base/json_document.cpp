// SPDX-License-Identifier: Apache-2.0
#include "transplt/base/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "transplt/base/counting_iterator.h"
#include "transplt/base/json_mistake.h"

namespace transplt {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The place of `offset`, found by going on from an earlier place.
JsonPlace Advance(std::string_view text, JsonPlace from, size_t offset) {
  for (size_t i = from.offset; i < offset; ++i) {
    const bool before_line_feed = i + 1 < text.size() && text[i + 1] == '\n';
    if (text[i] == '\n' || (text[i] == '\r' && !before_line_feed)) {
      ++from.line;
      from.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++from.column;
    }
  }
  from.offset = static_cast<uint32_t>(offset);
  return from;
}

JsonPlace StartOf(std::string_view text) {
  JsonPlace start;
  if (text.starts_with(kByteOrderMark)) start.offset = kByteOrderMark.size();
  return start;
}

std::string At(std::string_view name, JsonPlace place) {
  return fmt::format("{}:{}:{}", name, place.line, place.column);
}

/// A pointer for a terminal: a key may hold line ends and escape sequences.
std::string Printable(const std::string& pointer) {
  std::string shown;
  for (char c : pointer) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      shown += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace

/// Receives the events of nlohmann's SAX parser and builds the values. The methods in snake_case
/// are the interface that the library asks for; false stops the parser.
class JsonBuilder {
 public:
  JsonBuilder(std::string name, std::string_view text, std::deque<JsonValue>& values)
      : name_(std::move(name)), text_(text), values_(values) {
    last_place_ = StartOf(text);
    taken_ = end_ = last_place_.offset;
  }

  bool Build() {
    const CountingIterator first(text_.data() + taken_, &taken_);
    const CountingIterator last(text_.data() + text_.size(), &taken_);
    return nlohmann::json::sax_parse(first, last, this);
  }
  const std::optional<Error>& error() const { return error_; }

  bool null() { return AddScalar(JsonValue::Type::kNull, std::monostate(), taken_); }
  bool boolean(bool value) { return AddScalar(JsonValue::Type::kBoolean, value, taken_); }
  bool number_integer(int64_t value) {
    return AddScalar(JsonValue::Type::kInteger, value, EndOfNumber());
  }
  bool number_unsigned(uint64_t value) {
    if (value <= static_cast<uint64_t>(INT64_MAX)) {
      return number_integer(static_cast<int64_t>(value));
    }
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(double value, const std::string&) {
    return AddScalar(JsonValue::Type::kNumber, value, EndOfNumber());
  }
  bool string(std::string& value) {
    return AddScalar(JsonValue::Type::kString, std::move(value), taken_);
  }
  bool binary(std::vector<uint8_t>&) { return false; }  // JSON text has none

  bool start_object(size_t) { return Open(JsonValue::Type::kObject); }
  bool start_array(size_t) { return Open(JsonValue::Type::kList); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(std::string& name) {
    key_place_ = NextPlace();
    key_ = std::move(name);
    end_ = taken_;
    after_ = JsonReadState::After::kKey;
    const auto seen = open_.back().keys.find(key_);
    if (seen == open_.back().keys.end()) return true;
    const JsonPlace first = seen->second->key_place();
    const std::string quoted = QuoteForMessage(key_);
    return Refuse(At(name_, key_place_) + ": #" + Printable(open_.back().value->pointer()),
                  Say("the key {} stands twice in this object, first at line {}, column {}; "
                      "delete or rename one of the two",
                      "键 {} 在该对象中重复出现，首次出现于第 {} 行第 {} 列；"
                      "请删除或重命名其中一个",
                      quoted, first.line, first.column));
  }

  bool parse_error(size_t, const std::string&, const nlohmann::json::exception&) {
    JsonReadState state{.after = after_, .position = end_, .stopped = taken_, .open = {}};
    if (!open_.empty()) state.open = open_.back().value->place();
    const JsonMistake mistake = FindJsonMistake(text_, state);
    return Refuse(At(name_, Advance(text_, StartOf(text_), mistake.offset)), mistake.what);
  }

 private:
  struct OpenValue {
    JsonValue* value;
    std::unordered_map<std::string_view, const JsonValue*> keys;
  };

  bool Refuse(std::string where, Text what) {
    error_ = Error{Error::Code::kBadInput, std::move(where), std::move(what)};
    return false;
  }

  /// The place of the token that was just read: the first byte after the one before it that does
  /// not separate tokens.
  JsonPlace NextPlace() {
    const size_t start = text_.find_first_not_of(" \t\r\n,:", end_);
    last_place_ = Advance(text_, last_place_, start);
    return last_place_;
  }

  /// Appends a value to the open one; null (with an error) beyond the limit.
  JsonValue* Add(JsonValue::Type type) {
    const JsonPlace place = NextPlace();
    if (values_.size() >= JsonDocument::kMaxValues) {
      Refuse(At(name_, place), Say("the file holds more than {} values; split it",
                                   "文件包含的值超过 {} 个；请拆分文件", JsonDocument::kMaxValues));
      return nullptr;
    }
    JsonValue& value = values_.emplace_back();
    value.type_ = type;
    value.place_ = place;
    if (open_.empty()) return &value;
    OpenValue& holder = open_.back();
    value.parent_ = holder.value;
    value.index_ = static_cast<uint32_t>(holder.value->children_.size());
    holder.value->children_.push_back(&value);
    if (holder.value->type_ == JsonValue::Type::kObject) {
      value.key_ = std::move(key_);
      value.key_place_ = key_place_;
      holder.keys.emplace(value.key_, &value);
    }
    return &value;
  }

  template <typename Scalar>
  bool AddScalar(JsonValue::Type type, Scalar scalar, size_t end) {
    JsonValue* value = Add(type);
    if (value == nullptr) return false;
    value->scalar_ = std::move(scalar);
    end_ = end;
    AfterValue();
    return true;
  }

  /// The parser knows the end of a number only by looking at the byte that follows it.
  size_t EndOfNumber() const {
    const bool at_end_of_text =
        taken_ == text_.size() && text_.back() >= '0' && text_.back() <= '9';
    return at_end_of_text ? taken_ : taken_ - 1;
  }

  bool Open(JsonValue::Type type) {
    JsonValue* value = Add(type);
    if (value == nullptr) return false;
    if (open_.size() >= JsonDocument::kMaxDepth) {
      return Refuse(
          At(name_, value->place()),
          Say("lists and objects are nested deeper than {}; no file that is meant for "
              "this program is",
              "列表和对象的嵌套深度超过 {} 层；本程序的文件不应如此", JsonDocument::kMaxDepth));
    }
    open_.push_back({value, {}});
    end_ = last_place_.offset + size_t{1};
    after_ = type == JsonValue::Type::kObject ? JsonReadState::After::kOpenObject
                                              : JsonReadState::After::kOpenList;
    return true;
  }

  bool Close() {
    NextPlace();
    end_ = last_place_.offset + size_t{1};
    open_.pop_back();
    AfterValue();
    return true;
  }

  void AfterValue() {
    if (open_.empty()) {
      after_ = JsonReadState::After::kWholeDocument;
    } else if (open_.back().value->type() == JsonValue::Type::kObject) {
      after_ = JsonReadState::After::kMember;
    } else {
      after_ = JsonReadState::After::kElement;
    }
  }

  const std::string name_;
  const std::string_view text_;
  std::deque<JsonValue>& values_;
  size_t taken_ = 0;      // bytes that the parser has looked at
  size_t end_ = 0;        // end of the last token that is not "," or ":"
  JsonPlace last_place_;  // of the last token; later places are found from here
  JsonReadState::After after_ = JsonReadState::After::kNothing;
  std::vector<OpenValue> open_;
  std::string key_;
  JsonPlace key_place_;
  std::optional<Error> error_;
};

std::string JsonValue::pointer() const {
  std::vector<const JsonValue*> path;
  for (const JsonValue* value = this; value->parent_ != nullptr; value = value->parent_) {
    path.push_back(value);
  }
  std::string pointer;
  for (auto value = path.rbegin(); value != path.rend(); ++value) {
    pointer += '/';
    if ((*value)->parent_->type_ == Type::kList) {
      pointer += std::to_string((*value)->index_);
      continue;
    }
    for (char c : (*value)->key_) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer += c;
      }
    }
  }
  return pointer;
}

const JsonValue* JsonValue::Find(std::string_view key) const {
  const auto found = std::find_if(children_.begin(), children_.end(),
                                  [&](const JsonValue* child) { return child->key_ == key; });
  return found == children_.end() ? nullptr : *found;
}

Result<JsonDocument> JsonDocument::Parse(std::string name, std::string_view text) {
  if (text.size() > kMaxBytes) {
    const size_t mebibytes = kMaxBytes >> 20;
    return Error{
        Error::Code::kBadInput, name,
        Say("the file is larger than {} MiB; split it", "文件大于 {} MiB；请拆分文件", mebibytes)};
  }
  if (std::optional<JsonMistake> mistake = FindEncodingMistake(text)) {
    return Error{Error::Code::kBadInput, At(name, JsonPlace()), mistake->what};
  }
  JsonDocument document;
  JsonBuilder builder(name, text, document.values_);
  if (!builder.Build()) return *builder.error();
  document.name_ = std::move(name);
  return document;
}

std::string JsonDocument::Where(const JsonValue& value) const {
  return At(name_, value.place()) + ": #" + Printable(value.pointer());
}

std::string JsonDocument::WhereKey(const JsonValue& member) const {
  return At(name_, member.key_place()) + ": #" + Printable(member.parent()->pointer());
}

std::string QuoteForMessage(std::string_view text, size_t max_bytes) {
  std::string shown(text.substr(0, max_bytes));
  if (text.size() > max_bytes) {
    // Do not cut a character in two.
    size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    shown = std::string(text.substr(0, end)) + "...";
  }
  return nlohmann::json(shown).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace transplt
