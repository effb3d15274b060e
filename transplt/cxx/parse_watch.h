// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace transplt {

/// Says which source is being parsed, and ends the process with kTookTooLong where that takes too
/// much. Templates that make one another without end, and macros that grow between two steps of the
/// parser, take all time and all memory; a step of a parser can only be ended together with its
/// process.
class ParseWatch {
 public:
  /// `file` gets the path of the source that is being parsed; "" if nobody wants to know.
  explicit ParseWatch(const std::string& file);
  ParseWatch(const ParseWatch&) = delete;
  ParseWatch& operator=(const ParseWatch&) = delete;
  ~ParseWatch();

  void Begin(const std::string& path);
  void End();

 private:
  void Say(const std::string& path);
  void Watch();

  int file_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_parsing_ = false;
  double seconds_ = 0;
  size_t bytes_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace transplt
