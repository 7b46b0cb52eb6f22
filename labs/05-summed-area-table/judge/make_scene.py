# SPDX-License-Identifier: MIT
"""Draws the scene of rung 06: spheres on a chequered floor, and how near each pixel is.

    python3 make_scene.py        writes scene.bin here, the same bytes on every machine

scene.bin: the line "lockstep-scene WIDTH HEIGHT", then WIDTH * HEIGHT colours of 16 bits, the
lower byte first (5 bits red, 6 green, 5 blue), then WIDTH * HEIGHT bytes of nearness.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 384, 240
SAMPLES = 3  # a side, of each pixel's colour
NEAREST = 1.5  # the distance whose nearness is 255
PITCH = 0.12  # the camera looks down by this slope
CAMERA_HEIGHT = 1.0
FIELD = 0.62  # half the picture's width at distance 1

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Sphere:
    centre: Vector
    radius: float
    colour: Vector


SPHERES = (
    Sphere((-0.72, 0.34, 1.9), 0.34, (0.86, 0.22, 0.18)),
    Sphere((0.46, 0.26, 2.5), 0.26, (0.95, 0.66, 0.14)),
    Sphere((-0.28, 0.40, 3.4), 0.40, (0.20, 0.58, 0.30)),
    Sphere((1.25, 0.50, 4.4), 0.50, (0.16, 0.46, 0.80)),
    Sphere((-1.75, 0.60, 5.6), 0.60, (0.60, 0.34, 0.72)),
    Sphere((0.55, 0.55, 7.5), 0.55, (0.90, 0.88, 0.82)),
    Sphere((3.10, 0.80, 9.0), 0.80, (0.90, 0.36, 0.46)),
    Sphere((-3.60, 1.00, 12.0), 1.00, (0.25, 0.68, 0.70)),
    Sphere((1.80, 1.20, 17.0), 1.20, (0.93, 0.78, 0.36)),
)


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def along(origin: Vector, direction: Vector, distance: float) -> Vector:
    return (
        origin[0] + distance * direction[0],
        origin[1] + distance * direction[1],
        origin[2] + distance * direction[2],
    )


def unit(vector: Vector) -> Vector:
    length = math.sqrt(dot(vector, vector))
    return (vector[0] / length, vector[1] / length, vector[2] / length)


CAMERA: Vector = (0.0, CAMERA_HEIGHT, 0.0)
LIGHT = unit((-0.55, 0.9, -0.45))


def meets(origin: Vector, direction: Vector, sphere: Sphere) -> float:
    """The distance at which a ray of unit direction enters the sphere; infinity if it does not."""
    offset = along(origin, sphere.centre, -1.0)
    half = dot(offset, direction)
    inside = half * half - dot(offset, offset) + sphere.radius * sphere.radius
    if inside < 0:
        return math.inf
    distance = -half - math.sqrt(inside)
    return distance if distance > 1e-6 else math.inf


def is_lit(point: Vector) -> bool:
    return all(meets(point, LIGHT, sphere) == math.inf for sphere in SPHERES)


def sky(direction: Vector) -> Vector:
    height = max(0.0, min(1.0, 2.2 * direction[1]))
    return (0.93 - 0.55 * height, 0.90 - 0.38 * height, 0.86 - 0.08 * height)


def floor_colour(point: Vector, distance: float) -> Vector:
    light_square = (math.floor(point[0] * 1.6) + math.floor(point[2] * 1.6)) % 2 == 0
    base: Vector = (0.88, 0.86, 0.80) if light_square else (0.30, 0.32, 0.38)
    bright = (0.45 + 0.55 * LIGHT[1]) if is_lit(point) else 0.38
    haze = 1.0 - 1.0 / (1.0 + distance * distance / 1500.0)
    far = sky((0.0, 0.0, 1.0))
    return (
        base[0] * bright * (1 - haze) + far[0] * haze,
        base[1] * bright * (1 - haze) + far[1] * haze,
        base[2] * bright * (1 - haze) + far[2] * haze,
    )


def sphere_colour(sphere: Sphere, point: Vector, direction: Vector) -> Vector:
    normal = unit(along(point, sphere.centre, -1.0))
    facing = max(0.0, dot(normal, LIGHT)) if is_lit(along(point, normal, 1e-4)) else 0.0
    bright = 0.30 + 0.12 * max(0.0, -normal[1]) + 0.75 * facing
    mirrored = along(direction, normal, -2.0 * dot(direction, normal))
    shine = max(0.0, dot(mirrored, LIGHT)) if facing > 0 else 0.0
    for _ in range(5):  # to the 32nd power; repeated squaring gives the same bits everywhere
        shine *= shine
    return (
        min(1.0, sphere.colour[0] * bright + 0.8 * shine),
        min(1.0, sphere.colour[1] * bright + 0.8 * shine),
        min(1.0, sphere.colour[2] * bright + 0.8 * shine),
    )


def look(column: float, row: float) -> tuple[Vector, float]:
    """The colour seen at a point of the picture, and its distance along the camera's axis."""
    across = (2 * column / WIDTH - 1) * FIELD
    up = (1 - 2 * row / HEIGHT) * FIELD * HEIGHT / WIDTH - PITCH
    direction = unit((across, up, 1.0))
    best, nearest = math.inf, None
    for sphere in SPHERES:
        distance = meets(CAMERA, direction, sphere)
        if distance < best:
            best, nearest = distance, sphere
    if direction[1] < 0 and (ground := -CAMERA[1] / direction[1]) < best:
        return floor_colour(along(CAMERA, direction, ground), ground), ground * direction[2]
    if nearest is None:
        return sky(direction), math.inf
    return sphere_colour(nearest, along(CAMERA, direction, best), direction), best * direction[2]


def pixel_colour(x: int, y: int) -> tuple[int, int, int]:
    total = [0.0, 0.0, 0.0]
    for i in range(SAMPLES * SAMPLES):
        column, row = x + (i % SAMPLES + 0.5) / SAMPLES, y + (i // SAMPLES + 0.5) / SAMPLES
        for channel, value in enumerate(look(column, row)[0]):
            total[channel] += value / (SAMPLES * SAMPLES)
    red, green, blue = total
    return round(red * 31), round(green * 63), round(blue * 31)


def nearness(x: int, y: int) -> int:
    _, distance = look(x + 0.5, y + 0.5)
    return min(255, round(255 * NEAREST / distance))


def pixels() -> Iterator[tuple[int, int]]:
    return ((x, y) for y in range(HEIGHT) for x in range(WIDTH))


def main() -> None:
    scene = bytearray(f"lockstep-scene {WIDTH} {HEIGHT}\n".encode())
    for x, y in pixels():
        red, green, blue = pixel_colour(x, y)
        scene += (red << 11 | green << 5 | blue).to_bytes(2, "little")
    scene += bytes(nearness(x, y) for x, y in pixels())
    Path(__file__).with_name("scene.bin").write_bytes(scene)


if __name__ == "__main__":
    main()
