// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_PROTO_HPP
#define WEBOTS_PROTO_HPP

#include <string>

#include "../../c/webots/types.h"

namespace webots {

class Field;

// The PROTO of a node, and its fields; webots/supervisor.h has the rules. Objects exist until the
// program ends.
class Proto {
 public:
  virtual ~Proto() = default;

  // The name of the PROTO.
  std::string getTypeName() const;
  // Whether the body of the PROTO is an instance of another PROTO.
  bool isDerived() const;
  // The PROTO of which its body is an instance; null if there is none.
  Proto *getParent() const;
  // The field of that name; null if the PROTO has none.
  Field *getField(const std::string &fieldName) const;
  // The field of that number, from 0; null if there is none.
  Field *getFieldByIndex(int index) const;
  // The number of fields of the PROTO.
  int getNumberOfFields() const;

  // The object for a PROTO of the C API, which is always the same one. Null for null.
  static Proto *findProto(WbProtoRef ref);
  // The reference of the C API, for its functions.
  WbProtoRef ref() const { return ref_; }

 private:
  explicit Proto(WbProtoRef ref) : ref_(ref) {}

  WbProtoRef ref_;
};

}  // namespace webots

#endif
