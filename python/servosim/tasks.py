# SPDX-License-Identifier: Apache-2.0
"""Tasks to learn: a world with what is observed, commanded and rewarded, and episodes of it.

    episodes = Episodes(CART_POLE, 64, threads=2)
    observations = episodes.reset()
    observations, rewards, ended, cut = episodes.step(actions)

Only numpy is needed. `servosim.gym` makes environments for Gymnasium from tasks.
"""
from __future__ import annotations

import os.path
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from servosim import Batch, Recording, Replay, Simulation
from servosim._notebook import table

__all__ = ['Task', 'Episodes', 'CART_POLE', 'REACHER', 'HUMANOID_STAND', 'TASKS']

Observations = NDArray[Any]
#: An array of numbers, the array of a picture, or a dict of both by name.
Observed = Any
Reward = Callable[[Observed, Observations], ArrayLike]
End = Callable[[Observed], ArrayLike]
Begin = Callable[[Simulation, np.random.Generator], None]
Features = Callable[[Observed], Any]
Ranges = Mapping[str, Tuple[float, float]]


@dataclass(frozen=True)
class Task:
    """A world, with what is observed, commanded and rewarded in it.

    world: a .wbt file.
    observe, act: names and patterns, as Batch.bind() takes them.
    reward(observations, actions) -> (n,): the rewards; observations (n, columns) are those after
        the step. If pictures are observed, observations are a dict: 'observations' has the numbers,
        if there are any, and the name of each picture has its array (n, height, width, ...). A
        single picture without numbers is that array alone.
    terminated(observations) -> (n,) of bool: whether each episode has come to its end.
    begin(simulation, random): puts a simulation, which is as it was loaded, into the state in which
        an episode begins; without it episodes begin with the state that was loaded.
    max_episode_steps: the number of steps after which an episode is cut off (truncated).
    control_step_ms: the time of a step, a multiple of basicTimeStep; 0: one basicTimeStep.
    action_range: (lowest, highest) of actions, within what the motors accept.
    randomize: ranges that are drawn anew in each episode, as Batch.randomize() takes them.
    reward_threshold: the mean sum of rewards of an episode at which the task counts as solved.
    settings: other values for fields of the world, as Simulation takes them.
    features(observations) -> (n, columns): what episodes return instead of the observations, such as
        sines of angles; a dict of arrays also does. Rewards and ends get the observations.
    """

    world: Union[str, PathLike[str]]
    observe: Sequence[str]
    act: Sequence[str]
    reward: Reward
    terminated: Optional[End] = None
    begin: Optional[Begin] = None
    max_episode_steps: Optional[int] = None
    control_step_ms: float = 0.0
    action_range: Optional[Tuple[ArrayLike, ArrayLike]] = None
    randomize: Optional[Ranges] = None
    reward_threshold: Optional[float] = None
    settings: Optional[Mapping[str, Any]] = None
    features: Optional[Features] = None

    def __post_init__(self) -> None:
        if self.max_episode_steps is not None and self.max_episode_steps < 1:
            raise ValueError(f'max_episode_steps is at least 1, not {self.max_episode_steps}')


