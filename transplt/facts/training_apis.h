// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/framework.h"
#include "transplt/base/result.h"
#include "transplt/facts/start_style.h"

namespace transplt {

/// What calls of a library tell about the program that makes them.
struct TrainingApi {
  enum class Kind : uint8_t {
    kObject,    ///< an object of one of `names` trains where one of `methods` is called
    kFunction,  ///< a call of one of `names` trains
    kMethod,    ///< one of `methods` trains, whatever its object, in a file that imports a package
    kLauncher,  ///< says how processes are started
    kTest,      ///< the program is a test
    kSetup,     ///< the program installs the project
    /// `with` one of `names`, or one of `methods` without arguments: a model is used, not trained
    kInference,
  };
  std::string id;
  Kind kind = Kind::kFunction;
  std::vector<std::string> packages;
  std::vector<std::string> names;  ///< "Trainer"; "*Trainer": whatever ends like this
  std::vector<std::string> methods;
  /// Of a kMethod: it has to be called with one of these; empty: nothing is asked for.
  std::vector<std::string> keywords;
  std::optional<Framework> framework;  ///< of the program that trains so
  std::optional<StartStyle> start;
  std::string example;  ///< a script for which the row holds
  std::string unlike;   ///< one for which it does not; may be empty

  /// True for "pytorch_lightning.trainer.Trainer": how deep a name lies in its package, and what
  /// is called of a class ("Trainer.from_args"), does not matter.
  bool Names(std::string_view qualified) const;
  bool HasMethod(std::string_view method) const;
  bool IsOfPackage(std::string_view qualified) const;
};

/// A class of a library whose fields become options, some of which have no default.
struct RequiredFields {
  std::vector<std::string> packages;
  std::string name;
  std::vector<std::string> options;
  std::optional<StartStyle> start;  ///< of a program that has them
};

/// rules/training_apis.json.
class TrainingApis {
 public:
  static Result<TrainingApis> Load();

  const std::vector<TrainingApi>& rows() const { return rows_; }
  /// What a call of the name of a library means; null if nothing is known.
  const TrainingApi* FindCall(std::string_view qualified) const;
  /// What a call of `method` means of an object that `maker` has made.
  const TrainingApi* FindMethod(std::string_view maker, std::string_view method) const;
  /// True for programs that run a Python script among their arguments.
  bool RunsPython(std::string_view program) const;
  /// True for a program or a module that starts a script in several processes: "torchrun".
  bool StartsProcesses(std::string_view program) const;
  const std::vector<RequiredFields>& required_fields() const { return required_fields_; }

 private:
  std::vector<TrainingApi> rows_;
  std::vector<std::string> run_python_;
  std::vector<std::string> start_processes_;
  std::vector<RequiredFields> required_fields_;
};

}  // namespace transplt
