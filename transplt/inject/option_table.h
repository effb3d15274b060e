// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/json_document.h"
#include "transplt/base/result.h"
#include "transplt/base/text.h"

namespace transplt {

enum class OptionType : uint8_t { kBool, kInt, kString };

/// One option of a vendor's configuration: a row of rules/inject_options.json.
struct OptionSpec {
  std::string framework;              ///< "tensorflow", "pytorch", "mindspore"
  std::string name;                   ///< the vendor's
  std::vector<std::string> tools;     ///< that take it; empty: all of the framework
  std::vector<std::string> required;  ///< tools that cannot do without it
  OptionType type = OptionType::kString;
  std::vector<std::string> values;  ///< of a string; empty: any
  std::string grammar;              ///< how a string is checked: "dump_step", "path" ...
  std::string file_kind;            ///< of a path: the kind of `transplt generate` that it names
  std::string words;                ///< of a list: the Words() that its parts must be among
  std::optional<int64_t> min;
  std::optional<int64_t> max;
  std::vector<std::string> needs;     ///< options that must be given with it
  std::vector<std::string> excludes;  ///< options that must not
  std::string goes_with;              ///< the switch that must be on for it to be read; "": none
  std::string goes_with_flag;         ///< what asks for that switch
  /// Where it can be set besides the parameters of a session: whether initialize_system reads it,
  /// and what it is called in the classes of a manual migration and in npu_device.
  bool initialize = false;
  std::string dump_config;
  std::string profiling_config;
  std::string run_config;
  std::string tf2;
  std::string
      default_value;  ///< what the vendor takes where it is not set; "": nothing, or unknown
  Text what;
  Text
      nowhere;  ///< why no file has a site for the value, which stands for {}; "": nothing is known
  /// What `transplt generate` calls the option: its schema says which values it has, and what it
  /// goes with. Where another word is used for a value there: by value.
  std::string generator_option;
  std::map<std::string, std::string> generator_values;

  bool IsOf(std::string_view tool) const;
};

/// Which schema the options of a tool are checked by.
struct ToolSchema {
  std::string framework;
  std::string tool;
  std::string generator;    ///< "ptdbg-script": a kind of `transplt generate`
  bool is_partial = false;  ///< the rest of the configuration is said elsewhere
  /// Options of the generator whose value is what makes the tool: "api" is "iterations".
  std::map<std::string, std::string> fixed;
  /// Options of other frameworks that ask for what this tool does: "profiling_mode".
  std::vector<std::string> stands_for;
};

/// What is said about an option that is right: a caution of the vendor's.
struct OptionNote {
  std::string framework;
  std::string option;
  std::vector<std::string> values;  ///< of the option, or of a part of its list; empty: any
  std::vector<std::string> except;  ///< values for which it is not said
  std::string without;              ///< an option, or a flag, beside which it is not said
  Text what;
};

/// rules/inject_options.json.
class OptionTable {
 public:
  /// The table that is built in.
  static Result<OptionTable> Load();
  static Result<OptionTable> Parse(const std::string& name, std::string_view json);

  const std::vector<OptionSpec>& options() const { return options_; }
  const std::vector<OptionNote>& notes() const { return notes_; }
  const std::vector<ToolSchema>& tools() const { return tools_; }
  /// With `tool` only among its options.
  const OptionSpec* Find(std::string_view framework, std::string_view name,
                         std::string_view tool = {}) const;
  std::vector<std::string_view> Names(std::string_view framework, std::string_view tool = {}) const;
  /// Null where the rows say all.
  const ToolSchema* SchemaOf(std::string_view framework, std::string_view tool) const;

 private:
  Result<Done> ReadTools(const JsonDocument& document);
  Result<Done> ReadNotes(const JsonDocument& document);

  std::vector<OptionSpec> options_;
  std::vector<ToolSchema> tools_;
  std::vector<OptionNote> notes_;
};

}  // namespace transplt
