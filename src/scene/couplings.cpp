// SPDX-License-Identifier: Apache-2.0
// The field `coupling` of a joint says what its position follows:
//
//     coupling = [sign] term { sign term }      sign = "+" | "-"
//     term = [number ["*"]] name | number       name = a word, or any text in '…', with '' for '
//
// Words and signs have blanks between them, so that a name may contain a sign.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "scene/checks.h"
#include "scene/solid_builders.h"

namespace servosim {
namespace {

// Limits the work of a solver; a hand has fewer joints on a tendon.
constexpr std::size_t kMaxJoints = 16;
// Beyond these a ratio is a mistake, and the numbers of a solver lose their digits.
constexpr double kLeastRatio = 1e-6;
constexpr double kMostRatio = 1e6;
constexpr double kMostOffset = 1e8;

// What a text says of the joint that has it: position = Σ ratio·(position of `name`) + offset.
struct Followed {
  struct Term {
    std::string name;
    double ratio = 1.0;
  };
  std::vector<Term> terms;
  double offset = 0.0;
};

struct Word {
  std::string text;
  bool is_quoted = false;
};

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = text.find_first_not_of(" \t\n"); i < text.size();
       i = text.find_first_not_of(" \t\n", i)) {
    Word& word = words.emplace_back();
    if (text[i] != '\'') {
      const std::size_t end = std::min(text.find_first_of(" \t\n", i), text.size());
      word.text = text.substr(i, end - i);
      i = end;
      continue;
    }
    word.is_quoted = true;
    for (++i;; ++i) {
      if (i >= text.size()) {
        throw std::invalid_argument("a name in '...' does not end");
      }
      if (text[i] == '\'' && (i + 1 == text.size() || text[i + 1] != '\'')) {
        ++i;
        break;
      }
      i += text[i] == '\'' ? 1 : 0;
      word.text += text[i];
    }
  }
  return words;
}

// Reads the words from left to right.
class CouplingReader {
 public:
  explicit CouplingReader(std::string_view text) : words_(words_of(text)) {}

  Followed read() {
    Followed followed;
    double sign = take_sign().value_or(1.0);
    while (true) {
      read_term(sign, followed);
      if (next_ == words_.size()) {
        break;
      }
      const std::optional<double> next_sign = take_sign();
      if (!next_sign) {
        throw std::invalid_argument(
            fmt::format("'+' or '-' must follow before '{}'", words_[next_].text));
      }
      sign = *next_sign;
    }
    if (followed.terms.empty()) {
      throw std::invalid_argument("it names no joint");
    }
    return followed;
  }

 private:
  std::optional<double> take_sign() {
    if (next_ < words_.size() && !words_[next_].is_quoted &&
        (words_[next_].text == "+" || words_[next_].text == "-")) {
      return words_[next_++].text == "+" ? 1.0 : -1.0;
    }
    return std::nullopt;
  }

  bool is_sign_next() const {
    return next_ < words_.size() && !words_[next_].is_quoted &&
           (words_[next_].text == "+" || words_[next_].text == "-");
  }

  void read_term(double sign, Followed& followed) {
    if (next_ == words_.size()) {
      throw std::invalid_argument("a number or the name of a joint is missing at its end");
    }
    const Word& word = words_[next_++];
    std::string_view text = word.text;
    if (!word.is_quoted && text.size() > 1 && text.front() == '+') {
      text.remove_prefix(1);
    }
    const std::optional<double> number = word.is_quoted ? std::nullopt : parse_number<double>(text);
    if (!number) {
      followed.terms.push_back({word.text, sign});
      return;
    }
    const bool is_product =
        next_ < words_.size() && !words_[next_].is_quoted && words_[next_].text == "*";
    next_ += is_product ? 1 : 0;
    if (next_ < words_.size() && !is_sign_next()) {
      check(*number, kLeastRatio, kMostRatio, "ratio");
      followed.terms.push_back({words_[next_++].text, sign * *number});
      return;
    }
    if (is_product) {
      throw std::invalid_argument("the name of a joint must follow after '*'");
    }
    check(*number, 0.0, kMostOffset, "offset");
    followed.offset += sign * *number;
  }

  static void check(double number, double least, double most, const char* what) {
    if (!(std::abs(number) >= least && std::abs(number) <= most)) {  // also for NaN
      throw std::invalid_argument(fmt::format("the {} {:g} is not within {}{:g}", what, number,
                                              least > 0.0 ? fmt::format("{:g} and ", least) : "±",
                                              most));
    }
  }

  std::vector<Word> words_;
  std::size_t next_ = 0;
};

// Returns why a joint cannot be coupled; nullptr if it can.
const char* why_not(const Scene& scene, const JointSpec& joint) {
  const int moved = joint.reference && joint.child < 0 ? joint.parent : joint.child;
  return axis_count(joint.kind) > 1      ? "has several axes"
         : !is_dynamic(scene, moved)     ? "has an endPoint without Physics"
         : joint.suspension.is_elastic() ? "has a suspended axle"
                                         : nullptr;
}

class JointFinder {
 public:
  // A name is that of the first device or joint that has it.
  explicit JointFinder(const Scene& scene) : scene_(scene) {
    for (const RobotSpec& robot : scene.robots) {
      for (const DeviceSpec& device : robot.devices) {
        if (device.joint >= 0) {
          joints_.emplace(robot.name + '/' + device.name, device.joint);
        }
      }
    }
    for (std::size_t j = 0; j < scene.joints.size(); ++j) {
      joints_.emplace(scene.joints[j].name, static_cast<int>(j));
    }
  }

