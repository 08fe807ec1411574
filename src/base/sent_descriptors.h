// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/scoped.h"

namespace servosim {

/// The descriptors that come with a message over a local socket, as sendmsg() and recvmsg() have
/// them.
class SentDescriptors {
 public:
  static constexpr std::size_t kMost = 64;

  /// Adds descriptors to a message that sendmsg() sends. This object must outlive the call.
  /// @param descriptors  at most kMost
  void attach(std::span<const Descriptor> descriptors, msghdr& header) {
    if (descriptors.empty()) {
      return;
    }
    make_room(header);
    header.msg_controllen = CMSG_SPACE(sizeof(int) * descriptors.size());
    cmsghdr* const head = CMSG_FIRSTHDR(&header);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      const int fd = descriptors[i].get();
      std::memcpy(CMSG_DATA(head) + i * sizeof fd, &fd, sizeof fd);
    }
  }

  /// Makes room for the descriptors of a message that recvmsg() receives.
  void make_room(msghdr& header) {
    header.msg_control = bytes_.data();
    header.msg_controllen = bytes_.size();
  }

  /// Adds the descriptors of a received message to `into`.
  static void take(msghdr& header, std::vector<Descriptor>& into) {
    for (cmsghdr* head = CMSG_FIRSTHDR(&header); head != nullptr;
         head = CMSG_NXTHDR(&header, head)) {
      if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        for (std::size_t at = 0; CMSG_LEN(at + sizeof(int)) <= head->cmsg_len; at += sizeof(int)) {
          int fd = -1;
          std::memcpy(&fd, CMSG_DATA(head) + at, sizeof fd);
          into.emplace_back(fd);
        }
      }
    }
  }

 private:
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMost)> bytes_{};
};

}  // namespace servosim