class Episodes:
    """Episodes of a task in many instances at once; each begins and ends on its own.

    batch: the Batch of the instances.
    steps: (n,) the steps of the present episode of each instance.
    action_low, action_high: (columns,) the range of actions.
    """

    def __init__(self, task: Task, count: int, *, dtype: Any = np.float32,
                 threads: int = 1) -> None:
        self.task = task
        self._fresh = Simulation(task.world, settings=task.settings)
        self._loaded = self._fresh.save()
        self.batch = Batch(self._fresh, count, threads=threads,
                           control_step_ms=task.control_step_ms, dtype=dtype)
        self.batch.bind(observe=list(task.observe), act=list(task.act))
        if task.randomize:
            self.batch.randomize(dict(task.randomize))
        self.steps: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self._seeds: NDArray[np.int64] = np.arange(count, dtype=np.int64)
        self._episodes: NDArray[np.int64] = np.zeros(count, dtype=np.int64)
        self.batch.reset(seeds=self._seeds)  # the world may have another randomSeed
        low, high = self.batch.action_low, self.batch.action_high
        if task.action_range is not None:
            low = np.maximum(low, task.action_range[0])
            high = np.minimum(high, task.action_range[1])
        self.action_low: NDArray[Any] = np.asarray(low, dtype=dtype)
        self.action_high: NDArray[Any] = np.asarray(high, dtype=dtype)

    def __repr__(self) -> str:
        return f'<Episodes of {self.batch.n} instances of {os.path.basename(self.task.world)!r}>'

    def _repr_html_(self) -> str:
        failed, times = self.batch.failed, self.batch.times
        rows = ((i, [steps, f'{times[i]:.6g}', self._episodes[i], self.batch.failure(i) if failed[i] else ''])
                for i, steps in enumerate(self.steps))
        return table(['steps', 'time [s]', 'episode', 'failure'], rows, self.batch.n)

    def record(self, path: Union[None, str, PathLike[str]] = None, instance: int = 0, *,
               rate: float = 25.0) -> Recording:
        """Records an instance from now on, as Batch.record() does."""
        return self.batch.record(path, instance, rate=rate)

    def replay(self) -> Replay:
        """The page that shows the last recording, as Batch.replay() does."""
        return self.batch.replay()

    def observations(self) -> Observed:
        """The task's features of the present observations; without features a copy of the observations:
        (instances, columns), or with pictures as for Task.
        """
        return self._features_of(self._observed())

    def _observed(self) -> Observed:
        pictures = self.batch.pictures
        parts: Observed = self.batch.observations
        if pictures and self.batch.observation_names:
            parts = {'observations': parts, **pictures}
        elif pictures:
            parts = dict(pictures) if len(pictures) > 1 else next(iter(pictures.values()))
        return by_parts(np.array, parts)

    def _features_of(self, observed: Observed) -> Observed:
        if self.task.features is None:
            return observed
        return by_parts(self._checked_features, self.task.features(observed))

    def _checked_features(self, given: ArrayLike) -> NDArray[Any]:
        array = np.asarray(given)
        if array.dtype != np.uint8 and array.dtype.kind not in 'fiub':
            raise ValueError(f'features returned an array of {array.dtype}, not of numbers')
        # The copy stays as it is if the function uses its memory again.
        array = np.array(array, dtype=np.uint8 if array.dtype == np.uint8 else self.batch.observations.dtype)
        if array.ndim < 2 or len(array) != self.batch.n:
            raise ValueError(f'features returned the shape {array.shape}, not ({self.batch.n}, '
                             'columns): one row for each row of the observations')
        return array

    def reset(self, mask: Optional[NDArray[np.bool_]] = None,
              seeds: Optional[NDArray[np.int64]] = None) -> Observed:
        """Begins a new episode of the instances whose mask is True, or of all. Returns their
        observations.

        An episode follows from the seed of its instance and from the number of episodes since the
        seed was given. At first instance i has the seed i.
        """
        count = len(self.steps)
        if mask is not None and (mask.shape != (count,) or mask.dtype != np.bool_):
            raise ValueError(f'a mask is an array of {count} bool, one for each instance')
        if seeds is not None and (seeds.shape != (count,) or seeds.dtype.kind not in 'iu'
                                  or seeds.min() < 0 or int(seeds.max()) >= 2**63):
            raise ValueError(f'seeds are an array of {count} integers from 0 to 2**63 - 1, one for '
                             'each instance')
        rows = np.arange(count) if mask is None else np.flatnonzero(mask)
        seeds_of, episodes_of = self._seeds.copy(), self._episodes.copy()
        if seeds is None:
            episodes_of[rows] += 1
        else:
            seeds_of[rows] = seeds[rows]
            episodes_of[rows] = 0
        if self.task.begin is None:
            self.batch.reset(mask, seeds=seeds)
        else:
            states = [self._loaded] * count
            for i in rows:
                self._fresh.restore(self._loaded)
                self.task.begin(self._fresh,
                                np.random.default_rng([seeds_of[i], episodes_of[i]]))
                states[i] = self._fresh.save()
            self.batch.reset(mask, states=states, seeds=seeds)
        self._seeds, self._episodes = seeds_of, episodes_of  # set here, since begin() may raise
        self.steps[rows] = 0
        return self.observations()

    def step(self, actions: ArrayLike) -> Tuple[Observed, NDArray[np.float64],
                                                NDArray[np.bool_], NDArray[np.bool_]]:
        """Observations, rewards, terminations and truncations. An instance that fails terminates.
        """
        given = np.asarray(actions)
        if given.shape != self.batch.actions.shape:
            raise ValueError(f'actions have the shape {given.shape}, not '
                             f'{self.batch.actions.shape}: one row for each instance, with '
                             f'{", ".join(self.batch.action_names)}')
        self.batch.actions[:] = given
        self.batch.step()
        self.steps += 1
        observed = self._observed()
        count = len(self.steps)
        rewards = _rows(self.task.reward(observed, given), count, 'reward', np.float64)
        ended = np.array(self.batch.failed, dtype=np.bool_)
        if self.task.terminated is not None:
            ended |= _rows(self.task.terminated(observed), count, 'terminated', np.bool_)
        cut = np.zeros(count, dtype=np.bool_)
        if self.task.max_episode_steps is not None:
            cut = (self.steps >= self.task.max_episode_steps) & ~ended
        return self._features_of(observed), rewards, ended, cut


def by_parts(function: Callable[..., Any], observed: Observed, *others: Observed) -> Any:
    """The function's result for observations, or a dict of its results for each part of them."""
    if not isinstance(observed, dict):
        return function(observed, *others)
    return {name: function(part, *(other[name] for other in others)) for name, part in observed.items()}


