# SPDX-License-Identifier: Apache-2.0
"""Devices that see or show pictures."""
# mypy: disable-error-code="empty-body"
from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_float, c_int, c_void_p
from typing import Any, List, Literal, Optional, Sequence, Union, overload

from .device import Device
from .wb import BYTES, FLOATS, TAG, Setting, Value, binds, call, decoded, declare, encoded

Colors = List[List[List[int]]]


class LidarPoint(Structure):
    """x, y and z in the frame of the lidar [m], layer_id and time [s]."""

    x: float
    y: float
    z: float
    layer_id: int
    time: float
    _fields_ = [('x', c_float), ('y', c_float), ('z', c_float), ('layer_id', c_int),
                ('time', c_float)]


class RadarTarget(Structure):
    """distance [m], received_power [dBm], speed [m/s] and azimuth [rad]."""

    distance: float
    received_power: float
    speed: float
    azimuth: float
    _fields_ = [('distance', c_double), ('received_power', c_double), ('speed', c_double),
                ('azimuth', c_double)]


class _RecognitionObject(Structure):
    _fields_ = [('id', c_int), ('position', c_double * 3), ('orientation', c_double * 4),
                ('size', c_double * 2), ('position_on_image', c_int * 2),
                ('size_on_image', c_int * 2), ('number_of_colors', c_int),
                ('colors', POINTER(c_double)), ('model', c_char_p)]


class CameraRecognitionObject:
    """A copy of what a camera has recognized."""

    def __init__(self, seen: Any) -> None:
        """A copy of an object of the library."""
        self.id: int = seen.id
        self.position: List[float] = list(seen.position)
        self.orientation: List[float] = list(seen.orientation)
        self.size: List[float] = list(seen.size)
        self.position_on_image: List[int] = list(seen.position_on_image)
        self.size_on_image: List[int] = list(seen.size_on_image)
        self.number_of_colors: int = seen.number_of_colors
        self.colors: List[float] = (
            seen.colors[:3 * seen.number_of_colors] if seen.colors else [])
        self.model = decoded(seen.model)

    def getId(self) -> int:
        """The number of the node."""
        return self.id

    def getPosition(self) -> List[float]:
        """x, y, z in the frame of the camera [m]."""
        return self.position

    def getOrientation(self) -> List[float]:
        """The axis and the angle [rad] in the frame of the camera."""
        return self.orientation

    def getSize(self) -> List[float]:
        """Its extents along x and y in the frame of the Camera [m], as in Webots."""
        return self.size

    def getPositionOnImage(self) -> List[int]:
        """x and y in the picture [pixels]."""
        return self.position_on_image

    def getSizeOnImage(self) -> List[int]:
        """Width and height in the picture [pixels]."""
        return self.size_on_image

    def getNumberOfColors(self) -> int:
        """The number of colors, 0 or more."""
        return self.number_of_colors

    def getColors(self) -> List[float]:
        """Red, green and blue, 0 to 1, of each color."""
        return self.colors

    def getModel(self) -> str:
        """The field model of the object."""
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


def _floats(pointer: Any, count: int, data_type: str) -> Any:
    """A list, or bytes for data_type 'buffer'; None without an image."""
    if not pointer:
        return None
    return ctypes.string_at(pointer, 4 * count) if data_type == 'buffer' else pointer[:count]


def _colors(image: bytes, width: int, height: int) -> Colors:
    """[x][y] is [red, green, blue], made without a loop over pixels: it costs what numpy costs."""
    columns = bytearray(3 * width * height)
    for part in range(3):
        plane = image[2 - part::4]
        columns[part::3] = b''.join([plane[x::width] for x in range(width)])
    lists: Any = memoryview(columns).cast('B', (width, height, 3))
    found: Colors = lists.tolist()
    return found


