// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/result.h"

namespace transplt {

/// What a value is for the one who takes it: what rules/signatures/*.json say of an argument.
enum class Meaning : uint8_t {
  kUnknown,
  kDevice,        ///< a device, a device type or a communication backend
  kForeign,       ///< something of another library, which has names of its own
  kPath,          ///< a path, or the name of a file or of a library
  kMessage,       ///< text for people
  kLabel,         ///< a name that is only shown
  kAttribute,     ///< the name of an attribute
  kKey,           ///< looked up in data
  kEnvironment,   ///< the name of an environment variable
  kOption,        ///< the name of an option of the command line
  kOptionValue,   ///< a value that such an option may have
  kResult,        ///< the result of the call is this value, or is made of it
  kObject,        ///< compared with the object whose method is called
  kPattern,       ///< a regular expression for the next argument
  kHeld,          ///< only kept, for whoever reads it; the keyword says what it is
  kParametrized,  ///< what the parameter of a decorated function gets
  kAvailability,  ///< true if there is such a device
  kKernel,        ///< the device for which an operator is registered, with what runs there
};

/// What the calls of one function, of one library or of one method mean.
struct Signature {
  std::string id;
  std::vector<std::string> calls;       ///< full dotted names
  std::vector<std::string> packages;    ///< dotted names; all that lies in them
  std::vector<std::string> methods;     ///< the last name of what is called; `*` at one end
  std::vector<std::string> objects;     ///< with `methods`: what the object's text matches
  std::string first;                    ///< with `methods`: how the first argument begins
  std::vector<std::string> keywords;    ///< arguments of any call that are passed by this name
  std::vector<std::string> members;     ///< attributes of any object
  std::vector<std::string> hints;       ///< words of names
  std::vector<std::string> values;      ///< names of devices and backends
  std::vector<std::string> choices;     ///< what beside a value makes it a choice of the program
  std::vector<std::string> references;  ///< functions that look up what their arguments name
  std::vector<std::string> options;     ///< what variables with the options of a program are called
  std::vector<std::string> endings;     ///< how names of source files and libraries end
  bool is_backend = false;              ///< `hints` are of backends, which may be the program's
  bool is_framework = false;            ///< a file that imports `packages` may be written for them
  /// By position ("0") or keyword; "*" all positional ones, "**" all passed by a keyword.
  std::map<std::string, Meaning, std::less<>> arguments;
  Meaning object = Meaning::kUnknown;   ///< of the object whose method is called
  Meaning returns = Meaning::kUnknown;  ///< of the result, or of the member
  Meaning means = Meaning::kUnknown;    ///< of what `keywords` name

  struct Example {
    std::string code;
    std::string verdict;  ///< of the first "cuda" or "nccl" in it: device, other or unknown
  };
  std::vector<Example> examples;

  /// The meaning of an argument; `keyword` is empty for one that is passed by position.
  Meaning OfArgument(size_t position, std::string_view keyword) const;
};

/// What calls mean, as data. Immutable.
class Signatures {
 public:
  /// Those that travel in the program. An error is a fault of the product's own files.
  static Result<Signatures> Load(std::string name, std::string_view text);
  /// The built-in ones, read once.
  static const Signatures& Builtin();

  /// The most special signature of a function by its full dotted name, or null.
  const Signature* OfCall(std::string_view qualified) const;
  /// The signature of a method by its name alone; `callee` is the text of all that is called.
  const Signature* OfMethod(std::string_view method, std::string_view callee) const;
  /// What is passed to any function by this keyword.
  Meaning OfKeyword(std::string_view keyword) const;
  /// What an attribute of this name is.
  Meaning OfMember(std::string_view member) const;
  /// True if a name or a piece of code has a word that stands for devices or backends.
  bool SpeaksOfDevice(std::string_view text) const;
  /// True if it speaks of backends alone, which may be implementations as well.
  bool SpeaksOfBackend(std::string_view text) const;

  /// True if the text may be a device or a backend: "cuda", "cpu", "cuda:0".
  bool MayBeDevice(std::string_view text) const;
  /// True if a value that stands beside this text is a device or a backend: "cpu", "cuda:0".
  bool IsDeviceText(std::string_view text) const;
  /// True for the texts that a value may be, if besides "cuda" they are words of the program: names
  /// of implementations, not of devices.
  bool AreImplementations(const std::set<std::string, std::less<>>& texts) const;
  /// True if a value that stands beside this text is a choice of the program's own.
  bool IsOwnChoice(std::string_view text) const { return choices_.contains(text); }
  /// True if a function of this last name looks up what its arguments name.
  bool LooksUpNames(std::string_view function) const { return references_.contains(function); }
  /// True if variables of this name hold the options of a program.
  bool IsNameOfOptions(std::string_view variable) const { return options_.contains(variable); }
  /// True if the text ends as the name of a source file or a library does.
  bool IsNameOfSource(std::string_view text) const;
  /// True if the name belongs to a library with devices and texts of its own.
  bool IsForeign(std::string_view qualified) const;
  /// The packages of other frameworks than PyTorch.
  const std::vector<std::string>& frameworks() const { return frameworks_; }

  const std::vector<Signature>& rows() const { return rows_; }

 private:
  void Index();

  std::vector<Signature> rows_;
  std::map<std::string, size_t, std::less<>> calls_;
  std::map<std::string, size_t, std::less<>> packages_;
  std::map<std::string, size_t, std::less<>> methods_;  // without a pattern
  std::vector<std::pair<std::string, size_t>> method_patterns_;
  std::map<std::string, Meaning, std::less<>> keywords_;
  std::map<std::string, Meaning, std::less<>> members_;
  std::vector<std::string> hints_;
  std::vector<std::string> backend_hints_;
  using Words = std::set<std::string, std::less<>>;
  Words values_;
  Words choices_;
  Words references_;
  Words options_;
  std::vector<std::string> endings_;
  std::vector<std::string> frameworks_;
};

}  // namespace transplt
