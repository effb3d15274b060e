// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// What the commands in the code blocks of a document set and run, as ShellSettings has it for a
/// script; ranges are those of the document. Sentences and code of other languages give nothing.
std::vector<Setting> MarkdownSettings(const SourceFile& document);

/// The Python programs that stand in these commands, as PythonIn has it for a script.
std::vector<TextRange> PythonInMarkdown(const SourceFile& document);

}  // namespace transplt
