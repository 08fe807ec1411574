// SPDX-License-Identifier: Apache-2.0
#include "run/controller_builder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/cache_folder.h"
#include "base/child_process.h"
#include "base/files.h"
#include "base/scoped.h"
#include "base/shortage.h"
#include "base/state_archive.h"
#include "run/c_sources.h"
#include "run/controller_finder.h"
#include "run/process.h"
#include "run/signals.h"

namespace servosim {

namespace {

namespace fs = std::filesystem;

// A lock that one process holds at a time. If folders cannot be locked, all processes hold it; then
// each one builds, which is safe because of the rename at the end.
class FolderLock {
 public:
  /// @throws BuildError after SIGINT or SIGTERM
  explicit FolderLock(const std::string& folder);

 private:
  Descriptor folder_;  // closing it unlocks
};

FolderLock::FolderLock(const std::string& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_) {
    throw_if_short(errno, fmt::format("'{}' cannot be opened", folder));
    throw BuildError(fmt::format("'{}' cannot be opened: {}", folder, std::strerror(errno)));
  }
  while (::flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) {
    if (interrupting_signal() != 0) {
      throw BuildError("interrupted");
    }
  }
}

// Returns the folder in the cache for what is built from the sources in a folder. Adds a warning
// about the cache, which is reported when something is built there.
fs::path cached_folder(const std::string& of, std::vector<std::string>& warnings) {
  CacheFolder cache = make_cache_folder("controllers");
  if (!cache.warning.empty()) {
    warnings.push_back(std::move(cache.warning));
  }
  return fs::path(cache.path) / fmt::format("{:016x}", Fnv1a().add(of).value());
}

bool may_replace(const fs::path& path) {
  std::error_code ignored;
  return !fs::exists(path, ignored) || is_any_program(path);
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      names.push_back(it->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Makes `copy` a folder of links to everything in `real` except the names in `own`, which are made
// in the copy itself. A correct link stays, since another build may use it.
void mirror(const fs::path& real, const fs::path& copy, const std::set<std::string>& own) {
  fs::create_directories(copy);
  for (const fs::directory_entry& entry : fs::directory_iterator(copy)) {
    const fs::path name = entry.path().filename();
    std::error_code ignored;
    if (entry.is_symlink() &&
        (own.count(name.string()) != 0 || !fs::exists(real / name, ignored))) {
      fs::remove(entry.path());
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(real)) {
    const fs::path link = copy / entry.path().filename();
    std::error_code ignored;
    if (own.count(entry.path().filename().string()) == 0 && !fs::exists(link, ignored)) {
      fs::create_symlink(entry.path(), link);
    }
  }
}

// Returns the controller's folder in a mirror of the project. For a folder that belongs to no
// project the mirror has only this folder.
fs::path mirror_project(const ControllerChoice& choice, const fs::path& project,
                        std::vector<std::string>& warnings) {
  const fs::path copy = cached_folder(project.empty() ? choice.folder : project.string(), warnings);
  fs::create_directories(copy);
  const FolderLock lock(copy);
  if (!project.empty()) {
    const fs::path libraries = project / "libraries";
    mirror(project, copy, {"controllers", "libraries"});
    mirror(project / "controllers", copy / "controllers", {choice.name});
    for (const std::string& name : folders_in(libraries)) {
      mirror(libraries / name, copy / "libraries" / name,
             {"build", "lib" + name + ".so", "lib" + name + ".a"});
    }
  }
  const fs::path folder = copy / "controllers" / choice.name;
  mirror(choice.folder, folder, {"build", choice.name});
  return folder;
}

// Returns whether a controller may be built where its sources are: its folder is writable, no data
// is in the way, and SERVOSIM_BUILD_IN_CACHE=1 does not forbid it.
bool may_build_beside(const ControllerChoice& choice) {
  const char* in_cache = std::getenv("SERVOSIM_BUILD_IN_CACHE");
  const bool asked_not_to = in_cache != nullptr && std::string_view(in_cache) == "1";
  return !asked_not_to && ::access(choice.folder.c_str(), W_OK) == 0 &&
         may_replace(fs::path(choice.folder) / choice.name);
}

/// The folder in which `make` builds a controller, and the libraries of its project.
struct MakePlace {
  std::string folder;                  ///< folder of the controller
  std::vector<std::string> libraries;  ///< folders in the project's libraries/, sorted
  bool mirrored = false;               ///< the folder is not that of the sources
  std::vector<std::string> warnings = {};
};

// Returns the controller's own folder if it may be built there. Otherwise it returns one in the
// cache, in a copy of the project made of links, so that relative paths in a Makefile work.
// @throws BuildError, std::runtime_error without a cache, std::filesystem::filesystem_error
MakePlace make_place(const ControllerChoice& choice) {
  const fs::path parent = fs::path(choice.folder).parent_path();
  const fs::path project = parent.filename() == "controllers" ? parent.parent_path() : fs::path();
  MakePlace place{choice.folder, {}, !may_build_beside(choice)};
  if (place.mirrored) {
    place.folder = mirror_project(choice, project, place.warnings).string();
  }
  if (!project.empty()) {
    const fs::path libraries = fs::path(place.folder).parent_path().parent_path() / "libraries";
    for (const std::string& name : folders_in(libraries)) {
      place.libraries.push_back((libraries / name).string());
    }
  }
  return place;
}

constexpr int kMaxLines = 200;  // the most lines of make's output

std::string replaced(std::string text, std::string_view old, std::string_view by) {
  for (std::size_t at = text.find(old); at != text.npos; at = text.find(old, at + by.size())) {
    text.replace(at, old.size(), by);
  }
  return text;
}

// Returns an environment variable with our folders added to its list, for Makefiles that search
// headers and libraries where another version of Webots had them. Headers use CPATH, since folders
// in C_INCLUDE_PATH are system folders: GCC resolves their links and then finds no neighbouring
// headers.
std::string extended(const char* name, const std::vector<std::string>& folders) {
  const char* const old = std::getenv(name);
  const bool is_set = old != nullptr && *old != '\0';
  return fmt::format("{}={}{}{}", name, is_set ? old : "", is_set ? ":" : "",
                     fmt::join(folders, ":"));
}

// Variables on the command line take precedence over those that a Makefile sets.
CommandResult run_make(const std::string& make, const std::string& folder, const std::string& home,
                       const std::vector<std::string>& more) {
  const std::string value = replaced(home, "$", "$$");
  const std::string headers = home + "/include/controller";
  // If a make has started servosim, its flags must not reach this one.
  const TemporaryFolder scratch("servosim");  // contains what a killed compiler leaves behind
  std::vector<std::string> command{"env",
                                   "-u",
                                   "MAKEFLAGS",
                                   "-u",
                                   "MFLAGS",
                                   "-u",
                                   "MAKELEVEL",
                                   "TMPDIR=" + scratch.path(),
                                   "WEBOTS_MODULES_PATH=" + home,
                                   extended("CPATH", {headers + "/cpp", headers + "/c"}),
                                   extended("LIBRARY_PATH", {home + "/lib/controller"}),
                                   make,
                                   "--no-print-directory",
                                   "WEBOTS_HOME=" + value,
                                   "WEBOTS_HOME_PATH=" + replaced(value, " ", "\\ ")};
  command.insert(command.end(), more.begin(), more.end());
  return run_command(command, folder, kMaxLines);
}

// Returns hints for a Makefile that uses parts of Webots that servosim does not have.
std::string remarks(const ControllerChoice& choice, const ControllerKit& kit,
                    const std::string& folder, const std::string& output) {
  std::string text;
  if (output.find(kit.home + "/") != output.npos && output.find("No such file") != output.npos) {
    text += fmt::format(
        "of a Webots installation servosim has only what is in '{}': headers, libraries and "
        "Makefile.include\n",
        kit.home);
  }
  text += build_hints(output, {folder, kit.home + "/include/controller/c",
                               kit.home + "/include/controller/cpp", "/usr/include"});
  if (!choice.program.empty()) {
    text += fmt::format("to run what is there as it is: --controller 'ROBOT={}'\n", choice.program);
  }
  return text;
}

std::vector<std::string> make_libraries(const MakePlace& place, const ControllerKit& kit,
                                        const std::string& make) {
  std::vector<std::string> warnings;
  for (const std::string& folder : place.libraries) {
    if (!find_makefile(folder)) {
      continue;
    }
    const FolderLock lock(folder);
    const CommandResult result = run_make(make, folder, kit.home, {});
    if (!result.succeeded()) {
      warnings.push_back(fmt::format("the library in '{}' is not built: make {}\n{}", folder,
                                     describe_wait_status(result.wait_status), result.output));
    }
  }
  return warnings;
}

using Stamp = std::pair<std::string, fs::file_time_type>;

Stamp stamp_of(const std::string& program) {
  std::error_code ignored;
  return {program, program.empty() ? fs::file_time_type() : fs::last_write_time(program, ignored)};
}

// Returns the program $MAKE, else make or gmake; empty if there is none.
std::string find_make() {
  const char* chosen = std::getenv("MAKE");
  if (chosen != nullptr && *chosen != '\0') {
    return find_in_path(chosen);
  }
  const std::string make = find_in_path("make");
  return make.empty() ? find_in_path("gmake") : make;
}

// Runs the Makefiles of the project's libraries, then that of the controller. WEBOTS_HOME is our
// folder, even if they set it. @throws BuildError
BuiltController make_controller(const ControllerChoice& choice, const ControllerKit& kit,
                                const std::string& make) {
  const MakePlace place = make_place(choice);
  BuiltController built;
  built.warnings = make_libraries(place, kit, make);
  if (place.mirrored) {
    built.library_folders = place.libraries;
  }
  const FolderLock lock(place.folder);
  const Stamp before = stamp_of(existing_program(place.folder, choice.name));
  std::vector<std::string> arguments{"SERVOSIM_KIND=controllers"};
  if (kit.webots_api > 0) {
    arguments.push_back(fmt::format("SERVOSIM_WEBOTS_API={}", kit.webots_api));
  }
  CommandResult result = run_make(make, place.folder, kit.home, arguments);
  Stamp after = stamp_of(existing_program(place.folder, choice.name));
  if (result.succeeded() && after.first.empty()) {
    // make may consider a program for another machine up to date.
    arguments.emplace_back("--always-make");
    result = run_make(make, place.folder, kit.home, arguments);
    after = stamp_of(existing_program(place.folder, choice.name));
  }
  if (!result.succeeded()) {
    throw BuildError(fmt::format(
        "controller '{}' in '{}' is not built: make {}\n{}{}{}", choice.name, place.folder,
        describe_wait_status(result.wait_status), result.output, fmt::join(built.warnings, ""),
        remarks(choice, kit, place.folder, result.output)));
  }
  if (after.first.empty()) {
    throw BuildError(
        fmt::format("make did well in '{0}', but there is no program '{1}' or "
                    "'build/release/{1}' for this machine",
                    place.folder, choice.name));
  }
  built.program = after.first;
  built.compiled = before != after;
  if (built.compiled) {
    built.warnings.insert(built.warnings.end(), place.warnings.begin(), place.warnings.end());
  }
  return built;
}

// -fcommon is necessary since headers from before GCC 10 define variables without `extern`.
constexpr std::array kFlags{"-O2", "-fcommon"};
constexpr int kMaxErrorLines = 200;
constexpr int kMaxDepth = 8;  // depth of folders that are searched for headers
// Most files that are read, so that a data folder cannot delay a run.
constexpr int kMaxEntries = 20000;

struct Compiler {
  std::vector<std::string> command;  // $CC may also contain a launcher
  std::string version;
};

std::vector<std::vector<std::string>> compiler_candidates() {
  if (const char* cc = std::getenv("CC"); cc != nullptr && *cc != '\0') {
    std::istringstream words(cc);
    std::vector<std::string> command;
    for (std::string word; words >> word;) {
      command.push_back(word);
    }
    if (!command.empty()) {
      return {command};
    }
  }
  return {{"cc"}, {"gcc"}, {"clang"}};
}

std::optional<Compiler> find_compiler() {
  for (const auto& command : compiler_candidates()) {
    std::vector<std::string> query = command;
    query.emplace_back("--version");
    const CommandResult result = run_command(query, "/", 1);
    if (result.succeeded()) {
      return Compiler{command, result.output};
    }
  }
  return std::nullopt;
}

bool is_c_file(const fs::path& path) {
  constexpr std::array kHeaders{".h", ".hpp", ".hh", ".hxx", ".h++"};
  return is_native_source(path) ||
         std::find(kHeaders.begin(), kHeaders.end(), path.extension().string()) != kHeaders.end();
}

std::vector<fs::path> c_files_below(const fs::path& folder, int max_depth) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  for (int seen = 0; !error && it != fs::end(it) && seen < kMaxEntries; ++seen) {
    if (it.depth() >= max_depth) {
      it.disable_recursion_pending();
    }
    if (is_c_file(it->path())) {
      files.push_back(it->path());
    }
    it.increment(error);
  }
  return files;
}

// Returns an empty text for sources of the present API.
std::string api_option(const ControllerKit& kit) {
  return kit.webots_api > 0 ? fmt::format("-DSERVOSIM_WEBOTS_API={}", kit.webots_api) : "";
}

std::string cxx_folder(const ControllerKit& kit) {
  return (fs::path(kit.include_folder).parent_path() / "cpp").string();
}

void add_files(Fnv1a& hash, std::vector<fs::path> files) {
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string text = read_file_or_nothing(file);
    hash.add(file.filename().string()).add(fmt::format("\n{}\n", text.size())).add(text);
  }
}

// Returns the mark in a program that identifies what it was built from.
std::string stamp_of(const ControllerChoice& choice, const std::vector<std::string>& sources,
                     const Compiler& compiler, const ControllerKit& kit) {
  Fnv1a hash;
  hash.add(SERVOSIM_VERSION).add(compiler.version).add(api_option(kit)).add("\n");
  for (const char* flag : kFlags) {
    hash.add(flag).add("\n");
  }
  for (const std::string& source : sources) {
    hash.add(source).add("\n").add(read_file_or_nothing(fs::path(choice.folder) / source));
  }
  // A single source file may be in a large unrelated folder, so the subfolders are not searched.
  add_files(hash, c_files_below(choice.folder, choice.source.empty() ? kMaxDepth : 0));
  add_files(hash, c_files_below(kit.include_folder + "/webots", 1));
  add_files(hash, c_files_below(cxx_folder(kit) + "/webots", 0));
  return fmt::format("servosim-build:{:016x}", hash.value());
}

bool carries(const fs::path& program, std::string_view stamp) {
  return ::access(program.c_str(), X_OK) == 0 &&
         read_file_or_nothing(program).find(stamp) != std::string::npos;
}

std::string not_run(const std::string& makefile) {
  return fmt::format(
      "'{}' is not run, as {}: only plain lists of C_SOURCES and CXX_SOURCES in it are heeded",
      makefile,
      find_make().empty() ? "there is no make here (on Debian: apt-get install make)"
                          : "make cannot make a program with a space in its name");
}

// Returns a remark that follows the compiler's lines.
std::string remark_about_makefile(const ControllerChoice& choice) {
  const auto makefile = find_makefile(choice.folder);
  if (!makefile) {
    return {};
  }
  return choice.source.empty() ? not_run(*makefile) : fmt::format("'{}' is not run", *makefile);
}

// Returns the linker arguments for our libraries and, if there are C++ sources, for C++, since a C
// compiler may link.
std::vector<std::string> link_options(const std::vector<std::string>& sources,
                                      const ControllerKit& kit) {
  std::vector<std::string> options{"-L" + kit.library_folder};
  if (std::any_of(sources.begin(), sources.end(), is_cxx_source)) {
    options.insert(options.end(), {"-lCppController", "-lstdc++"});
  }
  options.insert(options.end(), {"-lController", "-lm", "-lpthread"});
  return options;
}

void compile(const ControllerChoice& choice, const std::vector<std::string>& sources,
             const std::string& stamp, const Compiler& compiler, const ControllerKit& kit,
             const fs::path& program) {
  const TemporaryFolder scratch("servosim");
  const bool is_cxx = std::all_of(sources.begin(), sources.end(), is_cxx_source);
  const fs::path stamp_file = fs::path(scratch.path()) / (is_cxx ? "stamp.cpp" : "stamp.c");
  const std::string stamp_source =
      fmt::format("__attribute__((used)) static const char servosim_build[] = \"{}\";\n", stamp);
  if (const auto error = write_file(stamp_file, stamp_source, true)) {
    throw_if_short(error->number, fmt::format("'{}' cannot be written", stamp_file.string()));
    throw BuildError(fmt::format("'{}' {}", stamp_file.string(), error->reason));
  }
  // The program is written next to its final place, so that the last step is one atomic rename.
  const fs::path unfinished =
      program.parent_path() / fmt::format(".{}.{}", choice.name, ::getpid());
  // Files that a killed compiler leaves behind are deleted with this folder.
  std::vector<std::string> command{"env", "TMPDIR=" + scratch.path()};
  command.insert(command.end(), compiler.command.begin(), compiler.command.end());
  const auto flags_begin = static_cast<std::ptrdiff_t>(command.size());
  command.insert(command.end(), kFlags.begin(), kFlags.end());
  if (kit.webots_api > 0) {
    command.push_back(api_option(kit));
  }
  command.insert(command.end(), {"-I.", "-I" + cxx_folder(kit), "-I" + kit.include_folder, "-o",
                                 unfinished.string()});
  for (const std::string& source : sources) {
    // The name may start with '-'.
    command.push_back(source.front() == '/' ? source : "./" + source);
  }
  command.push_back(stamp_file.string());
  for (std::string& option : link_options(sources, kit)) {
    command.push_back(std::move(option));
  }
  CommandResult result = run_command(command, choice.folder, kMaxErrorLines);
  if (!result.succeeded() && kit.webots_api > 0 &&
      std::any_of(sources.begin(), sources.end(), is_cxx_source)) {
    // C++ sources for Webots 5 to 8 may have constructs that C++17 has removed.
    command.insert(command.begin() + flags_begin, "-std=gnu++14");
    if (CommandResult old = run_command(command, choice.folder, 0); old.succeeded()) {
      result = std::move(old);
    }
  }
  std::error_code error;
  if (result.succeeded()) {
    fs::rename(unfinished, program, error);
    throw_if_short(error, fmt::format("'{}' cannot be written", program.string()));
  }
  if (!result.succeeded() || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw BuildError(fmt::format(
        "controller '{}' in '{}' does not compile: {}\n{}{}", choice.name, choice.folder,
        error ? error.message()
              : compiler.command[0] + " " + describe_wait_status(result.wait_status),
        result.output,
        build_hints(result.output,
                    {choice.folder, kit.include_folder, cxx_folder(kit), "/usr/include"}) +
            remark_about_makefile(choice)));
  }
}

BuiltController without_compiler(const ControllerChoice& choice) {
  if (choice.program.empty()) {
    throw BuildError(fmt::format(
        "controller '{}' must be compiled, but there is no C compiler (tried $CC, cc, gcc, clang);"
        " on Debian: apt-get install gcc libc6-dev",
        choice.name));
  }
  return {choice.program,
          false,
          {fmt::format("there is no C compiler to see whether '{}' is up to date; used as it is",
                       choice.program)},
          {}};
}

std::vector<std::string> warnings_about(const ControllerChoice& choice) {
  const auto makefile = find_makefile(choice.folder);
  if (!choice.source.empty() || !makefile ||
      is_standard_makefile(read_file_or_nothing(*makefile))) {
    return {};
  }
  return {not_run(*makefile)};
}

BuiltController build(const ControllerChoice& choice, const ControllerKit& kit) {
  const std::optional<Compiler> compiler = find_compiler();
  if (!compiler) {
    return without_compiler(choice);
  }
  const std::vector<std::string> sources = choice.source.empty()
                                               ? controller_sources(choice.folder, choice.name)
                                               : std::vector<std::string>{choice.source};
  const std::string stamp = stamp_of(choice, sources, *compiler, kit);
  const fs::path beside = fs::path(choice.folder) / choice.name;
  if (carries(beside, stamp)) {
    return {beside.string(), false, {}, {}};
  }
  const bool in_place = may_build_beside(choice);
  std::vector<std::string> warnings;
  const fs::path program = in_place ? beside : cached_folder(choice.folder, warnings) / choice.name;
  if (!in_place && carries(program, stamp)) {
    return {program.string(), false, {}, {}};
  }
  fs::create_directories(program.parent_path());
  const FolderLock lock(program.parent_path().string());
  if (carries(program, stamp)) {
    return {program.string(), false, {}, {}};  // another process was faster
  }
  compile(choice, sources, stamp, *compiler, kit, program);
  return {program.string(), true, {}, std::move(warnings)};
}

}  // namespace

BuiltController build_controller(const ControllerChoice& choice, const ControllerKit& kit) {
  try {
    if (const std::string make = find_make(); choice.source.empty() && !make.empty() &&
                                              choice.name.find(' ') == std::string::npos &&
                                              find_makefile(choice.folder)) {
      return make_controller(choice, kit, make);
    }
    BuiltController built = build(choice, kit);
    for (std::string& warning : warnings_about(choice)) {
      built.warnings.push_back(std::move(warning));
    }
    return built;
  } catch (const BuildError&) {
    throw;
  } catch (const std::exception& error) {
    rethrow_if_short(error);
    throw BuildError(fmt::format("controller '{}': {}", choice.name, error.what()));
  }
}

}  // namespace servosim
