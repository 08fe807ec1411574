# SPDX-License-Identifier: Apache-2.0
servosim_unit_tests(net_connection_limit_test.cpp net_queues_test.cpp net_reactor_test.cpp)