@binds('wb_camera_', names={
    'getRecognitionSamplingPeriod': 'wb_camera_recognition_get_sampling_period',
    'getRecognitionNumberOfObjects': 'wb_camera_recognition_get_number_of_objects',
    'hasRecognitionSegmentation': 'wb_camera_recognition_has_segmentation',
    'enableRecognitionSegmentation': 'wb_camera_recognition_enable_segmentation',
    'disableRecognitionSegmentation': 'wb_camera_recognition_disable_segmentation',
    'isRecognitionSegmentationEnabled': 'wb_camera_recognition_is_segmentation_enabled',
    'saveRecognitionSegmentationImage': 'wb_camera_recognition_save_segmentation_image',
})
class Camera(Device):
    """A camera."""

    BOTH, COLOR, RANGE_FINDER = map(ord, 'bcr')  # names before V8.4

    @overload
    def getRangeImage(self, data_type: Literal['list'] = 'list') -> Optional[List[float]]: ...

    @overload
    def getRangeImage(self, data_type: Literal['buffer']) -> Optional[bytes]: ...

    def getRangeImage(self, data_type: str = 'list') -> Any:
        """Distances [m] of a camera of type 'both' or 'range-finder', before V8.4; else None."""
        return _floats(call('wb_camera_get_range_image', self._tag),
                       self.getWidth() * self.getHeight(), data_type)

    @staticmethod
    def rangeImageGetDepth(image: Sequence[float], width: int, x: int, y: int) -> float:
        """The distance [m] at `x`, `y` of a list of getRangeImage()."""
        return image[y * width + x]

    def getImage(self) -> Optional[bytes]:
        """Four bytes a pixel, row by row: blue, green, red, alpha; None while disabled."""
        return self._bytes('wb_camera_get_image')

    def getImageArray(self) -> Optional[Colors]:
        """[x][y] is [red, green, blue], each 0 to 255; None while disabled."""
        return self._array(self.getImage())

    def _array(self, image: Optional[bytes]) -> Optional[Colors]:
        return None if image is None else _colors(image, self.getWidth(), self.getHeight())

    def getRecognitionSegmentationImage(self) -> Optional[bytes]:
        """Four bytes a pixel, row by row: blue, green, red, alpha; None while disabled."""
        return self._bytes('wb_camera_recognition_get_segmentation_image')

    def getRecognitionSegmentationImageArray(self) -> Optional[Colors]:
        """[x][y] is [red, green, blue], each 0 to 255; None while disabled."""
        return self._array(self.getRecognitionSegmentationImage())

    def _bytes(self, function: str) -> Optional[bytes]:
        pointer = call(function, self._tag)
        size = 4 * self.getWidth() * self.getHeight()
        return ctypes.string_at(pointer, size) if pointer else None

    def getRecognitionObjects(self) -> List[CameraRecognitionObject]:
        """A list of what it recognized in the last sample."""
        seen: Any = call('wb_camera_recognition_get_objects', self._tag)
        count = self.getRecognitionNumberOfObjects()
        return [CameraRecognitionObject(seen[i]) for i in range(count)] if seen else []

    @staticmethod
    def imageGetRed(image: bytes, width: int, x: int, y: int) -> int:
        """The red, 0 to 255, at `x`, `y` of a picture of getImage()."""
        return image[4 * (y * width + x) + 2]

    @staticmethod
    def imageGetGreen(image: bytes, width: int, x: int, y: int) -> int:
        """The green, 0 to 255, at `x`, `y` of a picture of getImage()."""
        return image[4 * (y * width + x) + 1]

    @staticmethod
    def imageGetBlue(image: bytes, width: int, x: int, y: int) -> int:
        """The blue, 0 to 255, at `x`, `y` of a picture of getImage()."""
        return image[4 * (y * width + x)]

    @staticmethod
    def imageGetGray(image: bytes, width: int, x: int, y: int) -> int:
        """The brightness, 0 to 255, at `x`, `y` of a picture of getImage()."""
        begin = 4 * (y * width + x)
        return sum(image[begin:begin + 3]) // 3

    imageGetGrey = imageGetGray

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getWidth(self) -> int:
        """The field width [pixels]."""

    def getHeight(self) -> int:
        """The field height [pixels]."""

    def getFov(self) -> float:
        """The horizontal field of view [rad]."""

    def getMaxFov(self) -> float:
        """The widest field of view of the Zoom node [rad]; without one, the present one."""

    def getMinFov(self) -> float:
        """The narrowest field of view of the Zoom node [rad]; without one, the present one."""

    def setFov(self, fov: float) -> None:
        """Sets the field of view [rad], getMinFov() to getMaxFov()."""

    def getExposure(self) -> float:
        """The exposure [J/m²], 0 or more."""

    def setExposure(self, exposure: float) -> None:
        """Sets the exposure [J/m²], 0 or more."""

    def getFocalLength(self) -> float:
        """The focal length of the Focus node [m]; 0 without one."""

    def getFocalDistance(self) -> float:
        """The focal distance of the Focus node [m]; 0 without one."""

    def getMaxFocalDistance(self) -> float:
        """The largest focal distance of the Focus node [m]; 0 without one."""

    def getMinFocalDistance(self) -> float:
        """The smallest focal distance of the Focus node [m]; 0 without one."""

    def setFocalDistance(self, focalDistance: float) -> None:
        """Sets the focal distance [m], getMinFocalDistance() to getMaxFocalDistance()."""

    def getNear(self) -> float:
        """The field near [m]."""

    def saveImage(self, filename: str, quality: int) -> int:
        """Writes the picture to a .png or .jpg file, quality 1 to 100: 0; -1 after a message."""

    def getType(self) -> int:
        """COLOR, RANGE_FINDER or BOTH, as before V8.4."""

    def getMaxRange(self) -> float:
        """The field maxRange [m], as before V8.4."""

    def hasRecognition(self) -> bool:
        """Whether the camera has a Recognition node."""

    def recognitionEnable(self, samplingPeriod: int) -> None:
        """Recognizes every `samplingPeriod` ms, 0 or more; 0 stops."""

    def recognitionDisable(self) -> None:
        """Stops recognizing."""

    def getRecognitionSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getRecognitionNumberOfObjects(self) -> int:
        """The number of objects that were recognized in the last sample."""

    def hasRecognitionSegmentation(self) -> bool:
        """The field segmentation of the Recognition node."""

    def enableRecognitionSegmentation(self) -> None:
        """Makes segmented pictures from now on."""

    def disableRecognitionSegmentation(self) -> None:
        """Stops making segmented pictures."""

    def isRecognitionSegmentationEnabled(self) -> bool:
        """Whether segmented pictures are made."""

    def saveRecognitionSegmentationImage(self, filename: str, quality: int) -> int:
        """Writes the segmented picture to a .png or .jpg file: 0; -1 after a message."""

    range_image = Value(getRangeImage)
    image = Value(getImage)
    image_array = Value(getImageArray)
    recognition_segmentation_image = Value(getRecognitionSegmentationImage)
    recognition_segmentation_image_array = Value(getRecognitionSegmentationImageArray)
    recognition_objects = Value(getRecognitionObjects)
    sampling_period = Setting(getSamplingPeriod, enable)
    width = Value(getWidth)
    height = Value(getHeight)
    fov = Setting(getFov, setFov)
    max_fov = Value(getMaxFov)
    min_fov = Value(getMinFov)
    exposure = Setting(getExposure, setExposure)
    focal_length = Value(getFocalLength)
    focal_distance = Setting(getFocalDistance, setFocalDistance)
    max_focal_distance = Value(getMaxFocalDistance)
    min_focal_distance = Value(getMinFocalDistance)
    near = Value(getNear)
    type = Value(getType)
    max_range = Value(getMaxRange)
    has_recognition = Value(hasRecognition)
    recognition_sampling_period = Setting(getRecognitionSamplingPeriod, recognitionEnable)
    recognition_number_of_objects = Value(getRecognitionNumberOfObjects)
    has_recognition_segmentation = Value(hasRecognitionSegmentation)
    is_recognition_segmentation_enabled = Value(isRecognitionSegmentationEnabled)


