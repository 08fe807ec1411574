# SPDX-License-Identifier: Apache-2.0
"""Devices that see or show pictures. Sizes and settings work; all is black, or infinitely far."""
import ctypes
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_void_p

from .device import Device
from .wb import BYTES, FLOATS, TAG, binds, call, decoded, declare, encoded


class LidarPoint(Structure):
    """x, y and z in the frame of the lidar [m], layer_id and time [s]."""

    _fields_ = [('x', c_float), ('y', c_float), ('z', c_float), ('layer_id', c_int),
                ('time', c_float)]


class RadarTarget(Structure):
    """distance [m], received_power [dBm], speed [m/s] and azimuth [rad]."""

    _fields_ = [('distance', c_double), ('received_power', c_double), ('speed', c_double),
                ('azimuth', c_double)]


class _RecognitionObject(Structure):
    _fields_ = [('id', c_int), ('position', c_double * 3), ('orientation', c_double * 4),
                ('size', c_double * 2), ('position_on_image', c_int * 2),
                ('size_on_image', c_int * 2), ('number_of_colors', c_int),
                ('colors', POINTER(c_double)), ('model', c_char_p)]


class CameraRecognitionObject:
    """What a camera recognised, copied."""

    def __init__(self, seen):
        self.id = seen.id
        for name in ('position', 'orientation', 'size', 'position_on_image', 'size_on_image'):
            setattr(self, name, list(getattr(seen, name)))
        self.number_of_colors = seen.number_of_colors
        self.colors = seen.colors[:3 * seen.number_of_colors] if seen.colors else []
        self.model = decoded(seen.model)

    def getId(self):
        return self.id

    def getPosition(self):
        return self.position

    def getOrientation(self):
        return self.orientation

    def getSize(self):
        return self.size

    def getPositionOnImage(self):
        return self.position_on_image

    def getSizeOnImage(self):
        return self.size_on_image

    def getNumberOfColors(self):
        return self.number_of_colors

    def getColors(self):
        return self.colors

    def getModel(self):
        return self.model


for _name in ('wb_camera_get_image', 'wb_camera_recognition_get_segmentation_image'):
    declare(_name, BYTES, TAG)
declare('wb_camera_recognition_get_objects', POINTER(_RecognitionObject), TAG)
declare('wb_camera_get_range_image', FLOATS, TAG)
declare('wb_range_finder_get_range_image', FLOATS, TAG)
declare('wb_lidar_get_range_image', FLOATS, TAG)
declare('wb_lidar_get_layer_range_image', FLOATS, TAG, c_int)
declare('wb_lidar_get_point_cloud', POINTER(LidarPoint), TAG)
declare('wb_lidar_get_layer_point_cloud', POINTER(LidarPoint), TAG, c_int)
declare('wb_radar_get_targets', POINTER(RadarTarget), TAG)
declare('wb_display_attach_camera', None, TAG, TAG)
for _name in ('wb_display_draw_polygon', 'wb_display_fill_polygon'):
    declare(_name, None, TAG, POINTER(c_int), POINTER(c_int), c_int)
declare('wb_display_image_new', c_void_p, TAG, c_int, c_int, c_char_p, c_int)
declare('wb_display_image_load', c_void_p, TAG, c_char_p)
declare('wb_display_image_copy', c_void_p, TAG, c_int, c_int, c_int, c_int)
declare('wb_display_image_paste', None, TAG, c_void_p, c_int, c_int, c_bool)
declare('wb_display_image_save', None, TAG, c_void_p, c_char_p)
declare('wb_display_image_delete', None, TAG, c_void_p)


def _floats(pointer, count, data_type):
    """A list, or bytes for data_type 'buffer'; None without an image."""
    if not pointer:
        return None
    return ctypes.string_at(pointer, 4 * count) if data_type == 'buffer' else pointer[:count]


