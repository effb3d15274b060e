// SPDX-License-Identifier: Apache-2.0
#include "transplt/engine/torch_npu_releases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>

#include "transplt/base/json_document.h"
#include "transplt/base/json_object_reader.h"

namespace transplt {

std::string_view TorchNpuReleasesText();  // generated from rules/torch_npu_releases.json

namespace {

/// The versions that "2.1" (each 2.1.x), "2.1.0+cu118" or "" (each version) stands for.
struct WantedTorch {
  Version version{};
  std::ptrdiff_t parts = 0;  ///< how many numbers count

  static Result<WantedTorch> Parse(std::string_view text) {
    if (text.empty()) return WantedTorch{};
    const Result<Version> version = ParseVersion(text);
    if (!version) return Error{Error::Code::kUsage, {}, version.error().what};
    const std::string_view numbers = text.substr(0, text.find_first_not_of("0123456789."));
    const auto dots = std::ranges::count(numbers, '.');
    return WantedTorch{*version, std::min<std::ptrdiff_t>(dots + 1, 3)};
  }

  bool Admits(const Version& other) const {
    return std::equal(version.begin(), version.begin() + parts, other.begin());
  }
};

template <typename Strings>
std::string Listed(const Strings& strings) {
  return fmt::format("{}", fmt::join(strings, ", "));
}

Error RefuseOption(std::string_view option, Text what) {
  return {Error::Code::kUsage, std::string(option), std::move(what)};
}

constexpr std::string_view kTorchOption = "--torch-version";
constexpr std::string_view kReleaseOption = "--torch-npu";

}  // namespace

class TorchNpuReleases::RowReader : private JsonObjectReader {
 public:
  RowReader(const JsonDocument& document, const JsonValue& object)
      : JsonObjectReader(document, object) {}

  Result<Row> Read() {
    Row row{String("release"), String("cann"), {}};
    if (const Result<Version> release = ParseRelease(row.release); !error() && !release) {
      Fail(object(), release.error().what);
    }
    if (const JsonValue* packages = Member("packages", JsonValue::Type::kObject, true)) {
      for (const JsonValue* package : packages->children()) ReadPackage(*package, row);
      if (row.packages.empty()) Fail(*packages, Say("packages is empty", "packages 为空"));
    }
    RefuseUnknown();
    if (error()) return *error();
    return row;
  }

