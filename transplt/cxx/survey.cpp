// SPDX-License-Identifier: Apache-2.0
#include "transplt/cxx/survey.h"

#include <llvm/Support/CrashRecoveryContext.h>
#include <time.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "transplt/base/path_state.h"
#include "transplt/base/word_list.h"
#include "transplt/cxx/looks.h"
#include "transplt/cxx/parse.h"
#include "transplt/cxx/parse_watch.h"
#include "transplt/native/macro_names.h"
#include "transplt/native/operator_index.h"
#include "transplt/native/token_text.h"

namespace transplt {
namespace {

/// Templates nest deeply.
constexpr unsigned kStackBytes = 32U << 20;

/// A source while the others are read too.
struct Read {
  NativeSource result;
  std::string text;
  std::vector<NativeToken> tokens;
  NativeFacts facts;
  EditList edits;
};

double ProcessorMilliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Text DidNotEnd() {
  return Say("the parser took too long or too much memory, or crashed",
             "解析器耗时过长, 占用内存过多, 或已崩溃");
}

std::string LastPart(const std::string& name) {
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

/// The uses of the macro around `function` that make the function itself. Nothing if it is not
/// known which do, or if no macro makes it.
std::set<size_t> UsesThatMake(const std::string& function, const MacroNames& macros, size_t first,
                              size_t behind) {
  std::set<size_t> uses;
  for (size_t i = first; i < behind && uses.empty(); ++i) {
    const MacroNames::Made* made = macros.At(i);
    if (made == nullptr) continue;
    for (size_t use = 0; use < made->names.size(); ++use) {
      if (made->names[use] == function) uses.insert(use);
    }
  }
  return uses;
}

/// `F::apply(x)` of a function of torch::autograd.
constexpr std::string_view kApply = "apply";

/// The macros of `text` that join names, as they are defined.
std::string JoiningMacrosIn(std::string_view text) {
  std::string macros;
  for (size_t start = 0; start < text.size();) {
    size_t end = std::min(text.find('\n', start), text.size());
    while (end > start && end < text.size() && text[end - 1] == '\\') {
      end = std::min(text.find('\n', end + 1), text.size());
    }
    const std::string_view line = text.substr(start, end - start);
    const size_t hash = line.find_first_not_of(" \t");
    const size_t word = hash == line.npos ? line.npos : line.find_first_not_of(" \t", hash + 1);
    start = end + 1;
    if (word == line.npos || line[hash] != '#' || !line.substr(word).starts_with("define"))
      continue;
    if (line.find("##") != line.npos) macros.append(line).append("\n");
  }
  return macros;
}

/// The functions of the project that the text of each function names. More than it calls, since a
/// name in a macro, a template or a lambda counts too. `above`: the macros
/// of its headers, as they are defined.
void NameCalls(Read& read, const std::set<std::string>& functions, const std::string& above) {
  const std::string whole = above.empty() ? "" : read.text + "\n" + above;
  const std::vector<NativeToken> tokens = TokensOf(whole);
  const TokenText text(whole.empty() ? read.text : whole, whole.empty() ? read.tokens : tokens);
  const MacroNames macros(text);
  for (NativeFunction& function : read.result.functions) {
    const size_t first = text.FirstFrom(function.range.start);
    size_t behind = first;
    while (behind < text.size() && text[behind].range.end <= function.range.end) ++behind;
    const std::set<size_t> uses = UsesThatMake(LastPart(function.name), macros, first, behind);
    const auto add = [&](const std::string& name) {
      if (functions.contains(name)) function.calls.insert(name);
    };
    for (size_t i = first; i < behind; ++i) {
      if (!text.IsName(i)) continue;
      add(std::string(text.Of(i)));
      if (text.Is(i, kApply) && i > 1 && text.Is(i - 1, "::")) {
        for (const std::string& run : Words("run-by-apply").words()) {
          add(std::string(text.Of(i - 2)) + "::" + run);
        }
      }
      for (const std::string& name : macros.UsedAt(i)) add(name);
      const MacroNames::Made* made = macros.At(i);
      for (size_t use = 0; made != nullptr && use < made->names.size(); ++use) {
        if (uses.empty() || uses.contains(use)) add(made->names[use]);
      }
    }
  }
}

/// True if a body that begins at token `first` raises an error before anything else, or never gives
/// the result that it promises.
bool OnlyFails(const Read& read, const NativeFunction& function) {
  const TokenText text(read.text, read.tokens);
  const size_t first = text.FirstFrom(function.body);
  if (function.body == 0 || !text.Is(first, "{")) return false;
  const bool raises = Words("failing-words").Has(text.Of(first + 1));
  const bool is_check = Words("check-words").Has(text.Of(first + 1)) && text.Is(first + 3, "false");
  if (raises || is_check) return true;
  if (function.result == "void") return false;
  for (size_t i = first; i < text.size() && text[i].range.end <= function.range.end; ++i) {
    if (text.Is(i, "return")) return false;
  }
  return true;
}

std::vector<std::string> IncludesIn(const Read& read) {
  std::vector<std::string> includes;
  for (const NativeToken& token : read.tokens) {
    if (token.kind != NativeToken::Kind::kHeader || token.range.size() < 2) continue;
    const std::string_view name = token.range.In(read.text);
    includes.emplace_back(name.substr(1, name.size() - 2));
  }
  return includes;
}

/// The headers that are included within braces: what they hold is a part of something.
std::set<std::string> PartsIn(const Read& read) {
  std::set<std::string> parts;
  int depth = 0;
  for (const NativeToken& token : read.tokens) {
    const std::string_view text = token.range.In(read.text);
    const bool is_include = token.kind == NativeToken::Kind::kHeader && text.size() > 2;
    if (is_include && depth > 0) parts.emplace(text.substr(1, text.size() - 2));
    if (token.in_directive) continue;
    if (text == "{") ++depth;
    if (text == "}") --depth;
  }
  return parts;
}

/// Where the byte `offset` of the edited text stood before.
uint32_t OriginalOffset(const EditList& edits, uint32_t offset) {
  int64_t shift = 0;
  for (const EditList::Accepted& accepted : edits.edits()) {
    const Edit& edit = accepted.edit;
    const int64_t start = edit.range.start + shift;
    if (start > offset) break;
    if (offset < start + static_cast<int64_t>(edit.text.size())) return edit.range.start;
    shift += static_cast<int64_t>(edit.text.size()) - edit.range.size();
  }
  return static_cast<uint32_t>(offset - shift);
}

/// The edits of all findings. Of two that collide one is made, as whoever applies them does.
EditList EditsOf(const NativeSource& source) {
  EditList edits;
  for (const NativeFinding& finding : source.findings) {
    static_cast<void>(edits.TryAdd(finding.fix, finding.rule_id));
  }
  return edits;
}

/// True if more than the names of headers change. The declarations of all headers are read anyway.
bool EditsCode(const NativeSource& source) {
  return std::ranges::any_of(source.findings, [](const NativeFinding& finding) {
    const NativeRule* rule = NativeRules::Builtin().Find(finding.rule_id);
    return !finding.fix.empty() && (rule == nullptr || rule->kind != NativeRule::Kind::kHeader);
  });
}

/// The function templates with an edit in them, and those that lead to one: a body is made for the
/// types of the bodies that use it.
std::set<std::string> EditedTemplates(const Read& read) {
  const auto has_edit = [&](const NativeFunction& function) {
    const auto& edits = read.edits.edits();
    return std::any_of(edits.begin(), edits.end(), [&](const EditList::Accepted& accepted) {
      return function.range.start <= accepted.edit.range.start &&
             accepted.edit.range.end <= function.range.end;
    });
  };
  std::set<std::string> templates;
  std::set<std::string> called;
  const auto leads_to_one = [&](const NativeFunction& function) {
    return std::ranges::any_of(function.calls,
                               [&](const std::string& name) { return called.contains(name); });
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const NativeFunction& function : read.result.functions) {
      if (!function.is_template || templates.contains(function.name)) continue;
      if (!has_edit(function) && !leads_to_one(function)) continue;
      templates.insert(function.name);
      called.insert(LastPart(function.name));
      grows = true;
    }
  }
  return templates;
}

/// `with_ascend`: for what the edits make.
ParseOptions OptionsFor(const NativeRequest& request, bool with_ascend, Looks& looks) {
  ParseOptions options;
  for (const std::string& folder : request.include_folders) {
    options.include_folders.push_back(request.root + "/" + folder);
  }
  options.defines = request.defines;
  options.with_ascend = with_ascend;
  options.looks = &looks;
  return options;
}

class Surveyor {
 public:
  Surveyor(const NativeRequest& request, const std::string& at)
      : request_(request),
        watch_(at),
        before_(OptionsFor(request, false, looks_)),
        after_(OptionsFor(request, true, looks_)) {}