@binds('wb_range_finder_')
class RangeFinder(Device):
    """A range finder."""

    @overload
    def getRangeImage(self, data_type: Literal['list'] = 'list') -> Optional[List[float]]: ...

    @overload
    def getRangeImage(self, data_type: Literal['buffer']) -> Optional[bytes]: ...

    def getRangeImage(self, data_type: str = 'list') -> Any:
        """Distances [m], row by row; bytes for 'buffer'; None before a step."""
        count = self.getWidth() * self.getHeight()
        return _floats(call('wb_range_finder_get_range_image', self._tag), count, data_type)

    def getRangeImageArray(self) -> Optional[List[List[float]]]:
        """[x][y] is a distance [m]; None before a step."""
        image, width = self.getRangeImage(), self.getWidth()
        return None if image is None else [image[x::width] for x in range(width)]

    @staticmethod
    def rangeImageGetDepth(image: Sequence[float], width: int, x: int, y: int) -> float:
        """The distance [m] at `x`, `y` of a list of getRangeImage()."""
        return image[y * width + x]

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getWidth(self) -> int:
        """The field width [pixels]."""

    def getHeight(self) -> int:
        """The field height [pixels]."""

    def getFov(self) -> float:
        """The field fieldOfView [rad]."""

    def getMinRange(self) -> float:
        """The field minRange [m]."""

    def getMaxRange(self) -> float:
        """The field maxRange [m]."""

    def saveImage(self, filename: str, quality: int) -> int:
        """Writes the distances to a .png, .jpg or .hdr file: 0; -1 after a message."""

    range_image = Value(getRangeImage)
    range_image_array = Value(getRangeImageArray)
    sampling_period = Setting(getSamplingPeriod, enable)
    width = Value(getWidth)
    height = Value(getHeight)
    fov = Value(getFov)
    min_range = Value(getMinRange)
    max_range = Value(getMaxRange)


