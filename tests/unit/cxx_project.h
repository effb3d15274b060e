// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/temp_folder.h"
#include "transplt/cxx/survey.h"

namespace transplt {

/// Sources on disk, and what transplt-cxx says about them.
class CxxProject {
 public:
  void Add(const std::string& path, const std::string& text) {
    folder_.Write(path, text);
    request_.files.push_back(path);
  }
  NativeRequest& request() { return request_; }

  /// In the order in which they were added.
  std::vector<NativeSource> Survey() {
    request_.root = folder_.path();
    if (request_.include_folders.empty()) request_.include_folders = {"."};
    return transplt::Survey(request_).sources;
  }

  std::string Edited(const NativeSource& source) const {
    EditList edits;
    for (const NativeFinding& finding : source.findings) {
      EXPECT_FALSE(edits.TryAdd(finding.fix, finding.rule_id)) << finding.rule_id;
    }
    return edits.ApplyTo(folder_.Read(source.path));
  }

 private:
  TempFolder folder_;
  NativeRequest request_;
};

/// What becomes of one source.
inline std::string EditedByCxx(const std::string& text) {
  CxxProject project;
  project.Add("a.cu", text);
  const std::vector<NativeSource> sources = project.Survey();
  EXPECT_EQ(sources[0].error.en, "");
  return project.Edited(sources[0]);
}

}  // namespace transplt
