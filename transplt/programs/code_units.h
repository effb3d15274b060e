// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/facts/code_file.h"
#include "transplt/facts/entry_argument.h"
#include "transplt/facts/origin.h"
#include "transplt/facts/settled_conditions.h"
#include "transplt/facts/tensorflow_signs.h"
#include "transplt/facts/terms.h"
#include "transplt/facts/training_apis.h"

namespace transplt {

/// An argument of a call.
struct PassedValue {
  std::string keyword;  ///< "" for a positional one
  uint32_t term = kUnknownTerm;
};

/// The arguments of a call, in the order of the text.
struct PassedValues {
  std::vector<PassedValue> values;
  bool is_known = false;   ///< false for what is no call, and behind `*values` and `**config.all`
  bool has_splat = false;  ///< `**values`, of what the code has put together, or its own `*rest`
};

/// A function or class of the project that some code uses.
struct Mention {
  Origin target;
  uint32_t line = 0;
  bool is_called = false;
  bool is_type = false;  ///< only named as a type: a base, an annotation, isinstance(), __doc__
  bool is_sure = false;  ///< reached whenever its unit runs
  PassedValues passed = {};
  /// The program goes on where the import of it fails, and gets here only where it has not.
  bool is_forgiven = false;
  /// Must hold for it, with all that is around it; kUnknownTerm: what its line says.
  uint32_t condition = kUnknownTerm;
  bool decorates = false;  ///< what it marks is handed to it; it is asked for nothing
};

/// `object.method(...)`, where the object is not a module or a class.
struct MethodCall {
  std::string method;
  std::vector<Origin> makers;  ///< classes of the object, or functions that have made it
  bool is_super = false;
  size_t arguments = 0;
  bool has_splat = false;
  bool has_keywords = false;
  std::set<std::string> members;  ///< all that the file uses of the object
  uint32_t line = 0;
  PassedValues passed = {};
  bool is_sure = false;  ///< reached whenever its unit runs
};

/// Something that tells what a program is for, or how its processes are started.
struct CodeFact {
  enum class Kind : uint8_t {
    kBackward,          ///< the gradients are computed
    kUpdate,            ///< the weights are changed
    kOptimizer,         ///< torch.optim.X is made; `text`: "tensors" where it gets a list of them
    kApi,               ///< `api` says what
    kReadsRank,         ///< reads the variable `text`: RANK, LOCAL_RANK ...
    kSetsRank,          ///< gives it a value: `text`
    kReadsScheduler,    ///< reads SLURM_PROCID, OMPI_COMM_WORLD_RANK
    kInitProcessGroup,  ///< of torch.distributed; `text`: the address, "" for env://
    kStartsProcess,     ///< multiprocessing.Process; `text`: the function that it runs
    kAddsToPath,        ///< sys.path
    kReadsArgv,         ///< sys.argv[`text`]
    kHydra,             ///< `text`: "config_path/config_name"
    kFire,              ///< `text`: the function or class that it calls
    kDataclassParser,   ///< `text`: a class whose fields are options
    kOtherParser,       ///< options that cannot be listed; `text`: the library
    kTensorflow,        ///< `sign` says what
  };
  Kind kind = Kind::kBackward;
  std::string text;
  std::string file;  ///< of a function or class of the project that `text` names
  const TrainingApi* api = nullptr;
  TensorflowSign sign = TensorflowSign::kNone;
  uint32_t line = 0;
  bool in_branch = false;
  std::vector<std::string> conditions;  ///< the attributes that the conditions around it read
};

/// `getattr(module, name)`, `module.__dict__[name]`, `globals()[name]`: something of the module, by
/// a name that the program makes.
struct ModuleLookup {
  std::string file;
  uint32_t line = 0;
  bool through_packages = false;  ///< what a package takes from its modules comes along
};

/// An import of a file of the project.
struct FileImport {
  std::string file;
  std::string module;  ///< as the import says it; "" for a relative one and for packages around it
  uint32_t line = 0;
  bool is_sure = false;    ///< reached whenever its unit runs, and of no other file
  bool runs_main = false;  ///< a command starts the file: its main block runs, too
  /// The program goes on where the import fails.
  bool is_forgiven = false;
};

/// An import, or at the top of a module `step = torch.compile(run)`, which does its work where
/// `step` is used.
struct ImportStatement {
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  /// What it binds, where the statement says it.
  struct Name {
    uint32_t line = 0;
    uint32_t column = 0;
    std::vector<LineColumn> uses;  ///< one for each line, and for each choice there
  };
  std::vector<Name> names;
  bool is_for_file = false;  ///< no other file uses what it binds

