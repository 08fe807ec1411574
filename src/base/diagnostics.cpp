// SPDX-License-Identifier: Apache-2.0
#include "servosim/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/printable.h"

namespace servosim {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      break;
  }
  return "error";
}

std::string place_of(const Diagnostic& d) {
  return d.line > 0 ? fmt::format("{}:{}:{}", d.file, d.line, d.column) : d.file;
}

std::string to_string(const Diagnostic& d) {
  const std::string_view severity = name_of(d.severity);
  if (d.file.empty()) {
    return fmt::format("{}: {}", severity, printable(d.message));
  }
  return fmt::format("{}: {}: {}", printable(place_of(d)), severity, printable(d.message));
}

void SourceMap::add(File file) {
  const std::string& text = file.text;
  file.line_starts.push_back(0);
  for (std::size_t i = text.find('\n'); i != std::string::npos; i = text.find('\n', i + 1)) {
    file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  files_.push_back(std::make_shared<const File>(std::move(file)));
}

// A text that was added recently is not kept twice, since a supervisor may import a node with the
// same PROTO files again and again.
std::uint32_t SourceMap::add(std::string label, std::string text) {
  constexpr std::size_t kRecentFiles = 64;
  const std::size_t end = files_.size();
  for (std::size_t i = end; i > 0 && end - i < kRecentFiles; --i) {
    const File& known = *files_[i - 1];
    if (known.spans.empty() && known.label == label && known.text == text) {
      return static_cast<std::uint32_t>(i - 1);
    }
  }
  add({std::move(label), std::move(text), {}, SourceLocation::kNoFile, {}});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

std::uint32_t SourceMap::add_made(std::string text, std::uint32_t origin,
                                  std::vector<SourceSpan> spans) {
  add({label(origin), std::move(text), {}, origin, std::move(spans)});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

SourceLocation SourceMap::origin(SourceLocation where) const {
  if (where.file >= files_.size() || files_[where.file]->spans.empty()) {
    return where;
  }
  const File& file = *files_[where.file];
  const auto next =
      std::upper_bound(file.spans.begin(), file.spans.end(), where.offset,
                       [](std::uint32_t at, const SourceSpan& span) { return at < span.at; });
  const SourceSpan& span = next == file.spans.begin() ? *next : *(next - 1);
  return {file.origin, span.origin + (span.verbatim ? where.offset - span.at : 0)};
}

Diagnostic SourceMap::resolve(SourceLocation where) const {
  where = origin(where);
  Diagnostic d;
  if (where.file >= files_.size()) {
    return d;
  }
  const File& file = *files_[where.file];
  const auto next =
      std::upper_bound(file.line_starts.begin(), file.line_starts.end(), where.offset);
  SERVOSIM_ASSERT(next != file.line_starts.begin(), "no line begins before byte {}", where.offset);
  d.file = file.label;
  d.line = static_cast<int>(next - file.line_starts.begin());
  d.column = 1 + static_cast<int>(where.offset - *(next - 1));
  return d;
}

namespace {

Diagnostic said(Severity severity, std::string message) {
  Diagnostic d;
  d.severity = severity;
  d.message = std::move(message);
  return d;
}

}  // namespace

void Diagnostics::info(SourceLocation where, std::string message) {
  report(where, said(Severity::Info, std::move(message)));
}

void Diagnostics::warning(SourceLocation where, std::string message,
                          std::optional<MissingPart> missing) {
  Diagnostic d = said(Severity::Warning, std::move(message));
  d.missing = std::move(missing);
  report(where, std::move(d));
}

void Diagnostics::replacement(SourceLocation where, std::string message) {
  Diagnostic d = said(Severity::Warning, std::move(message));
  d.replaced = true;
  report(where, std::move(d));
}

void Diagnostics::missing_looks(SourceLocation where, std::string message) {
  Diagnostic d = said(Severity::Warning, std::move(message));
  d.only_looks = true;
  report(where, std::move(d));
}

void Diagnostics::error(SourceLocation where, std::string message) {
  report(where, said(Severity::Error, std::move(message)));
}

// `d` has no location yet.
void Diagnostics::report(SourceLocation where, Diagnostic d) {
  const auto count = [&] {
    errors_ += d.severity == Severity::Error ? 1 : 0;
    warnings_ += d.severity == Severity::Warning ? 1 : 0;
  };
  if (list_.size() >= (d.missing || d.replaced ? 2 * kMaxKept
                       : d.only_looks          ? kMaxKept / 2
                                               : kMaxKept)) {
    count();
    ++dropped_;
    return;
  }
  where = sources_.origin(where);
  // A PROTO that is used twice is read twice, so an equal message about the same location is kept
  // only once.
  std::string key = fmt::format("{}:{}:{}", where.file, where.offset, d.message);
  if (!seen_.insert(std::move(key)).second) {
    return;
  }
  count();
  Diagnostic place = sources_.resolve(where);
  d.file = std::move(place.file);
  d.line = place.line;
  d.column = place.column;
  list_.push_back(std::move(d));
}

namespace {

std::string first_error(const std::vector<Diagnostic>& list) {
  const auto found = std::find_if(
      list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
  return found == list.end() ? "the world cannot be loaded" : to_string(*found);
}

}  // namespace

LoadError::LoadError(std::vector<Diagnostic> list)
    : std::runtime_error(first_error(list)), list_(std::move(list)) {}

}  // namespace servosim
