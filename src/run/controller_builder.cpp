// SPDX-License-Identifier: Apache-2.0
#include "run/controller_builder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/child_process.h"
#include "base/files.h"
#include "base/shortage.h"
#include "base/state_archive.h"
#include "base/write_file.h"
#include "run/build_hints.h"
#include "run/c_sources.h"
#include "run/command.h"
#include "run/make_builder.h"

namespace servosim {
namespace {

namespace fs = std::filesystem;

// -fcommon: headers of the time before GCC 10 define variables without `extern`.
constexpr std::array kFlags{"-O2", "-fcommon"};
constexpr int kMaxErrorLines = 200;
constexpr int kMaxDepth = 8;        // of folders looked at for headers
constexpr int kMaxEntries = 20000;  // files looked at, so that a data folder cannot stall a run

struct Compiler {
  std::vector<std::string> command;  // $CC may hold a launcher too
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

// Empty for sources of today.
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

// What a program made of all this carries inside, to be recognised.
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
  // One file may stand in a large folder that is none of its business.
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

// To be put after the compiler's lines.
std::string remark_about_makefile(const ControllerChoice& choice) {
  const auto makefile = find_makefile(choice.folder);
  if (!makefile) {
    return {};
  }
  return choice.source.empty() ? not_run(*makefile) : fmt::format("'{}' is not run", *makefile);
}

// What links a program with our libraries, and with C++ if it has any: as a C compiler does it.
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
  // Written beside its final place, so that the last step is one atomic rename.
  const fs::path unfinished =
      program.parent_path() / fmt::format(".{}.{}", choice.name, ::getpid());
  std::vector<std::string> command = compiler.command;
  command.insert(command.end(), kFlags.begin(), kFlags.end());
  if (kit.webots_api > 0) {
    command.push_back(api_option(kit));
  }
  command.insert(command.end(), {"-I.", "-I" + cxx_folder(kit), "-I" + kit.include_folder, "-o",
                                 unfinished.string()});
  for (const std::string& source : sources) {
    command.push_back(source.front() == '/' ? source : "./" + source);  // may start with '-'
  }
  command.push_back(stamp_file.string());
  for (std::string& option : link_options(sources, kit)) {
    command.push_back(std::move(option));
  }
  CommandResult result = run_command(command, choice.folder, kMaxErrorLines);
  if (!result.succeeded() && kit.webots_api > 0 &&
      std::any_of(sources.begin(), sources.end(), is_cxx_source)) {
    // C++ of Webots 5 to 8 may be what compilers have refused since C++17.
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(compiler.command.size()),
                   "-std=gnu++14");
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
  const fs::path program = in_place ? beside : fs::path(cached_program(choice));
  if (!in_place && carries(program, stamp)) {
    return {program.string(), false, {}, {}};
  }
  fs::create_directories(program.parent_path());
  const FolderLock lock(program.parent_path().string());
  if (carries(program, stamp)) {
    return {program.string(), false, {}, {}};  // another process was faster
  }
  compile(choice, sources, stamp, *compiler, kit, program);
  return {program.string(), true, {}, {}};
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
    built.warnings = warnings_about(choice);
    return built;
  } catch (const BuildError&) {
    throw;
  } catch (const std::exception& error) {
    rethrow_if_short(error);
    throw BuildError(fmt::format("controller '{}': {}", choice.name, error.what()));
  }
}

}  // namespace servosim
