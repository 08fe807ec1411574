// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_IMAGE_REF_HPP
#define WEBOTS_IMAGE_REF_HPP

#include "../../c/webots/types.h"

namespace webots {

// A picture in the memory of a Display.
class ImageRef {
 public:
  explicit ImageRef(WbImageRef image) : ref_(image) {}
  virtual ~ImageRef() = default;

  WbImageRef ref() const { return ref_; }

 private:
  WbImageRef ref_;
};

}  // namespace webots

#endif
