// SPDX-License-Identifier: Apache-2.0
#ifndef WEBOTS_FIELD_HPP
#define WEBOTS_FIELD_HPP

#include <string>

#include "../../c/webots/types.h"

namespace webots {

class Node;

// A field of a node, which a Supervisor reads and changes; webots/supervisor.h has the rules. Units
// are those of the field. Objects exist until the program ends; a returned pointer to numbers is
// valid until the next call of the same function for the same field.
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

  // The name of the field.
  std::string getName() const;
  // The type of the field, a constant of Field such as Field::SF_VEC3F.
  Type getType() const;
  // The name of the type, such as "SFVec3f".
  std::string getTypeName() const;
  // The number of items of an MF field; -1, and a message, for an SF field.
  int getCount() const;
  // The field of the PROTO from which this field has its value; else the field itself.
  Field *getActualField() const;
  // Sends the value along with every step, each `samplingPeriod` ms, 1 or more.
  virtual void enableSFTracking(int samplingPeriod);
  // Ends what enableSFTracking() began.
  virtual void disableSFTracking();
  // The truth value of an SFBool field.
  bool getSFBool() const;
  // The whole number of an SFInt32 field.
  int getSFInt32() const;
  // The number of an SFFloat field.
  double getSFFloat() const;
  // The two numbers of an SFVec2f field.
  const double *getSFVec2f() const;
  // The three numbers of an SFVec3f field.
  const double *getSFVec3f() const;
  // The axis and the angle [rad] of an SFRotation field.
  const double *getSFRotation() const;
  // Red, green, blue, 0 to 1 of an SFColor field.
  const double *getSFColor() const;
  // The text of an SFString field.
  std::string getSFString() const;
  // The node of an SFNode field; null for NULL.
  Node *getSFNode() const;
  // The truth value at `index`, from 0, of an MFBool field; -1: the last.
  bool getMFBool(int index) const;
  // The whole number at `index`, from 0, of an MFInt32 field; -1: the last.
  int getMFInt32(int index) const;
  // The number at `index`, from 0, of an MFFloat field; -1: the last.
  double getMFFloat(int index) const;
  // The two numbers at `index`, from 0, of an MFVec2f field; -1: the last.
  const double *getMFVec2f(int index) const;
  // The three numbers at `index`, from 0, of an MFVec3f field; -1: the last.
  const double *getMFVec3f(int index) const;
  // The axis and the angle [rad] at `index`, from 0, of an MFRotation field; -1: the last.
  const double *getMFRotation(int index) const;
  // Red, green, blue, 0 to 1 at `index`, from 0, of an MFColor field; -1: the last.
  const double *getMFColor(int index) const;
  // The text at `index`, from 0, of an MFString field; -1: the last.
  std::string getMFString(int index) const;
  // The node at `index`, from 0, of an MFNode field; -1: the last; null for NULL.
  Node *getMFNode(int index) const;
  // Sets the truth value of an SFBool field.
  virtual void setSFBool(bool value);
  // Sets the whole number of an SFInt32 field.
  virtual void setSFInt32(int value);
  // Sets the number of an SFFloat field.
  virtual void setSFFloat(double value);
  // Sets the two numbers of an SFVec2f field.
  virtual void setSFVec2f(const double values[2]);
  // Sets the three numbers of an SFVec3f field.
  virtual void setSFVec3f(const double values[3]);
  // Sets the axis and the angle [rad] of an SFRotation field.
  virtual void setSFRotation(const double values[4]);
  // Sets red, green, blue, 0 to 1, of an SFColor field.
  virtual void setSFColor(const double values[3]);
  // Sets the text of an SFString field.
  virtual void setSFString(const std::string &value);
  // Sets item `index`, from 0, of an MFBool field; -1 is the last.
  virtual void setMFBool(int index, bool value);
  // Sets item `index`, from 0, of an MFInt32 field; -1 is the last.
  virtual void setMFInt32(int index, int value);
  // Sets item `index`, from 0, of an MFFloat field; -1 is the last.
  virtual void setMFFloat(int index, double value);
  // Sets item `index`, from 0, of an MFVec2f field; -1 is the last.
  virtual void setMFVec2f(int index, const double values[2]);
  // Sets item `index`, from 0, of an MFVec3f field; -1 is the last.
  virtual void setMFVec3f(int index, const double values[3]);
  // Sets item `index`, from 0, of an MFRotation field; -1 is the last.
  virtual void setMFRotation(int index, const double values[4]);
  // Sets item `index`, from 0, of an MFColor field; -1 is the last.
  virtual void setMFColor(int index, const double values[3]);
  // Sets item `index`, from 0, of an MFString field; -1 is the last.
  virtual void setMFString(int index, const std::string &value);
  // Inserts an item before item `index` of an MFBool field; -1: at the end.
  virtual void insertMFBool(int index, bool value);
  // Inserts an item before item `index` of an MFInt32 field; -1: at the end.
  virtual void insertMFInt32(int index, int value);
  // Inserts an item before item `index` of an MFFloat field; -1: at the end.
  virtual void insertMFFloat(int index, double value);
  // Inserts an item before item `index` of an MFVec2f field; -1: at the end.
  virtual void insertMFVec2f(int index, const double values[2]);
  // Inserts an item before item `index` of an MFVec3f field; -1: at the end.
  virtual void insertMFVec3f(int index, const double values[3]);
  // Inserts an item before item `index` of an MFRotation field; -1: at the end.
  virtual void insertMFRotation(int index, const double values[4]);
  // Inserts an item before item `index` of an MFColor field; -1: at the end.
  virtual void insertMFColor(int index, const double values[3]);
  // Inserts an item before item `index` of an MFString field; -1: at the end.
  virtual void insertMFString(int index, const std::string &value);
  // Removes item `index` of an MF field, from 0; -1 is the last.
  virtual void removeMF(int index);
  // Makes an SFNode field NULL.
  virtual void removeSF();
  // Inserts a node, as it is written in a world file, before item `position`; -1: at the end.
  virtual void importMFNodeFromString(int position, const std::string &nodeString);
  // Puts a node, as it is written in a world file, into an SFNode field.
  virtual void importSFNodeFromString(const std::string &nodeString);

  // Older releases have the names below.
  virtual void importMFNode(int position, const std::string &filename);
  // Puts the node of a file into an SFNode field.
  virtual void importSFNode(const std::string &filename);
  // Removes the node at `position` of an MFNode field.
  virtual void removeMFNode(int position);

  // The object for a field of the C API, which is always the same one. Null for null.
  static Field *findField(WbFieldRef ref);
  // The reference of the C API, for its functions.
  WbFieldRef ref() const { return ref_; }

 private:
  explicit Field(WbFieldRef ref) : ref_(ref) {}

  WbFieldRef ref_;
};

}  // namespace webots

#endif