  /// Places that use what stands at this one; before the first name, all of them. Sorted.
  std::vector<LineColumn> UsesOf(uint32_t line, uint32_t column) const;
};

/// An import of a module that a package of the project should have and has not, or, where the
/// program goes on without it, the first use of what it should bring.
struct MissingModule {
  std::string name;         ///< as the statement says it
  bool runs_later = false;  ///< a use, or an import in a function
  std::string path;         ///< where it should be, without an ending: "models/networks/sync_bn"
  std::string source_line;  ///< of the import
  uint32_t line = 0;
  uint32_t column = 0;
};

/// An import, outside of `try`, of a package that is no part of Python and that is not known to run
/// without CUDA.
struct PackageImport {
  std::string name;                ///< its first word
  std::string module;              ///< all of it
  std::vector<std::string> names;  ///< that `from module import` names
  std::string text;                ///< at the place: the name, or what of it is used
  std::string source_line;         ///< of the import
  uint32_t line = 0;
  uint32_t column = 0;
};

/// What the value of an option is used for: `args.x` as an argument of a call.
struct OptionUse {
  std::string option;  ///< "x": the attribute
  ArgumentRole role = ArgumentRole::kOther;
  uint32_t line = 0;
};

/// A piece of code that runs as a whole: the code of a module without its main block (""), the main
/// block ("<main>"), the body of a class, or a function with all that is defined in it.
struct CodeUnit {
  /// True for a line that the unit comes to in any case, as far as its branches let it.
  bool ComesTo(uint32_t at) const { return may_end == 0 || at <= may_end; }

