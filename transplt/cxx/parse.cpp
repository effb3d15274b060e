// SPDX-License-Identifier: Apache-2.0
#include "transplt/cxx/parse.h"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaConsumer.h>
#include <clang/Serialization/ASTWriter.h>
#include <llvm/Support/CrashRecoveryContext.h>
#include <time.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "transplt/cxx/effects.h"
#include "transplt/cxx/llvm_compat.h"
#include "transplt/cxx/looks.h"
#include "transplt/cxx/stubs.h"

namespace transplt {
namespace {

/// Where the declarations that travel in the program are said to lie.
constexpr char kStubFolder[] = "/transplt-declarations/";

/// Collects what the declarations show about the names of the main file.
class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  Collector(clang::ASTContext& context, NativeFacts& facts)
      : context_(context),
        sources_(context.getSourceManager()),
        facts_(facts),
        effects_([this](const clang::FunctionDecl& function) { return OriginOf(function); }) {}

  bool shouldVisitTemplateInstantiations() const { return false; }
  bool shouldVisitImplicitCode() const { return false; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
    Note(use->getLocation(), use->getDecl());
    NoteUse(*use->getDecl());
    return true;
  }

  bool VisitOverloadExpr(clang::OverloadExpr* use) {
    if (use->getNumDecls() > 0) Note(use->getNameLoc(), *use->decls_begin());
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr* use) {
    Note(use->getMemberLoc(), use->getMemberDecl());
    NoteUse(*use->getMemberDecl());
    return true;
  }

  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) {
    Note(type.getNameLoc(), type.getTypedefNameDecl());
    return true;
  }

  bool VisitTagTypeLoc(clang::TagTypeLoc type) {
    Note(type.getNameLoc(), type.getDecl());
    return true;
  }

  bool VisitUsingTypeLoc(clang::UsingTypeLoc type) {
    Note(type.getNameLoc(), type.getFoundDecl()->getTargetDecl());
    return true;
  }

  bool VisitTemplateSpecializationTypeLoc(clang::TemplateSpecializationTypeLoc type) {
    Note(type.getTemplateNameLoc(), type.getTypePtr()->getTemplateName().getAsTemplateDecl());
    return true;
  }

  bool VisitUsingDirectiveDecl(clang::UsingDirectiveDecl* directive) {
    Note(directive->getIdentLocation(), directive->getNominatedNamespace());
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) {
    NoteUse(*made->getConstructor());
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    const bool is_defined =
        variable->isThisDeclarationADefinition() != clang::VarDecl::DeclarationOnly;
    if (is_defined && variable->isFileVarDecl() && variable->isExternallyVisible()) {
      facts_.variables.insert(variable->getQualifiedNameAsString());
    }
    return true;
  }

