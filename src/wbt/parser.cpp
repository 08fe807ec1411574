// SPDX-License-Identifier: Apache-2.0
#include "wbt/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "wbt/eras/legacy.h"
#include "wbt/schema/accepted_nodes.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

// Counts a level of nodes during its lifetime.
class Level {
 public:
  explicit Level(int& depth) : depth_(depth) { ++depth_; }
  ~Level() {
    SERVOSIM_ASSERT(depth_ > 0, "a level of nodes ends that has not begun");
    --depth_;
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  int& depth_;
};

std::vector<std::string_view> field_names(const NodeType& type) {
  std::vector<std::string_view> names;
  for (const FieldType* field : type.fields) {
    names.push_back(field->name);
  }
  return names;
}

void add_up(Node& node, std::uint64_t& expanded, const NodePtr& child) {
  node.height = std::max(node.height, child->height + 1);
  expanded += child->expanded;
}

}  // namespace

std::vector<NodePtr> NodeParser::read_top_level(std::vector<std::string>& externs,
                                                std::vector<std::string>& importable) {
  std::vector<NodePtr> nodes;
  std::uint64_t expanded = 0;
  while (!stopped() && !peek_is(TokenKind::End)) {
    if (peek().is("EXTERNPROTO") || peek().is("IMPORTABLE")) {
      read_extern_proto(externs, &importable);
    } else if (!peek_is(TokenKind::Word)) {
      if (!fault_of_string()) {
        fault(peek().offset, fmt::format("expected a node, found {}", peek().shown()));
      }
    } else if (NodePtr node = read_node({})) {
      expanded += node->expanded;
      if (node->type->name == "WorldInfo" && source_.version >= kR2020b) {
        reading_.coordinate_system = node->string("coordinateSystem");
      }
      nodes.push_back(std::move(node));
    }
    if (expanded > kMaxNodes) {
      fail(peek().offset, fmt::format("the world has more than {} nodes", kMaxNodes));
    }
  }
  if (fault_) {
    fail(fault_->where.offset, std::move(fault_->reason));
  }
  return nodes;
}

NodePtr NodeParser::read_node(std::string_view field) {
  const Level level(reading_.depth);
  if (reading_.depth > kMaxNodeDepth) {
    return fail_too_deep(peek().offset);
  }
  if (peek().is("USE")) {
    return read_use(field);
  }
  if (peek().is("DEF")) {
    return read_defined_node(field);
  }
  return read_typed_node(take(), {}, field);
}

NodePtr NodeParser::read_defined_node(std::string_view field) {
  lexer_.advance();
  if (!peek_is(TokenKind::Word) && !peek_is(TokenKind::Number)) {
    return fault_instead_of("a name after DEF", peek());
  }
  const std::string_view def = take().text;
  const std::uint32_t word = defs_.enter();
  open_defs_.push_back(def);
  NodePtr node = read_typed_node(take(), def, field);
  open_defs_.pop_back();
  defs_.leave(def, word, node);
  return node;
}

NodePtr NodeParser::read_use(std::string_view field) {
  lexer_.advance();
  const Token name = take();
  const NodePtr* const defined = defs_.find(name.text);
  const NodePtr found = defined != nullptr ? *defined : find_in_defaults(name);
  if (found && !allows_use(*found->type)) {
    warning(name.offset, fmt::format("USE of a {}, which Webots does not allow: read as a copy",
                                     found->type->name));
    NodePtr copy = fresh_copy(reading_, found);
    return copy ? copy : fail_too_many(name.offset);
  }
  if (found || defined != nullptr || stopped()) {
    return found;
  }
  if (std::find(open_defs_.begin(), open_defs_.end(), name.text) != open_defs_.end()) {
    const std::string reason = fmt::format("USE {} inside its own definition", shown(name.text));
    environment_ != nullptr ? fault(name.offset, reason) : error(name.offset, reason);
  } else {
    std::string message = fmt::format("USE {}: no DEF of that name before it; the node is left out",
                                      shown(name.text));
    if (field == "boundingObject") {
      reading_.diagnostics.warning(
          source_.at(name.offset), std::move(message),
          MissingPart{Missing::Meshes, fmt::format("boundingObject {}", shown(name.text)),
                      "no DEF of that name stands before its USE"});
    } else {
      replacement(name.offset, std::move(message));
    }
  }
  return {};
}

