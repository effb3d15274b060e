// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <clang/AST/Decl.h>
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

/// True for `virtual void f() = 0`.
inline bool IsPure(const clang::FunctionDecl& function) {
#if CLANG_VERSION_MAJOR >= 18
  return function.isPureVirtual();
#else
  return function.isPure();
#endif
}

}  // namespace transplt::compat
