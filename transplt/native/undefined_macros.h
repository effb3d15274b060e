// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "transplt/native/rewrite.h"
#include "transplt/native/token_text.h"

namespace transplt {

/// Adds to `findings` the conditions that ask for a macro of CUDA: once a source includes no header
/// of CUDA any more, nothing defines it, and `#if CUDA_VERSION < 9000` becomes true without a word
/// of the compiler. What stays in a branch that is not compiled then stops no NPU, and is taken out
/// of `findings`. `is_device_code`: of a token, whether it runs on a GPU alone. Conditions around
/// nothing but such code are left out: that is written anew.
void AddAskedMacros(const TokenText& text, const NativeRules& rules,
                    const std::set<std::string>& own_names,
                    const std::function<bool(size_t)>& is_device_code,
                    std::vector<NativeFinding>& findings);

}  // namespace transplt