namespace {

// The first node of each DEF name in a value, excluding the nodes in bodies of PROTOs.
class DefinitionsIn {
 public:
  explicit DefinitionsIn(const Value& value) {
    for_each_node(value, [this](const NodePtr& node) { add(node); });
  }

  std::unordered_map<std::string_view, NodePtr> nodes;

 private:
  void add(const NodePtr& node) {
    if (!seen_.insert(node.get()).second) {
      return;  // a USE of a node that was visited before
    }
    if (!node->def.empty()) {
      nodes.try_emplace(node->def, node);
    }
    if (node->proto_name.empty()) {
      for_each_child(*node, [this](const NodePtr& child) { add(child); });
    }
  }

  std::unordered_set<const Node*> seen_;
};

// The result is computed once for each PROTO, since a file may have any number of unknown names.
const DefaultDefinitions& definitions_in_defaults(const Proto& proto) {
  if (proto.definitions_in_defaults == nullptr) {
    auto made = std::make_shared<DefaultDefinitions>();
    for (std::uint32_t i = 0; i < proto.parameters.size(); ++i) {
      if (holds_nodes(proto.parameters[i].type)) {
        for (const auto& [name, node] : DefinitionsIn(proto.parameters[i].default_value).nodes) {
          (*made)[name].push_back(i);
        }
      }
    }
    proto.definitions_in_defaults = std::move(made);
  }
  return *proto.definitions_in_defaults;
}

}  // namespace

std::optional<Value> NodeParser::own_default(const Value& value) {
  Value own = value;
  std::vector<NodePtr*> nodes;
  if (auto* node = std::get_if<NodePtr>(&own)) {
    nodes.push_back(node);
  } else {
    for (NodePtr& item : std::get<std::vector<NodePtr>>(own)) {
      nodes.push_back(&item);
    }
  }
  for (NodePtr* const node : nodes) {
    if (*node && !(*node = fresh_copy(reading_, *node))) {
      return std::nullopt;
    }
  }
  return own;
}

namespace {

bool holds_any(const Value& value) {
  const auto* const node = std::get_if<NodePtr>(&value);
  return node != nullptr ? *node != nullptr : !std::get<std::vector<NodePtr>>(value).empty();
}

}  // namespace

// Copies the nodes of default values, since all instances would share them otherwise. Returns false
// if there are too many.
bool NodeParser::own_defaults(Environment& environment) {
  const Proto& proto = environment.proto;
  for (std::size_t i = 0; i < proto.parameters.size(); ++i) {
    if (environment.given[i] || !holds_nodes(proto.parameters[i].type)) {
      continue;
    }
    const auto used = environment.used_defaults.find(i);
    std::optional<Value> own = used != environment.used_defaults.end()
                                   ? std::move(used->second.value)
                                   : own_default(proto.parameters[i].default_value);
    if (!own) {
      return false;
    }
    if (holds_any(*own)) {
      environment.given[i] = std::move(own);
    }
  }
  return true;
}