@binds('wb_lidar_')
class Lidar(Device):
    """A lidar."""

    @overload
    def getRangeImage(self, data_type: Literal['list'] = 'list') -> Optional[List[float]]: ...

    @overload
    def getRangeImage(self, data_type: Literal['buffer']) -> Optional[bytes]: ...

    def getRangeImage(self, data_type: str = 'list') -> Any:
        """Distances [m], layer by layer; bytes for 'buffer'; None before a step."""
        count = self.getHorizontalResolution() * self.getNumberOfLayers()
        return _floats(call('wb_lidar_get_range_image', self._tag), count, data_type)

    def getRangeImageArray(self) -> Optional[List[List[float]]]:
        """[x][layer] is a distance [m]; None before a step."""
        image, width = self.getRangeImage(), self.getHorizontalResolution()
        return None if image is None else [image[x::width] for x in range(width)]

    @overload
    def getLayerRangeImage(self, layer: int,
                           data_type: Literal['list'] = 'list') -> Optional[List[float]]: ...

    @overload
    def getLayerRangeImage(self, layer: int, data_type: Literal['buffer']) -> Optional[bytes]: ...

    def getLayerRangeImage(self, layer: int, data_type: str = 'list') -> Any:
        """Distances [m] of a layer, from 0; bytes for 'buffer'; None before a step."""
        pointer = call('wb_lidar_get_layer_range_image', self._tag, int(layer))
        return _floats(pointer, self.getHorizontalResolution(), data_type)

    @overload
    def getPointCloud(self, data_type: Literal['list'] = 'list') -> List[LidarPoint]: ...

    @overload
    def getPointCloud(self, data_type: Literal['buffer']) -> Optional[bytes]: ...

    def getPointCloud(self, data_type: str = 'list') -> Any:
        """All points, layer by layer; none before a sample; for 'buffer' bytes, or None."""
        pointer = call('wb_lidar_get_point_cloud', self._tag)
        count = self.getHorizontalResolution() * self.getNumberOfLayers()
        return _points(pointer, count, data_type)

    @overload
    def getLayerPointCloud(self, layer: int,
                           data_type: Literal['list'] = 'list') -> List[LidarPoint]: ...

    @overload
    def getLayerPointCloud(self, layer: int, data_type: Literal['buffer']) -> Optional[bytes]: ...

    def getLayerPointCloud(self, layer: int, data_type: str = 'list') -> Any:
        """The points of a layer, from 0; none before a sample; for 'buffer' bytes, or None."""
        pointer = call('wb_lidar_get_layer_point_cloud', self._tag, int(layer))
        return _points(pointer, self.getHorizontalResolution(), data_type)

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def enablePointCloud(self) -> None:
        """Makes point clouds from now on."""

    def disablePointCloud(self) -> None:
        """Stops making point clouds."""

    def isPointCloudEnabled(self) -> bool:
        """Whether point clouds are made."""

    def getNumberOfPoints(self) -> int:
        """The number of points of a point cloud."""

    def getHorizontalResolution(self) -> int:
        """The field horizontalResolution [pixels]."""

    def getNumberOfLayers(self) -> int:
        """The field numberOfLayers."""

    def getMinFrequency(self) -> float:
        """The field minFrequency [Hz]."""

    def getMaxFrequency(self) -> float:
        """The field maxFrequency [Hz]."""

    def getFrequency(self) -> float:
        """The frequency that was set last [Hz]."""

    def setFrequency(self, frequency: float) -> None:
        """Sets the frequency [Hz], getMinFrequency() to getMaxFrequency()."""

    def getFov(self) -> float:
        """The field fieldOfView [rad]."""

    def getVerticalFov(self) -> float:
        """The vertical field of view [rad]."""

    def getMinRange(self) -> float:
        """The field minRange [m]."""

    def getMaxRange(self) -> float:
        """The field maxRange [m]."""

    range_image = Value(getRangeImage)
    range_image_array = Value(getRangeImageArray)
    point_cloud = Value(getPointCloud)
    sampling_period = Setting(getSamplingPeriod, enable)
    is_point_cloud_enabled = Value(isPointCloudEnabled)
    number_of_points = Value(getNumberOfPoints)
    horizontal_resolution = Value(getHorizontalResolution)
    number_of_layers = Value(getNumberOfLayers)
    min_frequency = Value(getMinFrequency)
    max_frequency = Value(getMaxFrequency)
    frequency = Setting(getFrequency, setFrequency)
    fov = Value(getFov)
    vertical_fov = Value(getVerticalFov)
    min_range = Value(getMinRange)
    max_range = Value(getMaxRange)


