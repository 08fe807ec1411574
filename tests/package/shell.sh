# SPDX-License-Identifier: Apache-2.0
# Builds and runs the controller SOURCE with the compiler CC in the way that docs/how-to/install.md
# describes for folders with a space in their name.
# Usage: shell.sh CC SOURCE
set -e
eval "$1 '$2' $(pkg-config --cflags --libs servosim-controller) -o from_shell"
eval "export LD_LIBRARY_PATH=$(pkg-config --variable=libdir servosim-controller)"
./from_shell
