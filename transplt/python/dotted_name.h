// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace transplt {

/// The first part of a dotted name.
std::string_view FirstPart(std::string_view dotted);
/// The last part of a dotted name.
std::string_view LastPart(std::string_view dotted);
/// All but the last part; "" if there is only one.
std::string_view ParentPart(std::string_view dotted);
/// The parts; views into `dotted`.
std::vector<std::string_view> SplitDotted(std::string_view dotted);
/// The name of `member` of `module`: `torch.profiler.profile` for that of torch.profiler.profiler,
/// by whatever second path a library knows it.
std::string MemberName(std::string_view module, std::string_view member);

}  // namespace transplt