def _points(pointer: Any, count: int, data_type: str) -> Any:
    if not pointer:
        return None if data_type == 'buffer' else []
    if data_type == 'buffer':
        return ctypes.string_at(pointer, ctypes.sizeof(LidarPoint) * count)
    return pointer[:count]


@binds('wb_radar_')
class Radar(Device):
    """A radar."""

    def getTargets(self) -> List[RadarTarget]:
        """A list of what it has found in the last sample."""
        targets: Any = call('wb_radar_get_targets', self._tag)
        found: List[RadarTarget] = targets[:self.getNumberOfTargets()] if targets else []
        return found

    def enable(self, samplingPeriod: int) -> None:
        """Measures every `samplingPeriod` ms, 0 or more; 0 stops."""

    def disable(self) -> None:
        """Stops measuring."""

    def getSamplingPeriod(self) -> int:
        """The requested period [ms]; 0 while disabled."""

    def getNumberOfTargets(self) -> int:
        """How many targets the last sample has."""

    def getMinRange(self) -> float:
        """The field minRange [m]."""

    def getMaxRange(self) -> float:
        """The field maxRange [m]."""

    def getHorizontalFov(self) -> float:
        """The field horizontalFieldOfView [rad]."""

    def getVerticalFov(self) -> float:
        """The field verticalFieldOfView [rad]."""

    targets = Value(getTargets)
    sampling_period = Setting(getSamplingPeriod, enable)
    number_of_targets = Value(getNumberOfTargets)
    min_range = Value(getMinRange)
    max_range = Value(getMaxRange)
    horizontal_fov = Value(getHorizontalFov)
    vertical_fov = Value(getVerticalFov)


class ImageRef:
    """A picture in the memory of a Display."""

    def __init__(self, ref: int) -> None:
        """Only functions of Display make it."""
        self._ref = ref


def _image(ref: Optional[int]) -> Optional[ImageRef]:
    return ImageRef(ref) if ref else None


