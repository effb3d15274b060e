// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/base/result.h"

namespace transplt {

/// One thing that is wrong with a configuration, or a note about one that is right.
struct ConfigMistake {
  std::string pointer;  ///< RFC 6901, of the value, also where it is missing
  std::string where;    ///< for Error::where: file, line, column and pointer
  Text what;
  uint32_t offset = 0;      ///< of `where`, in bytes
  bool is_missing = false;  ///< there is no value, and there must be one
  bool is_note = false;     ///< the configuration works; a person should know this
  /// Options of `transplt generate` that repair it, if those are not the one of `pointer`.
  std::vector<std::string> options = {};
};

/// True if one of them is more than a note.
bool HasMistake(const std::vector<ConfigMistake>& mistakes);

/// A value that `transplt generate` takes on the command line.
struct ConfigOption {
  std::string name;  ///< "dump-path"
  Text what;
  std::string type;           ///< as in the schema: "string", "integer", "array" ...
  std::string choices;        ///< "all, input, output"; empty if there is no list
  std::string default_value;  ///< as JSON; empty if there is none, or nothing in it
  bool is_required = false;
  bool takes_file = false;  ///< the value is the text of the file that is named
};

/// What an option was given, as it stands on the command line.
using GivenOptions = std::map<std::string, std::vector<std::string>>;

/// Whether a configuration gets the defaults of what is not given.
enum class Defaults { kWrite, kLeaveOut };

/// The JSON schema of a configuration, with what this program needs to know beyond JSON Schema:
///
///     x-option              the option of `transplt generate` that sets the value; `description`
///     and
///                           x-description-zh say what it is for, x-split that commas separate
///     x-default-with        {OPTION: VALUE}: the default if that option is given
///     x-only-with           a condition: the value belongs to such configurations only
///     x-from                what of a project sets it (see ProjectFacts)
///     x-file                the option takes a file, whose text is the value
///     x-what                [en, zh]: what `pattern` wants, for messages
///     x-rules (root)        exclusions: {if: [CONDITION...], at, what, what-zh, note, options}
///     x-estimate (root)     where steps and devices of a dump are counted, and which value of
///                           steps means all of them (all-steps)
///
/// A condition is {at: POINTER} with is, not, in, given, empty, not-size, matches, above (the
/// value at another pointer), descends (numbers such as "3,1") or backwards (it has a range such
/// as "5-3").
class ConfigSchema {
 public:
  /// `text` is one of the files of generators/schemas; an Error is a mistake of ours.
  static Result<ConfigSchema> Parse(std::string_view text);

  ConfigSchema(ConfigSchema&&) noexcept;
  ConfigSchema& operator=(ConfigSchema&&) noexcept;
  ~ConfigSchema();

  /// In the order of the schema; an option of several sections once.
  std::vector<ConfigOption> Options() const;
  /// The option that sets the value at `pointer`, or an empty name.
  std::string OptionAt(std::string_view pointer) const;
  /// What the value at `pointer` is for, in English; empty if the schema does not say.
  std::string DescriptionAt(const std::string& pointer) const;
  /// The options that a project can answer, with what of it (x-from).
  std::map<std::string, std::string> OptionsFromProject() const;

  /// The configuration that the options ask for, as JSON text of this schema's order. What does
  /// not apply to it is appended to `mistakes`; Check says what is wrong with the rest.
  std::string Make(const GivenOptions& given, Defaults defaults,
                   std::vector<ConfigMistake>& mistakes) const;

  /// Everything that is wrong with a configuration, in the order of the text.
  std::vector<ConfigMistake> Check(const JsonDocument& document) const;

  /// The member `name` of the schema's root as JSON text; empty if there is none.
  std::string Extension(std::string_view name) const;

 private:
  struct Parts;
  explicit ConfigSchema(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace transplt
