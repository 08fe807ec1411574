# SPDX-License-Identifier: Apache-2.0
"""The tasks that are shipped, and episodes of them."""
import dataclasses
import pickle

import numpy as np
import pytest

import servosim
from servosim.tasks import CART_POLE, HUMANOID_STAND, REACHER, TASKS, Episodes, Task

ALL = pytest.mark.parametrize('task', TASKS.values(), ids=TASKS)


def returns_without_a_policy(task, count):
    """Returns the sum of rewards of the first episode of each instance, with actions that are all 0."""
    episodes = Episodes(task, count)
    episodes.reset()
    total, going = np.zeros(count), np.ones(count, dtype=bool)
    for _ in range(task.max_episode_steps):
        _, rewards, ended, cut = episodes.step(np.zeros(episodes.batch.actions.shape))
        total += rewards * going
        going &= ~ended
    assert (cut | ended).all()
    return total


@ALL
def test_its_world_is_read_without_diagnostics(task):
    assert servosim.Simulation(task.world).diagnostics == []


@ALL
def test_zero_actions_do_not_solve_it(task):
    assert returns_without_a_policy(task, 24).mean() < task.reward_threshold - 5.0


@pytest.mark.parametrize('task', [CART_POLE, REACHER], ids=['CartPole', 'Reacher'])
def test_its_instances_share_steps(task):
    episodes = Episodes(task, 16)
    episodes.reset()
    for _ in range(3):  # the first step after a reset is one of each instance alone
        episodes.step(np.zeros(episodes.batch.actions.shape))
    lanes = episodes.batch.lanes()
    assert (lanes['instances'], lanes['alone']) == (16, {})


def test_the_humanoid_has_twenty_motors_and_stands_when_nobody_pushes():
    sim = servosim.Simulation(HUMANOID_STAND.world)
    assert sum(joint.has_motor for joint in sim.joints.values()) == len(sim.joints) == 20
    sim.step(1250)  # 10 s
    # Its hips are 0.45 m above the floor. Contacts yield by less than a millimetre.
    assert sim.solids['humanoid'].position == pytest.approx([0, 0, 0.45], abs=1e-3)


@ALL
def test_episodes_follow_from_seeds(task):
    episodes = Episodes(task, 3)
    first = episodes.reset(seeds=np.array([5, 6, 5]))
    assert (first[0] == first[2]).all() and (first[0] != first[1]).any()
    second = episodes.reset()
    assert (second[0] == second[2]).all() and (second[0] != first[0]).any()
    assert (episodes.reset(seeds=np.array([5, 6, 5])) == first).all()
    # Resets of other instances have no effect.
    episodes.step(np.zeros(episodes.batch.actions.shape))
    third = episodes.reset(np.array([False, False, True]))
    assert (third[2] == second[0]).all() and (episodes.reset()[0] == second[0]).all()


def test_an_episode_that_cannot_begin_does_not_count():
    healthy = True

    def begin(sim, random):
        if not healthy:
            raise RuntimeError('no start')
        CART_POLE.begin(sim, random)

    episodes = Episodes(dataclasses.replace(CART_POLE, begin=begin), 2)
    episodes.reset(seeds=np.array([5, 6]))
    healthy = False
    for seeds in (None, np.array([7, 8])):
        with pytest.raises(RuntimeError, match='no start'):
            episodes.reset(seeds=seeds)
    healthy = True
    other = Episodes(CART_POLE, 2)
    other.reset(seeds=np.array([5, 6]))
    assert (episodes.reset() == other.reset()).all()


def test_seeds_count_from_zero_whatever_the_seed_of_the_world(tmp_path):
    world = tmp_path / 'seeded.wbt'
    text = CART_POLE.world.read_text()
    assert text.count('WorldInfo {') == 1 and 'randomSeed' not in text
    world.write_text(text.replace('WorldInfo {', 'WorldInfo { randomSeed 40'))
    ranges = {'pole.mass': (0.05, 0.2), 'sensor noise': (0.01, 0.02)}
    first, second = (Episodes(dataclasses.replace(CART_POLE, world=path, randomize=ranges), 3)
                     for path in (CART_POLE.world, world))
    for _ in range(3):
        assert (first.observations() == second.observations()).all()
        assert (first.reset() == second.reset()).all()


@ALL
def test_it_can_be_sent_to_another_process(task):
    assert pickle.loads(pickle.dumps(task)) == task


def test_only_those_that_are_asked_for_begin_anew():
    episodes = Episodes(CART_POLE, 3)
    episodes.reset()
    for _ in range(4):
        before = episodes.step(np.zeros((3, 1)))[0]
    after = episodes.reset(np.array([True, False, False]))
    assert list(episodes.steps) == [0, 4, 4]
    assert (after[1:] == before[1:]).all() and (after[0] != before[0]).any()


