# SPDX-License-Identifier: Apache-2.0
"""Prints how it was started. It needs no module of servosim."""
import os
import sys

print(sys.argv, os.path.basename(os.getcwd()))
print(os.environ["WEBOTS_ROBOT_NAME"], os.environ["GREETING"], "Grüße")
print(os.path.isdir(os.environ["WEBOTS_HOME"]), "SERVOSIM_CONTROLLER_FD" in os.environ)
