// SPDX-License-Identifier: Apache-2.0
#include "wbt/node_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "wbt/eras/legacy.h"
#include "wbt/interface_reader.h"
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

NodeParser::NodeParser(ParseContext& reading, const Source& source, std::size_t offset,
                       const Environment* environment)
    : reading_(reading),
      source_(source),
      environment_(environment),
      text_(reading, source, offset),
      instances_(reading, source, *this, text_, environment) {}

std::vector<NodePtr> NodeParser::read_top_level(std::vector<std::string>& externs,
                                                std::vector<std::string>& importable) {
  std::vector<NodePtr> nodes;
  std::uint64_t expanded = 0;
  while (!text_.stopped() && !text_.peek_is(TokenKind::End)) {
    if (text_.peek().is("EXTERNPROTO") || text_.peek().is("IMPORTABLE")) {
      read_extern_proto(text_, externs, &importable);
    } else if (!text_.peek_is(TokenKind::Word)) {
      if (!text_.fault_of_string()) {
        text_.fault(text_.peek().offset,
                    fmt::format("expected a node, found {}", text_.peek().shown()));
      }
    } else if (NodePtr node = read_node({})) {
      expanded += node->expanded;
      if (node->type->name == "WorldInfo" && source_.version >= kR2020b) {
        reading_.coordinate_system = node->string("coordinateSystem");
      }
      nodes.push_back(std::move(node));
    }
    if (expanded > kMaxNodes) {
      text_.fail(text_.peek().offset, fmt::format("the world has more than {} nodes", kMaxNodes));
    }
  }
  if (text_.first_fault()) {
    text_.fail(text_.first_fault()->where.offset, std::move(text_.first_fault()->reason));
  }
  return nodes;
}

NodePtr NodeParser::read_node(std::string_view field) {
  const Level level(reading_.depth);
  if (reading_.depth > kMaxNodeDepth) {
    return text_.fail_too_deep(text_.peek().offset);
  }
  if (text_.peek().is("USE")) {
    return read_use(field);
  }
  if (text_.peek().is("DEF")) {
    return read_defined_node(field);
  }
  return read_typed_node(text_.take(), {}, field);
}

NodePtr NodeParser::read_defined_node(std::string_view field) {
  text_.advance();
  if (!text_.peek_is(TokenKind::Word) && !text_.peek_is(TokenKind::Number)) {
    return text_.fault_instead_of("a name after DEF", text_.peek());
  }
  const std::string_view def = text_.take().text;
  const std::uint32_t word = text_.defs().enter();
  open_defs_.push_back(def);
  NodePtr node = read_typed_node(text_.take(), def, field);
  open_defs_.pop_back();
  text_.defs().leave(def, word, node);
  return node;
}

NodePtr NodeParser::read_use(std::string_view field) {
  text_.advance();
  const Token name = text_.take();
  const NodePtr* const defined = text_.defs().find(name.text);
  const NodePtr found = defined != nullptr ? *defined : instances_.find_in_defaults(name);
  if (found && !allows_use(*found->type)) {
    text_.warning(
        name.offset,
        fmt::format("USE of a {}, which Webots does not allow: read as a copy", found->type->name));
    NodePtr copy = fresh_copy(reading_, found);
    return copy ? copy : text_.fail_too_many(name.offset);
  }
  if (found || defined != nullptr || text_.stopped()) {
    return found;
  }
  if (std::find(open_defs_.begin(), open_defs_.end(), name.text) != open_defs_.end()) {
    const std::string reason = fmt::format("USE {} inside its own definition", shown(name.text));
    environment_ != nullptr ? text_.fault(name.offset, reason) : text_.error(name.offset, reason);
  } else {
    std::string message = fmt::format("USE {}: no DEF of that name before it; the node is left out",
                                      shown(name.text));
    if (field == "boundingObject") {
      reading_.diagnostics.warning(
          source_.at(name.offset), std::move(message),
          MissingPart{Missing::Meshes, fmt::format("boundingObject {}", shown(name.text)),
                      "no DEF of that name stands before its USE"});
    } else {
      text_.replacement(name.offset, std::move(message));
    }
  }
  return {};
}

