// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_PROTO_HPP
#define WEBOTS_PROTO_HPP

#include <string>

#include "../../c/webots/types.h"

namespace webots {

class Field;

class Proto {
 public:
  virtual ~Proto() = default;

  std::string getTypeName() const;
  bool isDerived() const;
  Proto *getParent() const;
  Field *getField(const std::string &fieldName) const;
  Field *getFieldByIndex(int index) const;
  int getNumberOfFields() const;

  // The object of a PROTO of the C API; always the same one. Null for null.
  static Proto *findProto(WbProtoRef ref);
  WbProtoRef ref() const { return ref_; }

 private:
  explicit Proto(WbProtoRef ref) : ref_(ref) {}

  WbProtoRef ref_;
};

}  // namespace webots

#endif