  // Returns the joint of a device or joint of this robot, or of `robot/name` of any one.
  int find(const std::string& name, int robot) const {
    const std::string owner = robot >= 0 ? scene_.robots[robot].name : "world";
    for (const std::string& full : {owner + '/' + name, name}) {
      if (const auto found = joints_.find(full); found != joints_.end()) {
        return found->second;
      }
    }
    std::vector<std::string> names;
    for (const JointSpec& joint : scene_.joints) {
      names.push_back(joint.name);
    }
    throw std::invalid_argument(
        fmt::format("there is no joint '{}'{}; give the name of a Motor or PositionSensor of the "
                    "same robot, or robot/name of another one",
                    name, nearest_names(name, names)));
  }

 private:
  const Scene& scene_;
  std::map<std::string, int> joints_;
};

// Finds out whether rigid couplings determine a position twice, by elimination: a row that the rows
// before it leave nothing of says what they say.
class Independence {
 public:
  bool add(const std::vector<CouplingSpec::Term>& terms) {
    constexpr double kNothing = 1e-9;
    std::map<int, double> row;
    double largest = 0.0;
    for (const CouplingSpec::Term& term : terms) {
      row[term.joint] = term.ratio;
      largest = std::max(largest, std::abs(term.ratio));
    }
    // Rows have their pivots in ascending order, so each is used once.
    for (auto at = row.begin(); at != row.end(); ++at) {
      const auto known = rows_.find(at->first);
      if (known == rows_.end() || at->second == 0.0) {
        continue;
      }
      const double factor = at->second;
      for (const auto& [joint, ratio] : known->second) {
        row[joint] -= factor * ratio;
      }
      at->second = 0.0;
    }
    const auto pivot = std::find_if(row.begin(), row.end(), [&](const auto& entry) {
      return std::abs(entry.second) > kNothing * largest;
    });
    if (pivot == row.end()) {
      return false;
    }
    const double scale = 1.0 / pivot->second;
    std::map<int, double>& kept = rows_[pivot->first];
    for (auto at = pivot; at != row.end(); ++at) {
      kept[at->first] = scale * at->second;
    }
    return true;
  }

 private:
  std::map<int, std::map<int, double>> rows_;  // by pivot, which is 1
};

CouplingSpec coupling_of(const Scene& scene, const JointFinder& joints,
                         const PendingCoupling& pending) {
  CouplingSpec coupling;
  coupling.compliance = pending.compliance;
  coupling.backlash = pending.backlash;
  coupling.where = pending.where;
  coupling.terms.push_back({pending.joint, 1.0});
  const Followed followed = CouplingReader(pending.text).read();
  coupling.offset = followed.offset;
  for (const Followed::Term& term : followed.terms) {
    const int other = joints.find(term.name, scene.joints[pending.joint].robot);
    const auto is_other = [other](const CouplingSpec::Term& known) { return known.joint == other; };
    if (other == pending.joint) {
      throw std::invalid_argument("the joint would follow itself");
    }
    if (std::any_of(coupling.terms.begin(), coupling.terms.end(), is_other)) {
      throw std::invalid_argument(fmt::format("it names joint '{}' twice", term.name));
    }
    coupling.terms.push_back({other, -term.ratio});
  }
  if (coupling.terms.size() > kMaxJoints) {
    throw std::invalid_argument(fmt::format("it couples {} joints, and {} are possible",
                                            coupling.terms.size(), kMaxJoints));
  }
  for (const CouplingSpec::Term& term : coupling.terms) {
    if (const char* const why = why_not(scene, scene.joints[term.joint])) {
      throw std::invalid_argument(fmt::format("joint '{}' {}, so it cannot be coupled",
                                              scene.joints[term.joint].name, why));
    }
  }
  return coupling;
}

}  // namespace

void read_couplings(const wbt::Node& joint, int first_axis, std::vector<PendingCoupling>& couplings,
                    Findings& findings) {
  int axis = first_axis;
  for (const std::string_view slot : {"jointParameters", "jointParameters2", "jointParameters3"}) {
    if (joint.type->field(slot) == nullptr) {
      return;
    }
    const wbt::NodePtr& parameters = joint.node(slot);
    if (parameters && parameters->type->field("coupling") != nullptr) {
      const CheckedFields checked(*parameters, findings);
      PendingCoupling coupling{
          axis, parameters->string("coupling"), checked.magnitude("couplingCompliance"),
          checked.magnitude("couplingBacklash"), parameters->where_of("coupling")};
      if (!coupling.text.empty()) {
        couplings.push_back(std::move(coupling));
      } else if (coupling.compliance > 0.0 || coupling.backlash > 0.0) {
        findings.warning(
            parameters->where,
            fmt::format("{} has no effect without a coupling",
                        coupling.compliance > 0.0 ? "couplingCompliance" : "couplingBacklash"));
      }
    }
    ++axis;
  }
}

void couple_joints(Scene& scene, const std::vector<PendingCoupling>& couplings,
                   Findings& findings) {
  if (couplings.empty()) {
    return;
  }
  const JointFinder joints(scene);
  Independence independence;
  for (const PendingCoupling& pending : couplings) {
    try {
      CouplingSpec coupling = coupling_of(scene, joints, pending);
      const bool is_rigid = coupling.compliance == 0.0 && coupling.backlash == 0.0;
      if (is_rigid && !independence.add(coupling.terms)) {
        throw std::invalid_argument(
            "other couplings determine it already, as in a circle of joints that follow each "
            "other; leave one of them out");
      }
      scene.couplings.push_back(std::move(coupling));
    } catch (const std::invalid_argument& error) {
      findings.error(pending.where, fmt::format("coupling \"{}\" of joint \"{}\": {}", pending.text,
                                                scene.joints[pending.joint].name, error.what()));
    }
  }
}

}  // namespace servosim
