# SPDX-License-Identifier: Apache-2.0
"""Sensors of motion, place, distance, light and touch."""
from .device import Device, WithLookupTable
from .wb import binds


@binds('wb_accelerometer_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double[3] getValues()
    int getLookupTableSize()
''')
class Accelerometer(Device, WithLookupTable, table='wb_accelerometer_get_lookup_table'):
    pass


@binds('wb_altimeter_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double getValue()
''')
class Altimeter(Device):
    pass


@binds('wb_compass_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double[3] getValues()
    int getLookupTableSize()
''')
class Compass(Device, WithLookupTable, table='wb_compass_get_lookup_table'):
    pass


@binds('wb_gps_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double[3] getValues()
    double getSpeed()
    double[3] getSpeedVector()
    int getCoordinateSystem()
    static string convertToDegreesMinutesSeconds(double decimalDegrees)
''')
class GPS(Device):
    LOCAL = LOCAL_COORDINATE = 0
    WGS84_COORDINATE = 1
    WGS84 = 1


@binds('wb_gyro_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double[3] getValues()
    int getLookupTableSize()
''')
class Gyro(Device, WithLookupTable, table='wb_gyro_get_lookup_table'):
    pass


@binds('wb_inertial_unit_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double[3] getRollPitchYaw()
    double[4] getQuaternion()
    double getNoise()
''')
class InertialUnit(Device):
    pass


@binds('wb_distance_sensor_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double getValue()
    double getMaxValue()
    double getMinValue()
    double getAperture()
    int getLookupTableSize()
    int getType()
''')
class DistanceSensor(Device, WithLookupTable, table='wb_distance_sensor_get_lookup_table'):
    GENERIC = 0
    INFRA_RED = 1
    SONAR = 2
    LASER = 3

    def getMaxRange(self):  # its name before R2018a
        return self.getMaxValue()

    def getMinRange(self):
        return self.getMinValue()


@binds('wb_light_sensor_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double getValue()
    int getLookupTableSize()
''')
class LightSensor(Device, WithLookupTable, table='wb_light_sensor_get_lookup_table'):
    pass


@binds('wb_touch_sensor_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    double getValue()
    double[3] getValues()
    int getLookupTableSize()
    int getType()
''')
class TouchSensor(Device, WithLookupTable, table='wb_touch_sensor_get_lookup_table'):
    BUMPER = 0
    FORCE = 1
    FORCE3D = 2
