// SPDX-License-Identifier: Apache-2.0
#include "classes.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace servosim::python {

namespace {

// What Python calls instead of a function of pybind11.
struct OwnFunction {
  py::object original;
  std::string name;
  std::string doc;
  Signature signature;
  PyMethodDef definition{};
};

// The arguments of a call, as Python gives them.
struct Call {
  PyObject* const* arguments;
  std::size_t by_place;
  PyObject* names;  // names of the last arguments; may be null

  std::size_t by_name() const {
    return names != nullptr ? static_cast<std::size_t>(PyTuple_GET_SIZE(names)) : 0;
  }
  std::string name(std::size_t i) const {
    return py::handle(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i))).cast<std::string>();
  }
};

std::string names_of(const Signature& signature) {
  std::string all;
  for (const CallParameter& parameter : signature.parameters) {
    all += (all.empty() ? "" : ", ") + parameter.name;
  }
  return all.empty() ? "no arguments" : all;
}

[[noreturn]] void refuse_name(const Signature& signature, const std::string& name) {
  py::list names;
  for (const CallParameter& parameter : signature.parameters) {
    names.append(parameter.name);
  }
  const py::object error = of_errors("unknown_argument")(signature.name, name, names);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

// Takes the object from the arguments of a method. @throws py::type_error if it is of another class
void take_object(const Signature& signature, Call& call) {
  const bool is_setter = signature.name.back() != ')';
  if (signature.class_name.empty() || is_setter) {
    call.arguments += is_setter ? 1 : 0;
    call.by_place -= is_setter ? 1 : 0;
    return;
  }
  const py::object type =
      py::module_::import("servosim._servosim").attr(signature.class_name.c_str());
  if (call.by_place == 0) {
    throw py::type_error(signature.name + " is a method: call it of a " + signature.class_name +
                         ", not of the class");
  }
  if (!py::isinstance(call.arguments[0], type)) {
    throw py::type_error(signature.name + " is a method of a " + signature.class_name +
                         ", not of " + shown(call.arguments[0]));
  }
  ++call.arguments;
  --call.by_place;
}

// The argument of each parameter; null if it has none. @throws py::type_error
std::vector<PyObject*> matched(const Signature& signature, const Call& call) {
  const std::vector<CallParameter>& all = signature.parameters;
  const auto places = static_cast<std::size_t>(
      std::ranges::find_if(all, &CallParameter::by_name_alone) - all.begin());
  if (call.by_place > places) {
    throw py::type_error(signature.name + " takes " + names_of(signature) + ": " +
                         std::to_string(call.by_place) + " by place are too many");
  }
  std::vector<PyObject*> given(call.arguments, call.arguments + call.by_place);
  given.resize(all.size());
  for (std::size_t i = 0; i < call.by_name(); ++i) {
    const std::string name = call.name(i);
    const auto found = std::ranges::find(all, name, &CallParameter::name);
    if (found == all.end()) {
      if (signature.any_name) {
        continue;
      }
      refuse_name(signature, name);
    }
    PyObject*& place = given[static_cast<std::size_t>(found - all.begin())];
    if (place != nullptr) {
      throw py::type_error(signature.name + " gets '" + name + "' twice");
    }
    place = call.arguments[call.by_place + i];
  }
  return given;
}

// @throws py::type_error that says what is wrong with a call that pybind11 has refused; returns if
//   that is unknown
void explain(const Signature& signature, Call call) {
  take_object(signature, call);
  const std::vector<PyObject*> given = matched(signature, call);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const CallParameter& parameter = signature.parameters[i];
    const std::string subject =
        parameter.name.empty() ? signature.name : signature.name + ": " + parameter.name;
    if (given[i] == nullptr) {
      if (!parameter.is_optional) {
        throw py::type_error(subject + " is missing: it is " + parameter.takes);
      }
    } else if (!parameter.fits(given[i])) {
      const std::string what = subject + " is " + parameter.takes + ", not " + shown(given[i]);
      if (parameter.is_whole && PyLong_Check(given[i])) {
        throw py::value_error(what);
      }
      throw py::type_error(what);
    }
  }
}