  NativeAnswer Run() {
    std::vector<Read> reads(request_.files.size());
    for (size_t i = 0; i < reads.size(); ++i) Parse(request_.files[i], reads[i]);
    for (Read& read : reads) by_path_.emplace(PathOf(read.result.path), &read);
    ShareEffects(reads);
    for (Read& read : reads) FindKernels(read);
    for (Read& read : reads) Rewrite(read);
    for (Read& read : reads) Verify(read);
    NativeAnswer answer;
    for (Read& read : reads) answer.sources.push_back(std::move(read.result));
    for (const auto& [path, text] : request_.texts) answer.sources.push_back(Check(path, text));
    looks_.AddLibraries();
    answer.looks = looks_.states();
    answer.is_repeatable = is_repeatable_ && looks_.agree();
    return answer;
  }

 private:
  std::string PathOf(const std::string& file) const { return request_.root + "/" + file; }

  /// Runs the parse `work` of `file` so that a crash in it ends nothing else. Gives why it did not
  /// come to its end, if it did not.
  Text RunSafely(const std::string& file, llvm::function_ref<void()> work) {
    if (request_.given_up.contains(file)) return DidNotEnd();
    llvm::CrashRecoveryContext context;
    watch_.Begin(file);
    const bool is_done = context.RunSafelyOnThread(work, kStackBytes);
    watch_.End();
    return is_done ? Text() : DidNotEnd();
  }

