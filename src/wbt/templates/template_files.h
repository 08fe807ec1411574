// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "wbt/templates/program/template_message.h"

namespace servosim::wbt {

struct Proto;

/// What a template of this PROTO may know of a file: regular ones below the PROTO's project are
/// read, at most kMostTemplateFile bytes, and all together no more than `room` bytes, of which what
/// is read is taken, and 16 KiB for each question. Links and `..` that lead out of the project are
/// refused. The project is the folder above protos/, or the PROTO's own folder where there is none
/// or many share it, such as $HOME; nothing is read where many share that one too.
/// @throws Shortage
TemplateFileReply answer_of(const TemplateFileQuestion& question, const Proto& proto,
                            std::size_t& room);

}  // namespace servosim::wbt
