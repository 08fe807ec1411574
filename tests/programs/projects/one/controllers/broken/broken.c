// SPDX-License-Identifier: Apache-2.0
// Does not compile.
int main(void) { return undeclared_name; }
