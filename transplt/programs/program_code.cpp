// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/program_code.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "transplt/base/cancelled.h"
#include "transplt/facts/classes.h"
#include "transplt/programs/configured.h"

namespace transplt {

ProgramCode ReadProgramCode(const ProgramSources& sources, const TrainingApis& apis) {
  std::vector<std::string> paths = sources.index.paths();
  std::vector<std::optional<FileUnits>> files(paths.size());
  tbb::task_arena arena(sources.jobs > 0 ? sources.jobs : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(size_t{0}, paths.size(), [&](size_t i) {
      if (IsCancelled(sources.index.cancelled())) return;
      const std::shared_ptr<const OpenedFile> file = sources.index.Open(paths[i]);
      if (file == nullptr) return;
      const Classes classes(file->names(), &sources.index);
      files[i] = UnitsOf(CodeFile(file->names(), classes, &sources.index), apis, sources.machine);
    });
  });
  ProgramCode code;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!files[i]) continue;
    code.paths.push_back(std::move(paths[i]));
    code.files.push_back(*std::move(files[i]));
  }
  code.scripts = FindConsoleScripts(sources, code);
  code.commands = FindEntryCommands(sources, code, apis, code.scripts);
  Configured configured = FindConfigured(sources, code);
  code.configured = std::move(configured.targets);
  code.configured_elsewhere = std::move(configured.elsewhere);
  code.configured_keys = std::move(configured.keys);
  return code;
}

const FileUnits* ProgramCode::Find(std::string_view file) const {
  const auto path = std::ranges::lower_bound(paths, file);
  if (path == paths.end() || *path != file) return nullptr;
  return &files[static_cast<size_t>(path - paths.begin())];
}

}  // namespace transplt
