// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"
#include "transplt/native/bindings.h"
#include "transplt/native/facts.h"
#include "transplt/native/kernels.h"
#include "transplt/native/rewrite.h"

namespace transplt {

/// What `transplt` asks of `transplt-cxx`: one JSON object.
struct NativeRequest {
  std::string root;                ///< the folder of the project
  std::vector<std::string> files;  ///< relative to it
  std::vector<std::string> include_folders;
  std::vector<std::string> defines;
  /// Sources that are not written yet, by their paths. Only whether a parse accepts them is asked.
  std::map<std::string, std::string> texts = {};
  /// Not parsed, since transplt-cxx did not get through them: their names are all that is known.
  std::set<std::string> given_up = {};

  std::string ToJson() const;
  static Result<NativeRequest> FromJson(const std::string& name, std::string_view text);
};

/// What was found in one source. Offsets are in the original bytes.
struct NativeSource {
  std::string path;
  Text error;               ///< why it was not looked at; empty if it was
  std::string fingerprint;  ///< of the bytes that were looked at
  std::vector<NativeFinding> findings;
  std::vector<NativeKernel> kernels;
  std::vector<NativeLaunch> launches;
  std::vector<NativeBinding> bindings;
  std::vector<NativeLink> links;
  std::vector<NativeFunction> functions;
  std::vector<std::string> missing_headers;
  std::set<std::string> undefined;    ///< as in NativeFacts
  std::set<std::string> variables;    ///< as in NativeFacts
  std::vector<std::string> includes;  ///< the headers that it names, "cuda/vision.h"
  std::set<std::string> parts;        ///< of these, the ones that it includes within braces
  /// What a parse of the result does not accept and a parse of the original did.
  std::vector<NativeDiagnostic> mismatches;
  double milliseconds = 0;
};

/// The answer of `transplt-cxx`: one JSON object.
struct NativeAnswer {
  std::vector<NativeSource> sources;  ///< in the order of the request
  /// PathState of what was looked at, by path.
  std::map<std::string, std::string> looks = {};
  /// False if another run may come to another end although `looks` are the same.
  bool is_repeatable = true;

  std::string ToJson() const;
  static Result<NativeAnswer> FromJson(const std::string& name, std::string_view text);
};

}  // namespace transplt
