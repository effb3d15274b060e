// SPDX-License-Identifier: Apache-2.0
// The C interface: checks sizes, catches exceptions, keeps the last message of each thread.
#include "runtime/include/transplt/capture.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "runtime/src/recover.h"
#include "runtime/src/selection.h"
#include "runtime/src/session.h"

struct transplt_capture {  // NOLINT: a name of C
  std::unique_ptr<transplt::capture::Session> session;
};

namespace transplt::capture {
namespace {

std::string& LastError() {
  thread_local std::string message;
  return message;
}

int& LastErrno() {
  thread_local int number = 0;
  return number;
}

transplt_status Told(Status status) {
  LastError() = std::move(status.message);
  LastErrno() = status.error;
  return status.code;
}

/// Runs `body`, which gives a Status; no exception leaves it.
template <typename Body>
transplt_status Guarded(const Body& body) {
  try {
    return Told(body());
  } catch (const std::bad_alloc&) {
    return Told({TRANSPLT_NO_MEMORY, "out of memory"});
  } catch (const std::exception& problem) {
    return Told({TRANSPLT_INTERNAL, problem.what()});
  } catch (...) {
    return Told({TRANSPLT_INTERNAL, "unknown exception"});
  }
}

/// As Guarded, for a handle that has to be there and to belong to this process.
template <typename Body>
transplt_status WithSession(::transplt_capture* capture, const Body& body) {
  return Guarded([&]() -> Status {
    if (capture == nullptr) return Invalid("the handle is null");
    if (!capture->session->is_alive()) {
      return {TRANSPLT_INERT, "opened before fork(): this process captures nothing with it"};
    }
    return body(*capture->session);
  });
}

/// A structure of a caller that may know fewer fields, or more that then must be zero.
template <typename T>
Status Adopt(const T* given, const char* name, T* copy) {
  if (given == nullptr) return Invalid(std::string(name) + " is null");
  if (given->struct_size < sizeof(size_t)) {
    return Invalid(std::string(name) + ": struct_size is not set");
  }
  *copy = T{};
  std::memcpy(copy, given, std::min(given->struct_size, sizeof(T)));
  const auto* bytes = reinterpret_cast<const char*>(given);
  for (size_t i = sizeof(T); i < given->struct_size; ++i) {
    if (bytes[i] != 0) {
      return {TRANSPLT_UNSUPPORTED, std::string(name) + ": has fields that this version lacks"};
    }
  }
  return {};
}

Status AdoptOptions(const transplt_options* options, transplt_options* known) {
  if (Status status = Adopt(options, "options", known); !status.ok()) return status;
  if (known->version == TRANSPLT_CAPTURE_VERSION) return {};
  return {TRANSPLT_UNSUPPORTED, "options: version " + std::to_string(known->version) +
                                    " is wanted, this is " +
                                    std::to_string(TRANSPLT_CAPTURE_VERSION)};
}

/// A structure that a caller wants a result in.
template <typename T>
Status CheckResult(const T* result) {
  if (result == nullptr) return Invalid("result is null");
  if (result->struct_size < sizeof(size_t)) return Invalid("result: struct_size is not set");
  return {};
}

/// Into a caller's structure, as much of it as the caller knows.
template <typename T>
void HandOut(const T& value, T* result) {
  const size_t size = std::min(result->struct_size, sizeof(T));
  const size_t kept = result->struct_size;
  std::memcpy(result, &value, size);
  result->struct_size = kept;
}

}  // namespace
}  // namespace transplt::capture

using transplt::capture::Adopt;
using transplt::capture::AdoptOptions;
using transplt::capture::CheckResult;
using transplt::capture::Guarded;
using transplt::capture::HandOut;
using transplt::capture::Invalid;
using transplt::capture::Session;
using transplt::capture::Status;
using transplt::capture::WithSession;

uint32_t transplt_capture_version(void) { return TRANSPLT_CAPTURE_VERSION; }

const char* transplt_capture_last_error(void) { return transplt::capture::LastError().c_str(); }

int transplt_capture_last_errno(void) { return transplt::capture::LastErrno(); }

const char* transplt_capture_target(void) { return transplt::capture::TargetName(); }