def _integers(values: Sequence[int]) -> Any:
    return (c_int * len(values))(*values)


@binds('wb_display_')
class Display(Device):
    """A display, which cameras and infra-red distance sensors see."""

    RGB = 3
    RGBA = 4
    ARGB = 5
    BGRA = 6
    ABGR = 7

    def attachCamera(self, camera: Camera) -> None:
        """Shows the picture of a camera from now on."""
        call('wb_display_attach_camera', self._tag, camera._tag)

    def drawPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draws the outline of a polygon [pixels]."""
        call('wb_display_draw_polygon', self._tag, _integers(x), _integers(y), min(len(x), len(y)))

    def fillPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Fills a polygon [pixels]."""
        call('wb_display_fill_polygon', self._tag, _integers(x), _integers(y), min(len(x), len(y)))

    def imageNew(self, data: Union[bytes, Colors], format: int, width: Optional[int] = None,
                 height: Optional[int] = None) -> Optional[ImageRef]:
        """A picture from bytes with a size [pixels], or from a list [x][y] of pixels; RGB to ABGR.
        """
        if isinstance(data, list):
            width, height = len(data), len(data[0])
            data = bytes(part for y in range(height) for x in range(width) for part in data[x][y])
        if width is None or height is None:
            raise TypeError('a picture of bytes needs a width and a height')
        if width * height * (3 if format == self.RGB else 4) > len(data):
            raise ValueError(f'a picture of {width} times {height} pixels has more than '
                             f'{len(data)} bytes')
        return _image(call('wb_display_image_new', self._tag, width, height, data, format))

    def imageLoad(self, filename: str) -> Optional[ImageRef]:
        """The picture of a file; None, and a message, without one."""
        return _image(call('wb_display_image_load', self._tag, encoded(filename)))

    def imageCopy(self, x: int, y: int, width: int, height: int) -> Optional[ImageRef]:
        """A copy of a part of the display [pixels]; None, and a message, for a bad part."""
        return _image(call('wb_display_image_copy', self._tag, x, y, width, height))

    def imagePaste(self, ir: Optional[ImageRef], x: int, y: int, blend: bool = False) -> None:
        """Puts a picture at `x`, `y` [pixels]."""
        call('wb_display_image_paste', self._tag, ir and ir._ref, x, y, blend)

    def imageSave(self, ir: Optional[ImageRef], filename: str) -> None:
        """Writes a picture to a .png or .jpg file; None: what the display shows."""
        call('wb_display_image_save', self._tag, ir and ir._ref, encoded(filename))

    def imageDelete(self, ir: Optional[ImageRef]) -> None:
        """Deletes a picture."""
        call('wb_display_image_delete', self._tag, ir and ir._ref)

    def getWidth(self) -> int:
        """The field width [pixels]."""

    def getHeight(self) -> int:
        """The field height [pixels]."""

    def setColor(self, color: int) -> None:
        """Sets the color 0xRRGGBB of what is drawn next."""

    def setAlpha(self, alpha: float) -> None:
        """Sets the alpha, 0 to 1, of what is drawn next."""

    def setOpacity(self, opacity: float) -> None:
        """Sets the opacity, 0 to 1, of what is drawn next."""

    def setFont(self, font: str, size: int, antiAliasing: bool) -> None:
        """Sets the font and its size [pixels] of what is written next."""

    def detachCamera(self) -> None:
        """Ends what attachCamera() began."""

    def drawPixel(self, x: int, y: int) -> None:
        """Draws a pixel at `x`, `y` [pixels]."""

    def drawLine(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draws a line from `x1`, `y1` to `x2`, `y2` [pixels]."""

    def drawRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws the outline of a rectangle of 1 pixel or more."""

    def drawOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws the outline of an oval with radii `a` and `b` of 1 pixel or more."""

    def drawText(self, text: str, x: int, y: int) -> None:
        """Writes a text at `x`, `y` [pixels]."""

    def fillRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Fills a rectangle of 1 pixel or more."""

    def fillOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Fills an oval with radii `a` and `b` of 1 pixel or more."""

    width = Value(getWidth)
    height = Value(getHeight)
