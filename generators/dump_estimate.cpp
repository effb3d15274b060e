// SPDX-License-Identifier: Apache-2.0
#include "generators/dump_estimate.h"

#include <array>
#include <charconv>

#include "generators/config_condition.h"
#include "transplt/base/json_text.h"

namespace transplt {
namespace {

std::string Count(double number) { return fmt::format("{:.15g}", number); }

/// Exact bytes, and a size that a person can read.
std::string Bytes(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double shown = bytes;
  size_t unit = 0;
  while (shown >= 1024 && unit + 1 < kUnits.size()) {
    shown /= 1024;
    ++unit;
  }
  return unit == 0 ? Count(bytes) + " B" : fmt::format("{:.1f} {}", shown, kUnits[unit]);
}

/// How many steps "0|3-5|10" names; nothing if it is no such list.
std::optional<double> StepsIn(std::string_view text) {
  double steps = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('|'), text.size());
    const char* const stop = text.data() + end;
    int64_t first = 0;
    std::from_chars_result read = std::from_chars(text.data(), stop, first);
    int64_t last = first;
    if (read.ec == std::errc() && read.ptr != stop && *read.ptr == '-') {
      read = std::from_chars(read.ptr + 1, stop, last);
    }
    if (read.ec != std::errc() || read.ptr != stop || last < first) return std::nullopt;
    steps += static_cast<double>(last - first + 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return steps;
}

/// How many a value of a configuration names: a list, a text, or one.
std::optional<double> CountIn(const OrderedJson* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (value->is_string()) return StepsIn(value->get<std::string>());
  if (!value->is_array()) return 1;
  double count = 0;
  for (const OrderedJson& item : *value) {
    const std::optional<double> part = CountIn(&item);
    if (!part) return std::nullopt;
    count += *part;
  }
  return value->empty() ? std::nullopt : std::optional(count);
}

const OrderedJson* Named(const OrderedJson& configuration, const OrderedJson& estimate,
                         const char* what) {
  const auto pointer = estimate.find(what);
  if (pointer == estimate.end()) return nullptr;
  return ValueAt(configuration, pointer->get<std::string>());
}

/// A product whose factors may be unknown.
class Product {
 public:
  Product& Times(const std::optional<double>& factor, const Text& name, const char* option) {
    const std::string value = factor ? " " + Count(*factor) : "";
    formula_.en += (formula_.en.empty() ? "" : " x ") + name.en + value;
    formula_.zh += (formula_.zh.empty() ? "" : " x ") + name.zh + value;
    if (!factor) missing_ += (missing_.empty() ? "" : ", ") + std::string(option);
    if (factor && result_) *result_ *= *factor;
    if (!factor) result_.reset();
    return *this;
  }
  const std::optional<double>& result() const { return result_; }

  Text Line(const Text& name, const std::string& shown) const {
    if (!result_) {
      return {fmt::format("{} = {}: unknown, give {}", name.en, formula_.en, missing_),
              fmt::format("{} = {}：未知，请给出 {}", name.zh, formula_.zh, missing_)};
    }
    return {fmt::format("{} = {} = {}", name.en, formula_.en, shown),
            fmt::format("{} = {} = {}", name.zh, formula_.zh, shown)};
  }

 private:
  std::optional<double> result_ = 1;
  Text formula_;
  std::string missing_;
};

}  // namespace

std::optional<double> ReadBytes(std::string_view text) {
  double factor = 1;
  for (const auto& [unit, size] :
       {std::pair{'K', 0x1p10}, {'M', 0x1p20}, {'G', 0x1p30}, {'T', 0x1p40}}) {
    if (!text.empty() && (text.back() == unit || text.back() == unit + 32)) {
      factor = size;
      text.remove_suffix(1);
      break;
    }
  }
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && stop == text.data() + text.size() && number >= 0;
  return is_number ? std::optional(number * factor) : std::nullopt;
}

Result<std::vector<Text>> EstimateDump(const ConfigSchema& schema, const std::string& configuration,
                                       const EstimateInputs& inputs) {
  const std::string text = schema.Extension("x-estimate");
  if (text.empty()) {
    return Error{Error::Code::kUsage, "--estimate",
                 Say("this kind of file takes no dump", "该类文件不产生 dump 数据")};
  }
  const OrderedJson estimate = ParseOrderedJson(text);
  const OrderedJson json = ParseOrderedJson(configuration);
  const OrderedJson* step_list = Named(json, estimate, "steps");
  const bool is_all = step_list != nullptr && estimate.contains("all-steps") &&
                      *step_list == estimate.at("all-steps");
  std::optional<double> steps = is_all ? std::nullopt : CountIn(step_list);
  if (!steps) steps = inputs.steps;
  std::optional<double> devices = CountIn(Named(json, estimate, "devices"));
  if (!devices || inputs.devices) devices = inputs.devices;

  const Text step_name{"steps", "step 数"};
  const Text device_name{"devices", "设备数"};
  std::vector<Text> lines;
  Product size;
  size.Times(inputs.bytes_per_step, {"bytes per step and device", "每设备每 step 字节数"},
             "--bytes-per-step")
      .Times(steps, step_name, "--steps")
      .Times(devices, device_name, "--devices");
  lines.push_back(size.Line({"size", "大小"}, size.result() ? Bytes(*size.result()) : ""));
  Product files;
  files
      .Times(inputs.files_per_step, {"files per step and device", "每设备每 step 文件数"},
             "--files-per-step")
      .Times(steps, step_name, "--steps")
      .Times(devices, device_name, "--devices");
  lines.push_back(files.Line({"files", "文件数"}, files.result() ? Count(*files.result()) : ""));
  if (!size.result() || !inputs.write_rate) {
    lines.push_back({"time = size / write rate: unknown, give --write-rate and what size wants",
                     "时间 = 大小 / 写入速率：未知，请给出 --write-rate 以及计算大小所需的选项"});
  } else {
    const std::string seconds = fmt::format("{:.0f}", *size.result() / *inputs.write_rate);
    const std::string rate = Bytes(*inputs.write_rate);
    const std::string shown = Bytes(*size.result());
    lines.push_back(Say("time to write = size {} / write rate {}/s = {} s, at least",
                        "写入时间 = 大小 {} / 写入速率 {}/s = 至少 {} 秒", shown, rate, seconds));
  }
  return lines;
}

}  // namespace transplt
