// SPDX-License-Identifier: Apache-2.0
// rules/torch_npu_names.json holds the names of torch_npu by the version of PyTorch that it is
// for: those of the newest release for each (branch v2.12.0-26.1.0), which is what a run assumes,
// and those of the newest state of the sources (2.13). The heads of the branches have names that
// no release has. The versions between 2.1 and 2.5 are not listed. Under "torch.npu.mstx" stand
// the members of the class of that name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "transplt/engine/version_range.h"

namespace transplt {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kRules = fs::path(TRANSPLT_SOURCE_DIR) / "rules";

Json Read(const fs::path& path) {
  std::ifstream stream(path);
  return Json::parse(stream);
}

/// The newest release of torch_npu for `version` of torch: that of 2.13, which has none yet, is the
/// newest of all, as for a run.
Version ReleaseFor(const std::string& version) {
  const Json table = Read(kRules / "torch_npu_releases.json");
  for (const Json& row : table["releases"]) {
    for (const auto& [torch, package] : row["packages"].items()) {
      if (torch.starts_with(version + ".")) return *ParseRelease(row["release"].get<std::string>());
    }
  }
  return *ParseRelease(table["releases"].front()["release"].get<std::string>());
}

/// The versions, among those of `table` that are in `range` and whose newest release is in
/// `releases`, whose torch_npu lacks `name`.
std::vector<std::string> VersionsWithout(const Json& table, const std::string& name,
                                         const VersionRange& range,
                                         const VersionRange& releases = {}) {
  const size_t dot = name.rfind('.');
  const std::string module = name.substr(0, dot);
  const std::string leaf = name.substr(dot + 1);
  std::vector<std::string> versions;
  for (const auto& [version, modules] : table.items()) {
    if (!range.Contains(*ParseVersion(version))) continue;
    if (!releases.Contains(ReleaseFor(version))) continue;
    const auto found = modules.find(module);
    const bool known =
        found != modules.end() && std::find(found->begin(), found->end(), leaf) != found->end();
    if (!known) versions.push_back(version);
  }
  return versions;
}

struct Produced {
  std::string rule_id;
  std::string name;
  VersionRange range;
  VersionRange releases;
};

/// Every name that a built-in rule may write.
std::vector<Produced> ProducedNames() {
  std::vector<Produced> names;
  for (const auto& entry : fs::directory_iterator(kRules)) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("pytorch") || entry.path().extension() != ".json") continue;
    const Json text = Read(entry.path());
    if (text.value("target", "npu") != "npu") continue;  // those names are PyTorch's own
    const Json& rules = text["rules"];
    for (const auto& [kind, list] : rules.items()) {
      if (kind != "ApiRenameRule" && kind != "MethodRenameRule") continue;
      for (const Json& rule : list) {
        if (rule.value("report_only", false)) continue;  // writes nothing
        std::string name = rule["new_name"];
        // The table is about torch_npu and what of torch goes with it.
        const bool is_listed =
            name.starts_with("torch") && !name.starts_with("torch.nn.") &&
            !name.starts_with("torch.optim.") && !name.starts_with("torch.hub.") &&
            !name.starts_with("torch.onnx.") && !name.starts_with("torchvision.");
        if (kind == "ApiRenameRule" && !is_listed) continue;
        const bool is_of_library = kind == "MethodRenameRule" && rule.contains("libraries");
        if (is_of_library) continue;  // no method of a tensor
        // A method of a tensor; modules have all of them but properties.
        if (kind == "MethodRenameRule") name = "torch.Tensor." + name;
        VersionRange range;
        if (rule.contains("torch")) range = *VersionRange::Parse(rule["torch"].get<std::string>());
        VersionRange releases;
        if (rule.contains("torch_npu")) {
          releases = *VersionRange::ParseReleases(rule["torch_npu"].get<std::string>());
        }
        names.push_back({rule["id"], name, range, releases});
      }
    }
  }
  return names;
}

TEST(TorchNpuNames, ExistInEveryVersionInWhichARuleWritesThem) {
  const Json table = Read(kRules / "torch_npu_names.json");
  const std::vector<Produced> names = ProducedNames();
  ASSERT_GT(names.size(), 150U);
  for (const Produced& produced : names) {
    const std::vector<std::string> without =
        VersionsWithout(table, produced.name, produced.range, produced.releases);
    EXPECT_TRUE(without.empty()) << produced.rule_id << ": " << produced.name
                                 << " does not exist with PyTorch " << without.front();
  }
}

// What a project pins is answered by one rule, what a run assumes by the table of releases.
TEST(TorchNpuReleases, AreForTheVersionsThatTheRuleAboutThePackageNames) {
  std::set<std::string> released;
  const Json table = Read(kRules / "torch_npu_releases.json");
  const Json third_party = Read(kRules / "third_party.json");
  for (const Json& row : table["releases"]) {
    for (const auto& [torch, package] : row["packages"].items()) released.insert(torch);
  }
  for (const Json& rule : third_party["rules"]["DependencyReportRule"]) {
    if (rule["id"] != "package.torch") continue;
    const std::vector<std::string> versions = rule["versions"];
    EXPECT_EQ(std::set<std::string>(versions.begin(), versions.end()), released);
    return;
  }
  FAIL() << "there is no rule package.torch";
}

TEST(TorchNpuNames, AreMissedWhereTorchNpuDoesNotHaveThem) {
  const Json table = Read(kRules / "torch_npu_names.json");
  EXPECT_FALSE(VersionsWithout(table, "torch.npu.nccl", {}).empty());
  EXPECT_FALSE(VersionsWithout(table, "torch.backends.npu", {}).empty());
  // No release has these, though the heads of branches do.
  for (const char* name : {"torch.npu._sleep", "torch.npu.ExternalStream"}) {
    EXPECT_EQ(VersionsWithout(table, name, {}).size(), table.size() - 1) << name;
  }
}

TEST(TorchNpuNames, AreListedForVersionsThatTheRangesOfRulesDivide) {
  const Json table = Read(kRules / "torch_npu_names.json");
  for (const Produced& produced : ProducedNames()) {
    bool covered = false;
    for (const auto& [version, modules] : table.items()) {
      covered = covered || produced.range.Contains(*ParseVersion(version));
    }
    EXPECT_TRUE(covered) << produced.rule_id << " runs with no version of the table";
  }
}

// `torch.get_device_module().x` is right only where the modules of CUDA and of the NPU have x.
TEST(TorchNpuNames, AreInTheModuleOfTheDeviceWhereARuleAsksItForThem) {
  const Json table = Read(kRules / "torch_npu_names.json");
  const VersionRange accelerator = *VersionRange::Parse(">=2.6");
  size_t checked = 0;
  const Json rules = Read(kRules / "pytorch_agnostic_device_module.json")["rules"]["ApiRenameRule"];
  for (const Json& rule : rules) {
    const VersionRange range = *VersionRange::Parse(rule.value("torch", ">=2.6"));
    const std::string name = rule["new_name"];
    for (const auto& [version, modules] : table.items()) {
      const Version number = *ParseVersion(version);
      if (!accelerator.Contains(number) || !range.Contains(number)) continue;
      const Json& members = modules["torch.npu"];
      EXPECT_NE(std::find(members.begin(), members.end(), name.substr(name.rfind('.') + 1)),
                members.end())
          << name << " with PyTorch " << version;
      ++checked;
    }
  }
  EXPECT_GT(checked, 100U);
}

}  // namespace
}  // namespace transplt
