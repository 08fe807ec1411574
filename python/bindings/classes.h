// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings.h"

// Classes of the module. pybind11 makes the calls. The code here changes what a user sees of wrong
// ones: a message names arguments that do not fit and what they may be, objects without content are
// refused, and Python finds cycles of references through an object.

namespace servosim::python {

/// A parameter of a function of the module.
struct CallParameter {
  std::string name;
  std::string takes;  // such as "a number"
  bool (*fits)(py::handle value) = nullptr;
  bool is_whole = false;  // an int that does not fit is reported as out of range
  bool is_optional = false;
  bool by_name_alone = false;
};

/// The arguments that a function of the module accepts.
struct Signature {
  std::string name;        // such as "Batch.bind()"
  std::string class_name;  // the class of a method's object; empty: none
  std::vector<CallParameter> parameters;
  bool any_name = false;  // further arguments by name are accepted
};

/// A function that calls `original` and raises the errors of this package instead of those of
/// pybind11.
py::object with_own_errors(const py::object& original, const char* name, Signature signature);

namespace detail {

template <typename T>
struct OptionalValue : std::false_type {};
template <typename T>
struct OptionalValue<std::optional<T>> : std::true_type {};
template <typename T>
struct FixedNumbers : std::false_type {};
template <std::size_t count>
struct FixedNumbers<std::array<double, count>> : std::integral_constant<std::size_t, count> {};

/// What an argument of the type must be, as the predicate of a sentence.
template <typename T>
std::string takes() {
  using Path = std::filesystem::path;
  if constexpr (OptionalValue<T>::value) {
    return takes<typename T::value_type>() + " or None";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "True or False";
  } else if constexpr (std::is_integral_v<T>) {
    return std::is_signed_v<T> ? "a whole number of " + std::to_string(8 * sizeof(T)) + " bits"
                               : "a whole number from 0 on";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "a number";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "a text";
  } else if constexpr (std::is_same_v<T, Path>) {
    return "a path";
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return "a list of texts";
  } else if constexpr (std::is_same_v<T, std::vector<Path>>) {
    return "a list of paths";
  } else if constexpr (FixedNumbers<T>::value > 0) {
    return std::to_string(FixedNumbers<T>::value) + " numbers";
  } else if constexpr (std::is_base_of_v<py::array, T>) {
    return "an array of numbers";
  } else if constexpr (std::is_same_v<T, py::dict>) {
    return "a dict";
  } else if constexpr (std::is_same_v<T, py::bytes>) {
    return "bytes";
  } else {
    return "something else";
  }
}

template <typename T>
bool fits(py::handle value) {
  try {
    return py::detail::make_caster<T>().load(value, true);
  } catch (const std::exception&) {  // py::error_already_set is such an exception too
    return false;
  }
}

template <typename T>
struct Whole : std::bool_constant<std::is_integral_v<T> && !std::is_same_v<T, bool>> {};
template <typename T>
struct Whole<std::optional<T>> : Whole<T> {};

template <typename T>
CallParameter parameter() {
  CallParameter made;
  made.takes = takes<T>();
  made.fits = &fits<T>;
  made.is_whole = Whole<T>::value;
  return made;
}

template <typename... Given>
struct Types {};

template <typename Result, typename... Given>
Types<std::decay_t<Given>...> types_of_call(Result (*)(Given...));
template <typename Result, typename Object, typename... Given>
Types<std::decay_t<Given>...> types_of_operator(Result (Object::*)(Given...) const);
template <typename Result, typename Object, typename... Given>
Types<Object, std::decay_t<Given>...> types_of_call(Result (Object::*)(Given...));
template <typename Result, typename Object, typename... Given>
Types<Object, std::decay_t<Given>...> types_of_call(Result (Object::*)(Given...) const);

/// Types<...> of the arguments of a function, a lambda or a member function; the object comes
/// first.
template <typename Function>
auto types_of(const Function& function) {
  if constexpr (std::is_class_v<Function>) {
    return decltype(types_of_operator(&Function::operator()))();
  } else {
    return decltype(types_of_call(function))();
  }
}

/// The names and defaults of parameters, in the order of pybind11's extras.
class Extras {
 public:
  explicit Extras(std::vector<CallParameter> of) : parameters_(std::move(of)) {}
  void take(const py::arg& named) { next().name = named.name; }
  void take(const py::arg_v& named) {
    CallParameter& parameter = next();
    parameter.name = named.name;
    parameter.is_optional = true;
  }
  void take(const py::kw_only&) { by_name_alone_ = true; }
  template <typename Other>
  void take(const Other&) {}
  /// The parameters that have names; all of them if none has.
  std::vector<CallParameter> made() {
    parameters_.resize(next_ > 0 ? next_ : parameters_.size());
    return std::move(parameters_);
  }