// Searches the defaults of parameters that the instances being read have not set so far. The
// instance then gets a copy of the default as its own nodes. Returns null if nothing is found.
NodePtr NodeParser::find_in_defaults(const Token& name) {
  for (auto open = open_instances_.rbegin(); open != open_instances_.rend(); ++open) {
    Environment& environment = **open;
    const DefaultDefinitions& known = definitions_in_defaults(environment.proto);
    const auto entry = known.find(name.text);
    if (entry == known.end()) {
      continue;
    }
    const auto [used, is_first] = environment.used_definitions.try_emplace(entry->first);
    if (is_first) {
      const auto parameter =
          std::ranges::find_if(entry->second, [&](auto i) { return !environment.given[i]; });
      if (parameter == entry->second.end()) {
        continue;
      }
      const auto [own, is_new] = environment.used_defaults.try_emplace(*parameter);
      if (is_new) {
        auto copy = own_default(environment.proto.parameters[*parameter].default_value);
        if (!copy) {
          return fail_too_many(name.offset);
        }
        own->second.value = std::move(*copy);
        own->second.definitions = DefinitionsIn(own->second.value).nodes;
      }
      used->second = own->second.definitions.at(name.text);
    }
    if (used->second) {
      return used->second;
    }
  }
  return {};
}

NodePtr NodeParser::read_typed_node(const Token& type, std::string_view def,
                                    std::string_view field) {
  if (type.kind != TokenKind::Word) {
    return fault_instead_of("a node type", type);
  }
  if (!peek_is(TokenKind::OpenBrace)) {
    return fault_instead_of_brace(type);
  }
  const NodeType* built_in = find_node_type(type.text);
  // A project may have a PROTO whose name became a node type only in a later version of Webots.
  const bool is_proto =
      built_in == nullptr ||
      (source_.version < built_in->since && find_proto(reading_, type.text, source_) != nullptr);
  NodePtr node = is_proto ? read_other(type, field) : read_built_in(*built_in, type);
  if (node && !def.empty()) {
    owned(node).def = def;
  }
  return node;
}

NodePtr NodeParser::read_built_in(const NodeType& type, const Token& name) {
  const std::uint32_t id = next_id(reading_);
  if (id == 0) {
    return fail_too_many(name.offset);
  }
  auto node = std::make_shared<Node>();
  node->type = &type;
  node->id = id;
  node->where = source_.at(name.offset);
  node->version = source_.version;
  read_body(name, [&](const Token& field) { read_field(*node, field); });
  finish(*node, name.text);
  return node;
}

void NodeParser::read_field(Node& node, const Token& name) {
  const FieldType* type = begin_field(node, name);
  if (type == nullptr) {
    return;
  }
  if (!holds_nodes(type->type) || peek().is("IS")) {
    return read_flat_field(node, *type, name);
  }
  auto value = read_node_value(type->type, {name, node.type->name});
  set_value(node, *type, name, value);
}

void NodeParser::set_value(Node& node, const FieldType& type, const Token& name,
                           std::optional<Value>& value) {
  if (value) {
    set_field(node, type, source_.at(name.offset), std::move(*value));
  }
}

// Returns null if the node has no such field; this is reported, and the field is skipped.
const FieldType* NodeParser::begin_field(const Node& node, const Token& name) {
  const FieldType* type = node.type->field(name.text, source_.version);
  if (type == nullptr) {
    skip_unknown_field(name, node.type->name,
                       quiet() ? "" : did_you_mean(name.text, field_names(*node.type)));
    return nullptr;
  }
  if (type->removed_by(source_.version)) {
    skip_unknown_field(name, node.type->name,
                       fmt::format("; Webots dropped it after {}", to_string(type->until)));
    return nullptr;
  }
  warn_if_given(node.has(type->name), name, node.type->name);
  if (environment_ != nullptr && peek().is("IS")) {
    connect(node, *type);
  }
  return type;
}

// Reads a field whose type contains no nodes.
void NodeParser::read_flat_field(Node& node, const FieldType& type, const Token& name) {
  auto value = read_legacy_value(type, lexer_);
  if (!value) {
    value = read_value(type.type, {name, node.type->name});
  }
  set_value(node, type, name, value);
}

// Records that the field gets its value from a parameter.
void NodeParser::connect(const Node& node, const FieldType& field) {
  if (const auto parameter = parameter_ahead()) {
    environment_->connections.push_back({*parameter, node.id, &field});
  }
}