 private:
  void ReadPackage(const JsonValue& package, Row& row) {
    const Result<Version> torch = ParseVersion(package.key());
    if (!torch) return Fail(package, torch.error().what);
    if (package.type() != JsonValue::Type::kString || package.string().empty()) {
      return Fail(package, Say("must be the version of a package", "必须是软件包的版本号"));
    }
    if (!row.packages.empty() && *ParseVersion(row.packages.back().first) <= *torch) {
      return Fail(package, Say("the versions of torch must fall", "torch 版本须从新到旧排列"));
    }
    row.packages.emplace_back(package.key(), package.string());
  }
};

Result<TorchNpuReleases> TorchNpuReleases::Parse(std::string name, std::string_view text) {
  const Result<JsonDocument> document = JsonDocument::Parse(std::move(name), text);
  if (!document) return document.error();
  const JsonValue& root = document->root();
  const JsonValue* list = root.type() == JsonValue::Type::kObject ? root.Find("releases") : nullptr;
  if (list == nullptr || list->type() != JsonValue::Type::kList || list->children().empty()) {
    return Error{Error::Code::kBadInput, document->Where(root),
                 Say("\"releases\" must be a list of releases", "\"releases\" 必须是发布版本列表")};
  }
  TorchNpuReleases releases;
  for (const JsonValue* object : list->children()) {
    Result<Row> row = RowReader(*document, *object).Read();
    if (!row) return row.error();
    if (!releases.rows_.empty() &&
        *ParseRelease(releases.rows_.back().release) <= *ParseRelease(row->release)) {
      return Error{Error::Code::kBadInput, document->Where(*object),
                   Say("the releases must fall", "发布版本须从新到旧排列")};
    }
    releases.rows_.push_back(*std::move(row));
  }
  const JsonValue* beside = root.Find("beside");
  const std::vector<const JsonValue*> none;
  for (const JsonValue* requirement : beside == nullptr ? none : beside->children()) {
    const bool is_text = requirement->type() == JsonValue::Type::kString;
    const auto torch = VersionSpecifier::Parse(is_text ? requirement->string() : std::string());
    if (!torch) {
      return Error{Error::Code::kBadInput, document->Where(*requirement),
                   Say("must be versions of torch, such as \"<2.3\"",
                       "必须是 torch 的版本范围，如 \"<2.3\"")};
    }
    releases.beside_.emplace_back(requirement->key(), *torch);
  }
  const std::pair<std::string_view, TextByTorch*> lists[] = {
      {"pythons", &releases.pythons_},
      {"support_ended", &releases.support_ended_},
      {"published", &releases.published_}};
  for (const auto& [key, texts] : lists) {
    if (auto error = ReadTexts(*document, key, *texts)) return *error;
  }
  if (auto error = ReadTensorflow(*document, releases.tensorflow_)) return *error;
  const JsonValue* companions = root.Find("companions");
  if (companions == nullptr) return releases;
  for (const JsonValue* package : companions->children()) {
    for (const JsonValue* pair : package->children()) {
      const bool is_text = pair->type() == JsonValue::Type::kString;
      const Result<Version> torch = ParseVersion(pair->key());
      const Result<Version> version = ParseVersion(is_text ? pair->string() : std::string());
      if (!torch || !version) {
        return Error{
            Error::Code::kBadInput, document->Where(*pair),
            Say("must be a version for a version of torch", "必须是 torch 版本对应的版本号")};
      }
      releases.companions_[package->key()][{(*torch)[0], (*torch)[1]}] = *version;
    }
  }
  return releases;
}

std::optional<Error> TorchNpuReleases::ReadTexts(const JsonDocument& document, std::string_view key,
                                                 TextByTorch& texts) {
  const JsonValue* list = document.root().Find(key);
  if (list == nullptr) return std::nullopt;
  for (const JsonValue* pair : list->children()) {
    const Result<Version> torch = ParseVersion(pair->key());
    if (!torch || pair->type() != JsonValue::Type::kString) {
      return Error{Error::Code::kBadInput, document.Where(*pair),
                   Say("must be a text for a version of torch", "必须是 torch 版本对应的文本")};
    }
    texts[{(*torch)[0], (*torch)[1]}] = pair->string();
  }
  return std::nullopt;
}

std::optional<Error> TorchNpuReleases::ReadTensorflow(
    const JsonDocument& document, std::map<std::string, TensorflowPlatform, std::less<>>& all) {
  const JsonValue* list = document.root().Find("tensorflow");
  if (list == nullptr) return std::nullopt;
  for (const JsonValue* kind : list->children()) {
    TensorflowPlatform& platform = all[kind->key()];
    const std::pair<std::string_view, std::string*> fields[] = {{"version", &platform.version},
                                                                {"pythons", &platform.pythons},
                                                                {"adapter", &platform.adapter}};
    for (const auto& [key, text] : fields) {
      const JsonValue* value = kind->type() == JsonValue::Type::kObject ? kind->Find(key) : nullptr;
      if (value == nullptr || value->type() != JsonValue::Type::kString) {
        return Error{Error::Code::kBadInput, document.Where(*kind),
                     Say("must have the texts version, pythons and adapter",
                         "必须包含文本 version、pythons 与 adapter")};
      }
      *text = value->string();
    }
  }
  return std::nullopt;
}

std::optional<TensorflowPlatform> TorchNpuReleases::TensorflowFor(TensorflowMode mode) const {
  if (mode == TensorflowMode::kUnknown) return std::nullopt;
  const auto found = tensorflow_.find(mode == TensorflowMode::kSessions ? "sessions" : "eager");
  if (found == tensorflow_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> TorchNpuReleases::CompanionNames() const {
  std::vector<std::string> names;
  for (const auto& [name, versions] : companions_) names.push_back(name);
  return names;
}

std::optional<Version> TorchNpuReleases::CompanionOf(const std::string& package,
                                                     const Version& torch) const {
  const auto versions = companions_.find(package);
  if (versions == companions_.end()) return std::nullopt;
  const auto found = versions->second.find({torch[0], torch[1]});
  if (found == versions->second.end()) return std::nullopt;
  return found->second;
}

bool TorchNpuReleases::AdmitsCompanion(const std::string& package,
                                       const VersionSpecifier& specifier,
                                       const Version& torch) const {
  constexpr uint32_t kMostPatches = 5;
  std::optional<Version> version = CompanionOf(package, torch);
  if (!version) return true;
  for (uint32_t patch = 0; patch < kMostPatches; ++patch) {
    (*version)[2] = patch;
    if (specifier.Admits(*version)) return true;
  }
  return false;
}

Result<TorchNpuReleases> TorchNpuReleases::Load() {
  return Parse("rules/torch_npu_releases.json", TorchNpuReleasesText());
}

TorchPlatform TorchNpuReleases::PlatformOf(const Row& row,
                                           const std::pair<std::string, std::string>& pair) const {
  TorchPlatform platform{pair.first, row.release, row.cann, pair.second};
  for (const auto& [requirement, torch] : beside_) {
    if (torch.Admits(*ParseVersion(pair.first))) platform.beside.push_back(requirement);
  }
  if (const auto built = CompanionOf("torchvision", *ParseVersion(pair.first))) {
    platform.torchvision = fmt::format("{}.{}.{}", (*built)[0], (*built)[1], (*built)[2]);
  }
  const Version torch = *ParseVersion(pair.first);
  const auto of_torch = [&](const TextByTorch& texts) {
    const auto found = texts.find({torch[0], torch[1]});
    return found == texts.end() ? std::string() : found->second;
  };
  platform.pythons = of_torch(pythons_);
  platform.support_ended = of_torch(support_ended_);
  platform.published = of_torch(published_);
  return platform;
}

const TorchNpuReleases::Row* TorchNpuReleases::FindRelease(const Version& release) const {
  const auto row = std::ranges::find_if(
      rows_, [&](const Row& known) { return *ParseRelease(known.release) == release; });
  return row == rows_.end() ? nullptr : &*row;
}

TorchPlatform TorchNpuReleases::Newest(const std::function<bool(const Version& torch)>& admits,
                                       std::string_view release) const {
  TorchPlatform newest;
  for (const Row& row : rows_) {
    if (!release.empty() && row.release != release) continue;
    for (const auto& pair : row.packages) {
      const Version torch = *ParseVersion(pair.first);
      if (!admits(torch)) continue;
      if (newest.torch.empty() || *ParseVersion(newest.torch) < torch) {
        newest = PlatformOf(row, pair);
      }
    }
  }
  return newest;
}

std::optional<TorchPlatform> TorchNpuReleases::OfPackage(std::string_view version) const {
  for (const Row& row : rows_) {
    for (const auto& pair : row.packages) {
      if (pair.second == version) return PlatformOf(row, pair);
    }
  }
  return std::nullopt;
}

Result<TorchPlatform> TorchNpuReleases::Choose(std::string_view torch,
                                               std::string_view release) const {
  const Result<WantedTorch> wanted = WantedTorch::Parse(torch);
  if (!wanted) return wanted.error();
  const auto admits = [&](const Version& version) { return wanted->Admits(version); };
  const Version newest_torch_known = *ParseVersion(newest_torch());
  const std::string numbers(torch.substr(0, torch.find('+')));
  if (release.empty()) {
    TorchPlatform newest = Newest(admits);
    if (!newest.torch.empty()) return newest;
    if (newest_torch_known < wanted->version) {
      return TorchPlatform{numbers, rows_.front().release, {}, {}};
    }
    return NoSuchTorch(numbers);
  }
  const Result<Version> asked = ParseRelease(release);
  if (!asked) return RefuseOption(kReleaseOption, asked.error().what);
  const Row* row = FindRelease(*asked);
  if (row == nullptr) {
    if (*asked < *ParseRelease(rows_.front().release)) return NoSuchRelease(release);
    return TorchPlatform{torch.empty() ? newest_torch() : numbers, std::string(release), {}, {}};
  }
  TorchPlatform pair = Newest(admits, row->release);
  if (pair.torch.empty() && newest_torch_known < wanted->version && row == &rows_.front()) {
    return TorchPlatform{numbers, row->release, {}, {}};
  }
  if (pair.torch.empty()) return NoSuchPair(numbers, *row);
  return pair;
}

Error TorchNpuReleases::NoSuchTorch(std::string_view torch) const {
  std::set<Version> versions;
  for (const Row& row : rows_) {
    for (const auto& pair : row.packages) versions.insert(*ParseVersion(pair.first));
  }
  std::vector<std::string> known;
  for (const Version& version : versions) {
    known.push_back(fmt::format("{}.{}.{}", version[0], version[1], version[2]));
  }
  return RefuseOption(kTorchOption, Say("there is no torch_npu for torch {}; there is one for {}",
                                        "没有适用于 torch {} 的 torch_npu；可用的 torch 版本有 {}",
                                        torch, Listed(known)));
}

Error TorchNpuReleases::NoSuchRelease(std::string_view release) const {
  std::vector<std::string_view> known;
  for (const Row& row : rows_) known.push_back(row.release);
  return RefuseOption(kReleaseOption,
                      Say("there is no release {} of torch_npu; there are {}",
                          "torch_npu 没有发布版本 {}；可用的有 {}", release, Listed(known)));
}

Error TorchNpuReleases::NoSuchPair(std::string_view torch, const Row& row) const {
  const Result<WantedTorch> wanted = WantedTorch::Parse(torch);
  std::vector<std::string_view> versions;
  for (const auto& pair : row.packages) versions.push_back(pair.first);
  std::vector<std::string_view> releases;
  for (const Row& other : rows_) {
    const bool has = std::ranges::any_of(other.packages, [&](const auto& pair) {
      return wanted->Admits(*ParseVersion(pair.first));
    });
    if (has) releases.push_back(other.release);
  }
  if (releases.empty()) return NoSuchTorch(torch);
  return RefuseOption(
      kReleaseOption,
      Say("torch_npu {0} does not exist for torch {1}; it exists for torch {2}, and for "
          "torch {1} there are the releases {3}",
          "torch_npu {0} 不支持 torch {1}；它支持 torch {2}，而 torch {1} 可用的发布版本有 {3}",
          row.release, torch, Listed(versions), Listed(releases)));
}

Result<TorchPlatform> ChoosePlatform(std::string_view torch, std::string_view release) {
  const Result<TorchNpuReleases> releases = TorchNpuReleases::Load();
  if (!releases) return releases.error();
  return releases->Choose(torch, release);
}

}  // namespace transplt