 private:
  CallParameter& next() {
    CallParameter& parameter = parameters_.at(next_++);
    parameter.by_name_alone = by_name_alone_;
    return parameter;
  }
  std::vector<CallParameter> parameters_;
  std::size_t next_ = 0;
  bool by_name_alone_ = false;
};

template <typename... Given, typename... Extra>
void fill(Signature& signature, Types<Given...>, const Extra&... extra) {
  Extras extras({parameter<Given>()...});
  (extras.take(extra), ...);
  signature.parameters = extras.made();
  signature.any_name = (std::is_same_v<Given, py::kwargs> || ...);
}

template <typename Self, typename... Given, typename... Extra>
void fill_method(Signature& signature, Types<Self, Given...>, const Extra&... extra) {
  fill(signature, Types<Given...>(), extra...);
}

/// What Python's search for cycles does with the content of an object.
struct Content {
  py::detail::type_info* type;
  int (*traverse)(const void* content, visitproc visit, void* arg);
  void (*clear)(void* content);
};
void add_content(const Content& content);
void collect(PyHeapTypeObject* type);
/// Called where memory has no object in it. @throws py::type_error
void* refuse_empty(std::size_t size);
/// The __init__() of a class without a constructor.
int refuse_init(PyObject* self, PyObject* arguments, PyObject* names);

}  // namespace detail

/// Types whose objects refer to other objects of Python have traverse(visit, arg).
template <typename T>
concept Traversed = requires(const T& of, visitproc visit) {
  { of.traverse(visit, nullptr) } -> std::same_as<int>;
};

/// py::class_ with the errors of this package. Functions have no overloads.
template <typename T, typename... Options>
class Class : public py::class_<T, Options...> {
  using Base = py::class_<T, Options...>;

 public:
  Class(py::handle scope, const char* name, const char* doc) : Class(scope, name, doc, Tag<>()) {}

  template <typename Function, typename... Extra>
  Class& def(const char* name, const Function& function, const Extra&... extra) {
    Base::def(name, function, extra...);
    Signature signature{name_ + '.' + name + "()", name_, {}, false};
    detail::fill_method(signature, detail::types_of(function), extra...);
    put_method(name, std::move(signature));
    return *this;
  }
  /// Sets the constructor: a function that makes the object.
  template <typename Function, typename... Extra>
  Class& def_init(const Function& function, const Extra&... extra) {
    Base::def(py::init(function), extra...);
    Signature signature{name_ + "()", name_, {}, false};
    detail::fill(signature, detail::types_of(function), extra...);
    put_method("__init__", std::move(signature));
    return *this;
  }
  template <typename Function, typename... Extra>
  Class& def_static(const char* name, const Function& function, const Extra&... extra) {
    Base::def_static(name, function, extra...);
    Signature signature{name_ + '.' + name + "()", "", {}, false};
    detail::fill(signature, detail::types_of(function), extra...);
    const py::object own = with_own_errors(this->attr(name), name, std::move(signature));
    this->attr(name) = py::reinterpret_steal<py::object>(PyStaticMethod_New(own.ptr()));
    return *this;
  }
  template <typename Get>
  Class& def_property_readonly(const char* name, const Get& get, const char* doc) {
    Base::def_property_readonly(name, get, doc);
    return *this;
  }
  template <typename Get, typename Set>
  Class& def_property(const char* name, const Get& get, const Set& set, const char* doc) {
    Signature signature{name_ + '.' + name, name_, {}, false};
    detail::fill_method(signature, detail::types_of(set), py::arg(""));
    const py::object setter = with_own_errors(
        py::cpp_function(set, py::is_method(*this), py::name(name)), name, std::move(signature));
    this->attr(name) = py::module_::import("builtins")
                           .attr("property")(py::cpp_function(get, py::is_method(*this)), setter,
                                             py::none(), py::str(doc));
    return *this;
  }
  template <typename Member>
  Class& def_readonly(const char* name, Member member, const char* doc) {
    Base::def_readonly(name, member, doc);
    return *this;
  }

 private:
  template <typename...>
  struct Tag {};

  Class(py::handle scope, const char* name, const char* doc, Tag<>) requires Traversed<T>
      : Base(scope, name, doc, py::custom_type_setup(&detail::collect)), name_(name) {
    set_up();
    detail::add_content({type_info(),
                         [](const void* content, visitproc visit, void* arg) {
                           return static_cast<const T*>(content)->traverse(visit, arg);
                         },
                         [](void* content) {
                           if constexpr (requires(T & of) { of.clear(); }) {
                             static_cast<T*>(content)->clear();
                           }
                         }});
  }
  Class(py::handle scope, const char* name, const char* doc, Tag<>) requires(!Traversed<T>)
      : Base(scope, name, doc), name_(name) {
    set_up();
  }

  py::detail::type_info* type_info() const {
    return py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(this->ptr()));
  }
  // If a function gets an object whose __init__() was not called, pybind11 takes memory for it.
  void set_up() {
    type_info()->operator_new = &detail::refuse_empty;
    reinterpret_cast<PyTypeObject*>(this->ptr())->tp_init = &detail::refuse_init;
  }

  void put_method(const char* name, Signature signature) {
    const py::object own = with_own_errors(this->attr(name), name, std::move(signature));
    this->attr(name) = py::reinterpret_steal<py::object>(PyInstanceMethod_New(own.ptr()));
  }

  std::string name_;
};

}  // namespace servosim::python