NodePtr NodeParser::read_root() {
  SERVOSIM_ASSERT(environment_ != nullptr, "{}", text_.peek().text);
  if (text_.peek_is(TokenKind::CloseBrace)) {
    text_.fault(text_.peek().offset, "its body is empty");
    return {};
  }
  NodePtr root = read_node({});
  const Proto& proto = environment_->proto;
  if (!text_.stopped() && !text_.peek_is(TokenKind::CloseBrace) && proto.write_body == nullptr) {
    text_.replacement(
        text_.peek().offset,
        fmt::format("expected '}}' after the root node of PROTO {}, found {}; what follows is "
                    "not used",
                    proto.name, text_.peek().shown()));
  } else if (!text_.stopped() && text_.peek_is(TokenKind::CloseBrace)) {
    text_.advance();
    if (!text_.peek_is(TokenKind::End)) {
      text_.fail(text_.peek().offset,
                 fmt::format("expected the end of the file after the '}}' of PROTO {}, "
                             "found {}",
                             proto.name, text_.peek().shown()));
    }
  }
  return root;
}

NodePtr NodeParser::instantiate(const Proto& proto, std::vector<std::optional<Value>> given) {
  return instances_.instantiate(proto, std::move(given));
}

NodePtr NodeParser::read_typed_node(const Token& type, std::string_view def,
                                    std::string_view field) {
  if (type.kind != TokenKind::Word) {
    return text_.fault_instead_of("a node type", type);
  }
  if (!text_.peek_is(TokenKind::OpenBrace)) {
    return fault_instead_of_brace(type);
  }
  const NodeType* built_in = find_node_type(type.text);
  // A project may have a PROTO whose name became a node type only in a later version of Webots.
  const bool is_proto =
      built_in == nullptr ||
      (source_.version < built_in->since && find_proto(reading_, type.text, source_) != nullptr);
  NodePtr node = is_proto ? instances_.read(type, field) : read_built_in(*built_in, type);
  if (node && !def.empty()) {
    owned(node).def = def;
  }
  return node;
}

NodePtr NodeParser::read_built_in(const NodeType& type, const Token& name) {
  const std::uint32_t id = next_id(reading_);
  if (id == 0) {
    return text_.fail_too_many(name.offset);
  }
  auto node = std::make_shared<Node>();
  node->type = &type;
  node->id = id;
  node->where = source_.at(name.offset);
  node->version = source_.version;
  text_.read_body(name, [&](const Token& field) { read_field(*node, field); });
  finish(*node, name.text);
  return node;
}

void NodeParser::read_field(Node& node, const Token& name) {
  const FieldType* type = begin_field(node, name);
  if (type == nullptr) {
    return;
  }
  if (!holds_nodes(type->type) || text_.peek().is("IS")) {
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
    text_.skip_unknown_field(name, node.type->name,
                             text_.quiet() ? "" : did_you_mean(name.text, field_names(*node.type)));
    return nullptr;
  }
  if (type->removed_by(source_.version)) {
    text_.skip_unknown_field(name, node.type->name,
                             fmt::format("; Webots dropped it after {}", to_string(type->until)));
    return nullptr;
  }
  text_.warn_if_given(node.has(type->name), name, node.type->name);
  if (environment_ != nullptr && text_.peek().is("IS")) {
    connect(node, *type);
  }
  return type;
}

