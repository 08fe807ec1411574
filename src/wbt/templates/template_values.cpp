// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "wbt/templates/template_expansion.h"
#include "wbt/values.h"

namespace servosim::wbt {
namespace {

constexpr std::size_t kMaxText = kMaxTemplateRequest / 2;

// Writes JSON. It stops if there is too much of it, since USE of nodes can multiply a small text.
class ValueWriter {
 public:
  std::string take() { return std::move(json_); }
  bool is_full() const { return json_.size() > kMaxText; }

  void begin(char bracket) {
    json_ += bracket;
    first_ = true;
  }
  void end(char bracket) {
    json_ += bracket;
    first_ = false;
  }
  void key(std::string_view name) {
    separate();
    quote(name);
    json_ += ':';
    first_ = true;
  }
  void text(std::string_view value) {
    separate();
    quote(value);
  }

  /// Writes one field: its value and its default. An SFNode that is NULL has no value.
  void field(std::string_view name, ValueType type, const Value& value, const Value& fallback) {
    key(name);
    begin('{');
    member("value", type, value);
    member("defaultValue", type, fallback);
    end('}');
  }

 private:
  void separate() {
    if (!std::exchange(first_, false)) {
      json_ += ',';
    }
  }

  // Bytes that are not UTF-8 are replaced.
  void quote(std::string_view value) {
    json_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void member(std::string_view name, ValueType type, const Value& value) {
    const auto* node = std::get_if<NodePtr>(&value);
    if (node != nullptr && !*node) {
      return;
    }
    key(name);
    is_color_ = type == ValueType::SFColor || type == ValueType::MFColor;
    std::visit([&](const auto& v) { write(v); }, value);
  }

  template <class T>
  void write(const std::vector<T>& list) {
    separate();
    begin('[');
    for (std::size_t i = 0; i < list.size() && !is_full(); ++i) {
      write(list[i]);
    }
    end(']');
  }
  void write(bool value) { raw(value ? "true" : "false"); }
  void write(std::int32_t value) { raw(fmt::format("{}", value)); }
  void write(double value) { raw(fmt::format("{}", value)); }
  void write(const std::string& value) { text(value); }
  void write(const Vec2& v) { raw(fmt::format(R"({{"x":{},"y":{}}})", v.x, v.y)); }
  void write(const Vec3& v) {
    raw(is_color_ ? fmt::format(R"({{"r":{},"g":{},"b":{}}})", v.x, v.y, v.z)
                  : fmt::format(R"({{"x":{},"y":{},"z":{}}})", v.x, v.y, v.z));
  }
  void write(const AxisAngle& r) {
    raw(fmt::format(R"({{"x":{},"y":{},"z":{},"a":{}}})", r.axis.x, r.axis.y, r.axis.z, r.angle));
  }
  void write(const NodePtr& node) {
    if (is_full()) {
      return;
    }
    separate();
    begin('{');
    key("node_name");
    text(node->proto.name.empty() ? node->type->name : node->proto.name);
    if (node->proto.parameters) {
      write_parameters(*node->proto.parameters);
      key("super");
      begin('{');
      key("node_name");
      text(node->type->name);
      write_fields(*node);
      end('}');
    } else {
      write_fields(*node);
    }
    end('}');
  }
  void write_parameters(const std::vector<Parameter>& parameters) {
    key("fields");
    begin('{');
    for (const Parameter& p : parameters) {
      field(p.name, p.type, p.value, p.default_value);
    }
    end('}');
  }
  void write_fields(const Node& node) {
    key("fields");
    begin('{');
    for (const FieldType* row : node.type->fields) {
      if (row->exists_in(node.version) && !row->extension) {
        field(row->name, row->type, node.value(row->name), default_value(*row));
      }
    }
    end('}');
  }

  void raw(std::string_view json) {
    separate();
    json_ += json;
  }

  std::string json_;
  bool first_ = true;
  bool is_color_ = false;
};

void write_context(const ParseContext& reading, const Environment& environment,
                   const Mentions& mentions, std::uint32_t id, ValueWriter& writer) {
  const auto text = [&](std::string_view name, std::string_view value) {
    if (mentions.contains(name)) {
      writer.key(name);
      writer.text(value);
    }
  };
  text("world", reading.world);
  text("proto", reading.diagnostics.sources().label(environment.proto.source.file));
  text("project_path", reading.project);
  text("webots_home", "");
  text("temporary_files_path", "");
  text("os", "linux");
  text("id", std::to_string(id));
  text("coordinate_system", reading.coordinate_system);
  if (mentions.contains("webots_version")) {
    writer.key("webots_version");
    writer.begin('{');
    writer.key("major");
    writer.text(to_string(kNewestVersion));
    writer.key("revision");
    writer.text("");
    writer.end('}');
  }
}

}  // namespace

std::optional<std::string> template_values(const ParseContext& reading,
                                           const Environment& environment, const TemplateText& text,
                                           std::uint32_t id) {
  ValueWriter writer;
  writer.begin('{');
  writer.key("fields");
  writer.begin('{');
  const std::vector<ProtoParameter>& parameters = environment.proto.parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (text.fields.contains(parameters[i].name)) {
      writer.field(parameters[i].name, parameters[i].type, environment.value(i),
                   parameters[i].default_value);
    }
  }
  writer.end('}');
  writer.key("context");
  writer.begin('{');
  write_context(reading, environment, text.context, id, writer);
  writer.end('}');
  writer.end('}');
  return writer.is_full() ? std::nullopt : std::optional(writer.take());
}

}  // namespace servosim::wbt
