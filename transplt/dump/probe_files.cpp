// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/probe_files.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "transplt/base/json_text.h"

namespace transplt {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kDeepestEntry = 32;

/// A number, or "nan", "inf" and "-inf" as msprobe writes them in places.
double NumberIn(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "inf" || text == "Infinity") return kInfinity;
    if (text == "-inf" || text == "-Infinity") return -kInfinity;
  }
  return kNone;
}

double NumberAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? kNone : NumberIn(*found);
}

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

bool ReadShapeList(const Json& value, std::vector<uint64_t>& shape) {
  if (!value.is_array() || value.size() > kMaxRank) return false;
  for (const Json& size : value) {
    if (!size.is_number_unsigned()) return false;
    shape.push_back(size.get<uint64_t>());
  }
  return true;
}

void SetType(std::string_view name, DumpedTensor& tensor) {
  tensor.type_name = std::string(name);
  tensor.type = NumberTypeNamed(name).value_or(NumberType::kOther);
}

/// A value of JSON as Python writes it; deep ones are shortened.
std::string PythonText(const Json& value, size_t depth = 0) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) return "{...}";
  if (!value.is_array()) return value.dump();
  if (depth > kDeepestEntry) return "[...]";
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "" : ", ") + PythonText(item, depth + 1);
  return "[" + text + "]";
}

/// "<class 'int'>" and the like: msprobe names an argument by what JSON has made of it.
std::string PythonType(const Json& value) {
  const char* name = value.is_null()           ? "NoneType"
                     : value.is_boolean()      ? "bool"
                     : value.is_string()       ? "str"
                     : value.is_array()        ? "list"
                     : value.is_object()       ? "dict"
                     : value.is_number_float() ? "float"
                                               : "int";
  return fmt::format("<class '{}'>", name);
}

/// What an entry `{"type": ..., "value": ...}` says, or null.
DumpedArgument ArgumentOf(const std::string& name, const Json& entry) {
  if (entry.is_null()) return {{}, name, "None", "None", "None"};
  const std::string type = TextAt(entry, "type");
  const auto found = entry.find("value");
  const Json value = found == entry.end() ? Json() : *found;
  if (type == "torch.Size") return {{}, name, type, PythonText(value), PythonText(value)};
  if (type == "slice") {
    const std::string shape = value.is_array() ? fmt::format("({},)", value.size()) : "()";
    return {{}, name, type, shape, PythonText(value)};
  }
  if (type == "ellipsis") return {{}, name, type, "[]", PythonText(value)};
  // QuoteNonFinite has made texts of these.
  const bool is_quoted = type == "float" && value.is_string();
  const double number = is_quoted ? NumberIn(value) : 0;
  const std::string text = is_quoted ? fmt::format("{}", number) : PythonText(value);
  return {{},   name, is_quoted ? "<class 'float'>" : PythonType(value),
          "[]", text, type == "torch.device"};
}

/// Collects the tensors and the other arguments below one operation of dump.json.
class ProbeEntry {
 public:
  explicit ProbeEntry(TensorList& list) : list_(list) {}

  void Read(const std::string& operation, const Json& entry) {
    if (!entry.is_object()) return;
    // The gradients of parameters stand in lists of one, which their names do not tell.
    const bool is_gradients = operation.find(".parameters_grad") != operation.npos;
    for (const auto& [key, value] : entry.items()) {
      if (is_gradients && value.is_array() && value.size() == 1) {
        Walk(fmt::format("{}.{}", operation, key), value[0], 0);
        continue;
      }
      const bool is_input = key == "input_args" || key == "input_kwargs";
      Walk(fmt::format("{}.{}", operation, is_input ? "input" : key), value, 0);
    }
  }

 private:
  static bool IsArgument(const Json& value) {
    if (!value.is_object()) return value.is_null();
    const std::string type = TextAt(value, "type");
    return !type.empty() && !type.ends_with("Tensor");
  }

  void Walk(const std::string& name, const Json& value, size_t depth) {
    if (depth > kDeepestEntry) return;
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        Walk(fmt::format("{}.{}", name, i), value[i], depth + 1);
      }
    } else if (value.is_object() && TextAt(value, "type").ends_with("Tensor") &&
               value.contains("shape")) {
      Add(name, value);
    } else if (IsArgument(value)) {
      list_.arguments.push_back(ArgumentOf(name, value));
    } else if (value.is_object()) {
      for (const auto& [key, inner] : value.items())
        Walk(fmt::format("{}.{}", name, key), inner, depth + 1);
    }
  }

  void Add(const std::string& name, const Json& value) {
    ListedTensor listed;
    DumpedTensor& tensor = listed.tensor;
    tensor.name = name;
    if (!ReadShapeList(value.at("shape"), tensor.shape)) return;
    SetType(TextAt(value, "dtype"), tensor);
    if (value.contains("Max") || value.contains("Norm")) {
      tensor.statistics = TensorStatistics{NumberAt(value, "Max"), NumberAt(value, "Min"),
                                           NumberAt(value, "Mean"), NumberAt(value, "Norm")};
    }
    tensor.checksum = TextAt(value, "md5");
    const auto gradient = value.find("requires_grad");
    if (gradient != value.end() && gradient->is_boolean()) {
      tensor.requires_grad = gradient->get<bool>();
    }
    listed.file = TextAt(value, "data_name");
    list_.tensors.push_back(std::move(listed));
  }

  TensorList& list_;
};

