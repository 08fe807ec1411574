// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bindings.h"

namespace servosim::python {

class RecordingFile;
class StepFile;

/// A simulation or a batch, which only one call at a time may use, with the files that it writes.
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
  /// The recording that was begun last; may be null.
  std::shared_ptr<RecordingFile> recording;

  /// Marks the object as in use as long as the mark exists. @throws InUseError of Python
  class Mark {
   public:
    /// @param why  see InUse::begin()
    explicit Mark(Exclusive& object, const char* why = nullptr) : object_(object) {
      object.check_idle();
      object.in_use_.begin(why);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    ~Mark() { object_.in_use_.end(); }

   private:
    Exclusive& object_;
  };

 protected:
  /// @param kind  such as "simulation"
  explicit Exclusive(std::string kind) : kind_(std::move(kind)) {}
  /// Forgets files that are closed; called before steps. @throws std::runtime_error for a file that
  /// another process writes
  void check_files();
  /// Closes the files; called before the simulation ends.
  void close_files();
  /// Refuses all use from now on. @param why  see InUse::begin()
  void refuse_from_now_on(const char* why) { in_use_.begin(why); }

 private:
  std::string kind_;
  InUse in_use_;
  std::vector<std::shared_ptr<StepFile>> files_;
};

}  // namespace servosim::python