  bool VisitNamedDecl(clang::NamedDecl* declaration) {
    if (!declaration->getIdentifier()) return true;
    if (IsStub(declaration->getCanonicalDecl()->getLocation())) {
      // `typedef struct CUstream_st* CUstream;` in place of a header of CUDA stays what it is.
      if (!IsStub(declaration->getLocation())) NoteOwn(declaration->getLocation());
      return true;
    }
    if (IsOnlyForward(*declaration)) return true;
    Note(declaration->getLocation(), declaration);
    const bool is_global = !declaration->getDeclContext()->isFunctionOrMethod();
    if (is_global && !llvm::isa<clang::NamespaceDecl>(declaration)) {
      facts_.declared.insert(declaration->getName().str());
      if (!declaration->getDeclContext()->isTranslationUnit()) {
        facts_.declared.insert(declaration->getQualifiedNameAsString());
      }
    }
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
    clang::SourceLocation place;
    if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(callee)) {
      place = use->getLocation();
    } else if (const auto* set = llvm::dyn_cast<clang::OverloadExpr>(callee)) {
      place = set->getNameLoc();
    }
    NoteEffects(*call, place);
    const auto offset = OffsetInMain(place);
    if (!offset) return true;
    std::vector<std::string> types;
    for (const clang::Expr* argument : call->arguments()) {
      types.push_back(TypeOf(argument->IgnoreParenImpCasts()));
    }
    facts_.argument_types.emplace(*offset, std::move(types));
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->isThisDeclarationADefinition() || !function->getIdentifier()) return true;
    // What is made of a template is told to the consumer like a declaration.
    if (function->isTemplateInstantiation()) return true;
    const auto start = OffsetInMain(function->getBeginLoc());
    const auto end = OffsetInMain(function->getEndLoc());
    if (!start || !end || *end < *start) return true;
    NativeFunction found;
    found.name = function->getQualifiedNameAsString();
    found.signature = function->getType().getAsString(Policy());
    found.range = {*start, *end + 1};
    found.is_template = function->getDescribedFunctionTemplate() != nullptr;
    Describe(*function, found);
    facts_.functions.push_back(std::move(found));
    return true;
  }

 private:
  /// Keeps what the arguments of a call change. In a macro they may be those of one use of it.
  void NoteEffects(const clang::CallExpr& call, clang::SourceLocation place) {
    const clang::Decl* called = call.getCalleeDecl();
    const bool is_own = called != nullptr && !IsStub(called->getLocation());
    if (place.isInvalid() || is_own) return;
    std::vector<NativeEffect> effects;
    for (const clang::Expr* argument : call.arguments()) effects.push_back(effects_.Of(argument));
    if (const auto offset = OffsetInMain(place))
      return AddEffects(facts_.effects, *offset, effects);
    const auto [file, offset] = sources_.getDecomposedLoc(sources_.getSpellingLoc(place));
    const std::string header(compat::FileNameAt(sources_, sources_.getSpellingLoc(place)));
    if (!header.empty()) AddEffects(facts_.effects_in_headers[header], offset, effects);
  }

  Effects::Origin OriginOf(const clang::FunctionDecl& function) const {
    const clang::SourceLocation place = function.getCanonicalDecl()->getLocation();
    if (!IsStub(place)) return Effects::Origin::kProject;
    return IsOfCuda(place) ? Effects::Origin::kCuda : Effects::Origin::kLibrary;
  }

  /// Keeps what another source of the project has to define.
  void NoteUse(const clang::ValueDecl& used) {
    const clang::SourceLocation place = used.getCanonicalDecl()->getLocation();
    if (place.isInvalid() || IsStub(place) || !used.isExternallyVisible()) return;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&used)) {
      const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern();
      if (pattern == nullptr) pattern = function;
      if (pattern->isDefined() || pattern->isImplicit() || compat::IsPure(*pattern)) return;
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&used)) {
      const bool is_global = variable->isFileVarDecl() || variable->isStaticDataMember();
      if (!is_global || variable->getTemplateInstantiationPattern() != nullptr) return;
      if (variable->hasDefinition() != clang::VarDecl::DeclarationOnly) return;
    } else {
      return;
    }
    facts_.undefined.insert(used.getQualifiedNameAsString());
  }

  clang::PrintingPolicy Policy() const {
    clang::PrintingPolicy policy(context_.getLangOpts());
    policy.adjustForCPlusPlus();
    return policy;
  }

  /// What another source has to know to declare the function.
  void Describe(const clang::FunctionDecl& function, NativeFunction& found) const {
    using Reach = NativeFunction::Reach;
    const bool is_specialized = function.getTemplatedKind() != clang::FunctionDecl::TK_NonTemplate;
    if (llvm::isa<clang::CXXMethodDecl>(function)) {
      found.reach = Reach::kMember;
    } else if (is_specialized) {
      found.reach = Reach::kTemplate;
    } else if (function.isExternallyVisible() && !function.isInlined()) {
      found.reach = Reach::kShared;
    }
    found.is_c = function.isExternC();
    if (const clang::Stmt* body = function.getBody()) {
      found.body = OffsetInMain(body->getBeginLoc()).value_or(0);
    }
    found.result = FullName(function.getReturnType());
    NoteOwnType(function.getReturnType(), found);
    for (const clang::ParmVarDecl* parameter : function.parameters()) {
      found.parameters.push_back({FullName(parameter->getType()), parameter->getName().str()});
      NoteOwnType(parameter->getType(), found);
    }
    if (function.isInvalidDecl() && found.own_type.empty()) found.own_type = "?";
  }

  /// Names that the project gives to types are looked through.
  std::string FullName(clang::QualType type) const {
    if (HasOwnAlias(type)) type = type.getCanonicalType();
    return clang::TypeName::getFullyQualifiedName(type, context_, Policy());
  }

  /// True for what the headers of CUDA declare, which are not there without it.
  bool IsOfCuda(clang::SourceLocation location) const {
    const clang::SourceLocation place = sources_.getExpansionLoc(location);
    return compat::FileNameAt(sources_, place) == std::string(kStubFolder) + "cuda.h";
  }

  bool HasOwnAlias(clang::QualType type) const {
    if (type->isPointerType() || type->isReferenceType())
      return HasOwnAlias(type->getPointeeType());
    const auto* alias = type->getAs<clang::TypedefType>();
    return alias != nullptr && !IsStub(alias->getDecl()->getLocation());
  }

  /// Looks through pointers, references and the arguments of templates.
  void NoteOwnType(clang::QualType type, NativeFunction& found) const {
    if (type->isPointerType() || type->isReferenceType()) {
      return NoteOwnType(type->getPointeeType(), found);
    }
    if (const auto* tag = type->getAsTagDecl()) {
      const bool is_own = !IsStub(tag->getLocation()) || IsOfCuda(tag->getLocation());
      if (is_own && found.own_type.empty()) found.own_type = tag->getQualifiedNameAsString();
      const auto* made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag);
      if (made == nullptr) return;
      for (const clang::TemplateArgument& argument : made->getTemplateArgs().asArray()) {
        if (argument.getKind() == clang::TemplateArgument::Type) {
          NoteOwnType(argument.getAsType(), found);
        }
      }
    } else if (type->isFunctionType() && found.own_type.empty()) {
      found.own_type = FullName(type);
    }
  }

  std::string TypeOf(const clang::Expr* argument) const {
    const clang::QualType type = argument->getType();
    if (type.isNull() || type->isDependentType()) return "";
    return type.getAsString(Policy());
  }

  std::optional<uint32_t> OffsetInMain(clang::SourceLocation location) const {
    if (location.isInvalid()) return std::nullopt;
    const clang::SourceLocation spelled = sources_.getSpellingLoc(location);
    const auto [file, offset] = sources_.getDecomposedLoc(spelled);
    // isInMainFile is wrong for tokens of a macro's definition.
    if (file != sources_.getMainFileID()) return std::nullopt;
    return offset;
  }

  /// A name that a macro pastes together stands where the macro is used.
  bool IsStub(clang::SourceLocation location) const {
    const clang::SourceLocation place = sources_.getExpansionLoc(location);
    return compat::StartsWith(compat::FileNameAt(sources_, place), kStubFolder);
  }

  /// True for `struct THCState;` that nothing in this source defines: the name may be CUDA's.
  bool IsOnlyForward(const clang::NamedDecl& declaration) const {
    const auto* tag = llvm::dyn_cast<clang::TagDecl>(&declaration);
    return tag != nullptr && tag->getDefinition() == nullptr && !IsStub(tag->getLocation());
  }

  void NoteOwn(clang::SourceLocation location) {
    if (const auto offset = OffsetInMain(location)) facts_.names[*offset].is_own = true;
  }

  void Note(clang::SourceLocation location, const clang::NamedDecl* declaration) {
    if (declaration == nullptr) return;
    const auto offset = OffsetInMain(location);
    if (!offset || IsOnlyForward(*declaration)) return;
    if (const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(declaration)) {
      declaration = shadow->getTargetDecl();
    }
    NativeName name;
    const auto* canonical = llvm::cast<clang::NamedDecl>(declaration->getCanonicalDecl());
    name.is_own = !IsStub(canonical->getLocation());
    name.name = declaration->getQualifiedNameAsString();
    // An enumerator without scope is known by its own name.
    if (const auto* parent = llvm::dyn_cast<clang::NamedDecl>(declaration->getDeclContext())) {
      if (llvm::isa<clang::CXXRecordDecl>(parent)) name.owner = parent->getQualifiedNameAsString();
    }
    // A macro may be expanded for an object of the project and for others: then it stays.
    const auto [known, is_new] = facts_.names.emplace(*offset, name);
    if (!is_new && name.is_own) known->second = name;
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  NativeFacts& facts_;
  Effects effects_;
};

