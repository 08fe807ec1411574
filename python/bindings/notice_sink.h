// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "bindings.h"
#include "threads.h"

namespace servosim::python {

/// Where the notices of one simulation or batch go: a function of Python, which is called in the
/// thread that gives the notice. The object has the only reference of its owner to that function,
/// so that Python's search for cycles can count it.
class NoticeSink {
 public:
  explicit NoticeSink(py::object call) : call_(std::move(call)) {}
  NoticeSink(const NoticeSink&) = delete;
  NoticeSink& operator=(const NoticeSink&) = delete;
  ~NoticeSink() {
    if (const Locked lock; lock) {
      clear();
    } else {
      static_cast<void>(call_.release());
    }
  }

  const py::object& function() const { return call_; }
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(call_.ptr());
    return 0;
  }
  void clear() { call_ = py::object(); }

  // Calls the function. An exception of the function cannot pass through a step, so it is reported.
  void give(std::string_view notice) const {
    const Locked lock;
    if (!lock || !call_) {
      return;
    }
    const py::object call = call_;  // it may be cleared during the call
    call_or_rest(call.ptr(), text(notice).ptr(), "a notice of servosim");
  }

 private:
  py::object call_;
};

using SharedSink = std::shared_ptr<NoticeSink>;

inline std::function<void(std::string_view)> function_of(const SharedSink& sink) {
  return [sink](std::string_view notice) { sink->give(notice); };
}

}  // namespace servosim::python
