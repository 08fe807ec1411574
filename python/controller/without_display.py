# SPDX-License-Identifier: Apache-2.0
"""Windows of OpenCV on a machine without a display.

The wheels of OpenCV cannot draw a window where there is no display: cv2.imshow() would end the
program. There, functions that show nothing replace those for windows. A build with an off-screen Qt,
such as Debian's, keeps its own functions.
"""
from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from typing import Any, Dict, Optional, Tuple


class _Windows:
    """What a program may query about windows that it does not have."""

    def __init__(self) -> None:
        self.sizes: Dict[str, Tuple[int, int]] = {}
        self.trackbars: Dict[Tuple[str, str], Tuple[int, Any]] = {}

    def imshow(self, winname: str, mat: Any) -> None:
        """Stores the size of the picture."""
        height, width = (*getattr(mat, 'shape', ()), 0, 0)[:2]
        self.sizes[winname] = (width, height)

    def namedWindow(self, winname: str, flags: int = 1) -> None:
        """Stores the name."""
        self.sizes.setdefault(winname, (0, 0))

    def destroyWindow(self, winname: str) -> None:
        """Forgets the window."""
        self.sizes.pop(winname, None)

    def destroyAllWindows(self) -> None:
        """Forgets all windows."""
        self.sizes.clear()

    def waitKey(self, delay: int = 0) -> int:
        """-1: no key is ever pressed."""
        return -1

    def pollKey(self) -> int:
        """-1, as waitKey()."""
        return -1

    def startWindowThread(self) -> int:
        """0: there is no thread."""
        return 0

    def getWindowProperty(self, winname: str, prop_id: int) -> float:
        """1 for a window that exists, else -1."""
        return 1.0 if winname in self.sizes else -1.0

    def getWindowImageRect(self, winname: str) -> Tuple[int, int, int, int]:
        """x, y, width and height of the last picture."""
        return (0, 0, *self.sizes.get(winname, (0, 0)))

    def createTrackbar(self, trackbarName: str, windowName: str, value: int, count: int,
                       onChange: Any = None) -> None:
        """Stores its value."""
        self.trackbars[windowName, trackbarName] = (int(value), onChange)

    def getTrackbarPos(self, trackbarname: str, winname: str) -> int:
        """The value that it was set to; -1 if it does not exist."""
        return self.trackbars.get((winname, trackbarname), (-1, None))[0]

    def setTrackbarPos(self, trackbarname: str, winname: str, pos: int) -> None:
        """Sets it, and calls the program's function."""
        known = self.trackbars.get((winname, trackbarname))
        if known is not None:
            self.trackbars[winname, trackbarname] = (int(pos), known[1])
            if known[1] is not None:
                known[1](int(pos))

    def selectROI(self, *_arguments: Any, **_keywords: Any) -> Tuple[int, int, int, int]:
        """Nothing is selected."""
        return (0, 0, 0, 0)

    def selectROIs(self, *_arguments: Any, **_keywords: Any) -> Tuple[()]:
        """Nothing is selected."""
        return ()


_WITHOUT_ANSWER = ('displayOverlay', 'displayStatusBar', 'moveWindow', 'resizeWindow',
                   'setMouseCallback', 'setTrackbarMax', 'setTrackbarMin', 'setWindowProperty',
                   'setWindowTitle')


def _nothing(*_arguments: Any, **_keywords: Any) -> None:
    return None


def _has_offscreen_windows(cv2: Any) -> bool:
    try:
        gui = [line for line in cv2.getBuildInformation().splitlines() if 'GUI:' in line]
    except (AttributeError, TypeError):
        return False
    plugins = os.path.join(os.path.dirname(cv2.__file__), 'qt', 'plugins', 'platforms')
    return any('QT' in line for line in gui) and (
        not os.path.isdir(plugins) or any('offscreen' in name for name in os.listdir(plugins)))


def _replace_windows(cv2: Any) -> None:
    if _has_offscreen_windows(cv2):
        return
    windows = _Windows()
    for name in dir(_Windows):
        if not name.startswith('_'):
            setattr(cv2, name, getattr(windows, name))
    cv2.waitKeyEx = cv2.waitKey
    for name in _WITHOUT_ANSWER:
        setattr(cv2, name, _nothing)


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        """Calls the loader that this one replaces."""
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        """Calls the loader that this one replaces, and replaces the windows."""
        self._loader.exec_module(module)
        if hasattr(module, 'getBuildInformation'):  # a part of OpenCV has the same name
            _replace_windows(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None,
                  target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """The spec of cv2 that other finders know, with a loader that replaces its windows."""
        if fullname != 'cv2' or self not in sys.meta_path:
            return None
        at = sys.meta_path.index(self)
        sys.meta_path.remove(self)  # lets the others find it
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(at, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def prepare() -> None:
    """Replaces the windows of OpenCV, now or when it is imported, unless there is a display."""
    if (not sys.platform.startswith('linux') or os.environ.get('DISPLAY')
            or os.environ.get('WAYLAND_DISPLAY')
            or os.environ.get('QT_QPA_PLATFORM', 'offscreen') != 'offscreen'):
        return
    cv2 = sys.modules.get('cv2')
    if cv2 is not None:
        _replace_windows(cv2)
    else:
        sys.meta_path.insert(0, _Finder())