def test_the_reward_of_the_reacher_is_the_distance_to_the_target():
    episodes = Episodes(REACHER, 4, dtype=np.float64)
    episodes.reset(seeds=np.arange(4))
    actions = np.full((4, 2), 0.25)
    rewards = episodes.step(actions)[1]
    for i in range(4):
        poses = episodes.batch.solid_poses(i)
        names = list(servosim.Simulation(REACHER.world).solids)
        forearm, target = (poses[names.index(name)] for name in ('reacher/forearm', 'goal/target'))
        angle = 2.0 * np.arctan2(forearm[5], forearm[6])
        tip = forearm[:2] + 0.125 * np.array([np.cos(angle), np.sin(angle)])
        # The links are connected to some micrometres.
        assert rewards[i] == pytest.approx(
            -np.hypot(*(tip - target[:2])) - 0.01 * 2 * 0.25**2, abs=2e-5)


def test_a_policy_of_the_reacher_gets_directions_and_the_way_to_the_target():
    episodes = Episodes(REACHER, 3, dtype=np.float64)
    episodes.reset(seeds=np.arange(3))
    features = episodes.step(np.full((3, 2), 0.25))[0]
    assert features.shape == (3, 8) and (features == episodes.observations()).all()
    shoulder, elbow, x, y, first, second = episodes.batch.observations.T
    for column, direction in ((0, shoulder), (2, shoulder + elbow)):
        assert features[:, column] == pytest.approx(np.cos(direction))
        assert features[:, column + 1] == pytest.approx(np.sin(direction))
    tip = 0.25 * (features[:, 0:2] + features[:, 2:4])
    assert features[:, 4:6] == pytest.approx(np.stack([x, y], axis=1) - tip)
    assert (features[:, 6] == first).all() and (features[:, 7] == second).all()


def test_rewards_and_ends_get_the_observations_whatever_the_features():
    seen = []
    task = dataclasses.replace(CART_POLE, features=lambda observed: np.sin(observed[:, 1:2]),
                               reward=lambda observed, _: seen.append(observed.shape) or observed[:, 0],
                               terminated=lambda observed: seen.append(observed.shape) or observed[:, 0] > 9)
    episodes = Episodes(task, 3)
    assert episodes.reset().shape == (3, 1)
    features, rewards = episodes.step(np.full((3, 1), 5.0))[:2]
    assert seen == [(3, 4), (3, 4)]
    assert features.dtype == np.float32
    assert features[:, 0] == pytest.approx(np.sin(episodes.batch.observations[:, 1]))
    assert rewards == pytest.approx(episodes.batch.observations[:, 0])


def test_features_are_numbers_that_stay():
    memory = np.zeros((2, 1), np.float32)

    def counting(observed):
        memory[:] += 1.0
        return memory

    episodes = Episodes(dataclasses.replace(CART_POLE, features=counting), 2)
    first = episodes.reset()
    second = episodes.step(np.zeros((2, 1)))[0]
    assert (second == first + 1.0).all()
    for made, dtype in ((np.ones((2, 3), bool), np.float32), (np.ones((2, 3), np.uint8), np.uint8)):
        task = dataclasses.replace(CART_POLE, features=lambda _, made=made: {'one': made})
        assert Episodes(task, 2).reset()['one'].dtype == dtype
    with pytest.raises(ValueError, match='features returned an array of <U1, not of numbers'):
        Episodes(dataclasses.replace(CART_POLE, features=lambda _: np.array([['a'], ['b']])), 2).reset()


@pytest.mark.parametrize('wrong, shape', [(lambda observed: observed[:, 0], r'\(3,\)'),
                                          (lambda observed: observed[:2], r'\(2, 4\)')])
def test_features_have_a_row_for_each_instance(wrong, shape):
    with pytest.raises(ValueError, match=f'features returned the shape {shape}, not \\(3, columns\\)'):
        Episodes(dataclasses.replace(CART_POLE, features=wrong), 3).reset()


def test_an_episode_is_cut_off_after_its_steps():
    task = Task(CART_POLE.world, CART_POLE.observe, CART_POLE.act, CART_POLE.reward,
                max_episode_steps=3)
    episodes = Episodes(task, 2)
    ends = [tuple(flags.tolist() for flags in episodes.step(np.zeros((2, 1)))[2:])
            for _ in range(3)]
    assert ends == [([False, False], [False, False])] * 2 + [([False, False], [True, True])]
    with pytest.raises(ValueError, match='max_episode_steps'):
        Task('w.wbt', [], [], CART_POLE.reward, max_episode_steps=0)


@pytest.mark.parametrize('arguments, message', [
    (dict(mask=np.array([True])), 'mask'),
    (dict(mask=np.array([1, 0])), 'mask'),
    (dict(seeds=np.array([1])), 'seeds'),
    (dict(seeds=np.array([1, -1])), 'seeds'),
    (dict(seeds=np.array([1.5, 2.0])), 'seeds'),
])
def test_what_cannot_be_reset_is_said(arguments, message):
    episodes = Episodes(CART_POLE, 2)
    first = episodes.observations()
    with pytest.raises(ValueError, match=message):
        episodes.reset(**arguments)
    assert (episodes.observations() == first).all()
