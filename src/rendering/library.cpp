// SPDX-License-Identifier: Apache-2.0
#include "rendering/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "base/files.h"

namespace servosim {

std::unique_ptr<Renderer> make_renderer(const std::vector<DrawnShape>& shapes,
                                        const Renderer* like) {
  // The library stays loaded, since it is the code of objects that may live as long as the process.
  const std::string path = helper_program_path("libservosim_rendering.so");
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const make = library != nullptr ? ::dlsym(library, "servosim_make_renderer") : nullptr;
  if (make == nullptr) {
    const char* const reason = ::dlerror();
    throw std::runtime_error(
        fmt::format("the renderer cannot be loaded: {}; install servosim again, with Embree 3 "
                    "(libembree3-3)",
                    reason != nullptr ? reason : path));
  }
  return std::unique_ptr<Renderer>(
      reinterpret_cast<decltype(&servosim_make_renderer)>(make)(shapes, like));
}

}  // namespace servosim
