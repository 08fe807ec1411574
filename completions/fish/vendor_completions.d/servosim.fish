# SPDX-License-Identifier: Apache-2.0
# Completion of servosim in fish, by the completion for bash.
set -g __servosim_completion (status dirname)/../../bash-completion/completions/servosim
complete -c servosim -f -a '(bash $__servosim_completion (commandline -opc) (commandline -ct) 2>/dev/null)'