/// Ends a parse that takes too long: macros that repeat their argument and nest do so without end.
/// Asked between two steps of the parser; whoever runs it must do so in a CrashRecoveryContext.
class Deadline {
 public:
  void Check() {
    if (++calls_ % 64 != 0) return;
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    if (now.tv_sec < kSeconds) return;
    if (auto* context = llvm::CrashRecoveryContext::GetCurrent()) context->HandleExit(kTookTooLong);
  }

 private:
  static constexpr time_t kSeconds = 5;
  uint32_t calls_ = 0;
};

/// Notes which macros the project defines, and where others are used.
class Macros : public clang::PPCallbacks {
 public:
  Macros(const clang::SourceManager& sources, NativeFacts& facts, Deadline& deadline)
      : sources_(sources), facts_(facts), deadline_(deadline) {}

  void MacroDefined(const clang::Token& name, const clang::MacroDirective*) override {
    if (IsStub(name.getLocation())) return;
    if (sources_.isWrittenInBuiltinFile(name.getLocation()) ||
        sources_.isWrittenInCommandLineFile(name.getLocation())) {
      return;
    }
    facts_.declared.insert(name.getIdentifierInfo()->getName().str());
  }

  void FileChanged(clang::SourceLocation place, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile || sources_.getFileID(place) == sources_.getMainFileID()) return;
    const std::string path(compat::FileNameAt(sources_, place));
    if (path.starts_with('/') && !IsStub(place)) facts_.headers.insert(path);
  }

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                    clang::SourceRange, const clang::MacroArgs*) override {
    deadline_.Check();
    const clang::MacroInfo* macro = definition.getMacroInfo();
    if (macro == nullptr) return;
    const auto [file, offset] =
        sources_.getDecomposedLoc(sources_.getSpellingLoc(name.getLocation()));
    if (file != sources_.getMainFileID()) return;
    NativeName found;
    found.is_own = !IsStub(macro->getDefinitionLoc());
    found.name = name.getIdentifierInfo()->getName().str();
    facts_.names.emplace(offset, std::move(found));
  }

 private:
  bool IsStub(clang::SourceLocation location) const {
    return compat::StartsWith(compat::FileNameAt(sources_, location), kStubFolder);
  }

  const clang::SourceManager& sources_;
  NativeFacts& facts_;
  Deadline& deadline_;
};

