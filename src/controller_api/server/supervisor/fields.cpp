// SPDX-License-Identifier: Apache-2.0
#include "controller_api/server/supervisor/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/report_once.h"
#include "base/scoped.h"
#include "sim/field_settings.h"
#include "sim/world_control.h"
#include "sim/world_inspector.h"
#include "wbt/field_path.h"
#include "wbt/values.h"

namespace servosim {

using wbt::Value;

namespace {

bool all_finite(double number) { return std::isfinite(number); }
bool all_finite(const wbt::Vec2& v) { return std::isfinite(v.x) && std::isfinite(v.y); }
bool all_finite(const Vec3& v) { return is_finite(v); }
bool all_finite(const AxisAngle& v) { return is_finite(v.axis) && std::isfinite(v.angle); }
template <typename Other>
bool all_finite(const Other&) {
  return true;
}
template <typename Item>
bool all_finite(const std::vector<Item>& list) {
  return std::all_of(list.begin(), list.end(), [](const Item& item) { return all_finite(item); });
}

}  // namespace

wbt::FieldPlace Fields::find(std::string_view path) {
  editor_.follow_simulation();
  return wbt::find_field_place(editor_.tree(), named_nodes(WorldInspector(simulation_).scene()),
                               path);
}

std::vector<std::string> Fields::names(std::string_view path) {
  editor_.follow_simulation();
  return wbt::find_field_names(editor_.tree(), named_nodes(WorldInspector(simulation_).scene()),
                               path);
}

Value Fields::get(const wbt::FieldPlace& place) {
  const auto live = editor_.live_value(node(place.node), place.key);
  return wbt::value_at(live ? *live : *wbt::field_view(node(place.node), place.key)->value, place,
                       editor_.tree().file()->servos.get());
}

void Fields::set(std::uint32_t id, std::string_view name, double value) {
  editor_.follow_simulation();
  const auto key = wbt::find_field(node(id), 0, name);
  if (!key) {
    throw SupervisorRequestError(
        fmt::format("a {} node has no field '{}'", node(id).type->name, name));
  }
  set({id, *key}, value);
}

void Fields::set(const wbt::FieldPlace& place, Value value) {
  if (wbt::holds_nodes(wbt::type_at(editor_.tree(), place))) {
    throw SupervisorRequestError("a field that holds nodes cannot be set: set fields of its nodes");
  }
  if (!std::visit([](const auto& checked) { return all_finite(checked); }, value)) {
    throw SupervisorRequestError("a number must be finite");
  }
  const wbt::FieldPlace whole{place.node, place.key};
  Value before = get(whole);
  if (wbt::value_at(before, place).index() != value.index()) {
    throw SupervisorRequestError(fmt::format("called with a wrong field type: it is {}",
                                             wbt::to_string(wbt::type_at(editor_.tree(), place))));
  }
  value = wbt::whole_with(before, place, std::move(value));
  // The checks of the world replace some bad values by others, with a notice.
  std::string notices;
  const auto set_to = [&](Value to) {
    Notices collecting([&notices](std::string_view text) { notices += std::string(text) + '\n'; });
    const auto redirected = WorldControl(simulation_).redirect_notices(collecting);
    OwnedResponse response;
    editor_.set_whole(place.node, place.key, std::move(to), response);
    editor_.settle();
    notices += response.text;
  };
  set_to(value);
  if (!editor_.live_value(node(place.node), place.key) && get(whole) != value) {
    const std::string why = std::exchange(notices, {});
    set_to(std::move(before));
    throw SupervisorRequestError("this value is not accepted: " + why);
  }
  if (!notices.empty()) {
    WorldControl(simulation_).report(notices);
  }
}

}  // namespace servosim
