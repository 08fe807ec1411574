// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace servosim {

/// Error: the world cannot be simulated. Warning: it can, but not as its author wrote it. Info: it
/// is simulated in a way that its author may want to know.
/// Threads: a plain value.
enum class Severity { Info, Warning, Error };

/// A kind of things without which a simulation may move otherwise than its author meant; what
/// matters most comes first.
/// Threads: a plain value.
enum class Missing {
  Bodies,       ///< Solids whose saved pose is not usable
  Protos,       ///< PROTO files that are not found or cannot be used, and unknown nodes
  Meshes,       ///< of boundingObjects
  Controllers,  ///< not found, or not for this machine
  Extern,       ///< controllers that somebody else was to start
  Plugins,      ///< physics plugins
  Fluids,       ///< Fluid nodes
  Pictures      ///< what a controller has read of sensors whose pictures are not drawn
};

/// Something that a simulation lacks.
/// Threads: a plain value.
struct MissingPart {
  Missing kind = Missing::Protos;
  std::string subject;  ///< `PROTO 'Table'`
  std::string remedy;   ///< what to do about it, as a clause; empty if nothing helps

  bool operator==(const MissingPart&) const = default;
};

/// One message about a file. `line` and `column` count from 1; 0 when the whole file is meant.
/// Threads: a plain value.
struct Diagnostic {
  std::string file;
  int line = 0;
  int column = 0;
  Severity severity = Severity::Warning;
  std::string message;
  std::optional<MissingPart> missing = std::nullopt;  ///< what the message says is missing
  bool only_looks = false;  ///< a warning about what is missing and acts on no motion
  /// A warning that a given value is not simulated: another one is used for it, or it is left out.
  bool replaced = false;
};

/// `info`, `warning` or `error`.
std::string_view name_of(Severity severity);

/// `file:line:column`, or the file alone when all of it is meant.
std::string place_of(const Diagnostic& diagnostic);

/// `file:line:column: severity: message`, with what place_of() gives, one line that is safe for a
/// terminal for any file: control characters and bytes that are no UTF-8 become `\n`, `\t` or
/// `\x1b`.
std::string to_string(const Diagnostic& diagnostic);

/// A byte of a file known to a SourceMap; small enough to be kept in every node.
/// Threads: a plain value.
struct SourceLocation {
  static constexpr std::uint32_t kNoFile = 0xffffffff;
  std::uint32_t file = kNoFile;
  std::uint32_t offset = 0;
};

/// From byte `at` of a text that was made of a file on, up to the next one: what stands there comes
/// from byte `origin` of the file, and byte by byte from what follows it if `verbatim`.
/// Threads: a plain value.
struct SourceSpan {
  std::uint32_t at = 0;
  std::uint32_t origin = 0;
  bool verbatim = false;
};

/// The texts of the files read so far, to turn a SourceLocation into file, line and column. Copies
/// share the texts.
/// Threads: a plain value.
class SourceMap {
 public:
  /// Keeps `text` and returns the number by which SourceLocation::file names it. `label` is the
  /// path as the user should see it.
  std::uint32_t add(std::string label, std::string text);
  /// The same for a text that was made of the known file `origin`, whose label it shares: messages
  /// about it name places of that file. `spans` are sorted by `at`, which begins with 0.
  /// @throws std::out_of_range if there is no file of that number
  std::uint32_t add_made(std::string text, std::uint32_t origin, std::vector<SourceSpan> spans);
  /// Where a person looks for `where`: in the file that its text was made of, if it was.
  SourceLocation origin(SourceLocation where) const;
  const std::string& label(std::uint32_t file) const { return files_.at(file)->label; }
  /// How many there are.
  std::size_t size() const { return files_.size(); }
  /// Valid as long as this SourceMap.
  std::string_view text(std::uint32_t file) const { return files_.at(file)->text; }
  /// An empty Diagnostic at `where` (only file, line and column are set).
  Diagnostic resolve(SourceLocation where) const;

 private:
  struct File {
    std::string label;
    std::string text;
    std::vector<std::uint32_t> line_starts;
    std::uint32_t origin = SourceLocation::kNoFile;  // of a text that was made
    std::vector<SourceSpan> spans;                   // likewise
  };
  void add(File file);

  std::vector<std::shared_ptr<const File>> files_;
};

/// Collects the messages of loading a world, in order, each text at each place once.
/// Threads: one at a time.
class Diagnostics {
 public:
  /// Messages beyond this many are counted but not kept; twice as many of what is missing, half as
  /// many of missing looks, and twice as many of values that are replaced.
  static constexpr std::size_t kMaxKept = 10000;

  void info(SourceLocation where, std::string message);
  void warning(SourceLocation where, std::string message,
               std::optional<MissingPart> missing = std::nullopt);
  /// A warning with `replaced`.
  void replacement(SourceLocation where, std::string message);
  /// A warning with `only_looks`.
  void missing_looks(SourceLocation where, std::string message);
  void error(SourceLocation where, std::string message);

  const std::vector<Diagnostic>& list() const { return list_; }
  std::size_t errors() const { return errors_; }
  std::size_t warnings() const { return warnings_; }
  /// Messages that were counted but not kept.
  std::size_t dropped() const { return dropped_; }

  SourceMap& sources() { return sources_; }
  const SourceMap& sources() const { return sources_; }

 private:
  void report(SourceLocation where, Diagnostic d);

  SourceMap sources_;
  std::vector<Diagnostic> list_;
  std::unordered_set<std::string> seen_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::size_t dropped_ = 0;
};

/// Thrown when a world has at least one error; what() is the first, list() are all messages.
/// Threads: a plain value.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(std::vector<Diagnostic> list);
  const std::vector<Diagnostic>& list() const { return list_; }

 private:
  std::vector<Diagnostic> list_;
};

}  // namespace servosim
