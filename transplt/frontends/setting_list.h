// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/setting.h"
#include "transplt/base/source_file.h"

namespace transplt {

/// Collects the settings of a configuration from its keys and scalars.
class SettingList {
 public:
  explicit SettingList(const SourceFile& source) : source_(source) {}

  /// A text as the reader of the format gives it, and where it starts in the file.
  struct Scalar {
    std::string text;
    uint32_t offset = 0;  ///< of the first byte, or of the quote before it
  };
  void AddKey(const Scalar& key, const Scalar& value);
  /// An item of the list that `key` holds; `previous` stands before it there, or is empty.
  void AddItem(const Scalar& key, const Scalar& item, std::string_view previous);

  /// A package that the project asks for: an item of such a list, or a key, or the Python that it
  /// needs, as a package of conda.
  struct Dependency {
    Scalar text;
    std::string_view versions = {};  ///< asked for elsewhere than in `text`
    bool is_extra = false;           ///< see Setting
    std::string_view marker = {};    ///< given elsewhere than in `text`
  };
  void AddDependency(const Dependency& dependency);

  std::vector<Setting> Take() { return std::move(settings_); }

 private:
  /// Where exactly these bytes stand, between their quotes; empty if the file spells them
  /// otherwise.
  TextRange RangeOf(const Scalar& scalar) const;
  void AddParts(const Scalar& scalar);

  const SourceFile& source_;
  std::vector<Setting> settings_;
};

}  // namespace transplt