/// Reads dump.json without holding all of it: each operation of "data" is handed on and dropped.
class ProbeReader {
 public:
  explicit ProbeReader(TensorList& list) : entry_(list) {}

  bool Event(int depth, Json::parse_event_t event, Json& parsed) {
    using Parse = Json::parse_event_t;
    if (event == Parse::key && depth == 1) in_data_ = parsed == "data";
    if (event == Parse::key && depth == 2) operation_ = parsed.get<std::string>();
    if (event == Parse::object_end && depth == 2 && in_data_) {
      has_data_ = true;
      entry_.Read(operation_, parsed);
      return false;
    }
    if (event == Parse::object_end && depth == 1 && in_data_) has_data_ = true;
    return true;
  }

  bool has_data() const { return has_data_; }

 private:
  ProbeEntry entry_;
  std::string operation_;
  bool in_data_ = false;
  bool has_data_ = false;
};

/// Python's json writes NaN, Infinity and -Infinity, which are no JSON: outside of strings each
/// becomes a string of as many bytes, so that the text is neither copied nor moved.
void QuoteNonFinite(std::string& text) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kWords = {
      {{"NaN", "\"n\""}, {"-Infinity", "\"-inf\"   "}, {"Infinity", "\"inf\"   "}}};
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      in_string = false;  // no string of JSON goes over lines: this one was torn
    } else if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == 'N' || c == 'I' || c == '-')) {
      for (const auto& [word, quoted] : kWords) {
        if (text.compare(i, word.size(), word) != 0) continue;
        text.replace(i, word.size(), quoted);
        i += word.size() - 1;
        break;
      }
    }
  }
}

/// Adds what a line of ptdbg lists; false if it is no such line.
bool AddPtdbgLine(std::string_view line, std::vector<ListedTensor>& tensors) {
  const Json row = ParseJson(line);
  if (!row.is_array() || row.empty() || !row[0].is_string()) return false;
  if (row.size() < 6 || !row[3].is_string()) return true;  // a call stack, or a number
  ListedTensor listed;
  listed.tensor.name = row[0].get<std::string>();
  if (!ReadShapeList(row[4], listed.tensor.shape)) return true;
  SetType(row[3].get<std::string>(), listed.tensor);
  if (row[5].is_array() && row[5].size() >= 3) {
    listed.tensor.statistics =
        TensorStatistics{NumberIn(row[5][0]), NumberIn(row[5][1]), NumberIn(row[5][2]),
                         row[5].size() > 3 ? NumberIn(row[5][3]) : kNone};
  }
  listed.file = listed.tensor.name + ".npy";
  tensors.push_back(std::move(listed));
  return true;
}

}  // namespace

TensorList ReadProbeJson(std::string text, const std::string& name) {
  TensorList list;
  ProbeReader reader(list);
  QuoteNonFinite(text);
  const Json json = Json::parse(
      text.begin(), text.end(),
      [&reader](int depth, Json::parse_event_t event, Json& parsed) {
        return reader.Event(depth, event, parsed);
      },
      false);
  if (json.is_discarded() || !reader.has_data()) {
    list.troubles.push_back(
        {Error::Code::kBadInput, name,
         Say("is no dump.json of msprobe, or it is cut off: \"data\" cannot be read to its end",
             "不是 msprobe 的 dump.json，或文件被截断：无法完整读取 \"data\"")});
  }
  return list;
}

TensorList ReadPtdbgLines(std::string text, const std::string& name) {
  TensorList list;
  QuoteNonFinite(text);
  size_t bad = 0;
  size_t first_bad = 0;
  size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.find_first_not_of(" \r\t") == line.npos) continue;
    if (AddPtdbgLine(line, list.tensors)) continue;
    if (bad++ == 0) first_bad = number;
  }
  if (bad > 0) {
    list.troubles.push_back(
        {Error::Code::kBadInput, name + ":" + std::to_string(first_bad),
         Say("is no line of ptdbg_ascend, a JSON list that starts with a name; it may be cut off "
             "({} of {} lines are left out)",
             "不是 ptdbg_ascend 的行（以名称开头的 JSON 列表），可能已被截断（共 {} 行被忽略，总计 "
             "{} 行）",
             bad, number)});
  }
  return list;
}

}  // namespace transplt