// Returns the index of the parameter that `IS name` names.
std::optional<std::uint32_t> NodeParser::parameter_ahead() const {
  Lexer ahead = lexer_;
  ahead.advance();
  const auto found = environment_->find(ahead.peek().text);
  return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
}

void NodeParser::finish(Node& node, std::string_view written_type) {
  upgrade(node, written_type);
  if (node.type->name == "Slot") {
    unplug_other_type(node);
  }
  std::uint64_t expanded = 1;
  for_each_child(node, [&](const NodePtr& child) { add_up(node, expanded, child); });
  node.expanded = static_cast<std::uint32_t>(std::min<std::uint64_t>(expanded, kMaxNodes + 1));
  if (expanded > kMaxNodes) {
    fail(node.where.offset, fmt::format("the world has more than {} nodes", kMaxNodes));
  } else if (node.height > kMaxNodeDepth) {
    fail_too_deep(node.where.offset);
  }
}

void NodeParser::unplug_other_type(Node& slot) {
  const NodePtr inner = slot.node("endPoint");
  if (!inner || inner->type->name != "Slot" ||
      slot_types_match(slot.string("type"), inner->string("type"))) {
    return;
  }
  const std::string reason = fmt::format("a Slot of type '{}' does not fit into one of type '{}'",
                                         shown(inner->string("type")), shown(slot.string("type")));
  reading_.diagnostics.warning(inner->where, reason + "; it is left out");
  if (reading_.lost.size() < Diagnostics::kMaxKept) {
    reading_.lost.push_back({inner->where, reason});
  }
  set_field(slot, *slot.type->field("endPoint", slot.version), inner->where, NodePtr());
}

// Handles text between the fields of a node that is no name of a field.
void NodeParser::read_stray(const Token& type) {
  if (fault_of_string()) {
    return;
  }
  const Token stray = peek();
  if (stray.kind == TokenKind::End || stray.kind == TokenKind::CloseBracket) {
    fault(stray.kind == TokenKind::End ? type.offset : stray.offset,
          fmt::format("expected '}}' at the end of {}, found {}", shown(type.text), stray.shown()));
    return;
  }
  replacement(stray.offset, fmt::format("expected a field of {}, found {} (skipped)",
                                        shown(type.text), stray.shown()));
  stray.kind == TokenKind::OpenBracket || stray.kind == TokenKind::OpenBrace ? skip_block()
                                                                             : skip_value(lexer_);
}

void NodeParser::skip_unknown_field(const Token& name, std::string_view owner,
                                    const std::string& hint) {
  replacement(name.offset,
              fmt::format("unknown field '{}' in {} (skipped){}", shown(name.text), owner, hint));
  skip_any_value();
}

void NodeParser::warn_if_given(bool given, const Token& name, std::string_view owner) {
  if (given) {
    replacement(name.offset, fmt::format("{} has a field '{}' already; the last one is used", owner,
                                         shown(name.text)));
  }
}

// Skips what may follow the name of a field of any type.
void NodeParser::skip_any_value() {
  if (peek().is("USE") || peek().is("IS")) {
    lexer_.advance();
    lexer_.advance();
    return;
  }
  if (peek().is("DEF")) {
    lexer_.advance();
    defs_.skip(take().text);
  }
  Lexer ahead = lexer_;
  ahead.advance();
  if (peek_is(TokenKind::Word) && ahead.peek().kind == TokenKind::OpenBrace) {
    lexer_.advance();
  }
  peek_is(TokenKind::OpenBracket) || peek_is(TokenKind::OpenBrace) ? skip_block()
                                                                   : skip_value(lexer_);
}

