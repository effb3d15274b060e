// SPDX-License-Identifier: Apache-2.0
#include "transplt/facts/tensorflow_signs.h"

#include "transplt/base/word_list.h"

namespace transplt {

std::string TensorflowName(std::string_view resolved) {
  // The longer of two that fit comes first.
  const WordList& spellings = Words("module-spellings");
  for (const std::string& prefix : spellings.words()) {
    if (resolved.starts_with(prefix)) {
      return std::string(spellings.MeaningOf(prefix)) + std::string(resolved.substr(prefix.size()));
    }
  }
  return std::string(resolved);
}

TensorflowSign TensorflowSignOf(std::string_view resolved) {
  static const WordList& packages = Words("tensorflow-packages");
  if (!packages.Has(resolved.substr(0, resolved.find('.')))) return TensorflowSign::kNone;
  if (resolved == "tensorflow.compat.v1") return TensorflowSign::kWrittenFor1;
  if (resolved == "tensorflow.compat.v2") return TensorflowSign::kWrittenFor2;
  const std::string name = TensorflowName(resolved);
  const bool is_compatible = resolved.starts_with("tensorflow.compat.");
  if (is_compatible && Words("sessions-switches").Has(name)) return TensorflowSign::kSessionsSwitch;
  if (is_compatible && Words("eager-switches").Has(name)) return TensorflowSign::kEagerSwitch;
  if (Words("eager-names").Has(name)) return TensorflowSign::kEager;
  if (Words("session-names").Has(name)) {
    return is_compatible ? TensorflowSign::kSessions : TensorflowSign::kOnlySessions;
  }
  const bool is_of_1 = !is_compatible && Words("names-of-tensorflow-1").Has(name);
  return is_of_1 ? TensorflowSign::kOnlySessions : TensorflowSign::kNone;
}

}  // namespace transplt