class Consumer : public clang::SemaConsumer {
 public:
  Consumer(const clang::SourceManager& sources, NativeFacts& facts,
           const std::set<std::string>& templates)
      : sources_(sources), facts_(facts), templates_(templates) {}

  void InitializeSema(clang::Sema& sema) override { sema_ = &sema; }
  void ForgetSema() override { sema_ = nullptr; }

  /// Called when a function was put at the end of those whose bodies are to be made. Most of the
  /// time goes into bodies of kernels, which nothing edits.
  void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl* function) override {
    if (sema_ == nullptr) return;
    auto& pending = sema_->PendingInstantiations;
    if (pending.empty() || pending.back().first != function) return;
    if (!IsAsked(function->getTemplateInstantiationPattern()) || !IsMadeForNewType(*function)) {
      pending.pop_back();
    }
  }

  /// Headers are sources of their own: here their declarations do.
  bool shouldSkipFunctionBody(clang::Decl* function) override {
    const clang::SourceLocation place = sources_.getExpansionLoc(function->getLocation());
    return sources_.getFileID(place) != sources_.getMainFileID();
  }

  /// Declarations that are loaded do not come here.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    declarations_.insert(declarations_.end(), group.begin(), group.end());
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    const clang::SourceManager& sources = context.getSourceManager();
    Collector collector(context, facts_);
    for (clang::Decl* declaration : declarations_) {
      // Headers of the project are sources of their own.
      const clang::SourceLocation place = sources.getExpansionLoc(declaration->getBeginLoc());
      if (sources.getFileID(place) == sources.getMainFileID()) {
        collector.TraverseDecl(declaration);
      }
    }
  }

 private:
  bool IsAsked(const clang::FunctionDecl* pattern) const {
    return pattern != nullptr && templates_.contains(pattern->getQualifiedNameAsString());
  }

  /// False if bodies were made for all its types: numbers change nothing, and of two parameters
  /// with many types not each pair is looked at.
  bool IsMadeForNewType(const clang::FunctionDecl& function) {
    const clang::TemplateArgumentList* arguments = function.getTemplateSpecializationArgs();
    if (arguments == nullptr) return true;
    const clang::FunctionDecl* pattern = function.getTemplateInstantiationPattern();
    bool is_new = made_.insert({pattern, 0, nullptr}).second;
    for (unsigned i = 0; i < arguments->size(); ++i) {
      const clang::TemplateArgument& argument = arguments->get(i);
      if (argument.getKind() == clang::TemplateArgument::Integral) continue;
      if (argument.getKind() != clang::TemplateArgument::Type) return true;
      const void* type = argument.getAsType().getCanonicalType().getAsOpaquePtr();
      is_new = made_.insert({pattern, i, type}).second || is_new;
    }
    return is_new;
  }

  const clang::SourceManager& sources_;
  NativeFacts& facts_;
  const std::set<std::string>& templates_;
  std::set<std::tuple<const clang::FunctionDecl*, unsigned, const void*>> made_;
  clang::Sema* sema_ = nullptr;
  std::vector<clang::Decl*> declarations_;
};

