// SPDX-License-Identifier: Apache-2.0
#include "transplt/rule_kinds/optional_import.h"

namespace transplt {

void TellOptionalImport(Finding& finding) {
  finding.severity = Severity::kNote;
  finding.message.en += " (the program goes on where this import fails)";
  finding.message.zh += "（此处导入失败时程序会继续运行）";
}

}  // namespace transplt
