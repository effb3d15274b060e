// SPDX-License-Identifier: Apache-2.0
// Mistakes in what scripts of TensorFlow set already.
#include "transplt/inject/frameworks.h"
#include "transplt/inject/tensorflow_injector.h"

namespace transplt {

FileInjection InjectTensorflow(const InjectFile& file, const InjectRequest& request) {
  return TensorflowInjector(file, request).Inject();
}

FileInjection LintTensorflow(const InjectFile& /*file*/) { return {}; }

}  // namespace transplt
