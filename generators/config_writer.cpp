// SPDX-License-Identifier: Apache-2.0
#include "generators/config_writer.h"

#include <algorithm>
#include <charconv>

#include "transplt/base/encoding.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

void AddLeaves(const OrderedJson& node, const std::string& pointer, const OrderedJson* only_with,
               std::vector<ConfigLeaf>& leaves) {
  const auto properties = node.find("properties");
  if (properties == node.end()) return;
  const OrderedJson required = node.value("required", OrderedJson::array());
  for (const auto& [name, member] : properties->items()) {
    const std::string at = fmt::format("{}/{}", pointer, name);
    const auto only = member.find("x-only-with");
    const OrderedJson* condition = only == member.end() ? only_with : &*only;
    if (member.contains("x-option")) {
      const bool is_required = std::find(required.begin(), required.end(), name) != required.end();
      leaves.push_back(
          {member.at("x-option").get<std::string>(), at, &member, is_required, condition});
    }
    AddLeaves(member, at, condition, leaves);
  }
}

bool Allows(const OrderedJson& node, std::string_view type) {
  const auto types = node.find("type");
  if (types == node.end()) return false;
  if (types->is_string()) return *types == type;
  return std::find(types->begin(), types->end(), type) != types->end();
}

/// `text` as a value of `node`: as text where it is nothing better, so that Check refuses it.
OrderedJson Scalar(const OrderedJson& node, const std::string& text) {
  const char* end = text.data() + text.size();
  int64_t integer = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, integer);
  if ((Allows(node, "integer") || Allows(node, "number")) && error == std::errc() && stop == end) {
    return integer;
  }
  double number = 0;
  const auto [number_stop, number_error] = std::from_chars(text.data(), end, number);
  if (Allows(node, "number") && number_error == std::errc() && number_stop == end) return number;
  if (Allows(node, "boolean") && (text == "true" || text == "false")) return text == "true";
  if (Allows(node, "object")) {
    OrderedJson object = ParseOrderedJson(text);
    if (object.is_object()) return object;
  }
  return text;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    parts.push_back(text.substr(start, comma - start));
    start = comma + 1;
  }
  return parts;
}

OrderedJson ReadValue(const OrderedJson& node, const std::vector<std::string>& texts) {
  if (!Allows(node, "array") || !node.contains("items"))
    return Scalar(node, texts.empty() ? "true" : texts.back());
  OrderedJson list = OrderedJson::array();
  for (const std::string& text : texts) {
    const bool split = node.value("x-split", false);
    for (const std::string& part : split ? SplitAtCommas(text) : std::vector{text}) {
      list.push_back(Scalar(node.at("items"), part));
    }
  }
  return list;
}

}  // namespace

std::vector<ConfigLeaf> LeavesOf(const OrderedJson& schema) {
  std::vector<ConfigLeaf> leaves;
  AddLeaves(schema, "", nullptr, leaves);
  return leaves;
}

const std::vector<std::string>* ConfigWriter::Given(const OrderedJson& node) const {
  const auto option = node.find("x-option");
  if (option == node.end()) return nullptr;
  const auto given = given_.find(option->get<std::string>());
  return given == given_.end() ? nullptr : &given->second;
}

std::optional<OrderedJson> ConfigWriter::ValueOf(const OrderedJson& node) const {
  if (const std::vector<std::string>* texts = Given(node)) return ReadValue(node, *texts);
  if (defaults_ == Defaults::kLeaveOut) return std::nullopt;
  if (const auto with = node.find("x-default-with"); with != node.end()) {
    for (const auto& [option, value] : with->items()) {
      if (given_.contains(option)) return value;
    }
  }
  const auto value = node.find("default");
  if (value == node.end()) return std::nullopt;
  return *value;
}

void ConfigWriter::AddMembers(const OrderedJson& node, const std::string& pointer) {
  for (const auto& [name, member] : node.at("properties").items()) {
    const auto only = member.find("x-only-with");
    if (only != member.end() && !Meets(result_, *only)) continue;
    const std::string at = fmt::format("{}/{}", pointer, name);
    if (member.contains("properties")) {
      AddMembers(member, at);
      continue;
    }
    std::optional<OrderedJson> value = ValueOf(member);
    if (!value) continue;
    result_[OrderedJson::json_pointer(at)] = *std::move(value);
    if (member.contains("x-option")) used_.insert(member.at("x-option").get<std::string>());
  }
}

std::string ConfigWriter::UsedWith(const std::string& option) const {
  std::string with;
  for (const ConfigLeaf& leaf : leaves_) {
    if (leaf.option != option || leaf.only_with == nullptr) continue;
    const std::string at = leaf.only_with->at("at").get<std::string>();
    for (const ConfigLeaf& other : leaves_) {
      if (other.pointer != at) continue;
      const bool is_one = leaf.only_with->contains("is");
      const OrderedJson& values = leaf.only_with->at(is_one ? "is" : "in");
      for (const OrderedJson& value : is_one ? OrderedJson::array({values}) : values) {
        with += (with.empty() ? "--" : ", --") + other.option;
        if (value.is_string()) with += " " + value.get<std::string>();
      }
    }
  }
  return with;
}

std::string ConfigWriter::Write(std::vector<ConfigMistake>& mistakes) {
  for (const auto& [option, texts] : given_) {
    for (const std::string& text : texts) {
      if (IsValid(text, CharacterLayout::kUtf8)) continue;
      mistakes.push_back({"", "", Say("is not UTF-8", "不是 UTF-8 文本")});
      mistakes.back().options = {option};
      return "{}";
    }
  }
  AddMembers(schema_, "");
  for (const auto& [option, texts] : given_) {
    if (used_.contains(option)) continue;
    const std::string with = UsedWith(option);
    mistakes.push_back(
        {"", "", Say("is not used here; it goes with {}", "此处不适用；须与 {} 一起使用", with)});
    mistakes.back().options = {option};
  }
  return result_.dump(4) + "\n";
}

}  // namespace transplt
