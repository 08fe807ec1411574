// SPDX-License-Identifier: Apache-2.0
int mix(int a, int b);
