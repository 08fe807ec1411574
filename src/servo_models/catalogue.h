// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "servo_models/servo_file.h"
#include "servosim/servo_model.h"

namespace servosim {

/// Which servo a motor is, in one line: `NAME`, `NAME/LAW`, and after it any number of
/// `KEY=VALUE`, such as `STS3215/m1 firmware.p=16 supply.voltage=7`. A world's field `servo` has
/// it.
struct ServoChoice {
  std::string name;
  std::string law;  ///< empty: the default of the file
  std::vector<std::pair<std::string, std::string>> values;

  /// Gives a key another value.
  void set(std::string_view key, std::string value);
};

/// Splits the text of a choice.
/// @throws std::invalid_argument if it has no name, or if what follows is no KEY=VALUE
ServoChoice read_servo_choice(std::string_view text);
/// Returns the text of a choice.
std::string to_string(const ServoChoice& choice);

/// Finds servos by name: as NAME.toml in folders of the user, in their order, then in the catalogue
/// that is part of this library, then in letters of any case and without hyphens: ax12 is AX-12A.
/// It keeps what it has found, so that an edit of a file does not change a world that runs.
///
/// Threads: any number at once.
class ServoCatalogue {
 public:
  explicit ServoCatalogue(std::vector<std::string> folders = {}) : folders_(std::move(folders)) {}

  /// Returns the servos of the library, by name.
  static const std::vector<ServoFile>& builtin();
  /// Finds a servo of the library by its name or an alias; null if there is none.
  static const ServoFile* builtin(std::string_view name);
  /// Returns all servos: those of the folders, then those of the library whose names are not taken.
  /// @param skipped  gets the fault of each TOML file in the folders that is no servo
  std::vector<ServoFile> all(const std::function<void(const TomlError&)>& skipped) const;

  /// Returns the path of the user's file of a servo; empty if no folder has one.
  std::string path_of(std::string_view name) const;

  /// Finds the file of a servo by its name, or by an alias of one of the library.
  /// @throws std::invalid_argument with the nearest names if there is none
  /// @throws TomlError for a fault in the file
  ServoFile file(std::string_view name) const;

  /// Finds the servo that a word of a log means, such as `xl330`: as file(), but in letters of any
  /// case; else one whose name begins so, of which an identified one comes first. A file of the
  /// user that is no servo is skipped.
  /// @throws as file()
  ServoFile meant_by(std::string_view word) const;

  /// Returns the folders of the user in which it searches.
  const std::vector<std::string>& folders() const { return folders_; }
  /// Returns the texts of the files of the user that it has read so far, in the order of the names.
  std::vector<std::string> texts_read() const;

  /// Returns the numbers that a choice means. Equal choices share them as long as they are used.
  /// @throws std::invalid_argument, TomlError if there is no such servo, law or key, or if the
  ///   numbers are not possible together
  std::shared_ptr<const ServoModel> model(std::string_view choice) const;

 private:
  struct Known {
    ServoFile file;
    std::string text;  // empty for a file of the library
  };
  enum class Match { Exact, Loose };
  Known find(std::string_view name, Match match) const;
  const ServoFile& known_file(std::string_view name) const;

  std::vector<std::string> folders_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Known, std::less<>> files_;
  // The models that somebody uses.
  mutable std::map<std::string, std::weak_ptr<const ServoModel>, std::less<>> models_;
  mutable std::size_t purge_at_ = 64;  // the number of models at which unused ones are forgotten
};

}  // namespace servosim
