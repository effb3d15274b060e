// SPDX-License-Identifier: Apache-2.0
#include "transplt/migrate/torch_platform.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "transplt/base/one_of.h"
#include "transplt/base/requirement.h"

namespace transplt {
namespace {

/// How far pins bind a project: of one that has no list of packages, the commands of its documents
/// and scripts say what it needs.
Pin::Scope WidestScope(const std::vector<Pin>& all) {
  const bool has_list =
      std::ranges::any_of(all, [](const Pin& pin) { return pin.scope != Pin::Scope::kInCommand; });
  return has_list ? Pin::Scope::kExtra : Pin::Scope::kInCommand;
}

bool IsExact(const Pin& pin) { return pin.versions.starts_with("=="); }

/// What files for NPUs pin of `package`.
std::vector<Pin> PinsForNpu(const std::vector<Pin>& all, std::string_view package) {
  std::vector<Pin> pins;
  std::ranges::copy_if(all, std::back_inserter(pins), [&](const Pin& pin) {
    return pin.for_npu && NamesPackage(package, pin.package) && pin.specifier && IsExact(pin);
  });
  return pins;
}

/// What the project says of NPUs: a release of torch_npu bears the number of its torch, and says
/// better than any other what NPUs run, in a command of a document or an image as well; then the
/// torch of files for NPUs. Of several that were written one after the other the newest counts.
std::vector<Pin> NpuPins(const std::vector<Pin>& all) {
  std::vector<Pin> pins = BindingPins(all, "torch-npu", Pin::Scope::kElsewhere);
  std::erase_if(pins, [](const Pin& pin) { return !pin.specifier; });
  if (!pins.empty()) return pins;
  std::ranges::copy_if(all, std::back_inserter(pins), [](const Pin& pin) {
    return NamesPackage("torch-npu", pin.package) && pin.specifier && IsExact(pin);
  });
  if (pins.empty()) pins = PinsForNpu(all, "torch");
  Version newest = {};
  for (const Pin& pin : pins) newest = std::max(newest, pin.specifier->first());
  const std::vector<Pin> all_pins = pins;
  std::erase_if(pins, [&](const Pin& pin) {
    // ==2.10.0.post4 says more than ==2.10.0.
    const auto says_more = [&](const Pin& other) {
      return other.versions.starts_with(pin.versions + ".post");
    };
    return pin.specifier->first() < newest || std::ranges::any_of(all_pins, says_more);
  });
  return pins;
}

/// True for 2.1.0 and 2.1.2.
bool IsSameRelease(const Version& one, const Version& other) {
  return one[0] == other[0] && one[1] == other[1];
}

/// The torch that all commands at the root of the project install, in its documents and images,
/// where none of them installs another, and a torch_npu serves it: it goes with what else the
/// project asks for.
std::vector<Pin> PinsOfCommands(const std::vector<Pin>& all, const TorchNpuReleases& releases) {
  std::vector<Pin> pins;
  for (const Pin& pin : all) {
    const bool is_torch =
        NamesPackage("torch", pin.package) || NamesPackage("pytorch", pin.package);
    if (!is_torch || pin.scope != Pin::Scope::kInCommand || !pin.specifier) continue;
    if (pin.file.find('/') == std::string::npos) pins.push_back(pin);
  }
  const bool is_one = std::ranges::all_of(pins, [&](const Pin& pin) {
    return IsExact(pin) && IsSameRelease(pin.specifier->first(), pins.front().specifier->first());
  });
  if (!is_one) return {};
  const TorchPlatform platform = releases.Newest(
      [&](const Version& version) {
        return std::ranges::any_of(pins,
                                   [&](const Pin& pin) { return pin.specifier->Admits(version); });
      },
      "");
  return platform.torch.empty() ? std::vector<Pin>() : pins;
}

/// The versions of torch that the project asks for, as far as they can be read.
std::vector<Pin> TorchPins(const std::vector<Pin>& all) {
  std::vector<Pin> pins = NpuPins(all);
  if (!pins.empty()) return pins;
  const Pin::Scope widest = WidestScope(all);
  pins = BindingPins(all, "torch", widest);
  for (Pin& pin : BindingPins(all, "pytorch", widest)) pins.push_back(std::move(pin));
  std::erase_if(pins, [](const Pin& pin) { return !pin.specifier; });
  return pins;
}

/// The pair that `torch-npu==2.10.0.post2` names; several that differ name none.
std::optional<TorchPlatform> PinnedPackage(const std::vector<Pin>& pins,
                                           const TorchNpuReleases& releases) {
  constexpr std::string_view kEqual = "==";
  std::optional<TorchPlatform> named;
  for (const Pin& pin : pins) {
    if (!NamesPackage("torch-npu", pin.package) || !pin.versions.starts_with(kEqual)) continue;
    std::optional<TorchPlatform> one = releases.OfPackage(pin.versions.substr(kEqual.size()));
    if (named && (!one || one->package != named->package)) return std::nullopt;
    named = std::move(one);
  }
  return named;
}

/// Pins of what is built for one torch each: `torchaudio<2.1` admits no torch from 2.1 on.
std::vector<Pin> CompanionPins(const std::vector<Pin>& all, const TorchNpuReleases& releases,
                               Pin::Scope widest) {
  std::vector<Pin> pins;
  if (!NpuPins(all).empty()) return pins;
  for (const std::string& package : releases.CompanionNames()) {
    std::vector<Pin> binding = PinsForNpu(all, package);
    if (binding.empty()) binding = BindingPins(all, package, widest);
    for (Pin& pin : binding) {
      // A range in a file that is not for the whole project says too little.
      const bool counts = pin.scope != Pin::Scope::kElsewhere || IsExact(pin);
      if (pin.specifier && counts) pins.push_back(std::move(pin));
    }
  }
  return pins;
}

bool AdmitsTorch(const Pin& pin, const Version& torch, const TorchNpuReleases& releases) {
  return releases.AdmitsCompanion(pin.package, *pin.specifier, torch);
}

/// The oldest version that all `pins` admit, as far as they name it; else all zero.
Version OldestOf(const std::vector<Pin>& pins) {
  Version oldest = {};
  for (const Pin& pin : pins) {
    const Version& first = pin.specifier->first();
    if (pin.specifier->Admits(first) && !pin.specifier->Admits({})) {
      oldest = std::max(oldest, first);
    }
  }
  return oldest;
}

Text Described(const std::vector<Pin>& pins) {
  std::vector<std::string> texts;
  for (const Pin& pin : pins) {
    std::string text = fmt::format("{} ({}{})", pin.file, pin.package, pin.versions);
    if (!IsOneOf(text, texts)) texts.push_back(std::move(text));
  }
  constexpr size_t kMost = 4;
  const size_t more = texts.size() <= kMost ? 0 : texts.size() - kMost;
  texts.resize(texts.size() - more);
  const std::string all = fmt::format("{}", fmt::join(texts, ", "));
  if (more == 0) return {all, all};
  return Say("{} and {} more", "{} 等另 {} 处", all, more);
}

constexpr std::string_view kTorchOption = "--torch-version";
constexpr std::string_view kReleaseOption = "--torch-npu";

Text Options(bool torch, bool torch_npu) {
  const std::string names =
      fmt::format("{}{}{}", torch ? kTorchOption : "", torch && torch_npu ? ", " : "",
                  torch_npu ? kReleaseOption : "");
  return {names, names};
}

/// What the options and the pins say.
Result<AssumedPlatform> Choose(const std::vector<Pin>& project, const std::string& torch,
                               const std::string& torch_npu) {
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
  if (!releases) return releases.error();
  Result<TorchPlatform> platform = releases->Choose(torch, torch_npu);
  if (!platform) return platform.error();
  std::vector<Pin> pins = TorchPins(project);
  if (pins.empty()) pins = PinsOfCommands(project, *releases);
  const bool asks_for_torch = !pins.empty();
  Version oldest = OldestOf(pins);
  if (!torch.empty()) {
    return AssumedPlatform{*std::move(platform), Options(true, !torch_npu.empty()), oldest};
  }
  const Text fallback =
      torch_npu.empty()
          ? Say("the default (the newest pair; {} and {} choose another)",
                "默认值（最新组合；可用 {} 与 {} 指定其他版本）", kTorchOption, kReleaseOption)
          : Options(false, true);
  const auto admits = [&](const Version& version) {
    return std::ranges::all_of(pins,
                               [&](const Pin& pin) { return pin.specifier->Admits(version); });
  };
  TorchPlatform pinned = releases->Newest(admits, torch_npu);
  // Where nothing asks for torch, what is built for one torch says most about it.
  const std::vector<Pin> companions =
      CompanionPins(project, *releases,
                    asks_for_torch ? WidestScope(project)
                                   : std::max(WidestScope(project), Pin::Scope::kElsewhere));
  const TorchPlatform narrowed = releases->Newest(
      [&](const Version& version) {
        return admits(version) && std::ranges::all_of(companions, [&](const Pin& pin) {
                 return AdmitsTorch(pin, version, *releases);
               });
      },
      torch_npu);
  if (!narrowed.torch.empty() && narrowed.torch != pinned.torch) {
    pinned = narrowed;
    std::ranges::copy_if(companions, std::back_inserter(pins), [&](const Pin& pin) {
      return !AdmitsTorch(pin, *ParseVersion(releases->newest_torch()), *releases);
    });
    // The project is written for the torch that its companions are built for.
    if (!asks_for_torch && std::ranges::any_of(pins, IsExact)) oldest = *ParseVersion(pinned.torch);
  }
  if (torch_npu.empty()) {
    if (auto exact = PinnedPackage(pins, *releases)) pinned = *std::move(exact);
  }
  if (pins.empty()) return AssumedPlatform{*std::move(platform), fallback, oldest};
  const Text named = Described(pins);
  if (!pinned.torch.empty()) {
    Text chosen_by = named;
    if (!torch_npu.empty())
      chosen_by = {fallback.en + ", " + named.en, fallback.zh + ", " + named.zh};
    return AssumedPlatform{pinned, std::move(chosen_by), oldest};
  }
  // Another patch of the same release has the same interfaces.
  const TorchPlatform sibling = releases->Newest(
      [&](const Version& version) {
        return std::ranges::all_of(pins, [&](const Pin& pin) {
          return IsExact(pin) ? IsSameRelease(pin.specifier->first(), version)
                              : pin.specifier->Admits(version);
        });
      },
      torch_npu);
  if (!sibling.torch.empty()) {
    return AssumedPlatform{sibling,
                           Say("the nearest to {0}, which no torch_npu{2} serves",
                               "最接近 {1} 的版本（没有 torch_npu{2} 适用于后者）", named.en,
                               named.zh, torch_npu.empty() ? "" : " " + torch_npu),
                           oldest};
  }
  return AssumedPlatform{
      *std::move(platform),
      Say("{0}, because no torch_npu{4} serves {2}", "{1}，因为没有 torch_npu{4} 适用于 {3}",
          fallback.en, fallback.zh, named.en, named.zh, torch_npu.empty() ? "" : " " + torch_npu),
      oldest};
}

}  // namespace

Result<AssumedPlatform> AssumePlatform(const std::vector<Pin>& project, const Policy& policy,
                                       const std::string& torch, const std::string& torch_npu) {
  const bool has_options = !torch.empty() || !torch_npu.empty();
  const bool is_ruled = !has_options && !(policy.torch.empty() && policy.torch_npu.empty());
  Result<AssumedPlatform> versions = is_ruled ? Choose(project, policy.torch, policy.torch_npu)
                                              : Choose(project, torch, torch_npu);
  if (versions) versions->is_ordered = has_options || is_ruled;
  if (!is_ruled) return versions;
  if (!versions) {
    return Error{Error::Code::kUsage, std::string(kPolicyFile), versions.error().what};
  }
  versions->chosen_by = Say("{}", "{}", kPolicyFile);
  return versions;
}

}  // namespace transplt