  void Parse(const std::string& file, Read& read) {
    read.result.path = file;
    own_names_.insert(file.substr(file.rfind('/') + 1));
    std::ifstream stream(PathOf(file), std::ios::binary);
    std::stringstream bytes;
    if (stream) bytes << stream.rdbuf();
    if (!stream) {
      looks_.Add(PathOf(file), "");
      read.result.error = Say("cannot be read", "无法读取");
      return;
    }
    read.text = bytes.str();
    read.result.fingerprint = FingerprintOf(read.text);
    looks_.Add(PathOf(file), read.result.fingerprint);
    const double start = ProcessorMilliseconds();
    read.tokens = TokensOf(read.text);
    const Text stopped =
        RunSafely(file, [&] { read.facts = before_.Parse(PathOf(file), read.text); });
    if (!stopped.empty()) {
      is_repeatable_ = false;
      read.facts = {};
      read.facts.error = stopped;
    }
    read.result.error = read.facts.error;
    own_names_.merge(MacrosIn(read.text, read.tokens));
    own_names_.insert(read.facts.declared.begin(), read.facts.declared.end());
    for (const NativeFunction& function : read.facts.functions) {
      functions_.insert(LastPart(function.name));
      if (function.reach == NativeFunction::Reach::kMember) {
        functions_.insert(MemberName(function.name));
      }
    }
    read.result.functions = read.facts.functions;
    for (NativeFunction& function : read.result.functions) {
      function.only_fails = OnlyFails(read, function);
    }
    read.result.includes = IncludesIn(read);
    read.result.parts = PartsIn(read);
    read.result.undefined = read.facts.undefined;
    read.result.variables = read.facts.variables;
    read.result.missing_headers = read.facts.missing_headers;
    read.result.milliseconds = ProcessorMilliseconds() - start;
  }

