# SPDX-License-Identifier: Apache-2.0
"""Fields of nodes by path."""
import math

import numpy as np
import pytest

import servosim

WORLD = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 contactProperties [ ContactProperties { coulombFriction [ 0.75 ] } ] }
DEF CART Robot {
  name "cart"
  children [
    DEF SLIDE SliderJoint {
      jointParameters JointParameters { axis 1 0 0 }
      device [ LinearMotor { name "push" maxForce 25 } ]
      endPoint DEF BODY Solid {
        name "body"
        children [
          HingeJoint {
            jointParameters HingeJointParameters { axis 0 1 0 dampingConstant 0.125 }
            endPoint DEF POLE Solid {
              translation 0 0 0.5
              name "pole"
              physics Physics { density -1 mass 0.25 }
            }
          }
        ]
        physics Physics { density -1 mass 2 }
      }
    }
  ]
}
DEF LAMP PointLight { color 1 0.5 0.25 }
"""


@pytest.fixture
def cart():
    return servosim.Simulation.from_text(WORLD)


@pytest.mark.parametrize('path, value', [
    ('POLE.physics.mass', 0.25),
    ('CART.POLE.physics.mass', 0.25),
    ('CART.SLIDE.BODY.physics.mass', 2.0),
    ('CART.SLIDE.device[0].maxForce', 25.0),
    ('CART.SLIDE.device[-1].name', 'push'),
    ('SLIDE.endPoint.children[0].jointParameters.dampingConstant', 0.125),
    ('WorldInfo.contactProperties[0].coulombFriction[0]', 0.75),
    ('WorldInfo.contactProperties[0].coulombFriction', [0.75]),
    ('Robot.name', 'cart'), ('cart.name', 'cart'),
    ('LAMP.color', (1.0, 0.5, 0.25)), ('LAMP.castShadows', False),
    ('SLIDE.endPoint', 'Solid'), ('SLIDE.device', ['LinearMotor']), ('POLE.boundingObject', None),
    ('POLE.translation', (0.0, 0.0, 0.5)), ('POLE.translation.z', 0.5), ('LAMP.color.g', 0.5),
    ('cart/push.maxForce', 25.0), ('push.maxForce', 25.0), ('cart/pole.mass', 0.25),
])
def test_reads(cart, path, value):
    assert cart.fields[path] == value


def test_an_edit_acts_at_once(cart):
    twin = cart.clone()
    cart.step(3)
    twin.step(3)
    cart.fields['POLE.physics.mass'] = 1.5
    assert cart.fields['POLE.physics.mass'] == 1.5 and twin.fields['POLE.physics.mass'] == 0.25
    assert cart.step_count == 3
    for sim in (cart, twin):
        sim.joints['cart/push'].target_force = 2.0
        sim.step(50)
    assert cart.joints['push'].position != twin.joints['push'].position


@pytest.mark.parametrize('path, value', [
    ('CART.translation', (0.5, 0.25, 1.5)), ('CART.rotation', [0, 0, 1, 0.75]),
    ('WorldInfo.contactProperties[0].coulombFriction', [0.5]),
    ('WorldInfo.contactProperties[0].coulombFriction[0]', 0.5),
    ('CART.name', 'wagon'), ('LAMP.color', np.array([0.5, 0.5, 0.25])), ('LAMP.castShadows', True),
    ('SLIDE.device[0].maxForce', np.float64(12.5)),
    ('push.maxForce', 12.5), ('CART.translation.y', 0.75), ('WorldInfo.randomSeed', np.int64(5)),
])
def test_writes(cart, path, value):
    cart.fields[path] = value
    got = cart.fields[path]
    assert got == value if isinstance(got, str) else np.allclose(got, value)
    cart.step(2)


@pytest.mark.parametrize('path, value, error', [
    ('POLE.physics.mass', -2.0, servosim.EditError),
    ('POLE.physics.mass', math.nan, servosim.EditError),
    ('POLE.physics.mass', math.inf, servosim.EditError),
    ('POLE.physics.mass', 'heavy', TypeError), ('POLE.physics.mass', [1.0], TypeError),
    ('CART.translation', (1.0, 2.0), TypeError), ('CART.translation', 3.0, TypeError),
    ('CART.translation', (1.0, math.nan, 2.0), servosim.EditError),
    ('CART.rotation', (0, 0, 0, 1), servosim.EditError),
    ('CART.name', 5, TypeError), ('LAMP.color', (2, 0, 0), servosim.EditError),
    ('LAMP.castShadows', 1.5, TypeError), ('WorldInfo.randomSeed', 2**40, TypeError),
    ('WorldInfo.randomSeed', 0.5, TypeError),
    ('SLIDE.endPoint', None, servosim.EditError),
    ('WorldInfo.contactProperties[0].coulombFriction[7]', 0.5, servosim.EditError),
    ('WorldInfo.contactProperties[0].coulombFriction', 'ab', TypeError),
    ('WorldInfo.contactProperties[0].coulombFriction', 5, TypeError),
    ('CART.name[0]', 'a', servosim.EditError),
])
def test_bad_values_change_nothing(cart, path, value, error):
    before = cart.state_hash()
    with pytest.raises(error):
        cart.fields[path] = value
    assert cart.state_hash() == before and cart.fields['POLE.physics.mass'] == 0.25
    cart.step()


@pytest.mark.parametrize('path, text', [
    ('POLE.physics.mas', "did you mean 'mass'"), ('PLE.physics', "did you mean 'POLE'"),
    ('POLE', 'no field'), ('', 'no field'), ('.', 'no field'), ('POLE.', 'no field'),
    ('POLE..mass', 'no field'), ('CART.nobody.mass', 'no field'),
])
def test_unknown_names(cart, path, text):
    with pytest.raises(KeyError) as caught:
        cart.fields[path]
    assert text in str(caught.value)


@pytest.mark.parametrize('path', [
    'SLIDE.device.maxForce', 'SLIDE.device[9].maxForce', 'SLIDE.device[x].maxForce',
    'POLE.boundingObject.size', 'POLE.translation.x.x', 'SLIDE.device[0', 'SLIDE.device[]',
    'SLIDE.device[99999999999]', 'POLE.name[0]'])
def test_paths_that_lead_nowhere(cart, path):
    with pytest.raises(servosim.EditError):
        cart.fields[path]


def test_names(cart):
    assert {'mass', 'density', 'centerOfMass'} <= set(cart.fields.names('POLE.physics'))
    assert 'endPoint' in cart.fields.names('CART.SLIDE')


def test_arrays_survive_edits(cart):
    positions, poses = cart.joint_positions, cart.solid_poses
    cart.step(2)
    cart.fields['POLE.physics.mass'] = 0.75
    cart.joints['push'].target_force = 5.0
    cart.step(2)
    assert cart.joint_positions is positions and cart.solid_poses is poses
    assert positions[0] == cart.joints['push'].position != 0.0
    pole = cart.solids['cart/pole']
    assert pole.pose == pytest.approx(poses[pole.index])
