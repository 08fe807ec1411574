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

/// How serious a message is. Error: the world cannot be simulated. Warning: it can, but not as its
/// author wrote it. Info: it is simulated in a way that its author may want to know.
///
/// Threads: a plain value.
enum class Severity { Info, Warning, Error };

/// A kind of things without which a simulation may move otherwise than its author meant. The kind
/// that matters most comes first.
///
/// Threads: a plain value.
enum class Missing {
  Bodies,       ///< Solids whose saved pose is not usable
  Protos,       ///< PROTO files that are not found or cannot be used, and unknown nodes
  Meshes,       ///< meshes of boundingObjects
  Controllers,  ///< controllers that are not found, or not for this machine
  Extern,       ///< controllers that somebody else was to start
  Plugins,      ///< physics plugins
  Fluids,       ///< Fluid nodes
  Pictures,     ///< readings of sensors whose pictures are not drawn, and what infra-red sensors do
                ///< not see
  Sounds        ///< readings of Microphones
};

/// Something that a simulation lacks.
///
/// Threads: a plain value.
struct MissingPart {
  Missing kind = Missing::Protos;
  /// A noun with its name, such as `PROTO 'Table'`.
  std::string subject;
  /// What the user can do about it, as a clause; empty if nothing helps.
  std::string remedy;

  bool operator==(const MissingPart&) const = default;
};

/// One message about a file.
///
/// Threads: a plain value.
struct Diagnostic {
  /// The path as the user should see it.
  std::string file;
  /// `line` and `column` count from 1; both are 0 when the message is about the whole file.
  int line = 0;
  int column = 0;
  Severity severity = Severity::Warning;
  std::string message;
  /// Set where the message says that something is missing.
  std::optional<MissingPart> missing = std::nullopt;
  /// A warning about something that is missing but acts on no motion, such as a picture.
  bool only_looks = false;
  /// A warning that a given value is not simulated: another one is used instead, or none.
  bool replaced = false;
};

/// `info`, `warning` or `error`.
std::string_view name_of(Severity severity);

/// `file:line:column`, or the file alone when the message is about the whole file.
std::string place_of(const Diagnostic& diagnostic);

/// `file:line:column: severity: message`, where the beginning is that of place_of(). The text is
/// one line that is safe for a terminal whatever the file contains: control characters and bytes
/// that are not UTF-8 become `\n`, `\t` or `\x1b`.
std::string to_string(const Diagnostic& diagnostic);

/// A byte of a file that a SourceMap knows. It is small enough to be stored in every node.
///
/// Threads: a plain value.
struct SourceLocation {
  static constexpr std::uint32_t kNoFile = 0xffffffff;
  /// What SourceMap::add() has returned; kNoFile: no place is known.
  std::uint32_t file = kNoFile;
  /// Counts bytes from 0.
  std::uint32_t offset = 0;
};

/// Tells from where a part of a generated text comes. The part begins at byte `at` of the text and
/// ends at the next SourceSpan; it comes from byte `origin` of the file. If `verbatim`, each
/// further byte of the part comes from the next byte of the file.
///
/// Threads: a plain value.
struct SourceSpan {
  std::uint32_t at = 0;
  std::uint32_t origin = 0;
  bool verbatim = false;
};

/// The texts of the files that were read so far. It turns a SourceLocation into file, line and
/// column. Copies share the texts.
///
/// Threads: a plain value.
class SourceMap {
 public:
  /// Keeps `text`, and returns the number that SourceLocation::file has for it. `label` is the path
  /// as the user should see it.
  std::uint32_t add(std::string label, std::string text);
  /// Does the same for a text that was generated from the known file `origin`, whose label it
  /// shares. Messages about the text name places of that file.
  /// @param text  the generated text
  /// @param origin  the number of the file
  /// @param spans  sorted by `at`; the first one has `at` 0
  /// @throws std::out_of_range if there is no file of that number
  std::uint32_t add_made(std::string text, std::uint32_t origin, std::vector<SourceSpan> spans);
  /// Where a person should look: the place in the file from which the text was generated, or
  /// `where` itself if the text is that of a file.
  SourceLocation origin(SourceLocation where) const;
  /// @throws std::out_of_range if there is no file of that number
  const std::string& label(std::uint32_t file) const { return files_.at(file)->label; }
  /// The number of texts.
  std::size_t size() const { return files_.size(); }
  /// The whole text. It is valid as long as this SourceMap or a copy of it.
  /// @throws std::out_of_range if there is no file of that number
  std::string_view text(std::uint32_t file) const { return files_.at(file)->text; }
  /// A Diagnostic at `where` that has file, line and column but no message.
  Diagnostic resolve(SourceLocation where) const;

 private:
  struct File {
    std::string label;
    std::string text;
    std::vector<std::uint32_t> line_starts;
    // The file from which a text was generated.
    std::uint32_t origin = SourceLocation::kNoFile;
    // The origin of each part of a generated text, sorted by `at`.
    std::vector<SourceSpan> spans;
  };
  void add(File file);

  std::vector<std::shared_ptr<const File>> files_;
};

/// Collects the messages of loading a world, in the order in which they come. The same text at the
/// same place is kept once.
///
/// Threads: one at a time.
class Diagnostics {
 public:
  /// The number of messages that are kept; more are only counted. Messages about something that is
  /// missing have twice this limit, those about missing looks half of it, and those about replaced
  /// values twice.
  static constexpr std::size_t kMaxKept = 10000;

  /// Each of these reports one message. `where` may be without a file; then the message has no
  /// place.
  void info(SourceLocation where, std::string message);
  void warning(SourceLocation where, std::string message,
               std::optional<MissingPart> missing = std::nullopt);
  /// Reports a warning with Diagnostic::replaced set.
  void replacement(SourceLocation where, std::string message);
  /// Reports a warning with Diagnostic::only_looks set.
  void missing_looks(SourceLocation where, std::string message);
  void error(SourceLocation where, std::string message);

  const std::vector<Diagnostic>& list() const { return list_; }
  /// Counts errors, also those that were not kept.
  std::size_t errors() const { return errors_; }
  /// Counts warnings, also those that were not kept.
  std::size_t warnings() const { return warnings_; }
  /// The number of messages that were counted but not kept.
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

/// Thrown when a world has at least one error. what() is the first error as text; list() has all
/// messages, warnings too.
///
/// Threads: a plain value.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(std::vector<Diagnostic> list);
  /// All messages of loading, in order. The reference is valid as long as this exception.
  const std::vector<Diagnostic>& list() const { return list_; }

 private:
  std::vector<Diagnostic> list_;
};

}  // namespace servosim