def _rows(values: ArrayLike, count: int, what: str, dtype: Any) -> NDArray[Any]:
    rows = np.asarray(values, dtype=dtype)
    if rows.shape != (count,):
        raise ValueError(f'{what} returned the shape {rows.shape}, not ({count},): one number for '
                         'each row of the observations')
    return rows


_WORLDS = Path(__file__).resolve().parent / 'worlds'


def _one_for_each_step(observed: Observations, actions: Observations) -> ArrayLike:
    return np.ones(len(observed))


def _cart_pole_begins(sim: Simulation, random: np.random.Generator) -> None:
    for joint in sim.joints.values():
        joint.set_state(*random.uniform(-0.05, 0.05, 2))


def _cart_pole_ends(observed: Observations) -> ArrayLike:
    return np.asarray((np.abs(observed[:, 0]) > 2.4) | (np.abs(observed[:, 1]) > 0.2))


#: Holds a pole of 1 m up by forces on its cart: 1 for each step. It ends where the pole leans by
#: 0.2 rad or the cart is 2.4 m away.
CART_POLE = Task(
    world=_WORLDS / 'cart_pole.wbt',
    observe=['cart.position', 'pole angle.position', 'cart.velocity', 'pole angle.velocity'],
    act=['cart.target_force'],
    reward=_one_for_each_step,
    terminated=_cart_pole_ends,
    begin=_cart_pole_begins,
    max_episode_steps=500,
    control_step_ms=20.0,
    reward_threshold=475.0,
)

_LINK = 0.25  # [m]


def _reacher_begins(sim: Simulation, random: np.random.Generator) -> None:
    sim.joints['shoulder'].set_state(random.uniform(-np.pi, np.pi))
    sim.joints['elbow'].set_state(random.uniform(-2.0, 2.0))
    distance, direction = random.uniform(0.15, 0.45), random.uniform(-np.pi, np.pi)
    sim.joints['x'].set_state(distance * np.cos(direction))
    sim.joints['y'].set_state(distance * np.sin(direction))


def _reacher_reward(observed: Observations, actions: Observations) -> ArrayLike:
    first, second = observed[:, 0], observed[:, 0] + observed[:, 1]
    x = _LINK * (np.cos(first) + np.cos(second)) - observed[:, 2]
    y = _LINK * (np.sin(first) + np.sin(second)) - observed[:, 3]
    return np.asarray(-np.hypot(x, y) - 0.01 * np.square(actions).sum(axis=1))


def _reacher_features(observed: Observations) -> ArrayLike:
    first, second = observed[:, 0], observed[:, 0] + observed[:, 1]
    directions = np.stack([np.cos(first), np.sin(first), np.cos(second), np.sin(second)], axis=1)
    way = observed[:, 2:4] - _LINK * (directions[:, :2] + directions[:, 2:])
    return np.concatenate([directions, way, observed[:, 4:6]], axis=1)


#: Brings the tip of an arm of two links of 0.25 m to a target by torques: less the distance [m] and
#: 0.01 times the sum of the torques' squares in each step. A policy gets the directions of both links
#: (x and y of a unit vector), the way from the tip to the target [m] and the velocities of the joints.
REACHER = Task(
    world=_WORLDS / 'reacher.wbt',
    observe=['shoulder.position', 'elbow.position', 'x.position', 'y.position',
             'shoulder.velocity', 'elbow.velocity'],
    act=['shoulder.target_force', 'elbow.target_force'],
    reward=_reacher_reward,
    begin=_reacher_begins,
    max_episode_steps=100,
    control_step_ms=20.0,
    reward_threshold=-11.0,
    features=_reacher_features,
)


def _humanoid_begins(sim: Simulation, random: np.random.Generator) -> None:
    speed = random.uniform(0.4, 1.2) * random.choice((-1.0, 1.0))  # velocity of the trunk [m/s]
    direction = random.uniform(-0.5, 0.5)
    sim.solids['humanoid'].velocity = speed * np.array(
        [np.cos(direction), np.sin(direction), 0.0, 0.0, 0.0, 0.0])


def _humanoid_ends(observed: Observations) -> ArrayLike:
    return np.asarray(observed[:, 2] < 0.35)


#: Keeps a humanoid of 20 motors on its feet after a push forwards or backwards, by target
#: positions: 1 for each step. It ends where the hips are below 0.35 m.
HUMANOID_STAND = Task(
    world=_WORLDS / 'humanoid_stand.wbt',
    observe=['humanoid.pose', 'humanoid.linear_velocity', 'humanoid.angular_velocity',
             'humanoid/*.position', 'humanoid/*.velocity'],
    act=['humanoid/*.target_position'],
    reward=_one_for_each_step,
    terminated=_humanoid_ends,
    begin=_humanoid_begins,
    max_episode_steps=150,
    control_step_ms=16.0,
    reward_threshold=140.0,
)

#: By the name that Gymnasium knows: servosim/CartPole-v0.
TASKS: Dict[str, Task] = {'CartPole-v0': CART_POLE, 'Reacher-v0': REACHER,
                          'HumanoidStand-v0': HUMANOID_STAND}
