// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_FIELD_HPP
#define WEBOTS_FIELD_HPP

#include <string>

#include "../../c/webots/types.h"

namespace webots {

class Node;

class Field {
 public:
  typedef enum {
    NO_FIELD = 0x00,
    SF_BOOL = 0x01,
    SF_INT32,
    SF_FLOAT,
    SF_VEC2F,
    SF_VEC3F,
    SF_ROTATION,
    SF_COLOR,
    SF_STRING,
    SF_NODE,
    MF = 0x10,
    MF_BOOL,
    MF_INT32,
    MF_FLOAT,
    MF_VEC2F,
    MF_VEC3F,
    MF_ROTATION,
    MF_COLOR,
    MF_STRING,
    MF_NODE
  } Type;

  virtual ~Field() = default;

  std::string getName() const;
  Type getType() const;
  std::string getTypeName() const;
  int getCount() const;
  Field *getActualField() const;
  virtual void enableSFTracking(int samplingPeriod);
  virtual void disableSFTracking();
  bool getSFBool() const;
  int getSFInt32() const;
  double getSFFloat() const;
  const double *getSFVec2f() const;
  const double *getSFVec3f() const;
  const double *getSFRotation() const;
  const double *getSFColor() const;
  std::string getSFString() const;
  Node *getSFNode() const;
  bool getMFBool(int index) const;
  int getMFInt32(int index) const;
  double getMFFloat(int index) const;
  const double *getMFVec2f(int index) const;
  const double *getMFVec3f(int index) const;
  const double *getMFRotation(int index) const;
  const double *getMFColor(int index) const;
  std::string getMFString(int index) const;
  Node *getMFNode(int index) const;
  virtual void setSFBool(bool value);
  virtual void setSFInt32(int value);
  virtual void setSFFloat(double value);
  virtual void setSFVec2f(const double values[2]);
  virtual void setSFVec3f(const double values[3]);
  virtual void setSFRotation(const double values[4]);
  virtual void setSFColor(const double values[3]);
  virtual void setSFString(const std::string &value);
  virtual void setMFBool(int index, bool value);
  virtual void setMFInt32(int index, int value);
  virtual void setMFFloat(int index, double value);
  virtual void setMFVec2f(int index, const double values[2]);
  virtual void setMFVec3f(int index, const double values[3]);
  virtual void setMFRotation(int index, const double values[4]);
  virtual void setMFColor(int index, const double values[3]);
  virtual void setMFString(int index, const std::string &value);
  virtual void insertMFBool(int index, bool value);
  virtual void insertMFInt32(int index, int value);
  virtual void insertMFFloat(int index, double value);
  virtual void insertMFVec2f(int index, const double values[2]);
  virtual void insertMFVec3f(int index, const double values[3]);
  virtual void insertMFRotation(int index, const double values[4]);
  virtual void insertMFColor(int index, const double values[3]);
  virtual void insertMFString(int index, const std::string &value);
  virtual void removeMF(int index);
  virtual void removeSF();
  virtual void importMFNodeFromString(int position, const std::string &nodeString);
  virtual void importSFNodeFromString(const std::string &nodeString);

  // Spellings of older releases.
  virtual void importMFNode(int position, const std::string &filename);
  virtual void importSFNode(const std::string &filename);
  virtual void removeMFNode(int position);

  // The object of a field of the C API; always the same one. Null for null.
  static Field *findField(WbFieldRef ref);
  WbFieldRef ref() const { return ref_; }

 private:
  explicit Field(WbFieldRef ref) : ref_(ref) {}

  WbFieldRef ref_;
};

}  // namespace webots

#endif