// Skips from '{' or '[' to its end. A USE of a node that is DEFined inside then finds nothing, and
// no further message is necessary. An earlier node of the same name is used only if Webots skips
// the value, too, but not for a lost node.
void NodeParser::skip_block(bool is_lost_node) {
  const std::uint32_t start = peek().offset;
  Lexer inside = lexer_;
  const bool closed = skip_balanced(lexer_);
  if (!fault_of_string() && !closed) {
    fault(start, peek_is(TokenKind::End) ? "this bracket is never closed"
                                         : "brackets in here nest too deep");
  }
  const std::uint32_t end = peek().offset;
  for (; inside.peek().offset < end; inside.advance()) {
    if (inside.peek().is("DEF")) {
      inside.advance();
      is_lost_node ? defs_.leave(inside.peek().text, defs_.enter(), nullptr)
                   : defs_.skip(inside.peek().text);
    }
  }
}

// Returns whether no further messages are kept, so that making them is unnecessary.
bool NodeParser::quiet() const {
  return reading_.diagnostics.list().size() >= Diagnostics::kMaxKept;
}

void NodeParser::warning(std::uint32_t offset, std::string message) {
  reading_.diagnostics.warning(source_.at(offset), std::move(message));
}

void NodeParser::replacement(std::uint32_t offset, std::string message) {
  reading_.diagnostics.replacement(source_.at(offset), std::move(message));
}

void NodeParser::error(std::uint32_t offset, std::string message) {
  reading_.diagnostics.error(source_.at(offset), std::move(message));
}

NodePtr NodeParser::fail_too_many(std::uint32_t offset) {
  fail(offset, fmt::format("the world has more than {} nodes", kMaxNodes));
  return {};
}

NodePtr NodeParser::fail_too_deep(std::uint32_t offset) {
  fail(offset, fmt::format("nodes nest deeper than {} levels", kMaxNodeDepth));
  return {};
}

NodePtr NodeParser::fault_instead_of(std::string_view wanted, const Token& found) {
  fault(found.offset, fmt::format("expected {}, found {}", wanted, found.shown()));
  return {};
}

NodePtr NodeParser::fault_instead_of_brace(const Token& type) {
  fault(peek().offset,
        fmt::format("expected '{{' after '{}', found {}", shown(type.text), peek().shown()));
  return {};
}

void NodeParser::fail(std::uint32_t offset, std::string message) {
  if (!reading_.failed) {
    error(offset, std::move(message));
  }
  reading_.failed = true;
}

void NodeParser::fault(std::uint32_t offset, std::string message) {
  if (!stopped()) {
    fault_ = Fault{source_.at(offset), std::move(message)};
  }
}

bool NodeParser::fault_of_string() {
  if (const auto offset = lexer_.unclosed_string()) {
    fault(*offset, "string is not closed on its line");
    return true;
  }
  return false;
}