@binds('wb_camera_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    int getWidth()
    int getHeight()
    double getFov()
    double getMaxFov()
    double getMinFov()
    void setFov(double fov)
    double getExposure()
    void setExposure(double exposure)
    double getFocalLength()
    double getFocalDistance()
    double getMaxFocalDistance()
    double getMinFocalDistance()
    void setFocalDistance(double focalDistance)
    double getNear()
    int saveImage(string filename, int quality)
    int getType()
    double getMaxRange()
    bool hasRecognition()
    void recognitionEnable(int samplingPeriod)
    void recognitionDisable()
    int getRecognitionSamplingPeriod() =wb_camera_recognition_get_sampling_period
    int getRecognitionNumberOfObjects() =wb_camera_recognition_get_number_of_objects
    bool hasRecognitionSegmentation() =wb_camera_recognition_has_segmentation
    void enableRecognitionSegmentation() =wb_camera_recognition_enable_segmentation
    void disableRecognitionSegmentation() =wb_camera_recognition_disable_segmentation
    bool isRecognitionSegmentationEnabled() =wb_camera_recognition_is_segmentation_enabled
    int saveRecognitionSegmentationImage(string filename, int quality)
        =wb_camera_recognition_save_segmentation_image
''')
class Camera(Device):
    BOTH, COLOR, RANGE_FINDER = map(ord, 'bcr')  # before V8.4

    def getRangeImage(self, data_type='list'):
        """Of a camera that is a range finder, before V8.4."""
        return _floats(call('wb_camera_get_range_image', self._tag),
                       self.getWidth() * self.getHeight(), data_type)

    @staticmethod
    def rangeImageGetDepth(image, width, x, y):
        return image[y * width + x]

    def getImage(self):
        """Four bytes for each pixel, row by row: blue, green, red, alpha."""
        return self._bytes('wb_camera_get_image')

    def getImageArray(self):
        """[x][y] is [red, green, blue]."""
        return self._array(self.getImage())

    def _array(self, image):
        width = self.getWidth()
        return image and [[[self.imageGetRed(image, width, x, y),
                            self.imageGetGreen(image, width, x, y),
                            self.imageGetBlue(image, width, x, y)]
                           for y in range(self.getHeight())] for x in range(width)]

    def getRecognitionSegmentationImage(self):
        return self._bytes('wb_camera_recognition_get_segmentation_image')

    def getRecognitionSegmentationImageArray(self):
        """[x][y] is [red, green, blue]."""
        return self._array(self.getRecognitionSegmentationImage())

    def _bytes(self, function):
        pointer = call(function, self._tag)
        size = 4 * self.getWidth() * self.getHeight()
        return ctypes.string_at(pointer, size) if pointer else None

    def getRecognitionObjects(self):
        seen = call('wb_camera_recognition_get_objects', self._tag)
        count = self.getRecognitionNumberOfObjects()
        return [CameraRecognitionObject(seen[i]) for i in range(count)] if seen else []

    @staticmethod
    def imageGetRed(image, width, x, y):
        return image[4 * (y * width + x) + 2]

    @staticmethod
    def imageGetGreen(image, width, x, y):
        return image[4 * (y * width + x) + 1]

    @staticmethod
    def imageGetBlue(image, width, x, y):
        return image[4 * (y * width + x)]

    @staticmethod
    def imageGetGray(image, width, x, y):
        begin = 4 * (y * width + x)
        return sum(image[begin:begin + 3]) // 3

    imageGetGrey = imageGetGray


@binds('wb_range_finder_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    int getWidth()
    int getHeight()
    double getFov()
    double getMinRange()
    double getMaxRange()
    int saveImage(string filename, int quality)
''')
class RangeFinder(Device):
    def getRangeImage(self, data_type='list'):
        """Distances [m], row by row."""
        count = self.getWidth() * self.getHeight()
        return _floats(call('wb_range_finder_get_range_image', self._tag), count, data_type)

    def getRangeImageArray(self):
        """[x][y] is a distance [m]."""
        image, width = self.getRangeImage(), self.getWidth()
        return image and [image[x::width] for x in range(width)]

    @staticmethod
    def rangeImageGetDepth(image, width, x, y):
        return image[y * width + x]


