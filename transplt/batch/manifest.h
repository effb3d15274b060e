// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// The values of options by their long names, as on a command line: {"framework", {"pytorch"}}.
using OptionValues = std::map<std::string, std::vector<std::string>>;

/// One project of a batch.
struct BatchProject {
  size_t number = 0;     ///< from 1, in the order of the manifest
  std::string name;      ///< of its folder in the output; no two projects share one
  std::string path;      ///< as the manifest has it
  std::string location;  ///< the path to open
  OptionValues options;  ///< these replace options of the same name on the command line
  std::string where;     ///< its line, for messages: "projects.jsonl:12"
};

/// The projects of a batch, and everything that is wrong with the manifest.
struct Manifest {
  std::vector<BatchProject> projects;
  std::vector<Error> mistakes;
};

/// Reads JSON Lines, one object per line: "path" (a folder, a script or an archive), "name" and
/// "options" (an object of migrate's long option names). Blank lines are skipped. `name` is what
/// messages call the text; relative paths start at `folder`. A project without a name gets one
/// that follows from its path alone.
Manifest ParseManifest(const std::string& name, std::string_view text, const std::string& folder);

/// The same for a file, with its own folder; "-" is standard input, with the current folder.
Manifest ReadManifest(const std::string& path);

/// Every folder and archive that lies directly in `folder`, but hidden ones, in the order of their
/// names. Each is called after its folder or archive.
Manifest ManifestOfFolder(const std::string& folder);

/// True if the file name says that it is an archive that can be unpacked: .tar, .tar.gz, .tgz,
/// .tar.bz2, .tar.xz, .tar.zst or .zip.
bool IsArchiveName(std::string_view path);

/// The last name of a path, without the suffix of an archive or a script.
std::string StemOf(std::string_view path);

/// The part of a batch that one of several runs does: project number i belongs to shard
/// ((i - 1) mod count) + 1, so shards differ by at most one project, and large neighbours are
/// spread over all of them.
struct Shard {
  size_t number = 1;
  size_t count = 1;

  bool Holds(size_t project) const { return (project - 1) % count == number - 1; }
};

/// Reads "K/N" with 1 <= K <= N.
Result<Shard> ParseShard(const std::string& text);

}  // namespace transplt