// Whether the present exception is pybind11's list of everything that would fit. The exception
// stays set.
bool is_of_pybind() {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
    return false;
  }
  py::error_already_set raised;  // takes the exception
  const std::string what = py::str(raised.value()).cast<std::string>();
  const bool is = what.find(" arguments. The following argument types are supported:") != what.npos;
  raised.restore();
  return is;
}

PyObject* call_own(PyObject* capsule, PyObject* const* arguments, Py_ssize_t count,
                   PyObject* names) {
  const auto* own = static_cast<const OwnFunction*>(PyCapsule_GetPointer(capsule, nullptr));
  PyObject* const result =
      PyObject_Vectorcall(own->original.ptr(), arguments, static_cast<std::size_t>(count), names);
  if (result != nullptr) {
    return result;
  }
  try {
    if (is_of_pybind()) {
      const py::error_already_set raised;
      explain(own->signature, {arguments, static_cast<std::size_t>(count), names});
      py::error_already_set(raised).restore();
    }
  } catch (...) {
    set_error(std::current_exception());
  }
  return nullptr;
}

std::vector<detail::Content>& contents() {
  static std::vector<detail::Content> all;
  return all;
}

// Calls action(content of a class, object of it) for each class of the module to which an object
// belongs.
template <typename Action>
int for_each_content(PyObject* self, const Action& action) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self);
  if (!instance->owned) {  // pybind11 has not prepared it yet
    return 0;
  }
  for (const auto& part : py::detail::values_and_holders(instance)) {
    if (!part.holder_constructed()) {
      continue;
    }
    for (const detail::Content& content : contents()) {
      if (content.type == part.type) {
        if (const int result = action(content, part.value_ptr()); result != 0) {
          return result;
        }
      }
    }
  }
  return 0;
}

int traverse_object(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  return for_each_content(self, [&](const detail::Content& content, const void* object) {
    return content.traverse(object, visit, arg);
  });
}

// Python's search for cycles may run in another thread while the object ends, and must not see it.
void end_object(PyObject* self) {
  PyObject_GC_UnTrack(self);
  reinterpret_cast<PyTypeObject*>(py::detail::get_internals().instance_base)->tp_dealloc(self);
}

int clear_object(PyObject* self) {
  return for_each_content(self, [](const detail::Content& content, void* object) {
    content.clear(object);
    return 0;
  });
}

}  // namespace

namespace detail {

void add_content(const Content& content) { contents().push_back(content); }

void collect(PyHeapTypeObject* type) {
  type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type->ht_type.tp_traverse = &traverse_object;
  type->ht_type.tp_clear = &clear_object;
  type->ht_type.tp_dealloc = &end_object;
}

void* refuse_empty(std::size_t /*size*/) {
  throw py::type_error(
      "this object has no content: its __init__() has not been called, as a class that inherits "
      "from it must do");
}

int refuse_init(PyObject* self, PyObject* /*arguments*/, PyObject* /*names*/) {
  PyErr_Format(PyExc_TypeError,
               "an object of the class %s is not made by a call: it comes from a Simulation or a "
               "Batch",
               py::str(py::type::handle_of(self).attr("__name__")).cast<std::string>().c_str());
  return -1;
}

}  // namespace detail

py::object with_own_errors(const py::object& original, const char* name, Signature signature) {
  auto own = std::make_unique<OwnFunction>();
  own->original = original;
  own->name = name;
  const py::object doc = original.attr("__doc__");
  own->doc = doc.is_none() ? "" : doc.cast<std::string>();
  own->signature = std::move(signature);
  own->definition = {own->name.c_str(),
                     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_own)),
                     METH_FASTCALL | METH_KEYWORDS, own->doc.empty() ? nullptr : own->doc.c_str()};
  PyMethodDef* const definition = &own->definition;
  const py::capsule keeper(own.release(),
                           [](void* kept) { delete static_cast<OwnFunction*>(kept); });
  PyObject* const made = PyCFunction_NewEx(definition, keeper.ptr(), nullptr);
  if (made == nullptr) {
    throw py::error_already_set();
  }
  return py::reinterpret_steal<py::object>(made);
}

}  // namespace servosim::python