  std::string name;
  uint32_t line = 0;
  bool is_table = false;  ///< a variable of the module that holds functions and classes
  uint32_t may_end = 0;   ///< the first line at which it may end, or leave a loop, early; or 0
  std::vector<Mention> mentions;
  std::vector<MethodCall> calls;
  std::vector<CodeFact> facts;
  std::vector<OptionUse> uses;
  std::vector<EntryArgument> arguments;  ///< options that it defines
  std::vector<FileImport> imports;
  std::vector<ModuleLookup> lookups;
  std::vector<Origin> returns;  ///< what makes the values that it returns
  /// Of a function: the decorators that register it, `REGISTRY.register` of
  /// `@REGISTRY.register()`: who asks `REGISTRY` may get and call it.
  std::vector<Origin> registrars;
  bool has_relative_import = false;
  /// The line that makes an object of a class, or calls a function, whose full name a configuration
  /// gives, or 0: see ProgramCode::configured.
  uint32_t configured_line = 0;
  /// Parameters as options of a program that hands its command line to this function.
  std::vector<EntryArgument> parameters;
  size_t required_parameters = 0;    ///< without self
  size_t most_parameters = 0;        ///< SIZE_MAX behind *args
  size_t positional_parameters = 0;  ///< of `parameters`, those before `*`
  std::vector<uint32_t> defaults;    ///< of `parameters`: terms
};

/// A place that gives an attribute, an option or a key its value: `x.name = value`, `name=value`,
/// `{"name": value}`, `add_argument("--name", default=value)`.
struct AttributeValue {
  uint32_t term = kUnknownTerm;
  uint32_t line = 0;                  ///< 0 stands for several places
  std::string option;                 ///< "--name" of an option
  bool is_key = false;                ///< not an attribute: `**values` may hand it on
  uint32_t condition = kUnknownTerm;  ///< must hold for the place to be reached in its unit
};

/// A class at the top of a file.
struct ClassUnit {
  std::vector<Origin> bases;
  /// `REGISTRY` of `@REGISTRY.register()`: who asks it may get the class.
  std::vector<Origin> registries;
  std::set<std::string> methods;
  std::set<std::string> attributes;   ///< `self.x = ...`
  std::vector<EntryArgument> fields;  ///< as options, where a parser reads the class
};

/// Where the code of a unit begins or goes on, down to the next of these lines.
struct UnitStart {
  uint32_t line = 0;
  size_t unit = 0;                    ///< index of the CodeUnit
  bool in_branch = false;             ///< in a body that need not run: of `if`, `while`, `try` ...
  uint32_t condition = kUnknownTerm;  ///< must hold for the code to run
};

/// A value of a conditional expression: `a` of `a if c else b`; and what is called with a switch:
/// `f` of `f(enabled=c)`.
struct Choice {
  LineColumn first;  ///< its first byte
  LineColumn end;    ///< behind its last
  size_t unit = 0;
  uint32_t condition = kUnknownTerm;  ///< must hold for it to be computed
};

/// A `try` that goes on where its body fails, with one handler.
struct Fallback {
  uint32_t line = 0;     ///< of `try`
  uint32_t handler = 0;  ///< the first line of the handler
  uint32_t end = 0;      ///< the last line of the handler
};

/// The body of a `try` that goes on, whatever fails in it: in a loop with the next item, else with
/// nothing but `pass` in its handler, or with what that gives in the place of a result of the body.
struct CaughtLines {
  uint32_t first = 0;  ///< the line of `try`
  uint32_t last = 0;   ///< of the body
  size_t unit = 0;     ///< index of the CodeUnit that it stands in
};

/// All code of one file.
struct FileUnits {
  std::vector<CodeUnit> units;    ///< the first is the code of the module
  std::vector<uint32_t> by_name;  ///< places in `units`, sorted by their names
  std::vector<UnitStart> starts;  ///< sorted by line; the first is line 0
  std::vector<Choice> choices;    ///< those about which something is known, outer ones first
  std::map<std::string, ClassUnit, std::less<>> classes;
  std::vector<Term> terms;
  std::map<std::string, std::vector<AttributeValue>, std::less<>> attributes;
  /// What makes the objects that variables of the module hold: `configs` of `configs = Config()`.
  std::map<std::string, std::vector<Origin>, std::less<>> objects;
  /// Variables of the module that hold one constant: terms.
  std::map<std::string, uint32_t, std::less<>> constants;
  uint32_t main_line = 0;                    ///< of `if __name__ == "__main__"`; 0: there is none
  bool only_defines = false;                 ///< functions and classes, beside imports
  bool has_tests = false;                    ///< defines what pytest collects
  std::vector<std::string> console_scripts;  ///< "name = module:function", of setup.py
  std::vector<uint32_t> script_lines;        ///< of console_scripts
  std::vector<MissingModule> missing;
  std::vector<PackageImport> packages;
  /// What absolute imports name: "torch.nn" of `from torch import nn`.
  std::set<std::string, std::less<>> imported_names;
  /// It imports the modules of folders that it lists, os.listdir("models"), as far as it does not
  /// say which.
  bool imports_listed = false;
  /// Folders of the project with modules that an argument of a call names: "models/heads".
  std::set<std::string> named_folders;
  std::vector<std::string> script_requirements;  ///< of `# /// script` at the head of the file
  /// By each line of what works only later, a decorator of a function, a text that a parameter has
  /// by default, or a base of a class: the first line of the body that runs then, of the function
  /// or of the first method of the class.
  std::map<uint32_t, uint32_t> works_later;
  std::vector<Framework> frameworks;     ///< that it imports
  std::vector<ImportStatement> imports;  ///< in the order of the text
  std::vector<Fallback> fallbacks;       ///< in the order of the text
  std::vector<CaughtLines> caught;       ///< in the order of the text
  const CodeUnit* Find(std::string_view name) const;
  /// The innermost fallback around a line, or null.
  const Fallback* FallbackAt(uint32_t line) const;
  /// The line of a `try` that takes what fails on a line of this unit and goes on, or 0.
  uint32_t CaughtAt(size_t unit, uint32_t line) const;
  /// The import statement on a line, or null.
  const ImportStatement* ImportAt(uint32_t line) const;
  /// That of the innermost unit around a line.
  const UnitStart& StartAt(uint32_t line) const;
  /// The index of the innermost choice at the place, or kNoChoice.
  size_t ChoiceAt(uint32_t line, uint32_t column) const;
  static constexpr size_t kNoChoice = static_cast<size_t>(-1);
  /// All conditions: of `starts`, and behind them those of `choices`.
  size_t conditions() const { return starts.size() + choices.size(); }
  uint32_t ConditionAt(size_t index) const {
    return index < starts.size() ? starts[index].condition
                                 : choices[index - starts.size()].condition;
  }
  size_t UnitAt(size_t index) const {
    return index < starts.size() ? starts[index].unit : choices[index - starts.size()].unit;
  }
};

inline constexpr std::string_view kMainBlock = "<main>";

/// `machine`: as SettledConditions has it.
FileUnits UnitsOf(const CodeFile& file, const TrainingApis& apis, const Machine& machine = {});

}  // namespace transplt
