// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "transplt/base/finding.h"
#include "transplt/inject/request.h"

namespace transplt {

/// A place of a program where options can be set, and what becomes of it.
struct InjectionSite {
  TextRange range;
  std::string kind;         ///< "npu_config_proto", "Session", "NPURunConfig" ...
  Text state;               ///< "sets dump_path", "set already", why it is left
  bool is_refused = false;  ///< nothing may be injected anywhere before a person has decided
};

/// What becomes of one option that was asked for, or of one word of its list.
struct OptionFate {
  size_t set = 0;        ///< places that have it now, or had it already
  size_t left = 0;       ///< places that would take it, where a person has to set it
  TextRange first_left;  ///< the first of them
  Text why_left;
};

/// What is to be done in one file.
struct FileInjection {
  std::vector<InjectionSite> sites;
  Findings findings;
  /// By OptionValue::AccountNames(); those that found a place.
  std::map<std::string, OptionFate> options = {};

  void Set(const std::vector<OptionValue>& done) {
    for (const OptionValue& option : done) {
      for (const std::string& name : option.AccountNames()) ++options[name].set;
    }
  }
  void Leave(const std::vector<OptionValue>& left, TextRange place, const Text& why) {
    for (const OptionValue& option : left) {
      for (const std::string& name : option.AccountNames()) {
        OptionFate& fate = options[name];
        if (fate.left++ > 0) continue;
        fate.first_left = place;
        fate.why_left = why;
      }
    }
  }
};

}  // namespace transplt
