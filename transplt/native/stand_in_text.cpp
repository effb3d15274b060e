// SPDX-License-Identifier: Apache-2.0
#include "transplt/native/stand_in_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "transplt/base/stand_in_marks.h"

namespace transplt {

/// texts/on_cpu.h; made by CMake.
std::string_view OnCpuText();

namespace {

constexpr std::string_view kTensor = "at::Tensor";

bool IsOptionalTensor(std::string_view type) {
  return type.ends_with("optional<at::Tensor>");  // of std, c10, at
}

bool IsTensorList(std::string_view type) {
  return type == "std::vector<at::Tensor>" || type.ends_with("ArrayRef<at::Tensor>") ||
         type.ends_with("TensorList");
}

bool HoldsTensor(std::string_view type) { return type.find("Tensor") != type.npos; }

/// A parameter that has to be moved.
bool Moves(std::string_view type) {
  const std::string plain = PlainType(type);
  return plain == kTensor || IsOptionalTensor(plain) || IsTensorList(plain);
}

/// The parameters with a name for each.
std::vector<NativeParameter> NamedParameters(const NativeFunction& function) {
  std::vector<NativeParameter> named = function.parameters;
  for (size_t i = 0; i < named.size(); ++i) {
    if (named[i].name.empty()) named[i].name = fmt::format("argument_{}", i + 1);
  }
  return named;
}

std::string Declared(const NativeParameter& parameter) {
  const bool is_joined = parameter.type.ends_with('&') || parameter.type.ends_with('*');
  return parameter.type + (is_joined ? "" : " ") + parameter.name;
}

std::string NamespaceOf(const std::string& name) {
  const size_t colons = name.rfind("::");
  return colons == name.npos ? "" : name.substr(0, colons);
}

std::string HeadOf(const NativeFunction& function) {
  std::vector<std::string> parameters;
  for (const NativeParameter& parameter : NamedParameters(function)) {
    parameters.push_back(Declared(parameter));
  }
  const std::string space = NamespaceOf(function.name);
  const std::string name = space.empty() ? function.name : function.name.substr(space.size() + 2);
  return fmt::format("{} {}({})", function.result, name, fmt::join(parameters, ", "));
}

/// `text` in the namespace of the function, "a::b".
std::string InNamespace(const NativeFunction& function, const std::string& text) {
  const std::string space = NamespaceOf(function.name);
  if (function.is_c) return "extern \"C\" {\n" + text + "}\n";
  if (space.empty()) return text;
  std::string opening;
  std::string closing;
  for (size_t start = 0; start < space.size();) {
    const size_t end = std::min(space.find("::", start), space.size());
    opening += "namespace " + space.substr(start, end - start) + " {\n";
    closing = "}  // namespace " + space.substr(start, end - start) + "\n" + closing;
    start = end + 2;
  }
  return opening + text + closing;
}

/// A name of a file in one line, without what ends a comment or joins it with the next line.
std::string Printable(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if ((c >= 0 && c < ' ') || c == '\\' || c == '\x7f') c = '?';
  }
  return text;
}

/// As a literal of C++.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') quoted += '\\';  // ??/ is a backslash to old compilers
    quoted += c;
  }
  return quoted + "\"";
}

