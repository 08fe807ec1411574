// SPDX-License-Identifier: Apache-2.0
#include "wbt/writer.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "wbt/eras/legacy.h"
#include "wbt/node.h"
#include "wbt/schema/node_types.h"
#include "wbt/values.h"
#include "wbt/world_file.h"

namespace servosim::wbt {
namespace {

class Writer {
 public:
  enum class Style : std::uint8_t {
    Nodes,      ///< PROTO instances are expanded to nodes; fields are in the order of the tree
    Instances,  ///< instances are written as such; fields are in the order of the tree
    /// Instances are written as such; fields are in the order of Webots, without default values.
    Saved,
  };

  Writer(std::string& text, Style style) : text_(text), style_(style) {}

  /// Writes a node of the top level. It is not recursive, since trees may be deep.
  void write(const Node& root);
  void write_extern(const std::string& url, bool importable);

 private:
  // A node whose braces are open, and what is written next: an item of a list of nodes, or a field.
  struct Open {
    const Node* node;
    std::vector<WrittenLine> lines;
    std::uint32_t def_word = 0;
    std::size_t line = 0;
    std::size_t item = 0;
  };

  void begin(const Node& node);
  void end_node();
  void write_next();
  void write_next_of_list(const std::string& name, const std::vector<NodePtr>& nodes);
  void name_line(const std::string& name);
  bool is_instance(const Node& node) const {
    return style_ != Style::Nodes && node.proto.instance != nullptr;
  }
  std::vector<WrittenLine> lines_of(const Node& node) const;

  void put(bool value) { text_ += value ? "TRUE" : "FALSE"; }
  void put(std::int32_t value) { fmt::format_to(end(), FMT_COMPILE("{}"), value); }
  void put(double value);
  void put(const std::string& value);
  void put(const Vec2& v) { put_all({v.x, v.y}); }
  void put(const Vec3& v) { put_all({v.x, v.y, v.z}); }
  void put(const AxisAngle& v) { put_all({v.axis.x, v.axis.y, v.axis.z, v.angle}); }
  void put(const NodePtr&) {}               // write_next() writes them
  void put(const std::vector<NodePtr>&) {}  // write_next() writes them
  template <class T>
  void put(const std::vector<T>& items);
  void put_all(std::initializer_list<double> numbers);

  void new_line();
  void open_bracket(char bracket);
  void close_bracket(char bracket);
  std::back_insert_iterator<std::string> end() { return std::back_inserter(text_); }