// NodeParser: the values of fields.
namespace {

bool is_no_number(const Token& token) {
  static constexpr std::array<std::string_view, 4> kWords{"nan", "-nan", "inf", "-inf"};
  return token.kind == TokenKind::Word &&
         std::find(kWords.begin(), kWords.end(), token.text) != kWords.end();
}

// Skips three numbers if at least one of them is NaN or infinite. Otherwise returns false and skips
// nothing.
bool skip_no_numbers(Lexer& lexer) {
  Lexer ahead = lexer;
  bool any = false;
  for (int axis = 0; axis < 3; ++axis, ahead.advance()) {
    if (!is_no_number(ahead.peek()) && ahead.peek().kind != TokenKind::Number) {
      return false;
    }
    any = any || is_no_number(ahead.peek());
  }
  if (any) {
    lexer = ahead;
  }
  return any;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// Returns nothing after a value that does not fit; this is reported, and the value is skipped.
std::optional<Value> NodeParser::read_value(ValueType type, const Place& place) {
  if (peek().is("IS")) {
    return read_is(type, place);
  }
  return holds_nodes(type) ? read_node_value(type, place) : read_flat_value(type, place);
}

std::optional<Value> NodeParser::read_flat_value(ValueType type, const Place& place) {
  const std::uint32_t offset = peek().offset;
  if (type == ValueType::SFVec3f && place.field.text == "translation" && skip_no_numbers(lexer_)) {
    replacement(offset,
                fmt::format("the translation of this {} is no number, as Webots saves a body "
                            "whose simulation has diverged",
                            place.owner));
    return Value(Vec3{kNan, kNan, kNan});
  }
  ValueReader reader(lexer_, reading_.room);
  auto value = reader.read(type);
  if (!value && reading_.room == 0) {
    fail(offset, "the lists of this world take too much memory");
  } else if (!value && !fault_of_string()) {
    replacement(offset, fmt::format("field '{}' of {}: {} (default used)", place.field.text,
                                    place.owner, reader.problem()));
    if (peek().offset == offset) {
      skip_any_value();
    }
  }
  return value;
}

std::optional<Value> NodeParser::read_node_value(ValueType type, const Place& place) {
  const bool is_node = peek_is(TokenKind::Word) && !peek().is("TRUE") && !peek().is("FALSE");
  if (type == ValueType::MFNode && peek_is(TokenKind::OpenBracket)) {
    return Value(read_node_list(place.field));
  }
  if (!is_node) {
    refuse_node_value(place);
    return std::nullopt;
  }
  NodePtr node;
  if (peek().is("NULL")) {
    lexer_.advance();
  } else {
    node = read_node(place.field.text);
  }
  if (type == ValueType::SFNode) {
    return Value(std::move(node));
  }
  return Value(node ? std::vector<NodePtr>{std::move(node)} : std::vector<NodePtr>{});
}

void NodeParser::refuse_node_value(const Place& place) {
  replacement(peek().offset,
              fmt::format("field '{}' of {}: expected a node, found {} (default used)",
                          place.field.text, place.owner, peek().shown()));
  skip_any_value();
}

std::vector<NodePtr> NodeParser::read_node_list(const Token& field) {
  std::vector<NodePtr> nodes;
  lexer_.advance();  // '['
  while (!stopped() && !peek_is(TokenKind::CloseBracket)) {
    if (peek().is("NULL")) {
      lexer_.advance();
    } else if (peek_is(TokenKind::Word)) {
      if (NodePtr node = read_node(field.text)) {
        nodes.push_back(std::move(node));
      }
    } else if (!fault_of_string()) {
      fault_in_list(field);
    }
  }
  if (!stopped()) {
    lexer_.advance();
  }
  return nodes;
}

void NodeParser::fault_in_list(const Token& field) {
  fault(peek_is(TokenKind::End) ? field.offset : peek().offset,
        fmt::format("expected a node or ']' in field '{}', found {}", field.text, peek().shown()));
}

std::optional<Value> NodeParser::read_is(ValueType type, const Place& place) {
  lexer_.advance();
  const Token name = take();
  if (environment_ == nullptr) {
    replacement(name.offset, fmt::format("field '{}' of {}: IS outside a PROTO (default used)",
                                         place.field.text, place.owner));
    return std::nullopt;
  }
  const Proto& proto = environment_->proto;
  const auto parameter = environment_->find(name.text);
  if (!parameter) {
    replacement(name.offset, fmt::format("PROTO '{}' has no parameter '{}' (default of '{}' used)",
                                         proto.name, shown(name.text), place.field.text));
    return std::nullopt;
  }
  const Value& value = environment_->value(*parameter);
  if (const std::size_t words = words_in(value); words >= reading_.room) {
    fail(name.offset, "the lists of this world take too much memory");
  } else {
    reading_.room -= words;
  }
  auto fitting = converted(value, proto.parameters[*parameter].type, type);
  if (!fitting) {
    replacement(name.offset,
                fmt::format("parameter '{}' does not fit field '{}' of {} (default used)",
                            shown(name.text), place.field.text, place.owner));
  }
  return fitting;
}

}  // namespace servosim::wbt
