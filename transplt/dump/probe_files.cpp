// SPDX-License-Identifier: Apache-2.0
#include "transplt/dump/probe_files.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace transplt {
namespace {

using Json = nlohmann::json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMaxDepth = 32;

/// A number, or "nan", "inf" and "-inf" as msprobe writes them in places.
double NumberIn(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "inf") return kInfinity;
    if (text == "-inf") return -kInfinity;
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

bool ReadShape(const Json& value, std::vector<uint64_t>& shape) {
  if (!value.is_array() || value.size() > 64) return false;
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

/// Collects the tensors below one operation of dump.json.
class ProbeEntry {
 public:
  explicit ProbeEntry(std::vector<ListedTensor>& tensors) : tensors_(tensors) {}

  void Read(const std::string& operation, const Json& entry) {
    if (!entry.is_object()) return;
    for (const auto& [key, value] : entry.items()) {
      const bool is_input = key == "input_args" || key == "input_kwargs";
      Walk(fmt::format("{}.{}", operation, is_input ? "input" : key), value, 0);
    }
  }

 private:
  void Walk(const std::string& name, const Json& value, size_t depth) {
    if (depth > kMaxDepth) return;
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        Walk(fmt::format("{}.{}", name, i), value[i], depth + 1);
      }
    } else if (value.is_object() && TextAt(value, "type").ends_with("Tensor") &&
               value.contains("shape")) {
      Add(name, value);
    } else if (value.is_object()) {
      for (const auto& [key, inner] : value.items())
        Walk(fmt::format("{}.{}", name, key), inner, depth + 1);
    }
  }

  void Add(const std::string& name, const Json& value) {
    ListedTensor listed;
    DumpedTensor& tensor = listed.tensor;
    tensor.name = name;
    if (!ReadShape(value.at("shape"), tensor.shape)) return;
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
    tensors_.push_back(std::move(listed));
  }

  std::vector<ListedTensor>& tensors_;
};

/// Reads dump.json without holding all of it: each operation of "data" is handed on and dropped.
class ProbeReader {
 public:
  explicit ProbeReader(std::vector<ListedTensor>& tensors) : entry_(tensors) {}

  bool Event(int depth, Json::parse_event_t event, Json& parsed) {
    using Parse = Json::parse_event_t;
    if (depth > static_cast<int>(2 * kMaxDepth)) too_deep_ = true;
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
  bool too_deep() const { return too_deep_; }

 private:
  ProbeEntry entry_;
  std::string operation_;
  bool in_data_ = false;
  bool has_data_ = false;
  bool too_deep_ = false;
};

}  // namespace

Result<std::vector<ListedTensor>> ReadProbeJson(std::string_view text, const std::string& name) {
  std::vector<ListedTensor> tensors;
  ProbeReader reader(tensors);
  const Json json = Json::parse(
      text.begin(), text.end(),
      [&reader](int depth, Json::parse_event_t event, Json& parsed) {
        return reader.Event(depth, event, parsed);
      },
      false);
  if (json.is_discarded() || !reader.has_data()) {
    return Error{Error::Code::kBadInput, name,
                 Say("is no dump.json of msprobe, or it is cut off: \"data\" cannot be read",
                     "不是 msprobe 的 dump.json，或文件被截断：无法读取 \"data\"")};
  }
  return tensors;
}

Result<std::vector<ListedTensor>> ReadPtdbgLines(std::string_view text, const std::string& name) {
  std::vector<ListedTensor> tensors;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \r\t") == line.npos) continue;
    const Json row = Json::parse(line.begin(), line.end(), nullptr, false);
    if (!row.is_array() || row.empty() || !row[0].is_string()) {
      return Error{Error::Code::kBadInput, name + ":" + std::to_string(number),
                   Say("is no line of ptdbg_ascend, a JSON list that starts with a name; it may be "
                       "cut off",
                       "不是 ptdbg_ascend 的行（以名称开头的 JSON 列表），可能已被截断")};
    }
    if (row.size() < 6 || !row[3].is_string()) continue;  // a call stack, or a number
    ListedTensor listed;
    listed.tensor.name = row[0].get<std::string>();
    if (!ReadShape(row[4], listed.tensor.shape)) continue;
    SetType(row[3].get<std::string>(), listed.tensor);
    if (row[5].is_array() && row[5].size() >= 3) {
      listed.tensor.statistics =
          TensorStatistics{NumberIn(row[5][0]), NumberIn(row[5][1]), NumberIn(row[5][2]),
                           row[5].size() > 3 ? NumberIn(row[5][3]) : kNone};
    }
    listed.file = listed.tensor.name + ".npy";
    tensors.push_back(std::move(listed));
  }
  return tensors;
}

}  // namespace transplt
