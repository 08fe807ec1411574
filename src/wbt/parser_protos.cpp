// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "assets/address.h"
#include "base/assert.h"
#include "base/text.h"
#include "wbt/decoration.h"
#include "wbt/parser.h"
#include "wbt/proto/proto.h"
#include "wbt/values.h"

// NodeParser: the declarations of a PROTO before its body.

namespace servosim::wbt {
namespace {

constexpr std::array<std::string_view, 7> kKinds{
    "field",           "vrmlField",        "w3dField",    "hiddenField",
    "deprecatedField", "unconnectedField", "exposedField"};

using Names = std::unordered_set<std::string_view>;

// Returns the types of nodes up to the '}' that `lexer` reaches.
Names names_of_nodes(Lexer lexer) {
  Names names;
  while (lexer.peek().kind == TokenKind::Word) {
    names.insert(lexer.take().text);
    if (lexer.peek().kind == TokenKind::OpenBrace) {
      skip_balanced(lexer);
    }
  }
  return names;
}

// Returns whether the other list contains each item of a list. Lists that are too long to compare
// count as contained.
bool are_among(const Value& items, const Value& accepted) {
  constexpr std::size_t kMaxPairs = 1'000'000;
  const auto among = [&](const auto& list) {
    if constexpr (requires { list.empty(); }) {
      const auto& all = std::get<std::decay_t<decltype(list)>>(accepted);
      return list.size() * all.size() > kMaxPairs ||
             std::all_of(list.begin(), list.end(), [&](const auto& item) {
               return std::find(all.begin(), all.end(), item) != all.end();
             });
    } else {
      return true;
    }
  };
  return std::visit(among, items);
}

// For both SFNode and MFNode this is MFNode.
ValueType list_of(ValueType type) {
  constexpr int kFirst = static_cast<int>(ValueType::MFBool);
  const int i = static_cast<int>(type);
  return static_cast<ValueType>(i < kFirst ? i + kFirst : i);
}

// Returns whether a default value is among the values in the braces of a field; `accepted` is after
// the '{'. Values that cannot be read there forbid nothing.
bool is_accepted(const Value& value, ValueType type, Lexer accepted, std::size_t room) {
  const ValueType list_type = list_of(type);
  const auto items = converted(value, type, list_type);
  if (list_type == ValueType::MFNode) {
    const Names names = names_of_nodes(accepted);
    const auto& nodes = std::get<std::vector<NodePtr>>(*items);
    return std::all_of(nodes.begin(), nodes.end(), [&](const NodePtr& node) {
      return !node || names.contains(node->type->name) || names.contains(node->proto_name);
    });
  }
  const auto listed = ValueReader(accepted, room).read(list_type);
  return !listed || accepted.peek().kind != TokenKind::CloseBrace || are_among(*items, *listed);
}

}  // namespace

// Reads `[IMPORTABLE] EXTERNPROTO "path/Name.proto"`.
void NodeParser::read_extern_proto(std::vector<std::string>& externs,
                                   std::vector<std::string>* importable) {
  const bool may_be_imported = peek().is("IMPORTABLE");
  if (may_be_imported) {
    lexer_.advance();
  }
  const bool declares = peek().is("EXTERNPROTO");
  if (declares) {
    lexer_.advance();
  }
  if (!declares || !peek_is(TokenKind::String)) {
    fault(peek().offset, fmt::format("expected EXTERNPROTO \"file\", found {}", peek().shown()));
    return;
  }
  externs.push_back(unescaped(take().text));
  if (may_be_imported && importable != nullptr) {
    importable->push_back(externs.back());
  }
}

void NodeParser::read_interface(Proto& proto) {
  read_declarations(proto);
  if (fault_) {
    const Diagnostic at = reading_.diagnostics.sources().resolve(fault_->where);
    proto.defect =
        fmt::format("cannot be used ({}:{}:{}: {})", at.file, at.line, at.column, fault_->reason);
  }
}

void NodeParser::read_declarations(Proto& proto) {
  while (!stopped() && (peek().is("EXTERNPROTO") || peek().is("IMPORTABLE"))) {
    read_extern_proto(proto.source.externs);
  }
  if (stopped()) {
    return;
  }
  if (!peek().is("PROTO")) {
    proto.defect = "is not in the file of that name";
    return;
  }
  lexer_.advance();
  const Token name = take();
  if (name.text != proto.name) {
    proto.defect = fmt::format("is called '{}' in its file", shown(name.text));
    return;
  }
  if (!peek_is(TokenKind::OpenBracket)) {
    fault(peek().offset,
          fmt::format("expected '[' after PROTO {}, found {}", name.text, peek().shown()));
    return;
  }
  lexer_.advance();
  std::unordered_set<std::string_view> names;
  while (!stopped() && !peek_is(TokenKind::CloseBracket)) {
    read_interface_line(proto, names);
  }
  if (stopped()) {
    return;
  }
  lexer_.advance();
  if (!peek_is(TokenKind::OpenBrace)) {
    fault(peek().offset, fmt::format("expected '{{' before the body of PROTO {}, found {}",
                                     name.text, peek().shown()));
    return;
  }
  proto.body = peek().offset + 1;
}

// Reads a line such as `field SFString{"a", "b"} name "a"`.
void NodeParser::read_interface_line(Proto& proto, std::unordered_set<std::string_view>& names) {
  const Token kind = take();
  if (std::find(kKinds.begin(), kKinds.end(), kind.text) == kKinds.end()) {
    fault(kind.offset,
          fmt::format("expected a field of PROTO {} or ']', found {}", proto.name, kind.shown()));
    return;
  }
  const auto type = parse_value_type(peek().text);
  if (!type) {
    fault(peek().offset, fmt::format("expected the type of a field of PROTO {}, found {}",
                                     proto.name, peek().shown()));
    return;
  }
  lexer_.advance();
  std::optional<Lexer> accepted;
  if (peek_is(TokenKind::OpenBrace)) {
    accepted = lexer_;
    accepted->advance();
    skip_block();
  }
  if (stopped()) {
    return;
  }
  const Token name = take();
  const auto value = read_value(*type, {name, proto.name});
  if (stopped()) {
    return;
  }
  if (!names.insert(name.text).second) {
    replacement(name.offset, fmt::format("PROTO {} has a field '{}' already; the first one is used",
                                         proto.name, shown(name.text)));
    return;
  }
  if (value && accepted && !is_accepted(*value, *type, *accepted, reading_.room)) {
    warning(name.offset, fmt::format("the default of field '{}' of PROTO {} is none of the values "
                                     "in its braces; it is used all the same",
                                     shown(name.text), proto.name));
  }
  proto.parameter_numbers.emplace(name.text, static_cast<std::uint32_t>(proto.parameters.size()));
  proto.parameters.push_back({name.text, *type, value.value_or(initial_value(*type))});
}

// NodeParser: PROTO interfaces and instances, and nodes that cannot be made.
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

constexpr std::size_t kMaxSuggestions = 200;  // number of names that are compared for each warning

// Turns "; put it there" into "put it there".
std::string without_separator(const std::string& clause) {
  return clause.starts_with("; ") ? clause.substr(2) : clause;
}

std::vector<std::string_view> parameter_names(const Proto& proto) {
  std::vector<std::string_view> names;
  for (const ProtoParameter& parameter : proto.parameters) {
    names.push_back(parameter.name);
  }
  return names;
}

std::string defect_of(const Proto& proto) {
  return fmt::format("PROTO '{}' {}", proto.name, proto.defect);
}

std::shared_ptr<const std::vector<Parameter>> parameters_of(const Environment& environment) {
  auto parameters = std::make_shared<std::vector<Parameter>>();
  for (const ProtoParameter& p : environment.proto.parameters) {
    parameters->push_back(
        {std::string(p.name), p.type, environment.value(p.name), p.default_value});
  }
  return parameters;
}

}  // namespace