  /// The source with this path, which may be written in a roundabout way; null if there is none.
  Read* SourceAt(const std::string& path) const {
    const auto found = by_path_.find(std::filesystem::path(path).lexically_normal().string());
    return found == by_path_.end() ? nullptr : found->second;
  }

  /// What the names that a header has mean in a kernel.
  const DeviceNames& DeviceNamesOf(const std::string& header) {
    const std::string path = std::filesystem::path(header).lexically_normal().string();
    const auto [known, is_new] = device_names_.try_emplace(path);
    if (!is_new) return known->second;
    if (const Read* const source = SourceAt(path)) {
      known->second = DeviceNames(source->text, source->tokens);
    } else if (std::ifstream stream(path, std::ios::binary); stream) {
      std::stringstream bytes;
      bytes << stream.rdbuf();
      const std::string text = bytes.str();
      known->second = DeviceNames(text, TokensOf(text));
    }
    return known->second;
  }

  /// The macros that the headers of a source define to join names.
  std::string MacrosAbove(const Read& read) {
    std::string all;
    for (const std::string& header : read.facts.headers) {
      const std::string path = std::filesystem::path(header).lexically_normal().string();
      const auto [known, is_new] = joining_macros_.try_emplace(path);
      if (is_new) {
        const Read* const source = SourceAt(path);
        std::stringstream bytes;
        if (source == nullptr) bytes << std::ifstream(path, std::ios::binary).rdbuf();
        known->second = JoiningMacrosIn(source != nullptr ? source->text : bytes.str());
      }
      all += known->second;
    }
    return all;
  }

  void FindKernels(Read& read) {
    const double start = ProcessorMilliseconds();
    std::vector<const DeviceNames*> included;
    if (read.text.find("__global__") != std::string::npos) {
      for (const std::string& header : read.facts.headers) {
        included.push_back(&DeviceNamesOf(header));
      }
    }
    read.result.kernels = KernelsIn(read.text, read.tokens, NativeRules::Builtin(), included);
    for (const NativeKernel& kernel : read.result.kernels) functions_.insert(kernel.name);
    read.result.milliseconds += ProcessorMilliseconds() - start;
  }

  /// What an argument does that a source gives to a macro of a header counts for the header.
  void ShareEffects(const std::vector<Read>& reads) const {
    for (const Read& read : reads) {
      for (const auto& [header, calls] : read.facts.effects_in_headers) {
        Read* const source = SourceAt(header);
        if (source == nullptr) continue;
        for (const auto& [offset, effects] : calls) {
          AddEffects(source->facts.effects, offset, effects);
        }
      }
    }
  }

  /// True for what the body of a macro has where a name stays: there it is told once.
  bool IsToldAtMacro(const NativeDiagnostic& found) const {
    const Read* const source = found.macro_file.empty() ? nullptr : SourceAt(found.macro_file);
    if (source == nullptr) return false;
    const uint32_t offset = OriginalOffset(source->edits, found.macro_offset);
    return std::ranges::any_of(source->result.findings, [&](const NativeFinding& one) {
      return StopsAnNpu(one.outcome) && one.range.start <= offset && offset < one.range.end;
    });
  }

