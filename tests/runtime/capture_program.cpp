// SPDX-License-Identifier: Apache-2.0
// Captures what its command line says, so that tests in other languages can kill it, limit it and
// read what it has written.
//   capture_program ROOT FORMAT RECORDS BYTES [once|forever|long-names [power-loss-safe]]
// Prints "ack N" after every flush, and the counters at the end.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/include/transplt/capture.h"

namespace {

void Fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, transplt_capture_last_error());
  std::exit(2);
}

transplt_capture* Open(const char* root, int format, bool power_loss_safe) {
  transplt_options options{};
  options.struct_size = sizeof options;
  options.version = TRANSPLT_CAPTURE_VERSION;
  options.format = static_cast<transplt_format>(format);
  options.root = root;
  options.net_name = "Net";
  options.time_folder = "20260102030405";
  options.model_name = "ge default.1";
  options.model_id = 11;
  options.min_free_bytes = 65536;
  options.power_loss_safe = power_loss_safe ? 1 : 0;
  options.hdf5_device = 10;
  transplt_capture* capture = nullptr;
  if (transplt_capture_open(&options, &capture) != TRANSPLT_OK) Fail("open");
  return capture;
}

/// Record `number` holds its number in every element.
transplt_status Put(transplt_capture* capture, int number, size_t bytes, const char* ending) {
  std::vector<float> data(bytes / sizeof(float), static_cast<float>(number));
  const int64_t shape[] = {static_cast<int64_t>(data.size() / 2), 2};
  transplt_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  tensor.data = data.data();
  tensor.type = TRANSPLT_FLOAT32;
  tensor.dimensions = 2;
  tensor.shape = shape;
  const std::string name = "Default/Add-op" + std::to_string(number / 2) + ending;
  transplt_record record{};
  record.struct_size = sizeof record;
  record.name = name.c_str();
  record.op_type = "Add.V2";
  record.direction = number % 2 == 0 ? TRANSPLT_OUTPUT : TRANSPLT_INPUT;
  record.index = 0;
  record.order = static_cast<uint64_t>(number / 2);
  record.stream_id = 3;
  record.layout = "NCHW";
  record.want = TRANSPLT_WANT_STATISTICS | TRANSPLT_WANT_PAYLOAD;
  record.tensor = &tensor;
  return transplt_capture_put(capture, &record, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string mode = argc > 5 ? argv[5] : "once";
  const int format = std::atoi(argv[2]);
  const int records = std::atoi(argv[3]);
  const size_t bytes = static_cast<size_t>(std::atol(argv[4]));
  const bool power_loss_safe = argc > 6 && std::strcmp(argv[6], "power-loss-safe") == 0;
  transplt_capture* capture = Open(argv[1], format, power_loss_safe);
  int number = 0;
  if (mode == "forever" &&
      transplt_capture_text_begin(capture, "lines.json", "[", ",", "]") != TRANSPLT_OK) {
    Fail("text_begin");
  }
  for (uint64_t step = 0; mode == "forever"; ++step) {
    for (int i = 0; i < records; ++i, ++number) {
      Put(capture, 2 * number, bytes, "");
      const std::string text = std::to_string(number);
      transplt_capture_text(capture, "lines.json", text.data(), text.size());
      if (number % 4 == 3) {
        if (transplt_capture_flush(capture) != TRANSPLT_OK) Fail("flush");
        std::printf("ack %d\n", number + 1);
        std::fflush(stdout);
      }
    }
    if (transplt_capture_step(capture, step) != TRANSPLT_OK) Fail("step");
  }
  const std::string longer = mode == "long-names" ? std::string(300, 'x') : "";
  for (; number < records; ++number) {
    // A file of npy holds one tensor, the others an operator.
    const bool apart = format == TRANSPLT_FORMAT_NPY;
    const char* direction = number % 2 == 0 ? ".output" : ".input";
    Put(capture, number, bytes, apart ? direction : longer.c_str());
  }
  const transplt_status stepped = transplt_capture_step(capture, 5);
  if (stepped != TRANSPLT_OK) std::printf("step: %s\n", transplt_capture_last_error());
  transplt_counters c{};
  c.struct_size = sizeof c;
  transplt_capture_counters(capture, &c);
  std::printf(
      "records %lu payloads %lu full %lu stats_only %lu dropped %lu lost_in_files %lu files %lu\n",
      c.records, c.payloads, c.full, c.stats_only, c.dropped, c.lost_in_files, c.files);
  const transplt_status closed = transplt_capture_close(capture);
  if (closed != TRANSPLT_OK) std::printf("close: %s\n", transplt_capture_last_error());
  return stepped == TRANSPLT_OK && closed == TRANSPLT_OK ? 0 : 1;
}