class Action : public clang::ASTFrontendAction {
 public:
  Action(NativeFacts& facts, const std::set<std::string>& templates, Deadline& deadline)
      : facts_(facts), templates_(templates), deadline_(deadline) {}

  /// At the end of what is not complete no template is instantiated.
  clang::TranslationUnitKind getTranslationUnitKind() override {
    return templates_.empty() ? clang::TU_Prefix : clang::TU_Complete;
  }

 protected:
  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;  // as the consumer says
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<Macros>(compiler.getSourceManager(), facts_, deadline_));
    return std::make_unique<Consumer>(compiler.getSourceManager(), facts_, templates_);
  }

 private:
  NativeFacts& facts_;
  const std::set<std::string>& templates_;
  Deadline& deadline_;
};

/// Keeps in memory what Clang has read, so that it need not be read again for each source.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer)
      : buffer_(std::move(buffer)) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), "", "", buffer_,
        llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(), true);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

/// Keeps what is wrong in the main file, and which headers are missing.
class Diagnostics : public clang::DiagnosticConsumer {
 public:
  Diagnostics(NativeFacts& facts, Deadline& deadline) : facts_(facts), deadline_(deadline) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    deadline_.Check();
    if (level < clang::DiagnosticsEngine::Error || !diagnostic.hasSourceManager()) return;
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    const std::string message = text.str().str();
    constexpr std::string_view kMissing = "' file not found";
    if (message.size() > kMissing.size() + 1 && message.front() == '\'' &&
        message.ends_with(kMissing)) {
      facts_.missing_headers.push_back(message.substr(1, message.size() - kMissing.size() - 1));
      return;
    }
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const auto [file, offset] =
        sources.getDecomposedLoc(sources.getFileLoc(diagnostic.getLocation()));
    if (file != sources.getMainFileID()) return;
    facts_.diagnostics.push_back({offset, message});
    if (!sources.isMacroBodyExpansion(diagnostic.getLocation())) return;
    const clang::SourceLocation spelled = sources.getSpellingLoc(diagnostic.getLocation());
    facts_.diagnostics.back().macro_file = compat::FileNameAt(sources, spelled);
    facts_.diagnostics.back().macro_offset = sources.getDecomposedLoc(spelled).second;
  }

 private:
  NativeFacts& facts_;
  Deadline& deadline_;
};

