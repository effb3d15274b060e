// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/base/json_document.h"
#include "transplt/base/result.h"
#include "transplt/engine/version_range.h"
#include "transplt/engine/version_specifier.h"

namespace transplt {

/// A torch and a torch_npu that exist for each other.
struct TorchPlatform {
  std::string torch;      ///< "2.9.0"
  std::string torch_npu;  ///< the release: "7.3.0"
  std::string cann;       ///< "8.5.0"; empty for what is newer than the table
  std::string package;    ///< the version of the package torch-npu: "2.8.0.post2"; or empty
  std::vector<std::string> beside = {};  ///< what this torch needs beside it: "numpy<2"
  std::string torchvision = {};          ///< the first that is built for it, "0.27.0"; or empty
  std::string pythons = {};              ///< for which both exist: "3.10-3.14"; or empty
  std::string support_ended = {};        ///< the day since which nobody mends its torch_npu; or ""
  std::string published = {};            ///< of the torch, where support ended: "2021-03"
};

/// A TensorFlow that serves NPUs, with what it needs.
struct TensorflowPlatform {
  std::string version;  ///< "1.15.0"
  std::string pythons;  ///< "3.7"
  std::string adapter;  ///< the package of the TF Adapter: "npu_bridge"
};

/// Which torch_npu exists for which torch: rules/torch_npu_releases.json. One version of torch has
/// several releases of torch_npu, and they differ in what they do.
class TorchNpuReleases {
 public:
  /// The table of the program.
  static Result<TorchNpuReleases> Load();
  /// `name` is what messages call the text. Fails if rows are not in falling order, name
  /// a version twice, or have other fields than these.
  static Result<TorchNpuReleases> Parse(std::string name, std::string_view text);

  /// The pair that is meant. "2.1" stands for every 2.1.x. What is empty is chosen: the newest
  /// release for the torch, the newest torch for the release, the newest of both. A pair that does
  /// not exist is refused, and the message names those that do; one that is newer than the table is
  /// taken as it is. Errors are of kUsage.
  Result<TorchPlatform> Choose(std::string_view torch, std::string_view release) const;

  /// The newest pair whose torch `admits`, with this release if it is not empty; empty strings if
  /// there is none.
  TorchPlatform Newest(const std::function<bool(const Version& torch)>& admits,
                       std::string_view release = "") const;

  /// The pair with this version of the package torch-npu: "2.10.0.post2".
  std::optional<TorchPlatform> OfPackage(std::string_view version) const;

  /// The packages that are built for one torch each: "torchvision".
  std::vector<std::string> CompanionNames() const;
  /// The first version of the companion that is built for this torch, as far as the table knows it:
  /// 0.24.0 of torchvision for 2.9.1. Its other versions of that minor number are, too.
  std::optional<Version> CompanionOf(const std::string& package, const Version& torch) const;

  /// True if one of the versions of the companion that are built for this torch is admitted, or
  /// none is known.
  bool AdmitsCompanion(const std::string& package, const VersionSpecifier& specifier,
                       const Version& torch) const;

  /// The TensorFlow for programs of this kind; nullopt for kUnknown.
  std::optional<TensorflowPlatform> TensorflowFor(TensorflowMode mode) const;

  /// The newest torch that has a torch_npu: "2.12.0".
  const std::string& newest_torch() const { return rows_.front().packages.front().first; }
  /// The oldest: "1.8.1".
  const std::string& oldest_torch() const { return rows_.back().packages.back().first; }

 private:
  struct Row {
    std::string release;
    std::string cann;
    std::vector<std::pair<std::string, std::string>> packages;  ///< by torch, falling
  };
  class RowReader;
  using Minor = std::pair<uint32_t, uint32_t>;  ///< the major and minor number of torch
  using TextByTorch = std::map<Minor, std::string>;

  static std::optional<Error> ReadTexts(const JsonDocument& document, std::string_view key,
                                        TextByTorch& texts);
  static std::optional<Error> ReadTensorflow(
      const JsonDocument& document, std::map<std::string, TensorflowPlatform, std::less<>>& all);

  TorchPlatform PlatformOf(const Row& row, const std::pair<std::string, std::string>& pair) const;
  const Row* FindRelease(const Version& release) const;
  Error NoSuchTorch(std::string_view torch) const;
  Error NoSuchRelease(std::string_view release) const;
  Error NoSuchPair(std::string_view torch, const Row& row) const;

  std::vector<Row> rows_;                                       // falling
  std::map<std::string, std::map<Minor, Version>> companions_;  ///< by package
  TextByTorch pythons_;
  TextByTorch support_ended_;
  TextByTorch published_;
  std::map<std::string, TensorflowPlatform, std::less<>> tensorflow_;  ///< by kind of program
  std::vector<std::pair<std::string, VersionSpecifier>> beside_;  // requirement, versions of torch
};

/// `TorchNpuReleases::Choose` of the program's table.
Result<TorchPlatform> ChoosePlatform(std::string_view torch, std::string_view release);

}  // namespace transplt
