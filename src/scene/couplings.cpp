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

#include "base/coupling_limits.h"
#include "base/text.h"
#include "scene/checks.h"
#include "scene/solid_builders.h"

namespace servosim {
namespace {

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
  std::size_t end = 0;  // of the word, in the whole text
};

// Returns the end of a text, for a message.
std::string last_of(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return text.size() > kMost ? "..." + std::string(text.substr(text.size() - kMost))
                             : std::string(text);
}

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (std::size_t i = text.find_first_not_of(" \t\n"); i < text.size();
       i = text.find_first_not_of(" \t\n", i)) {
    Word& word = words.emplace_back();
    if (text[i] != '\'') {
      const std::size_t end = std::min(text.find_first_of(" \t\n", i), text.size());
      word.text = text.substr(i, end - i);
      i = word.end = end;
      continue;
    }
    word.is_quoted = true;
    const std::size_t begin = i;
    for (++i;; ++i) {
      if (i >= text.size()) {
        throw std::invalid_argument(
            fmt::format("the name that begins with the ' at character {} does not end: write "
                        "another ' after it, and '' for a ' in it",
                        begin + 1));
      }
      if (text[i] == '\'' && (i + 1 == text.size() || text[i + 1] != '\'')) {
        word.end = ++i;
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
  explicit CouplingReader(std::string_view text) : text_(text), words_(words_of(text)) {}

  Followed read() {
    constexpr const char* kNoJoint = "it names no joint: write one that is followed, as in \"2 b\"";
    if (words_.empty()) {
      throw std::invalid_argument(kNoJoint);
    }
    Followed followed;
    double sign = take_sign().value_or(1.0);
    while (true) {
      read_term(sign, followed);
      if (next_ == words_.size()) {
        break;
      }
      const std::optional<double> next_sign = take_sign();
      if (!next_sign) {
        throw std::invalid_argument(fmt::format("between \"{}\" and \"{:.40}\" a + or - is missing",
                                                read_so_far(), words_[next_].text));
      }
      sign = *next_sign;
    }
    if (followed.terms.empty()) {
      throw std::invalid_argument(kNoJoint);
    }
    return followed;
  }

 private:
  // Returns the end of what was read, for a message.
  std::string read_so_far() const {
    return next_ > 0 ? last_of(trimmed(text_.substr(0, words_[next_ - 1].end), " \t\n")) : "";
  }

  bool is_next(std::string_view sign) const {
    return next_ < words_.size() && !words_[next_].is_quoted && words_[next_].text == sign;
  }

  bool is_sign_next() const { return is_next("+") || is_next("-"); }

  std::optional<double> take_sign() {
    return is_sign_next() ? std::optional(words_[next_++].text == "+" ? 1.0 : -1.0) : std::nullopt;
  }

  static void add(double ratio, const std::string& name, Followed& followed) {
    if (followed.terms.size() + 1 == kMaxCoupledJoints) {
      throw std::invalid_argument(
          fmt::format("it couples more than {} joints: leave some out", kMaxCoupledJoints));
    }
    followed.terms.push_back({name, ratio});
  }

  void read_term(double sign, Followed& followed) {
    if (next_ == words_.size() || is_sign_next() || is_next("*")) {
      throw std::invalid_argument(
          next_ == 0
              ? fmt::format("it begins with \"{}\": write a number or the name of a joint "
                            "first, as in \"2 b\"",
                            words_[0].text)
              : fmt::format("after \"{0}\" a number or the name of a joint is missing, as in "
                            "\"{0} 0.5\"",
                            read_so_far()));
    }
    const Word& word = words_[next_++];
    std::string_view text = word.text;
    if (!word.is_quoted && text.size() > 1 && text.front() == '+') {
      text.remove_prefix(1);
    }
    const std::optional<double> number = word.is_quoted ? std::nullopt : parse_number<double>(text);
    if (!number) {
      add(sign, word.text, followed);
      return;
    }
    const bool is_product = is_next("*");
    next_ += is_product ? 1 : 0;
    if (next_ < words_.size() && !is_sign_next() && !is_next("*")) {
      check(*number, 1.0 / kMaxCouplingRatio, kMaxCouplingRatio, "ratio");
      add(sign * *number, words_[next_++].text, followed);
      return;
    }
    if (is_product) {
      throw std::invalid_argument(fmt::format(
          "after \"{0}\" the name of a joint is missing, as in \"{0} b\"", read_so_far()));
    }
    check(*number, 0.0, kMaxCouplingOffset, "offset");
    followed.offset += sign * *number;
  }

  static void check(double number, double least, double most, const char* what) {
    if (!(std::abs(number) >= least && std::abs(number) <= most)) {  // also for NaN
      throw std::invalid_argument(fmt::format("the {} {:g} is not within {}{:g}", what, number,
                                              least > 0.0 ? fmt::format("{:g} and ", least) : "±",
                                              most));
    }
  }

  std::string_view text_;
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
    const char* const blanks = name.find_first_of("+-*") == std::string::npos
                                   ? ""
                                   : "; if this is no name, write blanks around +, - and *, as in "
                                     "\"2 * b - 0.5\"";
    throw std::invalid_argument(fmt::format(
        "there is no joint '{}'{}; give the name of a Motor or PositionSensor of the same robot, "
        "or robot/name of another one{}",
        last_of(name), names_like(name), blanks));
  }

 private:
  // Only for the first names that are wrong, since each is compared with all joints.
  std::string names_like(const std::string& name) const {
    constexpr int kMost = 10;
    if (++wrong_ > kMost) {
      return {};
    }
    std::vector<std::string> names;
    for (const JointSpec& joint : scene_.joints) {
      names.push_back(joint.name);
    }
    return nearest_names(name, names);
  }

  const Scene& scene_;
  std::map<std::string, int> joints_;
  mutable int wrong_ = 0;
};

// Returns the rigid couplings of joints that follow themselves by way of others, and those that
// such joints follow. Each other one determines a joint that no rigid coupling left names, so it is
// independent of them.
std::vector<std::size_t> couplings_in_circles(const Scene& scene) {
  std::vector<int> followers(scene.joints.size());  // couplings that are left and name the joint
  std::vector<int> own(scene.joints.size(), -1);    // the coupling of the joint
  std::vector<int> open;                            // joints that nothing follows
  std::vector<char> is_left(scene.couplings.size());
  for (std::size_t c = 0; c < scene.couplings.size(); ++c) {
    const CouplingSpec& coupling = scene.couplings[c];
    if (coupling.compliance == 0.0 && coupling.backlash == 0.0) {
      is_left[c] = 1;
      own[coupling.terms[0].joint] = static_cast<int>(c);
      for (std::size_t k = 1; k < coupling.terms.size(); ++k) {
        ++followers[coupling.terms[k].joint];
      }
    }
  }
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    if (followers[j] == 0) {
      open.push_back(static_cast<int>(j));
    }
  }
  while (!open.empty()) {
    const int coupling = own[open.back()];
    open.pop_back();
    if (coupling < 0) {
      continue;
    }
    is_left[coupling] = 0;
    const std::vector<CouplingSpec::Term>& terms = scene.couplings[coupling].terms;
    for (std::size_t k = 1; k < terms.size(); ++k) {
      if (--followers[terms[k].joint] == 0) {
        open.push_back(terms[k].joint);
      }
    }
  }
  std::vector<std::size_t> left;
  for (std::size_t c = 0; c < is_left.size(); ++c) {
    if (is_left[c] != 0) {
      left.push_back(c);
    }
  }
  return left;
}

// Finds out whether rigid couplings determine a position twice, by elimination: a row that the rows
// before it leave nothing of says what they say.
class Independence {
 public:
  // Returns why a coupling cannot be added; nullptr if it is independent of those before.
  const char* add(const std::vector<CouplingSpec::Term>& terms) {
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
      work_ += known->second.size();
      if (work_ > kMostWork) {
        return "so many joints follow each other in circles that nobody can tell whether others "
               "determine it already; leave some out";
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
      return "other couplings determine it already, as in a circle of joints that follow each "
             "other; leave one of them out";
    }
    const double scale = 1.0 / pivot->second;
    std::map<int, double>& kept = rows_[pivot->first];
    for (auto at = pivot; at != row.end(); ++at) {
      kept[at->first] = scale * at->second;
    }
    return nullptr;
  }
  // Returns whether no further coupling can be checked.
  bool is_over() const { return work_ > kMostWork; }

 private:
  static constexpr std::size_t kMostWork = 2'000'000;  // less than a second

  std::map<int, std::map<int, double>> rows_;  // by pivot, which is 1
  std::size_t work_ = 0;                       // products of numbers
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
  std::vector<const PendingCoupling*> sources;  // by coupling of the scene
  const auto fail = [&](const PendingCoupling& pending, const char* why) {
    findings.error(pending.where, fmt::format("coupling \"{:.200}\" of joint \"{}\": {}",
                                              pending.text, scene.joints[pending.joint].name, why));
  };
  for (const PendingCoupling& pending : couplings) {
    try {
      scene.couplings.push_back(coupling_of(scene, joints, pending));
      sources.push_back(&pending);
    } catch (const std::invalid_argument& error) {
      fail(pending, error.what());
    }
  }
  Independence independence;
  for (const std::size_t c : couplings_in_circles(scene)) {
    if (const char* const why = independence.add(scene.couplings[c].terms)) {
      fail(*sources[c], why);
    }
    if (independence.is_over()) {
      break;
    }
  }
}

}  // namespace servosim
