# SPDX-License-Identifier: Apache-2.0
# Doxygen's filter for the headers of controllers, whose comments are plain. A comment before a
# declaration or after a member becomes documentation, and one before an empty line becomes that of
# the file.

function flush_comment(next_line,    mark) {
  if (comment ~ /SPDX|----/) {
    mark = ""
  } else if (next_line == "") {
    mark = has_file ? "" : "/** \\file\n" indent " * "
    has_file = 1
  } else {
    mark = "/** "
  }
  if (mark != "") {
    sub(/\/\*+ */, mark, comment)
  }
  printf "%s", comment
  comment = ""
}

comment != "" && closed { flush_comment($0) }
comment != "" { comment = comment $0 "\n"; closed = /\*\//; next }
/^ *\/\* / {
  comment = $0 "\n"
  closed = /\*\//
  indent = $0
  sub(/\/.*/, "", indent)
  next
}
/^[^#].*[;,{] *\/\* / { sub(/\/\* /, "/**< ") }
/^[^#].*[;,] +\/\/ / { sub(/\/\/ /, "///< ") }
/^ *\/\/ / && !/SPDX/ { sub(/\/\/ /, "/// ") }
{ print }
END { if (comment != "") flush_comment("") }