std::string Listed(const std::set<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What a person reads when the function is called.
std::string ErrorOf(const StandInFunction& one, std::string_view replaced) {
  std::string error = one.operators.empty() ? one.function->name : Listed(one.operators);
  error += fmt::format(": {} of {} is written for CUDA", one.function->name, replaced);
  if (!one.kernels.empty()) error += fmt::format(" (kernels: {})", Listed(one.kernels));
  error +=
      " and does not run on an NPU. Write it in Ascend C, or compute it with "
      "functions of torch";
  if (!one.elsewhere.empty()) {
    error += fmt::format("; {} may do the same on an NPU", Listed(one.elsewhere));
  }
  return error + ".";
}

std::string FailingBody(const StandInFunction& one, std::string_view replaced) {
  return fmt::format("  {}\n      false,\n      {});\n", kStandInFails,
                     Quoted(ErrorOf(one, replaced)));
}

std::string BodyOnCpu(const StandInFunction& one) {
  std::string body = "  OnCpu transplt_on_cpu;\n";
  std::string after;
  std::vector<std::string> passed;
  for (const NativeParameter& parameter : NamedParameters(*one.function)) {
    if (!Moves(parameter.type)) {
      passed.push_back(parameter.name);
      continue;
    }
    const std::string copy = parameter.name + "_on_cpu";
    body += fmt::format("  auto {} = transplt_on_cpu.Of({});\n", copy, parameter.name);
    passed.push_back(copy);
    if (PlainType(parameter.type) == kTensor && parameter.type.ends_with('&') &&
        !parameter.type.starts_with("const ")) {
      after += fmt::format("  transplt_on_cpu.Assign({}, {});\n", parameter.name, copy);
    }
  }
  const bool gives = one.function->result != "void";
  body += fmt::format("  {}::{}({});\n  transplt_on_cpu.CopyBack();\n",
                      gives ? "auto result = " : "", one.twin->name, fmt::join(passed, ", "));
  return body + after + (gives ? "  return transplt_on_cpu.Back(result);\n" : "");
}

/// Of functions that take streams of an NPU.
std::string HeadersOfDevice(const std::vector<StandInFunction>& functions) {
  const auto has_part = [&](std::string_view part) {
    return std::ranges::any_of(functions, [&](const StandInFunction& one) {
      return HeadOf(*one.function).find(part) != std::string::npos;
    });
  };
  std::string headers;
  if (has_part("c10_npu::")) headers += "#include <torch_npu/csrc/core/npu/NPUStream.h>\n";
  if (has_part("acl")) headers += "#include <acl/acl.h>\n";
  return headers;
}

}  // namespace

std::string PlainType(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  while (type.ends_with('&') || type.ends_with(' ')) type.remove_suffix(1);
  return std::string(type);
}

bool CanMove(const NativeFunction& function) {
  const auto is_pointer = [](std::string_view type) {
    return type.find('*') != type.npos || type.ends_with("&&");
  };
  if (is_pointer(function.result) || function.result.ends_with('&')) return false;
  bool has_tensor = false;
  for (const NativeParameter& parameter : function.parameters) {
    if (is_pointer(parameter.type)) return false;
    const bool moves = Moves(parameter.type);
    if (!moves && HoldsTensor(parameter.type)) return false;
    has_tensor |= moves;
  }
  return has_tensor;
}

std::string StandInText(std::string_view source, const std::vector<StandInFunction>& functions) {
  const std::string replaced = Printable(source);
  const bool on_cpu = std::ranges::any_of(
      functions, [](const StandInFunction& one) { return one.twin != nullptr; });
  std::string text = fmt::format(
      "{}{}, which is written for CUDA, so that\n"
      "// the extension builds and can be imported without it. No kernel runs on the NPU here:\n"
      "// a function computes on the CPU, at the speed of the CPU, or raises an error.\n"
      "#include <torch/extension.h>\n",
      kStandInOpening, replaced.substr(replaced.rfind('/') + 1));
  text += HeadersOfDevice(functions);
  text += on_cpu ? "\n#include <cstring>\n#include <tuple>\n#include <utility>\n#include <vector>\n"
                 : "\n#include <tuple>\n#include <vector>\n";
  if (on_cpu) text += "\nnamespace {\n\n" + std::string(OnCpuText()) + "\n}  // namespace\n";
  std::set<std::string> declared;
  for (const StandInFunction& one : functions) {
    if (one.twin == nullptr || !declared.insert(HeadOf(*one.twin)).second) continue;
    text += "\n" + InNamespace(*one.twin, HeadOf(*one.twin) + ";\n");
  }
  for (const StandInFunction& one : functions) {
    const std::string body = one.twin != nullptr ? BodyOnCpu(one) : FailingBody(one, replaced);
    text += "\n" + InNamespace(*one.function, HeadOf(*one.function) + " {\n" + body + "}\n");
  }
  return text;
}

}  // namespace transplt
