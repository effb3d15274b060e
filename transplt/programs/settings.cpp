// SPDX-License-Identifier: Apache-2.0
#include "transplt/programs/settings.h"

#include <algorithm>
#include <utility>

namespace transplt {
namespace {

constexpr size_t kMostSettings = 8;

}  // namespace

Settings::Settings(std::string_view setting)
    : texts_(std::make_shared<const std::vector<std::string>>(1, std::string(setting))) {}

Settings::Settings(std::vector<std::string> settings) {
  std::ranges::sort(settings);
  settings.erase(std::unique(settings.begin(), settings.end()), settings.end());
  if (settings.size() > kMostSettings) settings.resize(kMostSettings);
  if (!settings.empty()) {
    texts_ = std::make_shared<const std::vector<std::string>>(std::move(settings));
  }
}

const std::vector<std::string>& Settings::texts() const {
  static const std::vector<std::string> kNone;
  return texts_ == nullptr ? kNone : *texts_;
}

std::set<std::string> Settings::AsSet() const { return {texts().begin(), texts().end()}; }

/// True if it is not among them and would stay.
bool Settings::HasRoomFor(std::string_view setting) const {
  if (texts_ == nullptr) return true;
  if (texts_->size() >= kMostSettings && texts_->back() < setting) return false;
  return !std::ranges::binary_search(*texts_, setting);
}

bool Settings::Add(const Settings& others) {
  if (others.texts_ == nullptr || others.texts_ == texts_) return false;
  if (texts_ == nullptr) {
    texts_ = others.texts_;
    return true;
  }
  const bool has_new = std::ranges::any_of(
      *others.texts_, [&](const std::string& setting) { return HasRoomFor(setting); });
  if (!has_new) return false;
  std::vector<std::string> both = *texts_;
  both.insert(both.end(), others.texts_->begin(), others.texts_->end());
  *this = Settings(std::move(both));
  return true;
}

bool Settings::Add(std::string_view setting) {
  return HasRoomFor(setting) && Add(Settings(setting));
}

}  // namespace transplt