  std::string& text_;
  Style style_;
  std::vector<Open> open_;
  DefScope<const Node*> scope_;
  std::size_t level_ = 0;  // number of open braces and brackets
  std::size_t line_start_ = 0;
};

void Writer::write(const Node& root) {
  begin(root);
  while (!open_.empty()) {
    if (open_.back().line < open_.back().lines.size()) {
      write_next();
    } else {
      end_node();
    }
  }
  text_ += '\n';
}

void Writer::write_extern(const std::string& url, bool importable) {
  text_ += importable ? "IMPORTABLE EXTERNPROTO " : "EXTERNPROTO ";
  put(url);
  text_ += '\n';
}

void Writer::begin(const Node& node) {
  if (is_use(scope_, node)) {
    text_ += "USE " + node.def;
    return;
  }
  if (!node.def.empty()) {
    text_ += "DEF " + node.def + ' ';
  }
  text_ += is_instance(node) ? node.proto.instance->interface->name : node.type->name;
  text_ += ' ';
  open_bracket('{');
  open_.push_back({&node, lines_of(node), scope_.enter()});
}

// Extension fields are comments for Webots.
std::vector<WrittenLine> Writer::lines_of(const Node& node) const {
  if (is_instance(node)) {
    return instance_lines(node);
  }
  std::vector<WrittenLine> lines;
  const auto add = [&](const Field& field) {
    const std::string_view mark = field.type->extension ? "#servosim " : "";
    lines.push_back({fmt::format("{}{}", mark, field.type->name), &field.value});
  };
  if (style_ != Style::Saved) {
    std::for_each(node.fields.begin(), node.fields.end(), add);
    return lines;
  }
  for (const std::uint16_t i : field_order(*node.type)) {
    const auto field = std::find_if(node.fields.begin(), node.fields.end(),
                                    [&](const Field& f) { return f.type == node.type->fields[i]; });
    if (field != node.fields.end() && !equal(field->value, default_value(*field->type))) {
      add(*field);
    }
  }
  return lines;
}

void Writer::end_node() {
  close_bracket('}');
  const Open& ended = open_.back();
  if (!ended.node->def.empty()) {
    scope_.leave(ended.node->def, ended.def_word, ended.node);
  }
  open_.pop_back();
}

// Writes one field, or one node of a list.
void Writer::write_next() {
  Open& open = open_.back();
  const WrittenLine& line = open.lines[open.line];
  if (const auto* nodes = std::get_if<std::vector<NodePtr>>(line.value)) {
    return write_next_of_list(line.name, *nodes);
  }
  ++open.line;
  name_line(line.name);
  if (const auto* child = std::get_if<NodePtr>(line.value)) {
    *child ? begin(**child) : void(text_ += "NULL");
    return;
  }
  // Before R2020b a single argument was a string of all arguments.
  if (!is_instance(*open.node) && line.name == "controllerArgs" && open.node->version < kR2020b) {
    if (const auto& words = std::get<std::vector<std::string>>(*line.value); words.size() == 1) {
      return put(std::vector{quoted_argument(words[0])});
    }
  }
  std::visit([this](const auto& value) { put(value); }, *line.value);
}

void Writer::write_next_of_list(const std::string& name, const std::vector<NodePtr>& nodes) {
  std::size_t& item = open_.back().item;
  if (item == 0) {
    name_line(name);
    open_bracket('[');
  }
  if (item == nodes.size()) {
    close_bracket(']');
    item = 0;
    ++open_.back().line;
    return;
  }
  const NodePtr& node = nodes[item++];
  new_line();
  begin(*node);
}

void Writer::name_line(const std::string& name) {
  new_line();
  text_ += name;
  text_ += ' ';
}

void Writer::put(double value) {
  if (!std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("a world file cannot hold the number {}", value));
  }
  fmt::format_to(end(), FMT_COMPILE("{}"), value);
}

// `\n` is written as two characters, since Webots keeps both.
void Writer::put(const std::string& value) {
  text_ += '"';
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool newline_mark = value[i] == '\\' && value.substr(i + 1, 1) == "n";
    if (value[i] == '\n') {
      text_ += "\\n";  // a line must not end inside a string
      continue;
    }
    if (value[i] == '"' || (value[i] == '\\' && !newline_mark)) {
      text_ += '\\';
    }
    text_ += value[i];
  }
  text_ += '"';
}

void Writer::put_all(std::initializer_list<double> numbers) {
  for (const double& number : numbers) {
    if (&number != numbers.begin()) {
      text_ += ' ';
    }
    put(number);
  }
}

template <class T>
void Writer::put(const std::vector<T>& items) {
  static constexpr std::size_t kMaxLineLength = 90;
  static constexpr bool kOneALine = std::is_same_v<T, std::string>;
  open_bracket('[');
  bool first = true;
  for (const T& item : items) {
    if (first || kOneALine || text_.size() - line_start_ > kMaxLineLength) {
      new_line();
    } else {
      text_ += ", ";
    }
    put(item);
    first = false;
  }
  close_bracket(']');
}

void Writer::new_line() {
  // Deeper lines would consist mostly of blanks.
  static constexpr std::size_t kMaxIndentLevels = 100;
  text_ += '\n';
  line_start_ = text_.size();
  text_.append(2 * std::min(level_, kMaxIndentLevels), ' ');
}

void Writer::open_bracket(char bracket) {
  text_ += bracket;
  ++level_;
}

void Writer::close_bracket(char bracket) {
  SERVOSIM_ASSERT(level_ > 0, "closing bracket without an opening one");
  --level_;
  new_line();
  text_ += bracket;
}

std::string header_of(const WorldFile& world) {
  return fmt::format("#VRML_SIM {} utf8\n{}", to_string(world.version), world.comments);
}

std::string text_of(const WorldFile& world, Writer::Style style,
                    const std::vector<std::string>& externs) {
  std::string text = header_of(world);
  Writer writer(text, style);
  const std::unordered_set<std::string_view> importable(world.importable.begin(),
                                                        world.importable.end());
  for (const std::string& url : externs) {
    writer.write_extern(url, importable.contains(url));
  }
  for (const NodePtr& node : world.nodes) {
    writer.write(*node);
  }
  return text;
}

}  // namespace

std::string write_node(const Node& node) {
  std::string text;
  Writer(text, Writer::Style::Saved).write(node);
  return text;
}

std::string write_world(const WorldFile& world) {
  return text_of(world, Writer::Style::Nodes, world.importable);
}

