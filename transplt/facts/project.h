// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transplt/facts/saved_files.h"
#include "transplt/python/project_index.h"

namespace transplt {

/// A module that a build program of the project makes of C++ or CUDA sources.
struct ExtensionModule {
  std::string name;                  ///< as programs import it: "mmdet3d.ops.iou3d_cuda"
  std::string declared_in;           ///< path of the file, usually a setup.py
  std::vector<std::string> sources;  ///< as far as they are written out
  bool is_cuda = false;              ///< it is built of CUDA sources where there is CUDA
  bool has_cpu_build = false;        ///< the program can build it without CUDA as well
  /// Sources that stand in for those in CUDA are built, and none of its operators fails on an NPU.
  bool serves_npu = false;
  /// It is built of C++ sources alone, and names of CUDA are left in them that an NPU stops at.
  bool names_cuda = false;
  /// The function that compiles it whenever a program runs, "torch.utils.cpp_extension.load"; ""
  /// of what a build program makes. No import names what is loaded: the program binds it.
  std::string loader = {};

  /// True if it stops a program on an NPU.
  bool IsForCuda() const { return is_cuda || names_cuda; }
};

/// An operator that sources of the project register for torch.ops and that gets to code for CUDA.
struct OwnOperator {
  std::string source;                ///< path of the source that registers it
  std::string module;                ///< the extension it is part of; "" if that has no name
  std::vector<std::string> kernels;  ///< that it gets to, as far as they are known
  bool has_cpu = false;              ///< its sources have code for the CPU, too
};

/// The extension modules that the calls of torch.utils.cpp_extension in a file declare or load, in
/// the order of the text. A name that is put together is read as WrittenTexts does, once for each
/// call of the function that declares it; a name that is not known is left out.
std::vector<ExtensionModule> ExtensionModulesIn(const NameTable& names);

/// The module that `call` declares (`CUDAExtension(name="x", ...)`) or loads (`load(name="x")`),
/// if its name is written out; else one without a name.
ExtensionModule ExtensionModuleOf(Node call, const NameTable& names);

/// Which kinds of sources of extensions a project has.
struct ExtensionSources {
  bool in_cpp = false;
  bool in_cuda = false;
  std::vector<std::string> paths;      ///< of all
  std::vector<std::string> stand_ins;  ///< paths of those that stand in for sources in CUDA

  /// Of what has paths.
  static ExtensionSources Among(const auto& entries) {
    ExtensionSources sources;
    for (const auto& entry : entries) sources.Add(entry.path);
    return sources;
  }
  void Add(std::string_view path);
  /// True if what is built from them has no code for CUDA.
  bool AreOnlyCpp() const { return in_cpp && !in_cuda; }
};

/// What a project consists of, by the names of imports, and what it saves. Safe to use from all
/// threads.
class ProjectModules {
 public:
  /// Reads every setup.py of the project, and the build programs of torch before 1.0.
  /// `root_package`: the name of the root folder, which counts as a package if there is an
  /// __init__.py in it. `index` must outlive this.
  ProjectModules(const ProjectIndex& index, std::string root_package,
                 ExtensionSources sources = {});

  /// True if the import of `module` in the file `from` brings code of the project itself: a file of
  /// it, or a package that a setup.py in some folder of it installs.
  bool IsOwn(std::string_view from, std::string_view module) const;

  const ExtensionSources& extension_sources() const { return extension_sources_; }
  const std::vector<ExtensionModule>& extensions() const { return extensions_; }
  /// The modules that programs compile when they run, of files that are no build programs.
  const std::vector<ExtensionModule>& loaded() const { return loaded_; }
  /// Those of both kinds, what build programs make first.
  std::vector<const ExtensionModule*> all_extensions() const;
  /// The module of CUDA that `call` of the file `names` loads; null if it loads none.
  const ExtensionModule* LoadedBy(Node call, const NameTable& names) const;
  /// Sets ExtensionModule::serves_npu, before other threads ask.
  void ServeNpu(std::string_view module);
  /// Sets ExtensionModule::names_cuda, before other threads ask.
  void NoteNamesOfCuda(std::string_view module);
  /// Adds an operator by its full name, "torch.ops.sparse.spmm", before other threads ask.
  void NoteOperator(std::string name, OwnOperator found);
  /// The operator that `qualified` names, or one of its overloads; null if there is none.
  const OwnOperator* FindOperator(std::string_view qualified) const;
  /// True if a program in a folder above `path` builds modules without writing their sources out:
  /// any source may be one of them.
  bool MayBeBuilt(std::string_view path) const;
  /// The extension module that `qualified` names or lies in; null if there is none.
  const ExtensionModule* FindExtension(std::string_view qualified) const;
  /// The module that `qualified` names or lies in and that an earlier run has let build stand-ins,
  /// some of which raise an error when they are called; null if there is none.
  const ExtensionModule* FindFailing(std::string_view qualified) const;
  /// All such modules.
  const std::vector<ExtensionModule>& failing() const { return failing_; }
  /// True if an extension module lies in the package: building it makes the package, too.
  bool IsMadeByExtension(std::string_view package) const;
  /// False if a file with these bytes names no extension module of CUDA for certain.
  bool MayNameExtension(std::string_view bytes) const;
  /// The module of CUDA that `call` gives, which a function of the project imports and returns;
  /// null if there is none.
  const ExtensionModule* GivenBy(Node call, const NameTable& names) const;

  /// The files that programs of the project write with `function`, a full name: "torch.save". The
  /// first question about a function reads the files that spell it.
  const std::vector<SavedFile>& SavedBy(std::string_view function) const;
  /// Names of the functions of the project whose first parameter goes on as the first argument of
  /// a call of `method`, through others of them or straight: "load_weights" for "load_state_dict".
  const std::set<std::string, std::less<>>& HandingOnTo(const std::string& method) const;

 private:
  const ExtensionModule* FindIn(const std::vector<ExtensionModule>& modules,
                                std::string_view qualified) const;
  bool HasFailingStandIn(const ExtensionModule& module) const;
  bool IsCopiedFrom(const ExtensionModule& module, std::string_view qualified) const;
  bool HasModule(std::string_view from, std::string_view module) const;
  const std::set<std::string, std::less<>>& Givers() const;

  const ProjectIndex& index_;
  const std::string root_package_;
  const ExtensionSources extension_sources_;
  std::vector<ExtensionModule> extensions_;
  std::vector<ExtensionModule> loaded_;
  std::vector<ExtensionModule> failing_;
  std::vector<std::string> open_builds_;  // files
  std::map<std::string, OwnOperator, std::less<>> operators_;
  mutable std::once_flag givers_read_;
  mutable std::set<std::string, std::less<>> givers_;  // functions that return an extension
  mutable std::mutex saved_mutex_;
  mutable std::map<std::string, std::vector<SavedFile>, std::less<>> saved_;  // by function
  mutable std::mutex handing_mutex_;
  mutable std::map<std::string, std::set<std::string, std::less<>>> handing_;  // by method
};

}  // namespace transplt
