#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of a build folder and installs it in a new virtual environment.

usage: install.py SOURCE BUILD WHEELS VENV

The wheel is left in the folder WHEELS, for the pages of the documentation.
"""
import os
import pathlib
import shutil
import subprocess
import sys


def main(source, build, wheels, venv):
    for folder in (wheels, venv):
        shutil.rmtree(folder, ignore_errors=True)
    # pip asks programs for their versions, which write to the home folder.
    environment = {**os.environ, 'SERVOSIM_BUILD_DIR': str(build), 'PIP_NO_CACHE_DIR': '1',
                   'HOME': str(venv)}
    # Debian's numpy, pytest and setuptools; nothing comes from a network.
    subprocess.run([sys.executable, '-m', 'venv', '--system-site-packages', venv], check=True,
                   env=environment)
    options = ['--quiet', '--no-index', '--no-deps', '--disable-pip-version-check']
    pip = [venv / 'bin/python', '-m', 'pip']
    subprocess.run([*pip, 'wheel', *options, '--no-build-isolation', '-w', wheels, source / 'python'],
                   check=True, env=environment)
    wheel, = wheels.glob('servosim-*.whl')
    subprocess.run([*pip, 'install', *options, wheel], check=True, env=environment)
    left = [path.name for path in (source / 'python').iterdir()
            if path.name not in ('CMakeLists.txt', 'bindings', 'controller', 'servosim', 'setup.py',
                                 'pyproject.toml')]
    if left:
        sys.exit(f'the wheel left {left} in python/')


main(*map(pathlib.Path, sys.argv[1:]))
