// SPDX-License-Identifier: Apache-2.0
#include "transplt/analysis/api_support.h"

#include <algorithm>
#include <array>
#include <vector>

namespace transplt {

std::string_view ApiSupportTable();  // generated

namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Parts of torch that no device has to do anything for, and that the documentation does not list.
constexpr std::array<std::string_view, 26> kWithoutDevice = {
    "torch.nn.Parameter",    "torch.Size",           "torch.device",
    "torch.dtype",           "torch.finfo",          "torch.iinfo",
    "torch.inference_mode",  "torch.FloatTensor",    "torch.DoubleTensor",
    "torch.HalfTensor",      "torch.IntTensor",      "torch.LongTensor",
    "torch.ShortTensor",     "torch.ByteTensor",     "torch.CharTensor",
    "torch.BoolTensor",      "torch.BFloat16Tensor", "torch.autograd.Variable",
    "torch.get_rng_state",   "torch.set_rng_state",  "torch.multiprocessing.spawn",
    "torch.manual_seed",     "torch.initial_seed",   "torch.is_inference_mode_enabled",
    "torch.set_num_threads", "torch.get_num_threads"};

/// A row is api,since,npu_name,A2,A3,950DT,limited; of the hardware any one is enough.
Support SupportIn(const std::vector<std::string_view>& row) {
  const bool works = std::find_if(row.begin() + 3, row.begin() + 6, [](std::string_view cell) {
                       return cell != "no";
                     }) != row.begin() + 6;
  if (!works) return Support::kUnsupported;
  return row[6] == "yes" ? Support::kLimited : Support::kSupported;
}

}  // namespace

ApiSupport::ApiSupport() {
  constexpr size_t kCells = 7;
  constexpr std::string_view kTensor = "torch.Tensor.";
  for (std::string_view line : Split(ApiSupportTable(), '\n')) {
    const std::vector<std::string_view> row = Split(line, ',');
    if (row.size() != kCells || row[0] == "api") continue;
    const std::string_view api = row[0];
    apis_.emplace(api, SupportIn(row));
    for (size_t dot = api.rfind('.'); dot != std::string_view::npos;
         dot = api.rfind('.', dot - 1)) {
      if (!modules_.insert(api.substr(0, dot)).second) break;
    }
    const std::string_view name = api.substr(api.rfind('.') + 1);
    if (api.starts_with(kTensor) && SupportIn(row) == Support::kUnsupported &&
        name.find('_') != std::string_view::npos) {
      methods_.insert(name);
    }
  }
}

std::optional<Support> ApiSupport::GradeOf(std::string_view name) const {
  for (std::string_view part = name; !part.empty();) {
    if (const auto found = apis_.find(part); found != apis_.end()) return found->second;
    const size_t dot = part.rfind('.');
    part = part.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return std::nullopt;
}

Support ApiSupport::Of(std::string_view name) const {
  if (const auto grade = GradeOf(name)) return *grade;
  if (std::find(kWithoutDevice.begin(), kWithoutDevice.end(), name) != kWithoutDevice.end()) {
    return Support::kSupported;
  }
  // `torch.nn.modules.batchnorm.BatchNorm2d` is torch.nn.BatchNorm2d.
  const size_t last = name.rfind('.');
  for (size_t dot = name.rfind('.', last - 1);
       last != std::string_view::npos && dot != std::string_view::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const std::string shorter = std::string(name.substr(0, dot)) + std::string(name.substr(last));
    if (const auto found = apis_.find(shorter); found != apis_.end()) return found->second;
  }
  return Support::kUnknown;
}

}  // namespace transplt
