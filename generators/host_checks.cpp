// SPDX-License-Identifier: Apache-2.0
#include "generators/host_checks.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "generators/generator_kind.h"

namespace transplt {
namespace {

namespace fs = std::filesystem;
using State = HostCheck::State;

Text Page(const char* en, const char* zh) {
  return {std::string("PyTorch migration guide: ") + en,
          std::string("PyTorch 网络模型移植&训练指南：") + zh};
}

Text Same(const std::string& text) { return {text, text}; }

std::optional<std::string> FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::vector<fs::path> EntriesOf(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_numbered = name.size() > prefix.size() && name.starts_with(prefix) &&
                             name[prefix.size()] >= '0' && name[prefix.size()] <= '9';
    if (is_numbered) entries.push_back(at->path());
  }
  return entries;
}

HostCheck Governor(const Host& host) {
  HostCheck check;
  check.what = {"CPU frequency", "CPU 频率模式"};
  check.recommended = Same("performance");
  check.source = Page("CPU performance mode", "将CPU设置为performance模式");
  check.remedy = Same("cpupower frequency-set -g performance");
  std::map<std::string, size_t> governors;
  for (const fs::path& cpu : EntriesOf(host.root + "/sys/devices/system/cpu", "cpu")) {
    const auto governor = FirstLine(cpu / "cpufreq/scaling_governor");
    if (governor) ++governors[*governor];
  }
  if (governors.empty()) {
    check.remedy = {"nothing in /sys/devices/system/cpu/cpu*/cpufreq (usual in virtual machines)",
                    "/sys/devices/system/cpu/cpu*/cpufreq 不可读（虚拟机中常见）"};
    return check;
  }
  for (const auto& [name, count] : governors) {
    const std::string one = fmt::format("{} ({} CPUs)", name, count);
    check.found.en += (check.found.en.empty() ? "" : ", ") + one;
  }
  check.found.zh = check.found.en;
  const bool is_good = governors.size() == 1 && governors.contains("performance");
  check.state = is_good ? State::kGood : State::kDiffers;
  return check;
}

HostCheck PowerPolicy() {
  HostCheck check;
  check.what = {"power policy of the BIOS", "BIOS 电源策略"};
  check.recommended = Same("Performance");
  check.source = Page("power policy", "设置电源策略为高性能模式");
  check.remedy = {"no program can read it: look in the BIOS through iBMC",
                  "程序无法读取：请通过 iBMC 在 BIOS 中查看"};
  return check;
}

HostCheck Memory(const Host& host) {
  HostCheck check;
  check.what = {"memory", "内存"};
  check.recommended = Same("750 GB");
  check.source = Page("hardware", "硬件支持");
  check.remedy = Same("/proc/meminfo");
  const std::string line = FirstLine(host.root + "/proc/meminfo").value_or("");
  const size_t start = line.find_first_of("0123456789");
  double kibibytes = 0;
  if (!line.starts_with("MemTotal:") || start == std::string::npos) return check;
  std::from_chars(line.data() + start, line.data() + line.size(), kibibytes);
  const double gigabytes = kibibytes * 1024 / 1e9;
  check.found = Same(fmt::format("{:.0f} GB", gigabytes));
  check.state = gigabytes >= 750 ? State::kGood : State::kDiffers;
  check.remedy = {"it is what the vendor's reference server has", "此为厂商推荐服务器的配置"};
  return check;
}

HostCheck Disk(const Host& host) {
  HostCheck check;
  check.what = {"NVMe disks", "NVMe 磁盘"};
  check.recommended = Same("3.2 TB");
  check.source = Page("hardware", "硬件支持");
  check.remedy = Same("/sys/block/nvme*/size");
  std::error_code error;
  if (!fs::is_directory(host.root + "/sys/block", error)) return check;
  double bytes = 0;
  for (const fs::path& disk : EntriesOf(host.root + "/sys/block", "nvme")) {
    const std::string sectors = FirstLine(disk / "size").value_or("");
    double count = 0;
    std::from_chars(sectors.data(), sectors.data() + sectors.size(), count);
    bytes += count * 512;  // the unit of that file, whatever the disk
  }
  check.found = bytes == 0 ? Text{"none", "无"} : Same(fmt::format("{:.1f} TB", bytes / 1e12));
  check.state = bytes >= 3.2e12 ? State::kGood : State::kDiffers;
  check.remedy = {"it is what the vendor's reference server has", "此为厂商推荐服务器的配置"};
  return check;
}

HostCheck Driver(const Host& host) {
  HostCheck check;
  check.what = {"driver and firmware", "驱动与固件"};
  check.recommended = {"versions that belong together", "版本相互匹配"};
  check.source = Page("driver and firmware", "检查driver和firmware版本是否匹配");
  check.remedy = {"compare them with the version table of CANN; npu-smi info shows them too",
                  "请对照 CANN 版本配套表；也可用 npu-smi info 查看"};
  std::string found;
  for (const char* part : {"driver", "firmware"}) {
    const std::string path = host.root + "/usr/local/Ascend/" + part + "/version.info";
    const auto line = FirstLine(path);
    if (!line) {
      check.remedy = {"no " + path, "没有 " + path};
      return check;
    }
    found += fmt::format("{}{} {}", found.empty() ? "" : ", ", part, *line);
  }
  check.found = Same(found);  // whether they match is in a table of the vendor's, not here
  return check;
}

HostCheck Pillow() {
  HostCheck check;
  check.what = {"Pillow, on x86", "Pillow（X86 服务器）"};
  check.recommended = Same("pillow-simd");
  check.source = Page("fast Pillow", "安装高性能pillow库");
  check.remedy = {"look with the Python of the training: python3 -m pip show pillow-simd",
                  "请用训练所用的 Python 查看：python3 -m pip show pillow-simd"};
  return check;
}

/// The variables that the vendor's guide sets for training.
void AddVariables(const Host& host, std::vector<HostCheck>& checks) {
  const Result<ConfigSchema> schema = ConfigSchema::Parse(FindGeneratorKind("env")->schema());
  if (!schema) return;
  for (const ConfigOption& option : schema->Options()) {
    if (option.default_value.empty()) continue;
    HostCheck check;
    check.what = Same(option.name);
    check.recommended = Same(option.default_value);
    check.source = Page("environment variables", "常用环境变量说明");
    check.remedy = option.what;
    const std::optional<std::string> value = host.variable(option.name);
    check.found = value ? Same(*value) : Text{"not set", "未设置"};
    check.state = value == option.default_value ? State::kGood : State::kDiffers;
    checks.push_back(std::move(check));
  }
}

HostCheck DumpFolder(const std::string& path) {
  HostCheck check;
  check.what = {"folder for dumps", "dump 目录"};
  check.recommended = {"exists, readable and writable", "已存在且可读写"};
  check.source = {"TensorFlow dump guide: dump_path", "TensorFlow Dump 数据采集：dump_path"};
  check.state = State::kDiffers;
  std::error_code error;
  struct statvfs space {};
  if (!fs::is_directory(path, error)) {
    check.found = {path + " is no folder", path + " 不是目录"};
    check.remedy = Same("mkdir -p " + path);
  } else if (access(path.c_str(), R_OK | W_OK | X_OK) != 0 || statvfs(path.c_str(), &space) != 0) {
    check.found = {path + " is not readable and writable", path + " 不可读写"};
    check.remedy = {"change its owner or mode for the user who trains",
                    "请为训练用户修改属主或权限"};
  } else {
    const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
    const std::string shown = fmt::format("{:.1f} GB", free / 1e9);
    check.state = State::kGood;
    check.found = Say("{} free", "剩余 {}", shown);
    check.remedy = {"a dump may be larger: transplt generate KIND --estimate",
                    "dump 数据可能更大：transplt generate KIND --estimate"};
  }
  return check;
}

}  // namespace

std::vector<HostCheck> CheckHost(const Host& host, const std::string& dump_path) {
  std::vector<HostCheck> checks = {Governor(host), PowerPolicy(), Memory(host),
                                   Disk(host),     Driver(host),  Pillow()};
  AddVariables(host, checks);
  if (!dump_path.empty()) checks.push_back(DumpFolder(dump_path));
  return checks;
}

}  // namespace transplt
