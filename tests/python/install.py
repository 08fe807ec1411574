#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of a build folder for this Python and installs it in a virtual environment.

usage: install.py SOURCE BUILD WHEELS VENV --new
       install.py SOURCE BUILD WHEELS PYTHON

With --new, VENV is created with the packages of this Python. PYTHON is that of an existing environment.
The wheel stays in the folder WHEELS, for the pages of the documentation.
"""
import os
import pathlib
import shutil
import subprocess
import sys

SHOW = ('import numpy, os, platform, sys; print(f"installed: {os.path.realpath(sys.executable)} '
        '{platform.python_version()} and NumPy {numpy.__version__}")')


def main(source, build, wheels, target, new=None):
    source, build, wheels, target = map(pathlib.Path, (source, build, wheels, target))
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir(parents=True)
    # pip asks programs for their versions, and these write to the home folder.
    environment = {**os.environ, 'SERVOSIM_BUILD_DIR': str(build), 'PIP_NO_CACHE_DIR': '1',
                   'HOME': str(wheels)}
    python = target
    if new:
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run([sys.executable, '-m', 'venv', '--system-site-packages', target], check=True,
                       env=environment)
        python = target / 'bin/python'
    # pip must not download anything.
    options = ['--quiet', '--no-index', '--no-deps', '--disable-pip-version-check']
    pip = [python, '-m', 'pip']
    subprocess.run([*pip, 'wheel', *options, '--no-build-isolation', '-w', wheels, source / 'python'],
                   check=True, env=environment)
    wheel, = wheels.glob('servosim-*.whl')
    subprocess.run([*pip, 'install', *options, '--force-reinstall', wheel], check=True, env=environment)
    subprocess.run([python, '-c', SHOW], check=True, env=environment)
    left = [path.name for path in (source / 'python').iterdir()
            if path.name not in ('CMakeLists.txt', 'bindings', 'controller', 'pytest_servosim', 'servosim', 'setup.py',
                                 'pyproject.toml')]
    if left:
        sys.exit(f'the wheel left {left} in python/')


main(*sys.argv[1:])
