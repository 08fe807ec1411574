// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_IMAGE_REF_HPP
#define WEBOTS_IMAGE_REF_HPP

#include "../../c/webots/types.h"

namespace webots {

// An image of a Display, which makes and deletes it.
class ImageRef {
 public:
  explicit ImageRef(WbImageRef image) : ref_(image) {}
  virtual ~ImageRef() = default;

  // The reference of the C API, for its functions.
  WbImageRef ref() const { return ref_; }

 private:
  WbImageRef ref_;
};

}  // namespace webots

#endif
