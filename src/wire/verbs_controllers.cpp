// SPDX-License-Identifier: Apache-2.0
// IPidControl. `type` is pos, vel, trq or cur.
#include "wire/verbs.h"

namespace servosim::wire {

void add_controllers(Verbs& verbs) {
  constexpr Frame kNoStamp{.stamp = false};
  verbs.add("set pid", {"pid", "pids", ""}, "setPid", set(&Board::setPid));
  verbs.add("get pid", {"pid", "pids", ""}, "getPid", get(&Board::getPid), kNoStamp);
  verbs.add("set pid", {"ref", "refs", ""}, "setPidReference", set(&Board::setPidReference));
  verbs.add("get pid", {"ref", "refs", ""}, "getPidReference", get(&Board::getPidReference),
            kNoStamp);
  verbs.add("set pid", {"lim", "lims", ""}, "setPidErrorLimit", set(&Board::setPidErrorLimit));
  verbs.add("get pid", {"lim", "lims", ""}, "getPidErrorLimit", get(&Board::getPidErrorLimit),
            kNoStamp);
  verbs.add("get pid", {"err", "errs", ""}, "getPidError", get(&Board::getPidError), kNoStamp);
  verbs.add("get pid", {"out", "outs", ""}, "getPidOutput", get(&Board::getPidOutput), kNoStamp);
  verbs.add("set pid off", "setPidOffsetRPC", set(&Board::setPidOffset).one);
  verbs.add("set pid res", "resetPidRPC", act(&Board::resetPid).one);
  verbs.add("set pid ena", "enablePidRPC", act(&Board::enablePid).one);
  verbs.add("set pid dis", "disablePidRPC", act(&Board::disablePid).one);
  verbs.add("get pid ena", "isPidEnabledRPC", get(&Board::isPidEnabled).one, kNoStamp);
}

}  // namespace servosim::wire