// Reads a field whose type contains no nodes.
void NodeParser::read_flat_field(Node& node, const FieldType& type, const Token& name) {
  auto value = read_legacy_value(type, text_.lexer());
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

std::optional<std::uint32_t> NodeParser::parameter_ahead() const {
  SERVOSIM_ASSERT(environment_ != nullptr, "{}", text_.peek().text);
  Lexer ahead = text_.lexer();
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
    text_.fail(node.where.offset, fmt::format("the world has more than {} nodes", kMaxNodes));
  } else if (node.height > kMaxNodeDepth) {
    text_.fail_too_deep(node.where.offset);
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

NodePtr NodeParser::fault_instead_of_brace(const Token& type) {
  text_.fault(text_.peek().offset, fmt::format("expected '{{' after '{}', found {}",
                                               shown(type.text), text_.peek().shown()));
  return {};
}

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

std::optional<Value> NodeParser::read_value(ValueType type, const Place& place) {
  if (text_.peek().is("IS")) {
    return read_is(type, place);
  }
  return holds_nodes(type) ? read_node_value(type, place) : read_flat_value(type, place);
}

std::optional<Value> NodeParser::read_flat_value(ValueType type, const Place& place) {
  const std::uint32_t offset = text_.peek().offset;
  if (type == ValueType::SFVec3f && place.field.text == "translation" &&
      skip_no_numbers(text_.lexer())) {
    text_.replacement(offset,
                      fmt::format("the translation of this {} is no number, as Webots saves a body "
                                  "whose simulation has diverged",
                                  place.owner));
    return Value(Vec3{kNan, kNan, kNan});
  }
  ValueReader reader(text_.lexer(), reading_.room);
  auto value = reader.read(type);
  if (!value && reading_.room == 0) {
    text_.fail(offset, "the lists of this world take too much memory");
  } else if (!value && !text_.fault_of_string()) {
    text_.replacement(offset, fmt::format("field '{}' of {}: {} (default used)", place.field.text,
                                          place.owner, reader.problem()));
    if (text_.peek().offset == offset) {
      text_.skip_any_value();
    }
  }
  return value;
}

std::optional<Value> NodeParser::read_node_value(ValueType type, const Place& place) {
  const bool is_node =
      text_.peek_is(TokenKind::Word) && !text_.peek().is("TRUE") && !text_.peek().is("FALSE");
  if (type == ValueType::MFNode && text_.peek_is(TokenKind::OpenBracket)) {
    return Value(read_node_list(place.field));
  }
  if (!is_node) {
    refuse_node_value(place);
    return std::nullopt;
  }
  NodePtr node;
  if (text_.peek().is("NULL")) {
    text_.advance();
  } else {
    node = read_node(place.field.text);
  }
  if (type == ValueType::SFNode) {
    return Value(std::move(node));
  }
  return Value(node ? std::vector<NodePtr>{std::move(node)} : std::vector<NodePtr>{});
}

void NodeParser::refuse_node_value(const Place& place) {
  text_.replacement(text_.peek().offset,
                    fmt::format("field '{}' of {}: expected a node, found {} (default used)",
                                place.field.text, place.owner, text_.peek().shown()));
  text_.skip_any_value();
}

std::vector<NodePtr> NodeParser::read_node_list(const Token& field) {
  std::vector<NodePtr> nodes;
  text_.advance();  // '['
  while (!text_.stopped() && !text_.peek_is(TokenKind::CloseBracket)) {
    if (text_.peek().is("NULL")) {
      text_.advance();
    } else if (text_.peek_is(TokenKind::Word)) {
      if (NodePtr node = read_node(field.text)) {
        nodes.push_back(std::move(node));
      }
    } else if (!text_.fault_of_string()) {
      fault_in_list(field);
    }
  }
  if (!text_.stopped()) {
    text_.advance();
  }
  return nodes;
}

void NodeParser::fault_in_list(const Token& field) {
  text_.fault(text_.peek_is(TokenKind::End) ? field.offset : text_.peek().offset,
              fmt::format("expected a node or ']' in field '{}', found {}", field.text,
                          text_.peek().shown()));
}

std::optional<Value> NodeParser::read_is(ValueType type, const Place& place) {
  text_.advance();
  const Token name = text_.take();
  if (environment_ == nullptr) {
    text_.replacement(name.offset,
                      fmt::format("field '{}' of {}: IS outside a PROTO (default used)",
                                  place.field.text, place.owner));
    return std::nullopt;
  }
  const Proto& proto = environment_->proto;
  const auto parameter = environment_->find(name.text);
  if (!parameter) {
    text_.replacement(name.offset,
                      fmt::format("PROTO '{}' has no parameter '{}' (default of '{}' used)",
                                  proto.name, shown(name.text), place.field.text));
    return std::nullopt;
  }
  const Value& value = environment_->value(*parameter);
  if (const std::size_t words = words_in(value); words >= reading_.room) {
    text_.fail(name.offset, "the lists of this world take too much memory");
  } else {
    reading_.room -= words;
  }
  auto fitting = converted(value, proto.parameters[*parameter].type, type);
  if (!fitting) {
    text_.replacement(name.offset,
                      fmt::format("parameter '{}' does not fit field '{}' of {} (default used)",
                                  shown(name.text), place.field.text, place.owner));
  }
  return fitting;
}

}  // namespace servosim::wbt
