// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/base/text.h"
#include "transplt/native/answer.h"

namespace transplt {

/// A C++ source that takes the place of a CUDA source: it defines what other sources call of it.
struct StandIn {
  std::string path;      ///< "src/nms_stand_in.cc"
  std::string replaces;  ///< "src/nms.cu"
  std::string text;
};

/// What the operators of one extension module do once stand-ins take the place of its CUDA sources.
struct ModuleStandIns {
  enum class Answer {
    kOnCpu,  ///< computes on the CPU and moves the result back
    kFails,  ///< raises an error when it is called
    kOwn,    ///< needs no CUDA source
  };
  std::vector<StandIn> sources;
  std::map<std::string, Answer> operators;  ///< by the names that Python knows
  /// The C++ sources that do not build before what is left of CUDA in them is written anew.
  std::set<std::string> unfinished;
  /// Why none can be written; then there is nothing else here.
  Text refusal;
};

/// The stand-ins for the CUDA sources among `sources`, all that one module is built of. `suffix`
/// takes the place of ".cu": "_stand_in.cc".
///
/// A function computes on the CPU if the project itself goes from one place to it and to a function
/// with its name and its parameters that is for the CPU. Any other raises an error that names the
/// operator, its kernels and the remedy.
ModuleStandIns MakeStandIns(const std::vector<const NativeSource*>& sources,
                            std::string_view suffix);

/// "src/nms_stand_in.cc" of "src/nms.cu"; "" of a source that is not in CUDA.
std::string StandInPath(std::string_view source, std::string_view suffix);

}  // namespace transplt
