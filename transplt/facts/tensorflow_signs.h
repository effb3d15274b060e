// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace transplt {

/// The one name by which rules know what TensorFlow has under several: tensorflow.Session for
/// tensorflow.compat.v1.Session and tensorflow.python.client.session.Session, tensorflow.keras.x
/// for keras.x, horovod.x for horovod.tensorflow.x.
std::string TensorflowName(std::string_view resolved);

/// What a name of TensorFlow tells about the program that uses it.
enum class TensorflowSign : uint8_t {
  kNone,
  kSessionsSwitch,  ///< switches eager execution off
  kEagerSwitch,     ///< switches it on, where TensorFlow 2 is installed
  kOnlySessions,    ///< there is no such name in TensorFlow 2, or it always makes sessions
  kEager,           ///< is for eager execution
  kSessions,        ///< is for graphs, and TensorFlow 2 has it in tensorflow.compat.v1
  kWrittenFor1,     ///< tensorflow.compat.v1 itself
  kWrittenFor2,     ///< tensorflow.compat.v2
};

/// The sign that the name `resolved`, as a file imports it, is.
TensorflowSign TensorflowSignOf(std::string_view resolved);

}  // namespace transplt
