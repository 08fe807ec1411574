# SPDX-License-Identifier: Apache-2.0
"""Says how it was started; it needs no module of ours."""
import os
import sys

print(sys.argv, os.path.basename(os.getcwd()))
print(os.environ["WEBOTS_ROBOT_NAME"], os.environ["GREETING"], "Grüße")
print(os.path.isdir(os.environ["WEBOTS_HOME"]), "SERVOSIM_CONTROLLER_FD" in os.environ)