std::string write_world_with_protos(const WorldFile& world) {
  return text_of(world, Writer::Style::Instances, world.externs);
}

std::string write_saved_world(const WorldFile& world) {
  return text_of(world, Writer::Style::Saved, world.externs);
}

namespace {

// The moving parts in the body of an instance, and to which parameter they belong.
class Instance {
 public:
  explicit Instance(const Node& root)
      : instance_(*root.proto.instance), places_(hidden_places(root)) {
    for (const HiddenPlace& place : places_) {
      by_id_.emplace(place.node->id, place.node);
    }
    for (const Connection& c : instance_.connections) {
      if (c.field != nullptr) {
        connected_.emplace(c.node, c.field->name);
        if (moves(c.field->name)) {
          moving_.push_back(c);
        }
      }
    }
    sort_connections(moving_);
    for (const auto& value : instance_.given) {
      if (value) {
        note_given(*value);
      }
    }
  }

  // Returns the present value of a parameter.
  const Value& value(std::uint32_t parameter) const {
    const Value& given = instance_.value(parameter);
    for (const Connection& c : connections_of(moving_, parameter)) {
      const auto node = by_id_.find(c.node);
      const Field* field = node != by_id_.end() ? node->second->find(c.field->name) : nullptr;
      if (field != nullptr && field->value.index() == given.index()) {
        return field->value;
      }
    }
    return given;
  }

  void add_hidden(std::vector<WrittenLine>& lines) const {
    for (const HiddenPlace& place : places_) {
      if (given_.contains(place.node->id)) {
        continue;  // written with the parameter that contains it
      }
      if (const Value* value = moved(*place.node, place.field)) {
        const std::string joint = place.joint < 0 ? "" : fmt::format("_{}", place.joint);
        lines.push_back({fmt::format("hidden {}_{}{}", place.name, place.solid, joint), value});
      }
    }
  }

 private:
  static bool moves(std::string_view field) {
    static constexpr std::array<std::string_view, 5> kOfSolids{
        "translation", "rotation", "linearVelocity", "angularVelocity", "battery"};
    return std::find(kOfSolids.begin(), kOfSolids.end(), field) != kOfSolids.end() ||
           field.starts_with("position");
  }

  void note_given(const Value& value) {
    if (const auto* node = std::get_if<NodePtr>(&value)) {
      note_given(*node);
    } else if (const auto* list = std::get_if<std::vector<NodePtr>>(&value)) {
      std::for_each(list->begin(), list->end(), [this](const NodePtr& n) { note_given(n); });
    }
  }

  void note_given(const NodePtr& node) {
    if (node && given_.insert(node->id).second) {
      for (const Field& field : node->fields) {
        note_given(field.value);
      }
    }
  }

  // Returns the value of a field that a hidden line or the simulation has set, not the PROTO's
  // text.
  const Value* moved(const Node& node, std::string_view name) const {
    const Field* field = node.find(name);
    const bool by_text = field == nullptr || field->where.file == text_of(node);
    return by_text || connected_.contains({node.id, name}) ? nullptr : &field->value;
  }

  // Returns the file from which the fields of a node were read. The root of a built-in PROTO has
  // the location of its instance; its boundingObject has that of the built-in text.
  static std::uint32_t text_of(const Node& node) {
    const ProtoInstance* instance = node.proto.instance.get();
    while (instance != nullptr && instance->base) {
      instance = instance->base.get();
    }
    const bool built_in = instance != nullptr && instance->interface->path.empty();
    return (built_in ? node.where_of("boundingObject") : node.where).file;
  }

  const ProtoInstance& instance_;
  std::vector<HiddenPlace> places_;
  std::unordered_map<std::uint32_t, const Node*> by_id_;
  std::set<std::pair<std::uint32_t, std::string_view>> connected_;
  std::vector<Connection> moving_;           // connections of fields that move, by parameter
  std::unordered_set<std::uint32_t> given_;  // ids of nodes among the values of parameters
};

}  // namespace

std::vector<WrittenLine> instance_lines(const Node& node) {
  const Instance instance(node);
  const ProtoInterface& interface = *node.proto.instance->interface;
  std::vector<WrittenLine> lines;
  for (std::uint32_t i = 0; i < interface.fields.size(); ++i) {
    const Value& value = instance.value(i);
    if (!equal(value, interface.fields[i].default_value)) {
      lines.push_back({interface.fields[i].name, &value});
    }
  }
  instance.add_hidden(lines);
  return lines;
}

}  // namespace servosim::wbt
