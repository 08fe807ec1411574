// SPDX-License-Identifier: Apache-2.0
// IControlCalibration, IRemoteCalibrator, IRemoteVariables.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

ReturnValue set_parameters(Board& board, Arguments& arguments, Answer&) {
  const int j = arguments.take<int>();
  arguments.open_lists();
  const auto type = arguments.take<unsigned>();
  const double param1 = arguments.take<double>();
  const double param2 = arguments.take<double>();
  const double param3 = arguments.take<double>();
  return arguments.ok() ? board.setCalibrationParameters(j, {type, param1, param2, param3})
                        : kMalformed;
}

ReturnValue done(Board& board, Arguments& arguments, Answer&) {
  const int j = arguments.take<int>();
  return arguments.ok() ? board.calibrationDone(j) : kMalformed;
}

// Whoever asks to wait would stop the time in which the joints move.
ReturnValue park(Board& board, Arguments&, Answer&) { return board.park(false); }

ReturnValue park_joint(Board& board, Arguments& arguments, Answer&) {
  const int j = arguments.take<int>();
  return arguments.ok() ? board.parkSingleJoint(j, false) : kMalformed;
}

ReturnValue variable_names(Board& board, Arguments&, Answer& answer) {
  std::vector<std::string> names;
  const ReturnValue result = board.getRemoteVariablesList(&names);
  if (answer.generation() == yarp::Generation::V3) {
    answer.add(names);
    return result;
  }
  std::vector<yarp::Bottle> bottles;  // one for each
  for (const std::string& name : names) {
    bottles.push_back({{name}});
  }
  answer.add(bottles);
  return result;
}

ReturnValue get_variable(Board& board, Arguments& arguments, Answer& answer) {
  const auto key = arguments.take<std::string>();
  std::vector<double> values;
  const ReturnValue result = arguments.ok() ? board.getRemoteVariable(key, &values) : kMalformed;
  answer.add(values);
  return result;
}

ReturnValue set_variable(Board& board, Arguments& arguments, Answer&) {
  const auto key = arguments.take<std::string>();
  arguments.open_lists();
  std::vector<double> values;
  do {
    values.push_back(arguments.take<double>());
  } while (arguments.ok() && !arguments.done());
  return arguments.ok() ? board.setRemoteVariable(key, values) : kMalformed;
}

}  // namespace

void add_calibration(Verbs& verbs) {
  verbs.add("calj", order("j type p1 p2 p3", &Board::calibrateAxisWithParams));
  verbs.add("cljp", {"j type p1 p2 p3 p4", set_parameters});
  verbs.add("cal", order("", &Board::calibrateRobot));
  verbs.add("cald", {"j", done});
  verbs.add("park", {"", park});
  verbs.add("abca", order("", &Board::abortCalibration));
  verbs.add("abpa", order("", &Board::abortPark));

  verbs.add("get reca isca", report(&Board::isCalibratorDevicePresent));
  verbs.add("set reca cal", act(&Board::calibrateSingleJoint).one);
  verbs.add("set reca cals", order("", &Board::calibrateRobot));
  verbs.add("set reca hom", act(&Board::homingSingleJoint).one);
  verbs.add("set reca homs", order("", &Board::homingWholePart));
  verbs.add("set reca par", {"j", park_joint});
  verbs.add("set reca pars", {"", park});
  verbs.add("set reca quca", order("", &Board::abortCalibration));
  verbs.add("set reca qupa", order("", &Board::abortPark));

  verbs.add("get ivar lvar", {"", variable_names});
  verbs.add("get ivar mvar", {"key", get_variable});
  verbs.add("set ivar mvar", {"key x..", set_variable});
}

}  // namespace servosim::wire