transplt_status transplt_capture_statistics(const transplt_tensor* tensor, uint32_t want,
                                            transplt_statistics* result) {
  return Guarded([&]() -> Status {
    if (Status status = CheckResult(result); !status.ok()) return status;
    transplt::capture::TensorView view;
    if (Status status = MakeView(tensor, &view); !status.ok()) return status;
    transplt::capture::TensorPass pass(view, want & ~uint32_t{TRANSPLT_WANT_PAYLOAD});
    pass.Run(nullptr);
    transplt_statistics statistics{};
    pass.Report(statistics);
    HandOut(statistics, result);
    return {};
  });
}

uint32_t transplt_capture_crc32(uint32_t before, const void* data, size_t size) {
  return transplt::capture::Crc32(before, data, size);
}

transplt_status transplt_capture_check(const transplt_options* options) {
  return Guarded([&]() -> Status {
    transplt_options known{};
    if (Status status = AdoptOptions(options, &known); !status.ok()) return status;
    return Session::Check(known);
  });
}

transplt_status transplt_capture_open(const transplt_options* options, transplt_capture** result) {
  return Guarded([&]() -> Status {
    if (result == nullptr) return Invalid("result is null");
    *result = nullptr;
    transplt_options known{};
    if (Status status = AdoptOptions(options, &known); !status.ok()) return status;
    auto capture = std::make_unique<transplt_capture>();
    if (Status status = Session::Open(known, &capture->session); !status.ok()) return status;
    *result = capture.release();
    return {};
  });
}

transplt_status transplt_capture_put(transplt_capture* capture, const transplt_record* record,
                                     transplt_statistics* result) {
  return WithSession(capture, [&](Session& session) -> Status {
    transplt_record known{};
    if (Status status = Adopt(record, "record", &known); !status.ok()) return status;
    if (result != nullptr) {
      if (Status status = CheckResult(result); !status.ok()) return status;
    }
    transplt_statistics statistics{};
    Status status = session.Put(known, &statistics);
    if (result != nullptr) HandOut(statistics, result);
    return status;
  });
}

transplt_status transplt_capture_text_begin(transplt_capture* capture, const char* path,
                                            const char* prefix, const char* separator,
                                            const char* suffix) {
  return WithSession(capture, [&](Session& session) {
    return session.BeginText(path, prefix, separator, suffix);
  });
}

transplt_status transplt_capture_text(transplt_capture* capture, const char* path, const char* text,
                                      size_t size) {
  return WithSession(capture, [&](Session& session) {
    return session.AddText(path, {text, size});
  });
}

transplt_status transplt_capture_flush(transplt_capture* capture) {
  return WithSession(capture, [](Session& session) { return session.Flush(); });
}

transplt_status transplt_capture_step(transplt_capture* capture, uint64_t step) {
  return WithSession(capture, [&](Session& session) { return session.Step(step); });
}

transplt_status transplt_capture_counters(transplt_capture* capture, transplt_counters* result) {
  return WithSession(capture, [&](Session& session) -> Status {
    if (Status status = CheckResult(result); !status.ok()) return status;
    HandOut(session.counters(), result);
    return {};
  });
}

transplt_status transplt_capture_close(transplt_capture* capture) {
  const transplt_status status =
      WithSession(capture, [](Session& session) { return session.Close(); });
  // In a forked child the writer thread is not there to be joined: its memory is left alone.
  if (capture != nullptr && capture->session->is_alive()) delete capture;
  return status;
}

transplt_status transplt_capture_recover(const char* root, uint64_t* files) {
  return Guarded([&]() -> Status {
    if (root == nullptr || *root == '\0') return Invalid("root is empty");
    uint64_t written = 0;
    Status status = transplt::capture::Recover(root, &written);
    if (files != nullptr) *files = written;
    return status;
  });
}

transplt_status transplt_capture_selected(const char* selection, uint64_t number,
                                          uint32_t* result) {
  return Guarded([&]() -> Status {
    if (result == nullptr) return Invalid("result is null");
    transplt::capture::Selection parsed;
    Status status =
        transplt::capture::Selection::Parse(selection == nullptr ? "" : selection, &parsed);
    *result = status.ok() && parsed.Contains(number) ? 1 : 0;
    return status;
  });
}
