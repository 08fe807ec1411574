// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bindings.h"

namespace servosim::python {

class RecordingFile;
class StepFile;

/// A simulation or a batch, which one call at a time may use, with the files that it writes.
///
/// Threads: with Python's lock.
class Exclusive : public std::enable_shared_from_this<Exclusive> {
 public:
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;
  virtual ~Exclusive() = default;

  /// @throws InUseError of Python
  void check_idle() const {
    if (in_use_) {
      in_use_.refuse(kind_);
    }
  }
  bool is_in_use() const { return static_cast<bool>(in_use_); }
  std::vector<std::shared_ptr<StepFile>>& files() { return files_; }
  /// What was recorded last; may be null.
  std::shared_ptr<RecordingFile> recording;

  /// Marks it as in use for as long as this lives. @throws InUseError of Python
  class Mark {
   public:
    explicit Mark(Exclusive& object) : object_(object) {
      object.check_idle();
      object.in_use_.begin();
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    ~Mark() { object_.in_use_.end(); }

   private:
    Exclusive& object_;
  };

 protected:
  /// `kind`: "simulation"
  explicit Exclusive(std::string kind) : kind_(std::move(kind)) {}
  /// Before steps: forgets files that are closed. @throws std::runtime_error for one that another
  /// process writes
  void check_files();
  /// Before the simulation ends.
  void close_files();

 private:
  std::string kind_;
  InUse in_use_;
  std::vector<std::shared_ptr<StepFile>> files_;
};

}  // namespace servosim::python
