// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/api_support.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "transplt/base/json_text.h"
#include "transplt/base/text_parts.h"
#include "transplt/base/word_list.h"

namespace transplt {

std::string_view ApiSupportTable();  // generated
std::string_view ApiInsteadTable();  // generated

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

/// "Shard" of "a.b.Shard", "DeviceMesh.from_group" of "a.DeviceMesh.from_group".
std::string_view EndingOf(std::string_view name) {
  const size_t last = name.rfind('.');
  if (last == std::string_view::npos) return name;
  const size_t dot = name.rfind('.', last - 1);
  const size_t start = dot == std::string_view::npos ? 0 : dot + 1;
  return name.substr(IsUpper(name[start]) ? start : last + 1);
}

/// A row is api,since,npu_name,A2,A3,950DT,limited; of the hardware any one is enough.
Support SupportIn(const std::vector<std::string_view>& row) {
  const bool works = std::find_if(row.begin() + 3, row.begin() + 6, [](std::string_view cell) {
                       return cell != "no";
                     }) != row.begin() + 6;
  if (!works) return Support::kUnsupported;
  return row[6] == "yes" ? Support::kLimited : Support::kSupported;
}

}  // namespace

Text Name(Support support) {
  switch (support) {
    case Support::kSupported:
      return Say("supported", "支持");
    case Support::kLimited:
      return Say("limited", "有限制");
    case Support::kUnsupported:
      return Say("unsupported", "不支持");
    case Support::kRenamed:
      return Say("renamed by a migration", "迁移时改名");
    case Support::kUnknown:
      break;
  }
  return Say("unknown", "未知");
}

ApiSupport::ApiSupport() {
  constexpr size_t kCells = 7;
  WordSets unsupported;
  for (std::string_view line : Split(ApiSupportTable(), '\n')) {
    const std::vector<std::string_view> row = Split(line, ',');
    if (row.size() != kCells || row[0] == "api") continue;
    const std::string_view api = row[0];
    const Support support = SupportIn(row);
    apis_.emplace(api, support);
    by_ending_.emplace(EndingOf(api), api);
    for (size_t dot = api.rfind('.'); dot != std::string_view::npos;
         dot = api.rfind('.', dot - 1)) {
      if (!modules_.insert(api.substr(0, dot)).second) break;
    }
    const std::string_view name = api.substr(api.rfind('.') + 1);
    const bool is_method = api.starts_with("torch.Tensor.") || api.starts_with("torch.nn.Module.");
    if (support == Support::kUnsupported) unsupported.push_back({"torch", std::string(name)});
    if (is_method && support == Support::kUnsupported && HasPart(name, '_')) {
      methods_.emplace(name, api);
    }
  }
  unsupported_words_.emplace(std::vector<WordSets>{std::move(unsupported)});
  const auto instead = ParseJson(ApiInsteadTable());
  for (const auto& [api, texts] : instead.items()) {
    instead_[api] = {texts.value("instead", ""), texts.value("instead_zh", "")};
    if (texts.value("may_be_nothing", false)) may_be_supported_.insert(api);
  }
}

std::optional<Support> ApiSupport::Exactly(std::string_view name) const {
  const auto found = apis_.find(name);
  return found == apis_.end() ? std::nullopt : std::optional(found->second);
}

std::string_view ApiSupport::Documented(std::string_view name) const {
  const auto found = apis_.find(name);
  return found == apis_.end() ? std::string_view() : found->first;
}

std::string_view ApiSupport::OtherName(std::string_view name) const {
  constexpr std::string_view kTorch = "torch.";
  constexpr std::string_view kFunctional = "torch.nn.functional.";
  const bool is_functional = name.starts_with(kFunctional);
  const std::string rest(name.substr(is_functional ? kFunctional.size() : kTorch.size()));
  if (!HasPart(rest, '.')) {
    for (std::string_view place :
         {kTorch, kFunctional, std::string_view("torch.Tensor."),
          std::string_view("torch.autograd.grad_mode."), std::string_view("torch.special.")}) {
      const std::string_view found = Documented(std::string(place) + rest);
      if (!found.empty()) return found;
    }
  }
  // `torch.nn.modules.batchnorm.BatchNorm2d` is torch.nn.BatchNorm2d.
  const size_t last = name.rfind('.');
  for (size_t dot = name.rfind('.', last - 1); dot != std::string_view::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const std::string shorter = std::string(name.substr(0, dot)) + std::string(name.substr(last));
    const std::string_view found = Documented(shorter);
    if (!found.empty()) return found;
  }
  return {};
}

std::string_view ApiSupport::DeeperName(std::string_view name) const {
  const std::string_view ending = EndingOf(name);
  const std::string_view module = name.substr(0, name.size() - ending.size());
  if (module.size() <= std::string_view("torch.").size()) return {};
  std::string_view deeper;
  const auto [begin, end] = by_ending_.equal_range(ending);
  for (auto found = begin; found != end; ++found) {
    if (!found->second.starts_with(module)) continue;
    if (!deeper.empty() && apis_.at(deeper) != apis_.at(found->second)) return {};
    deeper = found->second;
  }
  return deeper;
}

ApiSupport::Grade ApiSupport::Of(std::string_view name) const {
  if (!name.starts_with("torch.")) return {Support::kUnknown, std::string(name)};
  for (std::string_view part = name; part.size() > std::string_view("torch").size();
       part = part.substr(0, part.rfind('.'))) {
    const auto grade = Exactly(part);
    if (!grade) continue;
    // Of what holds other modules the documentation says no more than that its parts have limits.
    const bool is_shell =
        *grade == Support::kLimited && Words("apis-without-device").HasPackageOf(name);
    return {is_shell ? Support::kSupported : *grade, std::string(name)};
  }
  for (std::string_view documented : {OtherName(name), DeeperName(name)}) {
    if (!documented.empty() && !Words("apis-without-device").HasPackageOf(name)) {
      return {apis_.at(documented), std::string(documented)};
    }
  }
  const bool is_known = Words("apis-without-device").HasPackageOf(name) ||
                        Words("modules-of-other-devices").HasPackageOf(name);
  return {is_known ? Support::kSupported : Support::kUnknown, std::string(name)};
}

const std::string* ApiSupport::UnsupportedMethod(std::string_view name) const {
  const auto found = methods_.find(name);
  return found == methods_.end() ? nullptr : &found->second;
}

bool ApiSupport::MayUseUnsupported(std::string_view bytes) const {
  return unsupported_words_->Scan(bytes, {}).any_rule();
}

Text ApiSupport::Instead(std::string_view api) const {
  for (;;) {
    if (const auto found = instead_.find(api); found != instead_.end()) return found->second;
    const size_t dot = api.rfind('.');
    if (dot == std::string_view::npos) return {};
    api = api.substr(0, dot);
  }
}

}  // namespace transplt