@binds('wb_lidar_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    void enablePointCloud()
    void disablePointCloud()
    bool isPointCloudEnabled()
    int getNumberOfPoints()
    int getHorizontalResolution()
    int getNumberOfLayers()
    double getMinFrequency()
    double getMaxFrequency()
    double getFrequency()
    void setFrequency(double frequency)
    double getFov()
    double getVerticalFov()
    double getMinRange()
    double getMaxRange()
''')
class Lidar(Device):
    def getRangeImage(self, data_type='list'):
        """Distances [m], layer by layer."""
        count = self.getHorizontalResolution() * self.getNumberOfLayers()
        return _floats(call('wb_lidar_get_range_image', self._tag), count, data_type)

    def getRangeImageArray(self):
        image, width = self.getRangeImage(), self.getHorizontalResolution()
        return image and [image[x::width] for x in range(width)]

    def getLayerRangeImage(self, layer, data_type='list'):
        pointer = call('wb_lidar_get_layer_range_image', self._tag, int(layer))
        return _floats(pointer, self.getHorizontalResolution(), data_type)

    def getPointCloud(self, data_type='list'):
        pointer = call('wb_lidar_get_point_cloud', self._tag)
        return _points(pointer, self.getNumberOfPoints(), data_type)

    def getLayerPointCloud(self, layer, data_type='list'):
        pointer = call('wb_lidar_get_layer_point_cloud', self._tag, int(layer))
        return _points(pointer, self.getHorizontalResolution(), data_type)


def _points(pointer, count, data_type):
    if not pointer:
        return None
    if data_type == 'buffer':
        return ctypes.string_at(pointer, ctypes.sizeof(LidarPoint) * count)
    return pointer[:count]


@binds('wb_radar_', '''
    void enable(int samplingPeriod)
    void disable()
    int getSamplingPeriod()
    int getNumberOfTargets()
    double getMinRange()
    double getMaxRange()
    double getHorizontalFov()
    double getVerticalFov()
''')
class Radar(Device):
    def getTargets(self):
        targets = call('wb_radar_get_targets', self._tag)
        return targets[:self.getNumberOfTargets()] if targets else []


class ImageRef:
    """A picture in the memory of a Display."""

    def __init__(self, ref):
        self._ref = ref


def _image(ref):
    return ImageRef(ref) if ref else None


def _integers(values):
    return (c_int * len(values))(*values)


@binds('wb_display_', '''
    int getWidth()
    int getHeight()
    void setColor(int color)
    void setAlpha(double alpha)
    void setOpacity(double opacity)
    void setFont(string font, int size, bool antiAliasing)
    void detachCamera()
    void drawPixel(int x, int y)
    void drawLine(int x1, int y1, int x2, int y2)
    void drawRectangle(int x, int y, int width, int height)
    void drawOval(int cx, int cy, int a, int b)
    void drawText(string text, int x, int y)
    void fillRectangle(int x, int y, int width, int height)
    void fillOval(int cx, int cy, int a, int b)
''')
class Display(Device):
    RGB = 3
    RGBA = 4
    ARGB = 5
    BGRA = 6
    ABGR = 7

    def attachCamera(self, camera):
        call('wb_display_attach_camera', self._tag, camera._tag)

    def drawPolygon(self, x, y):
        call('wb_display_draw_polygon', self._tag, _integers(x), _integers(y), min(len(x), len(y)))

    def fillPolygon(self, x, y):
        call('wb_display_fill_polygon', self._tag, _integers(x), _integers(y), min(len(x), len(y)))

    def imageNew(self, data, format, width=None, height=None):
        """`data` is bytes, or a list [x][y] of pixels."""
        if isinstance(data, list):
            width, height = len(data), len(data[0])
            data = bytes(part for y in range(height) for x in range(width) for part in data[x][y])
        if width * height * (3 if format == self.RGB else 4) > len(data):
            raise ValueError(f'a picture of {width} times {height} pixels has more than '
                             f'{len(data)} bytes')
        return _image(call('wb_display_image_new', self._tag, width, height, data, format))

    def imageLoad(self, filename):
        return _image(call('wb_display_image_load', self._tag, encoded(filename)))

    def imageCopy(self, x, y, width, height):
        return _image(call('wb_display_image_copy', self._tag, x, y, width, height))

    def imagePaste(self, ir, x, y, blend=False):
        call('wb_display_image_paste', self._tag, ir and ir._ref, x, y, blend)

    def imageSave(self, ir, filename):
        call('wb_display_image_save', self._tag, ir and ir._ref, encoded(filename))

    def imageDelete(self, ir):
        call('wb_display_image_delete', self._tag, ir and ir._ref)