  void Rewrite(Read& read) {
    if (read.result.fingerprint.empty()) return;
    const double start = ProcessorMilliseconds();
    const NativeRules& rules = NativeRules::Builtin();
    read.result.findings = RewriteNative(read.text, read.tokens, {rules, read.facts, own_names_});
    read.result.launches = LaunchesIn(read.text, read.tokens);
    read.result.bindings = BindingsIn(read.text, read.tokens);
    read.result.links = LinksIn(read.text, read.tokens);
    NameCalls(read, functions_, MacrosAbove(read));
    read.edits = EditsOf(read.result);
    // Headers are seen migrated by the sources that include them.
    if (!read.edits.empty())
      after_.SetText(PathOf(read.result.path), read.edits.ApplyTo(read.text));
    read.result.milliseconds += ProcessorMilliseconds() - start;
  }

  /// Of a source that is not written yet: all that a parse does not accept.
  NativeSource Check(const std::string& path, const std::string& text) {
    NativeSource source;
    source.path = path;
    source.fingerprint = FingerprintOf(text);
    NativeFacts facts;
    const Text stopped = RunSafely(path, [&] { facts = after_.Parse(PathOf(path), text); });
    source.error = stopped.empty() ? facts.error : stopped;
    source.mismatches = std::move(facts.diagnostics);
    source.missing_headers = std::move(facts.missing_headers);
    return source;
  }

  /// The types of `read` as the edits make them.
  static void TakeTypes(const NativeFacts& after, Read& read) {
    std::vector<NativeFunction>& functions = read.result.functions;
    const auto is_same = [](const NativeFunction& one, const NativeFunction& other) {
      return one.name == other.name && one.parameters.size() == other.parameters.size();
    };
    if (!std::ranges::equal(functions, after.functions, is_same)) return;
    for (size_t i = 0; i < functions.size(); ++i) {
      functions[i].result = after.functions[i].result;
      functions[i].parameters = after.functions[i].parameters;
      functions[i].own_type = after.functions[i].own_type;
    }
  }

  /// Parses what the edits make, and keeps what the original did not show.
  void Verify(Read& read) {
    if (!EditsCode(read.result) || !read.result.error.empty()) return;
    const double start = ProcessorMilliseconds();
    const std::string path = PathOf(read.result.path);
    const std::set<std::string> templates = EditedTemplates(read);
    std::set<std::string> known;
    const auto know = [&](const NativeFacts& facts) {
      for (const NativeDiagnostic& found : facts.diagnostics) known.insert(found.message);
    };
    const auto is_new = [&](const NativeDiagnostic& found) {
      return !known.contains(found.message);
    };
    know(read.facts);
    NativeFacts after;
    const Text stopped = RunSafely(read.result.path, [&] {
      after = after_.Parse(path, *after_.TextOf(path), templates);
      const bool is_asked = !templates.empty() && std::ranges::any_of(after.diagnostics, is_new);
      if (is_asked) know(before_.Parse(path, read.text, templates));
    });
    if (!stopped.empty()) {
      is_repeatable_ = false;
      read.result.error = stopped;
      return;
    }
    TakeTypes(after, read);
    for (const NativeDiagnostic& found : after.diagnostics) {
      if (!is_new(found) || IsToldAtMacro(found)) continue;
      read.result.mismatches.push_back({OriginalOffset(read.edits, found.offset), found.message});
    }
    read.result.milliseconds += ProcessorMilliseconds() - start;
  }

  const NativeRequest& request_;
  ParseWatch watch_;
  Looks looks_;
  bool is_repeatable_ = true;
  const NativeParser before_;
  NativeParser after_;  // for the result
  std::map<std::string, Read*> by_path_;
  std::map<std::string, DeviceNames> device_names_;    // of headers, by path
  std::map<std::string, std::string> joining_macros_;  // the same
  std::set<std::string> own_names_;
  std::set<std::string> functions_;
};

}  // namespace

NativeAnswer Survey(const NativeRequest& request, const std::string& at) {
  llvm::CrashRecoveryContext::Enable();
  return Surveyor(request, at).Run();
}

}  // namespace transplt
