// SPDX-License-Identifier: Apache-2.0
// IPidControl. `type` is pos, vel, trq or cur; in 4.0 pos1 and so on.
#include "wire/verbs.h"

namespace servosim::wire {

namespace {

// As 4.0 calls them: with the number of their loop.
ReturnValue available_types(Board& board, Arguments& arguments, Answer& answer) {
  const int j = arguments.take<int>();
  std::vector<vocab32_t> types;
  const ReturnValue result = arguments.ok() ? board.getAvailablePids(j, &types) : kMalformed;
  std::vector<Code> codes;
  for (const vocab32_t type : types) {
    codes.emplace_back(yarp::vocab(yarp::to_string(type) + "1"));
  }
  answer.add(codes);
  return result;
}

}  // namespace

void add_controllers(Verbs& verbs) {
  constexpr Frame kNoStamp{.stamp = false};
  verbs.add("set pid", {"pid", "pids", ""}, set(&Board::setPid));
  verbs.add("get pid", {"pid", "pids", ""}, get(&Board::getPid), kNoStamp);
  verbs.add("set pid", {"ref", "refs", ""}, set(&Board::setPidReference));
  verbs.add("get pid", {"ref", "refs", ""}, get(&Board::getPidReference), kNoStamp);
  verbs.add("set pid", {"lim", "lims", ""}, set(&Board::setPidErrorLimit));
  verbs.add("get pid", {"lim", "lims", ""}, get(&Board::getPidErrorLimit), kNoStamp);
  verbs.add("get pid", {"err", "errs", ""}, get(&Board::getPidError), kNoStamp);
  verbs.add("get pid", {"out", "outs", ""}, get(&Board::getPidOutput), kNoStamp);
  verbs.add("set pid off", set(&Board::setPidOffset).one);
  verbs.add_v4("get pid off", get(&Board::getPidOffset).one);
  verbs.add_v4("set pid kff", set(&Board::setPidFeedforward).one);
  verbs.add_v4("get pid kff", get(&Board::getPidFeedforward).one);
  verbs.add_v4("get pid types", {"j", available_types});
  verbs.add("set pid res", act(&Board::resetPid).one);
  verbs.add("set pid ena", act(&Board::enablePid).one);
  verbs.add("set pid dis", act(&Board::disablePid).one);
  verbs.add("get pid ena", get(&Board::isPidEnabled).one, kNoStamp);
}

}  // namespace servosim::wire