NodePtr NodeParser::read_other(const Token& name, std::string_view field) {
  const Proto* proto = find_proto(reading_, name.text, source_);
  if (proto != nullptr && proto->stand_in && field.ends_with("ppearance")) {
    proto = nullptr;  // an appearance with the name of an object, such as Glass
  }
  if (proto != nullptr) {
    note_cycle(*proto);
    report_other_file(*proto, name.offset);
  }
  return proto != nullptr && proto->defect.empty() ? read_instance(*proto, name)
                                                   : lose_other(proto, name, field);
}

NodePtr NodeParser::lose_other(const Proto* proto, const Token& name, std::string_view field) {
  if (proto != nullptr) {
    return lose(name, defect_of(*proto), Advice{}, false);
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
  if (quiet()) {
    return lose(name, reason, Advice{}, decorates);
  }
  const std::string remedy = reading_.finder.remedy(name.text, source_);
  if (!remedy.empty()) {
    return lose(name, reason, Advice{"", remedy}, decorates);
  }
  if (!assets::standard_protos(name.text).empty()) {
    return lose(name, reason, Advice{"", kNeedsDeclaration}, decorates);
  }
  const std::string close = did_you_mean_node(name.text);
  return lose(name, reason, Advice{close, close.empty() ? kFolderIsUnknown : ""}, decorates);
}

bool NodeParser::only_decorates(const Token& name, std::string_view field) {
  if (!field.empty() && field != "children") {
    return field.ends_with("ppearance");
  }
  // A file that a project declares itself may contain anything.
  return is_decoration(name.text, lexer_) &&
         reading_.finder.missing_file(name.text, source_).empty();
}

NodePtr NodeParser::lose(const Token& name, const std::string& reason, const Advice& advice,
                         bool only_decorates) {
  if (!only_decorates && reading_.lost.size() < Diagnostics::kMaxKept) {
    reading_.lost.push_back({source_.at(name.offset), reason + advice.hint});
  }
  return leave_out(
      name, reason, advice, only_decorates,
      missing_proto(name.text, reason, without_separator(advice.hint + advice.remedy)));
}

NodePtr NodeParser::leave_out(const Token& name, const std::string& reason, const Advice& advice,
                              bool only_decorates, std::optional<MissingPart> missing) {
  const SourceLocation where = source_.at(name.offset);
  if (reading_.report_decorations || !only_decorates) {
    reading_.diagnostics.warning(
        where, fmt::format("{}; the node is left out{}{}", reason, advice.hint, advice.remedy),
        only_decorates ? std::nullopt : std::move(missing));
  } else {
    reading_.diagnostics.missing_looks(where, reason + kOnlyLooks);
  }
  skip_block(true);
  return only_decorates ? lost_node() : NodePtr();
}

// No PROTO in a cycle can be used.
void NodeParser::note_cycle(const Proto& proto) {
  const auto& open = reading_.open;
  const auto first = std::find(open.begin(), open.end(), &proto);
  std::string cycle;
  for (auto p = first; p != open.end(); ++p) {
    cycle += (*p)->name + " -> ";
  }
  for (auto p = first; p != open.end(); ++p) {
    if ((*p)->defect.empty()) {
      (*p)->defect = fmt::format("uses itself ({}{})", cycle, proto.name);
      (*p)->uses_itself = true;
    }
  }
}

// Loses an instance of a PROTO that exists but cannot be used. Its effect on motion is unknown.
NodePtr NodeParser::lose(const Fault& fault, const Token& name) {
  if (reading_.lost.size() < Diagnostics::kMaxKept) {
    reading_.lost.push_back({fault.where, fault.reason});
  }
  reading_.diagnostics.warning(fault.where, fault.reason + "; the node is left out",
                               missing_proto(name.text, fault.reason, ""));
  return {};
}

NodePtr NodeParser::fail_of_parameters(std::uint32_t offset) {
  fail(offset, fmt::format("the PROTO instances of this world have more than {} parameters",
                           kMaxParameters));
  return {};
}

// Only a PROTO that the world names is reported, not one that a stand-in consists of.
void NodeParser::report_substitute(const Proto& proto, std::uint32_t offset) {
  if (source_.is_stand_in) {
    return;
  }
  if (reading_.report_decorations) {
    warning(
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

// Reports that another file is used because the one in the EXTERNPROTO line does not exist.
void NodeParser::report_other_file(const Proto& proto, std::uint32_t offset) {
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

// Reports moving parts of the original that the stand-in lacks.
void NodeParser::report_losses(const Environment& environment, const Token& name) {
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

NodePtr NodeParser::read_instance(const Proto& proto, const Token& name) {
  if (proto.parameters.size() > reading_.parameter_room) {
    return fail_of_parameters(name.offset);
  }
  if (proto.write_body != nullptr || proto.stand_in) {
    report_substitute(proto, name.offset);
  }
  reading_.parameter_room -= proto.parameters.size();
  Environment environment(proto);
  HiddenFields hidden;
  Passed passed;
  open_instances_.push_back(&environment);
  read_body(name, [&](const Token& parameter) {
    if (parameter.text == "hidden" && peek_is(TokenKind::Word)) {
      read_hidden(hidden);
    } else {
      read_parameter(environment, parameter, passed);
    }
  });
  open_instances_.pop_back();
  if (!stopped() && proto.stand_in) {
    report_losses(environment, name);
  }
  if (!stopped() && proto.stand_in && has_old_axes()) {
    read_as_before_r2022a(*proto.stand_in, source_.version, environment);
  }
  if (!stopped() && !own_defaults(environment)) {
    fail_too_many(name.offset);
  }
  if (stopped()) {
    return {};
  }
  NodePtr node = expand(environment, name);
  if (node) {
    Node& root = owned(node);
    make_instance(root, environment, passed);
    if (proto.write_body != nullptr || proto.stand_in) {
      // A text of servosim has no file, so messages show the name in the world.
      root.where = source_.at(name.offset);
    }
    if (proto.write_body != nullptr) {
      show_shapes(root);
    }
    if (proto.stand_in && has_old_axes() && proto.stand_in->to_old_axes != Mat3{}) {
      turn_hidden(proto, name, root, hidden);
    }
    apply_hidden(node, hidden);
  }
  return node;
}

// Converts the hidden lines of an instance whose PROTO had other axes than its stand-in.
void NodeParser::turn_hidden(const Proto& proto, const Token& name, const Node& root,
                             HiddenFields& hidden) {
  const auto positions = std::ranges::count(hidden, ValueType::SFFloat, &HiddenField::type);
  hidden = hidden_in_todays_axes(root, hidden, proto.stand_in->to_old_axes);
  if (std::ranges::count(hidden, ValueType::SFFloat, &HiddenField::type) < positions) {
    reading_.diagnostics.info(source_.at(name.offset),
                              fmt::format("joint positions in hidden lines of '{}' do not fit its "
                                          "stand-in, whose own ones count",
                                          proto.name));
  }
}

NodePtr NodeParser::instantiate(const Proto& proto, std::vector<std::optional<Value>> given) {
  Environment environment(proto);
  environment.given = std::move(given);
  NodePtr node = expand(environment, peek());
  if (node) {
    make_instance(owned(node), environment, {});
    if (proto.write_body != nullptr) {
      show_shapes(owned(node));
    }
  }
  return node;
}

void NodeParser::make_instance(Node& root, Environment& environment, const Passed& passed) {
  const Proto& proto = environment.proto;
  root.proto_name = proto.name;
  root.proto_project = proto.project;
  root.parameters = reading_.open_template_values > 0 ? parameters_of(environment) : nullptr;
  if (environment_ != nullptr) {
    std::vector<Connection> sorted =
        passed.empty() ? std::vector<Connection>{} : environment.connections;
    sort_connections(sorted);
    for (const auto& [inner, outer] : passed) {
      if (interface_of(proto)->fields[inner].used_by_template) {
        environment_->connections.push_back({outer, 0, nullptr});
      }
      for (const Connection& c : connections_of(sorted, inner)) {
        environment_->connections.push_back({outer, c.node, c.field});
      }
    }
  }
  auto instance = std::make_shared<ProtoInstance>();
  instance->interface = interface_of(proto);
  instance->given = std::move(environment.given);
  SERVOSIM_ASSERT(instance->given.size() == instance->interface->fields.size(),
                  "PROTO {}: {} values of {} fields", proto.name, instance->given.size(),
                  instance->interface->fields.size());
  instance->connections = std::move(environment.connections);
  instance->base = std::move(root.instance);
  root.instance = std::move(instance);
}

// Returns whether PROTOs of Webots' distribution had y up in the version of this text. Some worlds
// of R2021b already have z up.
bool NodeParser::has_old_axes() const {
  return !geometry_axis_is_z(source_.version) && reading_.coordinate_system != "ENU";
}

// A field that is a number now may have been a vector: `scale 2 2 2`.
void NodeParser::skip_numbers() {
  while (peek_is(TokenKind::Word) &&
         peek().text.find_first_not_of("+-.0123456789eE") == std::string_view::npos) {
    lexer_.advance();
  }
}

void NodeParser::skip_parameter(const Proto& proto, const Token& name) {
  if (proto.stand_in) {  // it has no fields for looks, and not the fields of every version
    return skip_any_value();
  }
  skip_unknown_field(name, proto.name,
                     quiet() || proto.parameters.size() > kMaxSuggestions
                         ? ""
                         : did_you_mean(name.text, parameter_names(proto)));
}

void NodeParser::read_parameter(Environment& environment, const Token& name, Passed& passed) {
  const Proto& proto = environment.proto;
  const auto parameter = environment.find(name.text);
  if (!parameter) {
    return skip_parameter(proto, name);
  }
  warn_if_given(environment.given[*parameter].has_value(), name, proto.name);
  const bool open_template_values = proto.script && proto.script->fields.contains(name.text);
  reading_.open_template_values += open_template_values ? 1 : 0;
  if (environment_ != nullptr && peek().is("IS")) {
    if (const auto outer = parameter_ahead()) {
      passed.emplace_back(static_cast<std::uint32_t>(*parameter), *outer);
    }
  }
  if (auto value = read_value(proto.parameters[*parameter].type, {name, proto.name})) {
    environment.given[*parameter] = std::move(value);
  }
  if (proto.stand_in) {
    skip_numbers();
  }
  reading_.open_template_values -= open_template_values ? 1 : 0;
}

// Reads `hidden translation_2 0 0.1 0`. Names of other kinds are skipped without a warning, as in
// Webots.
void NodeParser::read_hidden(HiddenFields& hidden) {
  const Token name = take();
  auto field = parse_hidden_name(name.text);
  if (!field) {
    skip_value(lexer_);
    return;
  }
  if (auto value = read_value(field->type, {name, "a PROTO instance"})) {
    field->value = std::move(*value);
    field->where = source_.at(name.offset);
    hidden.push_back(std::move(*field));
  }
}

NodePtr NodeParser::expand(const Environment& environment, const Token& name) {
  const Proto& proto = environment.proto;
  if (reading_.open.size() >= kMaxProtoDepth) {
    fail(name.offset, fmt::format("PROTOs nest deeper than {} levels", kMaxProtoDepth));
    return {};
  }
  if (!proto.script && proto.write_body == nullptr) {
    return expand_text(environment, proto.source, proto.body, name);
  }
  SourceMap& sources = reading_.diagnostics.sources();
  Source source = proto.source;
  if (proto.script) {
    const TemplateExpansion& expansion = expand_template(reading_, environment);
    if (const auto* fault = std::get_if<Fault>(&expansion)) {
      return lose(*fault, name);
    }
    source.file = std::get<std::uint32_t>(expansion);
  } else {
    const std::string text = proto.write_body(environment);
    const auto [known, is_new] = reading_.built_in_bodies.try_emplace(text);
    if (is_new) {
      known->second = sources.add(fmt::format("<{}>", proto.name), text);
    }
    source.file = known->second;
  }
  source.text = sources.text(source.file);
  return expand_text(environment, source, 0, name);
}

NodePtr NodeParser::expand_text(const Environment& environment, const Source& source,
                                std::size_t body, const Token& name) {
  const std::size_t length = source.text.size() - body;
  if (length > reading_.text_room) {
    fail(name.offset, "the PROTOs of this world expand to too much text");
    return {};
  }
  reading_.text_room -= length;
  reading_.open.push_back(&environment.proto);
  NodeParser parser(reading_, source, body, &environment);
  NodePtr root = parser.read_root();
  reading_.open.pop_back();
  if (std::optional<Fault>& fault = parser.fault_) {
    fault->reason = fmt::format("PROTO '{}': {}", environment.proto.name, fault->reason);
    return lose(*fault, name);
  }
  if (!environment.proto.defect.empty()) {  // the PROTO is in a cycle
    return lose({source_.at(name.offset), defect_of(environment.proto)}, name);
  }
  return root;
}

// Reads the only node of a PROTO body.
NodePtr NodeParser::read_root() {
  if (peek_is(TokenKind::CloseBrace)) {
    fault(peek().offset, "its body is empty");
    return {};
  }
  NodePtr root = read_node({});
  const Proto& proto = environment_->proto;
  if (!stopped() && !peek_is(TokenKind::CloseBrace) && proto.write_body == nullptr) {
    replacement(
        peek().offset,
        fmt::format("expected '}}' after the root node of PROTO {}, found {}; what follows is "
                    "not used",
                    proto.name, peek().shown()));
  } else if (!stopped() && peek_is(TokenKind::CloseBrace)) {
    lexer_.advance();
    if (!peek_is(TokenKind::End)) {
      fail(peek().offset, fmt::format("expected the end of the file after the '}}' of PROTO {}, "
                                      "found {}",
                                      proto.name, peek().shown()));
    }
  }
  return root;
}

}  // namespace servosim::wbt
