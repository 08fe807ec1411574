# SPDX-License-Identifier: Apache-2.0
"""Pictures of a batch by their names."""
from __future__ import annotations

from typing import Any, Dict, List

from numpy.typing import NDArray

from ._errors import unknown_name


class Pictures(Dict[str, NDArray[Any]]):
    """Arrays of pictures by names such as 'robot/camera.rgb'. The part behind the '/' finds one, too,
    where no other picture has it.
    """

    def _called(self, name: object) -> List[str]:
        if dict.__contains__(self, name):
            return [str(name)]
        return [key for key in self if key.split('/', 1)[-1] == name]

    def __contains__(self, name: object) -> bool:
        return len(self._called(name)) == 1

    def get(self, name: str, default: Any = None) -> Any:
        found = self._called(name)
        return self[found[0]] if len(found) == 1 else default

    def __missing__(self, name: str) -> NDArray[Any]:
        found = self._called(name)
        if len(found) == 1:
            return self[found[0]]
        what = f'several pictures are called {name!r}' if found else f'no picture is called {name!r}'
        raise unknown_name(what, str(name), list(self))
