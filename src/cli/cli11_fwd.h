// SPDX-License-Identifier: Apache-2.0
#pragma once

// What our headers name of CLI11, whose own header takes two seconds to compile: only sources that
// define options or read their values include it.

namespace CLI {
class App;
class FormatterBase;
class Option;
class ParseError;
class Validator;
struct ConfigItem;
}  // namespace CLI
