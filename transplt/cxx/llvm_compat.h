// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/Basic/SourceManager.h>
#include <clang/Basic/Version.h>
#include <clang/Lex/PPCallbacks.h>
#include <llvm/ADT/IntrusiveRefCntPtr.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <memory>
#include <string>
#include <string_view>

/// The few places where the versions of Clang that transplt builds with differ.
namespace transplt::compat {

inline bool StartsWith(llvm::StringRef text, llvm::StringRef start) {
#if CLANG_VERSION_MAJOR >= 18
  return text.starts_with(start);
#else
  return text.startswith(start);
#endif
}

/// The name of the file that holds `location`, as it was given to the parser; "" if none does.
inline std::string FileNameAt(const clang::SourceManager& sources, clang::SourceLocation location) {
  return sources.getFilename(sources.getSpellingLoc(location)).str();
}

}  // namespace transplt::compat
