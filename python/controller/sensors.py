# SPDX-License-Identifier: Apache-2.0
"""Sensors of motion, place, distance, light and touch."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

import ctypes
from ctypes import POINTER, c_double
from typing import List

from .device import Device, WithLookupTable
from .wb import (TAG, Floats3, Floats4, Setting, Value, binds, call, declare, decoded,
                 numbers)

declare('wb_touch_sensor_get_values', POINTER(c_double), TAG)
declare('wb_gps_convert_to_degrees_minutes_seconds', ctypes.c_void_p, ctypes.c_double)
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]


@binds('wb_accelerometer_')
class Accelerometer(WithLookupTable, table='wb_accelerometer_get_lookup_table'):
    """A sensor of acceleration and gravity [m/s²]."""

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValues(self) -> Floats3:
        """x, y, z [m/s²] in the frame of the sensor, with gravity; NaN before the first sample."""

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""

    sampling_period = Setting(getSamplingPeriod, enable)
    values = Value(getValues)
    lookup_table_size = Value(getLookupTableSize)


@binds('wb_altimeter_')
class Altimeter(Device):
    """A sensor of height [m]."""

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValue(self) -> float:
        """The last height [m]; NaN before the first sample."""

    sampling_period = Setting(getSamplingPeriod, enable)
    value = Value(getValue)


@binds('wb_compass_')
class Compass(WithLookupTable, table='wb_compass_get_lookup_table'):
    """A sensor of the direction of north."""

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValues(self) -> Floats3:
        """The direction of north in the frame of the sensor; NaN before the first sample."""

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""

    sampling_period = Setting(getSamplingPeriod, enable)
    values = Value(getValues)
    lookup_table_size = Value(getLookupTableSize)


@binds('wb_gps_')
class GPS(Device):
    """A sensor of place and velocity."""

    LOCAL = LOCAL_COORDINATE = 0
    WGS84 = WGS84_COORDINATE = 1

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValues(self) -> Floats3:
        """x, y, z [m], or latitude, longitude [°], altitude [m]; NaN before the first sample."""

    def getSpeed(self) -> float:
        """The speed since the sample before [m/s]; NaN before the first sample."""

    def getSpeedVector(self) -> Floats3:
        """The velocity since the sample before [m/s], in the axes of the world."""

    def getCoordinateSystem(self) -> int:
        """LOCAL_COORDINATE or WGS84_COORDINATE."""

    @staticmethod
    def convertToDegreesMinutesSeconds(decimalDegrees: float) -> str:
        """An angle [°] as text, such as 46° 31′ 12″."""
        text = call('wb_gps_convert_to_degrees_minutes_seconds', float(decimalDegrees))
        if not text:
            return ''
        result = decoded(ctypes.string_at(text))
        _free(text)
        return result

    sampling_period = Setting(getSamplingPeriod, enable)
    values = Value(getValues)
    speed = Value(getSpeed)
    speed_vector = Value(getSpeedVector)
    coordinate_system = Value(getCoordinateSystem)


@binds('wb_gyro_')
class Gyro(WithLookupTable, table='wb_gyro_get_lookup_table'):
    """A sensor of angular velocity [rad/s]."""

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValues(self) -> Floats3:
        """x, y, z [rad/s] in the frame of the sensor; NaN before the first sample."""

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""

    sampling_period = Setting(getSamplingPeriod, enable)
    values = Value(getValues)
    lookup_table_size = Value(getLookupTableSize)


@binds('wb_inertial_unit_')
class InertialUnit(Device):
    """A sensor of the attitude in the world."""

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getRollPitchYaw(self) -> Floats3:
        """Roll, pitch and yaw in the world [rad]; NaN before the first sample."""

    def getQuaternion(self) -> Floats4:
        """The quaternion x, y, z, w of the attitude in the world; NaN before the first sample."""

    def getNoise(self) -> float:
        """The field noise [rad]."""

    sampling_period = Setting(getSamplingPeriod, enable)
    roll_pitch_yaw = Value(getRollPitchYaw)
    quaternion = Value(getQuaternion)
    noise = Value(getNoise)


@binds('wb_distance_sensor_')
class DistanceSensor(WithLookupTable, table='wb_distance_sensor_get_lookup_table'):
    """A sensor of the distance to what its rays hit."""

    GENERIC = 0
    INFRA_RED = 1
    SONAR = 2
    LASER = 3

    def getMaxRange(self) -> float:
        """The largest reading of the lookup table, by its name before R2018a."""
        return self.getMaxValue()

    def getMinRange(self) -> float:
        """The smallest reading of the lookup table, by its name before R2018a."""
        return self.getMinValue()

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValue(self) -> float:
        """The reading by the lookup table of the distance [m]; NaN before the first sample."""

    def getMaxValue(self) -> float:
        """The largest reading of the lookup table; infinity without a table."""

    def getMinValue(self) -> float:
        """The smallest reading of the lookup table; 0 without a table."""

    def getAperture(self) -> float:
        """The field aperture [rad]."""

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""

    def getType(self) -> int:
        """GENERIC, INFRA_RED, SONAR or LASER."""

    max_range = Value(getMaxRange)
    min_range = Value(getMinRange)
    sampling_period = Setting(getSamplingPeriod, enable)
    value = Value(getValue)
    max_value = Value(getMaxValue)
    min_value = Value(getMinValue)
    aperture = Value(getAperture)
    lookup_table_size = Value(getLookupTableSize)
    type = Value(getType)


@binds('wb_light_sensor_')
class LightSensor(WithLookupTable, table='wb_light_sensor_get_lookup_table'):
    """A sensor of the light along its x axis."""

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValue(self) -> float:
        """The reading by the lookup table of the irradiance [W/m²]; NaN before the first sample."""

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""

    sampling_period = Setting(getSamplingPeriod, enable)
    value = Value(getValue)
    lookup_table_size = Value(getLookupTableSize)


@binds('wb_touch_sensor_')
class TouchSensor(WithLookupTable, table='wb_touch_sensor_get_lookup_table'):
    """A sensor that feels touch, or a force [N]."""

    BUMPER = 0
    FORCE = 1
    FORCE3D = 2

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getValue(self) -> float:
        """Bumper: 1 if touched, else 0; other types: force [N]; NaN before the first sample."""

    def getValues(self) -> List[float]:
        """x, y, z in the frame of a force-3d sensor [N]; NaN before the first sample.

        A forceTorqueSensor of a joint has the torque [N·m] as three further values.
        """
        return numbers(call('wb_touch_sensor_get_values', self._tag),
                       6 if self.getModel() == 'force-torque' else 3)

    def getLookupTableSize(self) -> int:
        """The number of rows of the lookup table, 0 or more."""

    def getType(self) -> int:
        """BUMPER, FORCE or FORCE3D."""

    sampling_period = Setting(getSamplingPeriod, enable)
    value = Value(getValue)
    values = Value(getValues)
    lookup_table_size = Value(getLookupTableSize)
    type = Value(getType)
