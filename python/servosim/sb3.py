# SPDX-License-Identifier: Apache-2.0
"""Many instances of a world for Stable-Baselines3, in one process.

    import gymnasium, servosim.gym
    from stable_baselines3 import PPO
    from servosim.sb3 import VecEnv

    envs = gymnasium.make_vec('servosim/CartPole-v0', num_envs=64, autoreset_mode='SameStep')
    PPO('MlpPolicy', VecEnv(envs)).learn(200_000)

The packages `stable-baselines3` and `gymnasium` are needed.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Type, Union

import numpy as np
from numpy.typing import NDArray

from servosim.gym import AutoresetMode, JointVectorEnv
from servosim.tasks import Observed

try:
    from stable_baselines3.common.vec_env import VecEnv as _VecEnv
except ImportError as error:
    raise ImportError('servosim.sb3 needs the package stable-baselines3 (pip install stable-baselines3); '
                      'servosim.gym needs only gymnasium') from error

__all__ = ['VecEnv']

_Indices = Union[None, int, Iterable[int]]


class VecEnv(_VecEnv):  # type: ignore[misc, unused-ignore]
    """A servosim.gym.JointVectorEnv as a VecEnv of Stable-Baselines3.

    envs: the environment, also from gymnasium.make_vec(), with autoreset_mode='SameStep': an instance whose
    episode ends is reset in the same step.

    At the end of an episode the infos of its instance have `terminal_observation`, the last one of the episode,
    and `TimeLimit.truncated`: whether the time was over and the task had not ended. `failure` says why an
    instance has diverged. The instances are one object: attributes are those of all, and there are no methods
    of single ones.
    """

    def __init__(self, envs: Any) -> None:
        plain = getattr(envs, 'unwrapped', envs)
        if not isinstance(plain, JointVectorEnv):
            raise TypeError(f'servosim.sb3.VecEnv takes a servosim.gym.JointVectorEnv, not {type(plain).__name__}')
        if plain.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError("Stable-Baselines3 expects a reset in the step that ends an episode: make the "
                             "environment with autoreset_mode='SameStep'")
        self.envs = plain
        self._actions: Optional[NDArray[Any]] = None
        super().__init__(plain.num_envs, plain.single_observation_space, plain.single_action_space)

    def reset(self) -> Observed:
        if any(self._options):
            raise ValueError('the environments of servosim have no options for a reset')
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observed, _ = self.envs.reset(seed=seeds)
        self.reset_infos: List[Dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observed

    def step_async(self, actions: NDArray[Any]) -> None:
        self._actions = actions

    def step_wait(self) -> Tuple[Observed, NDArray[np.float32], NDArray[np.bool_], List[Dict[str, Any]]]:
        if self._actions is None:
            raise RuntimeError('step_wait() comes after step_async()')
        actions, self._actions = self._actions, None
        observed, rewards, ended, cut, given = self.envs.step(actions)
        over = ended | cut
        infos: List[Dict[str, Any]] = [{'TimeLimit.truncated': late} for late in (cut & ~ended).tolist()]
        failures = given.get('final_info', given).get('failure')
        for i in np.flatnonzero(over).tolist():
            infos[i]['terminal_observation'] = given['final_obs'][i]
            if failures is not None and failures[i]:
                infos[i]['failure'] = failures[i]
        return observed, np.asarray(rewards, dtype=np.float32), over, infos

    def close(self) -> None:
        self.envs.close()

    def get_images(self) -> Sequence[Optional[NDArray[np.uint8]]]:
        pictures = self.envs.render()
        return pictures if pictures is not None else [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: _Indices = None) -> List[Any]:
        value = getattr(self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: _Indices = None) -> None:
        if len(set(self._get_indices(indices))) != self.num_envs:
            raise ValueError('the instances are one object: an attribute is set for all of them')
        setattr(self.envs, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: _Indices = None,
                   **method_kwargs: Any) -> List[Any]:
        raise NotImplementedError(f'the instances are one object and have no method {method_name} of their own: '
                                  'call those of `envs`')

    def env_is_wrapped(self, wrapper_class: Type[Any], indices: _Indices = None) -> List[bool]:
        return [False for _ in self._get_indices(indices)]
