// SPDX-License-Identifier: Apache-2.0
// Fields of a world's nodes by path, with values of Python.
#include "controller_api/server/supervisor/fields.h"

#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "bindings.h"
#include "classes.h"
#include "elements.h"
#include "simulation_object.h"
#include "wbt/node.h"

namespace servosim::python {

namespace {

using wbt::Value;
using wbt::ValueType;

struct FieldMap {
  Owner owner;

  int traverse(visitproc visit, void* arg) const { return owner.traverse(visit, arg); }
};

// ---- to Python

py::object object_of(bool value) { return py::bool_(value); }
py::object object_of(std::int32_t value) { return py::int_(value); }
py::object object_of(double value) { return py::float_(value); }
py::object object_of(const std::string& value) { return text(value); }
py::object object_of(const wbt::Vec2& v) { return py::make_tuple(v.x, v.y); }
py::object object_of(const Vec3& v) { return py::make_tuple(v.x, v.y, v.z); }
py::object object_of(const AxisAngle& v) {
  return py::make_tuple(v.axis.x, v.axis.y, v.axis.z, v.angle);
}
// The type of a node, since its fields have paths of their own.
py::object object_of(const wbt::NodePtr& node) {
  if (node == nullptr) {
    return py::none();
  }
  return text(node->proto.name.empty() ? node->type->name : std::string_view(node->proto.name));
}
template <typename Item>
py::object object_of(const std::vector<Item>& list) {
  py::list made;
  for (const auto& item : list) {
    made.append(object_of(static_cast<const Item&>(item)));
  }
  return made;
}

// ---- from Python

template <typename To>
To cast_to(const py::handle& value, const char* what) {
  try {
    return py::cast<To>(value);
  } catch (const py::cast_error&) {
    throw py::type_error(std::string("this field takes ") + what + ", not " + shown(value));
  }
}

template <typename To>
To from(const py::handle& value) {
  if constexpr (std::is_same_v<To, bool>) {
    if (!py::isinstance<py::bool_>(value)) {
      throw py::type_error("this field takes True or False, not " + shown(value));
    }
    return py::cast<bool>(value);
  } else if constexpr (std::is_same_v<To, std::int32_t>) {
    return cast_to<std::int32_t>(value, "an integer of 32 bits");
  } else if constexpr (std::is_same_v<To, double>) {
    return cast_to<double>(value, "a number");
  } else if constexpr (std::is_same_v<To, std::string>) {
    return cast_to<std::string>(value, "a text");
  } else if constexpr (std::is_same_v<To, wbt::Vec2>) {
    const auto [x, y] = cast_to<std::array<double, 2>>(value, "two numbers");
    return {x, y};
  } else if constexpr (std::is_same_v<To, Vec3>) {
    const auto [x, y, z] = cast_to<std::array<double, 3>>(value, "three numbers");
    return {x, y, z};
  } else {
    const auto [x, y, z, angle] =
        cast_to<std::array<double, 4>>(value, "an axis and an angle, four numbers");
    return {{x, y, z}, angle};
  }
}

template <typename Item>
Value value_of(const py::handle& value, bool is_list) {
  if (!is_list) {
    return from<Item>(value);
  }
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::str>(value)) {
    const bool is_array = py::hasattr(value, "__array__");
    if (!is_array) {
      throw py::type_error("this field takes a list, not " + shown(value));
    }
  }
  std::vector<Item> list;
  for (const py::handle& item : py::iter(value)) {
    list.push_back(from<Item>(item));
  }
  return list;
}

// The value for a field or an item, of the type of the present value.
Value value_for(const Value& present, const py::handle& given) {
  return std::visit(
      [&given](const auto& now) -> Value {
        using Now = std::decay_t<decltype(now)>;
        if constexpr (std::is_same_v<Now, wbt::NodePtr> ||
                      std::is_same_v<Now, std::vector<wbt::NodePtr>>) {
          throw SupervisorRequestError(
              "a field that holds nodes cannot be set: set fields of its nodes");
        } else if constexpr (requires { typename Now::allocator_type; } &&
                             !std::is_same_v<Now, std::string>) {
          return value_of<typename Now::value_type>(given, true);
        } else {
          return value_of<Now>(given, false);
        }
      },
      present);
}

py::object get(const FieldMap& self, const std::string& path) {
  self.owner->idle();
  Fields& fields = self.owner->fields();
  const Value value = fields.get(fields.find(path));
  return std::visit([](const auto& now) { return object_of(now); }, value);
}

void set(const FieldMap& self, const std::string& path, const py::object& given) {
  self.owner->idle();
  Fields& fields = self.owner->fields();
  const wbt::FieldPlace place = fields.find(path);
  Value value = value_for(fields.get(place), given);
  {
    const SimulationObject::Use use(*self.owner);
    fields.set(place, std::move(value));
  }
  self.owner->refresh();
}

py::list names(const FieldMap& self, const std::string& path) {
  self.owner->idle();
  py::list list;
  for (const std::string& name : self.owner->fields().names(path)) {
    list.append(text(name));
  }
  return list;
}

}  // namespace

py::object fields_of(SimulationObject& owner) { return py::cast(FieldMap{Owner(owner)}); }

void bind_fields(py::module_& module) {
  Class<FieldMap>(
      module, "Fields",
      "The fields of a world's nodes by paths such as 'ARM.physics.mass', as a supervisor edits "
      "them.\n\nA path is OWNER.field, OWNER.field.field[0] and so on. OWNER is a name such as "
      "'robot/joint', a DEF name or path, or a type that the world has once.")
      .def("__getitem__", &get)
      .def("__setitem__", &set)
      .def("names", &names, py::arg("path"), "The fields of the node that a path leads to.")
      .def("__repr__", [](const FieldMap& self) {
        return text("<Fields of " + described(self.owner->world) + '>');
      });
}

}  // namespace servosim::python
