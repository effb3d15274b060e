// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// What a shell or Slurm script sets and runs, in the order of the text: variables, options of
/// commands, programs. Parts that do not parse give nothing.
std::vector<Setting> ShellSettings(const SourceFile& source);

/// The Python programs that stand in a script as they are run: `python -c "..."`,
/// `python - <<'EOF'`. In the order of the text.
std::vector<TextRange> PythonIn(const SourceFile& script);

}  // namespace transplt
