// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "transplt/profile/profile.h"

namespace transplt {

/// What `profile` says, for a terminal: its bottlenecks in order, at most `top`.
std::string ProfileText(const Profile& profile, size_t top, Language language);

/// All of them as JSON, texts in English; ends with a line end.
std::string ProfilesJson(std::span<const Profile> profiles);

/// A page of its own, which loads nothing.
std::string ProfilesHtml(std::span<const Profile> profiles, size_t top, Language language);

}  // namespace transplt
