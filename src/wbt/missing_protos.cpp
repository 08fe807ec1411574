// SPDX-License-Identifier: Apache-2.0
#include "wbt/missing_protos.h"

#include <fmt/format.h>

#include <utility>

#include "assets/address.h"
#include "base/text.h"
#include "wbt/decoration.h"
#include "wbt/text_reader.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

// The subject is `PROTO 'Table'`. If the reason begins with it, only the rest of the reason is
// kept.
MissingPart missing_proto(std::string_view name, const std::string& reason,
                          const std::string& remedy) {
  const std::string subject = fmt::format("PROTO '{}'", shown(name));
  std::string text = reason.starts_with(subject + ' ') ? reason.substr(subject.size() + 1) : reason;
  if (!remedy.empty()) {
    text += "; " + remedy;
  }
  return {Missing::Protos, subject, std::move(text)};
}

constexpr const char* kOnlyLooks = "; it is left out, which acts on no motion";

constexpr const char* kFolderIsUnknown =
    "; Webots has none of this name; --proto-path FOLDER names its folder";

// This is necessary since R2022b.
constexpr const char* kNeedsDeclaration =
    "; it is a PROTO of Webots: add an EXTERNPROTO line with its address";

// Turns "; put it there" into "put it there".
std::string without_separator(const std::string& clause) {
  return clause.starts_with("; ") ? clause.substr(2) : clause;
}

}  // namespace

std::string defect_of(const Proto& proto) {
  return fmt::format("PROTO '{}' {}", proto.name, proto.defect);
}

NodePtr MissingProtos::lose(const Proto* proto, const Token& name, std::string_view field) {
  if (proto != nullptr) {
    return lose_named(name, defect_of(*proto), Advice{}, false);
  }
  const bool decorates = only_decorates(name, field);
  if (const auto since = removed_node_since(name.text); !since.empty()) {
    return leave_out(name,
                     source_.version < parse_version(since)
                         ? fmt::format("{} is not simulated", name.text)
                         : fmt::format("node type {} was removed in Webots {}", name.text, since),
                     Advice{}, decorates);
  }
  const std::string reason = fmt::format("PROTO '{}' not found", shown(name.text));
  if (text_.quiet()) {
    return lose_named(name, reason, Advice{}, decorates);
  }
  const std::string remedy = reading_.finder.remedy(name.text, source_);
  if (!remedy.empty()) {
    return lose_named(name, reason, Advice{"", remedy}, decorates);
  }
  if (!assets::standard_protos(name.text).empty()) {
    return lose_named(name, reason, Advice{"", kNeedsDeclaration}, decorates);
  }
  const std::string close = did_you_mean_node(name.text);
  return lose_named(name, reason, Advice{close, close.empty() ? kFolderIsUnknown : ""}, decorates);
}

bool MissingProtos::only_decorates(const Token& name, std::string_view field) {
  if (!field.empty() && field != "children") {
    return field.ends_with("ppearance");
  }
  // A file that a project declares itself may contain anything.
  return is_decoration(name.text, text_.lexer()) &&
         reading_.finder.missing_file(name.text, source_).empty();
}

NodePtr MissingProtos::lose_named(const Token& name, const std::string& reason,
                                  const Advice& advice, bool only_decorates) {
  if (!only_decorates && reading_.lost.size() < Diagnostics::kMaxKept) {
    reading_.lost.push_back({source_.at(name.offset), reason + advice.hint});
  }
  return leave_out(
      name, reason, advice, only_decorates,
      missing_proto(name.text, reason, without_separator(advice.hint + advice.remedy)));
}

NodePtr MissingProtos::leave_out(const Token& name, const std::string& reason, const Advice& advice,
                                 bool only_decorates, std::optional<MissingPart> missing) {
  const SourceLocation where = source_.at(name.offset);
  if (reading_.report_decorations || !only_decorates) {
    reading_.diagnostics.warning(
        where, fmt::format("{}; the node is left out{}{}", reason, advice.hint, advice.remedy),
        only_decorates ? std::nullopt : std::move(missing));
  } else {
    reading_.diagnostics.missing_looks(where, reason + kOnlyLooks);
  }
  text_.skip_block(true);
  return only_decorates ? lost_node() : NodePtr();
}

NodePtr MissingProtos::lose(const Fault& fault, const Token& name) {
  if (reading_.lost.size() < Diagnostics::kMaxKept) {
    reading_.lost.push_back({fault.where, fault.reason});
  }
  reading_.diagnostics.warning(fault.where, fault.reason + "; the node is left out",
                               missing_proto(name.text, fault.reason, ""));
  return {};
}

void MissingProtos::report_substitute(const Proto& proto, std::uint32_t offset) {
  if (source_.is_stand_in) {
    return;
  }
  if (reading_.report_decorations) {
    text_.warning(
        offset,
        proto.stand_in
            ? fmt::format("PROTO '{}' not found: the stand-in of servosim is used, which has {}",
                          proto.name, proto.stand_in->keeps)
            : fmt::format("PROTO '{}' not found: its shape is known, its looks are not",
                          proto.name));
  } else if (!std::exchange(proto.substitute_reported, true)) {
    const BuiltinNote note =
        proto.stand_in ? BuiltinNote{proto.stand_in->certainty, proto.stand_in->lacks, false}
                       : builtin_note(proto.name);
    reading_.diagnostics.info(
        source_.at(offset),
        fmt::format("PROTO '{}' not found: the stand-in of servosim is used ({}); it lacks: {}{}",
                    proto.name, note.certainty, note.lacks,
                    note.is_near ? "" : reading_.finder.remedy(proto.name, source_)));
  }
}

void MissingProtos::report_other_file(const Proto& proto, std::uint32_t offset) {
  if (proto.path.empty() || proto.substitute_reported) {
    return;
  }
  if (const std::string missing = reading_.finder.missing_file(proto.name, source_);
      !missing.empty()) {
    proto.substitute_reported = true;
    reading_.diagnostics.info(
        source_.at(offset),
        fmt::format("the EXTERNPROTO line of '{}' names {}, which is not there; {} is used instead",
                    proto.name, missing, proto.path));
  }
}

void MissingProtos::report_losses(const Environment& environment, const Token& name) {
  if (source_.is_stand_in || reading_.report_decorations) {
    return;
  }
  const Proto& proto = environment.proto;
  const std::optional<StandIn::Loss>& loss = proto.stand_in->loss;
  if (!loss || !is_lost(*loss, environment)) {
    return;
  }
  const std::string remedy = without_separator(reading_.finder.remedy(proto.name, source_));
  reading_.diagnostics.warning(
      source_.at(name.offset),
      fmt::format("the stand-in for PROTO '{}' lacks {}", proto.name, loss->what),
      MissingPart{loss->kind, fmt::format("{} of PROTO '{}'", loss->what, proto.name),
                  remedy.empty() ? "name the folder of its file by --proto-path FOLDER" : remedy});
}

}  // namespace servosim::wbt