std::vector<std::string> ArgumentsFor(const ParseOptions& options) {
  std::vector<std::string> arguments = {"-fsyntax-only",
                                        "-x",
                                        "cuda",
                                        "-std=c++17",
                                        "-triple",
                                        "x86_64-unknown-linux-gnu",
                                        "-aux-triple",
                                        "nvptx64-nvidia-cuda",
                                        "-nostdsysteminc",
                                        "-nobuiltininc",
                                        "-fcxx-exceptions",
                                        "-fexceptions",
                                        "-fno-spell-checking",
                                        "-ferror-limit",
                                        "0",
                                        "-w",
                                        "-Wno-error",
                                        "-D__CUDACC__=1",
                                        "-D__NVCC__=1"};
  for (const std::string& define : options.defines) arguments.push_back("-D" + define);
  for (const std::string& folder : options.include_folders) {
    arguments.push_back("-I");
    arguments.push_back(folder);
  }
  return arguments;
}

std::string DeclarationsSource(const ParseOptions& options) {
  std::string source;
  for (const Stub& stub : Stubs()) {
    if (stub.is_ascend && !options.with_ascend) continue;
    source += "#include \"" + (kStubFolder + stub.name) + "\"\n";
  }
  return source;
}

using MemoryFiles = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

/// The text must outlive the files.
void AddFile(const MemoryFiles& files, const std::string& path, std::string_view text) {
  files->addFile(
      path, 0,
      llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(text.data(), text.size()), path, false));
}

MemoryFiles StubFiles() {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const Stub& stub : Stubs()) AddFile(files, kStubFolder + stub.name, stub.text);
  return files;
}

/// Runs `action`; what goes wrong with the arguments is the error of `facts`.
void Run(clang::FrontendAction& action, const std::vector<std::string>& arguments,
         const MemoryFiles& memory, Looks* looks, NativeFacts& facts, Deadline& deadline) {
  std::vector<const char*> list;
  for (const std::string& argument : arguments) list.push_back(argument.c_str());
  clang::CompilerInstance compiler;
  Diagnostics diagnostics(facts, deadline);
  compiler.createDiagnostics(&diagnostics, false);
  if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), list,
                                                 compiler.getDiagnostics())) {
    facts.error = Say("the parser does not take its arguments", "解析器不接受其参数");
    return;
  }
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      looks == nullptr ? llvm::vfs::getRealFileSystem() : NotedDisk(*looks));
  files->pushOverlay(memory);
  compiler.createFileManager(files);
  compiler.createSourceManager(compiler.getFileManager());
  // A header that is missing is no reason to stop.
  compiler.getDiagnostics().setFatalsAsError(true);
  compiler.ExecuteAction(action);
}

}  // namespace

NativeParser::NativeParser(ParseOptions options) : options_(std::move(options)) {
  const std::string path = std::string(kStubFolder) + "all.h";
  const std::string source = DeclarationsSource(options_);
  const MemoryFiles files = StubFiles();
  AddFile(files, path, source);
  std::vector<std::string> arguments = ArgumentsFor(options_);
  arguments.push_back(path);
  auto buffer = std::make_shared<clang::PCHBuffer>();
  PrecompileAction action(buffer);
  NativeFacts facts;
  Deadline deadline;
  Run(action, arguments, files, nullptr, facts, deadline);
  if (buffer->IsComplete) declarations_.assign(buffer->Data.begin(), buffer->Data.end());
}

NativeFacts NativeParser::Parse(const std::string& path, const std::string& source,
                                const std::set<std::string>& templates) const {
  NativeFacts facts;
  if (declarations_.empty()) {
    facts.error =
        Say("the declarations of CUDA and torch cannot be read", "无法读取 CUDA 与 torch 的声明");
    return facts;
  }
  const MemoryFiles files = StubFiles();
  const std::string declarations = std::string(kStubFolder) + "all.pch";
  AddFile(files, declarations, declarations_);
  // Clang asks for all files that it has read, and goes astray where one is missing.
  const std::string all = DeclarationsSource(options_);
  AddFile(files, std::string(kStubFolder) + "all.h", all);
  AddFile(files, path, source);
  for (const auto& [name, text] : texts_) {
    if (name != path) AddFile(files, name, text);
  }
  std::vector<std::string> arguments = ArgumentsFor(options_);
  arguments.insert(arguments.end(), {"-fno-validate-pch", "-include-pch", declarations, path});
  Deadline deadline;
  Action action(facts, templates, deadline);
  Run(action, arguments, files, options_.looks, facts, deadline);
  return facts;
}

}  // namespace transplt
