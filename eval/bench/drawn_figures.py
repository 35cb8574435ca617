"""Figures drawn by chance: charts, diagrams, text and noise, in families whose members differ in their data alone."""

import math
import random
from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw, ImageFont

SYLLABLES = ["ka", "lo", "mi", "ter", "son", "dra", "vel", "qui", "par", "en", "to", "shu", "bri", "gal", "nor", "pex"]
PALETTES = [
    ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd"],
    ["#264653", "#2a9d8f", "#e9c46a", "#f4a261", "#e76f51"],
    ["#333333", "#666666", "#999999", "#bbbbbb", "#dddddd"],
]
MEMBERS = 8
"""Figures of a family: one style and one layout, other data."""


def figures(seed: int | str, number: int) -> list[Image.Image]:
    """Return figures: of each family `MEMBERS` that look alike."""
    drawn: list[Image.Image] = []
    family = 0
    while len(drawn) < number:
        draw = KINDS[family % len(KINDS)]
        drawn += [
            draw(random.Random(f"{seed}-{family}"), random.Random(f"{seed}-{family}-{n}")) for n in range(MEMBERS)
        ]
        family += 1
    return drawn[:number]


def _canvas(style: random.Random) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    size = (style.randrange(480, 1280), style.randrange(360, 900))
    image = Image.new("RGB", size, style.choice(["white", "white", "#fafafa", "#eef3f8"]))
    return image, ImageDraw.Draw(image)


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(chance.randrange(1, 4)))


def _text(draw: ImageDraw.ImageDraw, place: tuple[float, float], text: str, size: float = 14) -> None:
    draw.text(place, text, fill="#222222", font=ImageFont.load_default(size))


def _axes(style: random.Random) -> tuple[Image.Image, ImageDraw.ImageDraw, tuple[int, int, int, int]]:
    image, draw = _canvas(style)
    left, top = style.randrange(50, 90), style.randrange(40, 80)
    right, bottom = image.width - style.randrange(20, 120), image.height - style.randrange(40, 80)
    _text(draw, (left, top - 30), " ".join(_word(style) for _ in range(4)), 18)
    draw.line([(left, top), (left, bottom), (right, bottom)], fill="black", width=2)
    for step in range(6):
        y = bottom - step * (bottom - top) / 6
        draw.line([(left, y), (right, y)], fill="#dddddd")
        _text(draw, (left - 36, y - 8), str(step * 20))
    return image, draw, (left, top, right, bottom)


def _bars(style: random.Random, data: random.Random) -> Image.Image:
    image, draw, (left, top, right, bottom) = _axes(style)
    colours, groups, series = style.choice(PALETTES), style.randrange(4, 9), style.randrange(1, 4)
    wide = (right - left) / groups
    for group in range(groups):
        for number in range(series):
            x = left + wide * (group + 0.15 + 0.7 * number / series)
            height = data.uniform(0.08, 0.97) * (bottom - top)
            draw.rectangle([x, bottom - height, x + 0.6 * wide / series, bottom], fill=colours[number])
        _text(draw, (left + wide * group + 8, bottom + 6), f"Q{group + 1}")
    return image


def _lines(style: random.Random, data: random.Random) -> Image.Image:
    image, draw, (left, top, right, bottom) = _axes(style)
    colours, points = style.choice(PALETTES), style.randrange(8, 24)
    for number in range(style.randrange(1, 4)):
        level, places = data.uniform(0.2, 0.8), []
        for point in range(points):
            level = min(max(level + data.gauss(0, 0.12), 0.03), 0.97)
            places.append((left + (right - left) * point / (points - 1), bottom - level * (bottom - top)))
        draw.line(places, fill=colours[number], width=3)
        for x, y in places:
            draw.ellipse([x - 3, y - 3, x + 3, y + 3], fill=colours[number])
    return image


def _dots(style: random.Random, data: random.Random) -> Image.Image:
    image, draw, (left, top, right, bottom) = _axes(style)
    colours = style.choice(PALETTES)
    for _ in range(style.randrange(30, 90)):
        x, y = data.uniform(left + 5, right - 5), data.uniform(top + 5, bottom - 5)
        draw.ellipse([x - 4, y - 4, x + 4, y + 4], fill=data.choice(colours[:2]))
    return image


def _pie(style: random.Random, data: random.Random) -> Image.Image:
    image, draw = _canvas(style)
    colours, parts = style.choice(PALETTES), style.randrange(3, 6)
    radius = 0.38 * min(image.size)
    x, y = 0.42 * image.width, 0.52 * image.height
    shares = [data.uniform(0.3, 1.5) for _ in range(parts)]
    angle = -90.0
    for number, share in enumerate(shares):
        end = angle + 360 * share / sum(shares)
        draw.pieslice(
            [x - radius, y - radius, x + radius, y + radius], angle, end, fill=colours[number], outline="white"
        )
        _text(draw, (0.8 * image.width, 60 + 26 * number), f"{_word(style)} {100 * share / sum(shares):.0f} %")
        angle = end
    return image


def _flow(style: random.Random, data: random.Random) -> Image.Image:
    image, draw = _canvas(style)
    columns, rows = style.randrange(3, 5), style.randrange(3, 5)
    fill = style.choice(["#dbe9f6", "#fde8d0", "#ffffff"])
    wide, high = image.width / columns, image.height / rows
    middle = {(c, r): (wide * (c + 0.5), high * (r + 0.5)) for c in range(columns) for r in range(rows)}
    for _ in range(columns * rows):
        one, other = data.sample(list(middle.values()), 2)
        draw.line([one, other], fill="#444444", width=2)
    for x, y in data.sample(list(middle.values()), len(middle) - 2):
        draw.rounded_rectangle(
            [x - 0.34 * wide, y - 0.25 * high, x + 0.34 * wide, y + 0.25 * high], 8, fill, "black", 2
        )
        _text(draw, (x - 0.28 * wide, y - 8), _word(data))
    return image


def _paragraphs(style: random.Random, data: random.Random) -> Image.Image:
    image, draw = _canvas(style)
    size, y = style.randrange(13, 20), 30.0
    while y < image.height - 40:
        line = ""
        while len(line) * size * 0.5 < image.width - 120:
            line += f"{_word(data)} "
        _text(draw, (40, y), line, size)
        y += size * (1.5 if data.random() < 0.85 else 2.6)
    return image


def _table(style: random.Random, data: random.Random) -> Image.Image:
    image, draw = _canvas(style)
    columns, rows = style.randrange(4, 8), style.randrange(8, 16)
    wide, high = (image.width - 40) / columns, (image.height - 40) / rows
    draw.rectangle([20, 20, image.width - 20, 20 + high], fill="#d0d8e0")
    for row in range(rows):
        draw.line([(20, 20 + row * high), (image.width - 20, 20 + row * high)], fill="#999999")
        for column in range(columns):
            text = _word(style if row == 0 else data) if column == 0 or row == 0 else f"{data.uniform(0, 9999):.1f}"
            _text(draw, (28 + column * wide, 24 + row * high), text)
    return image


def _network(style: random.Random, data: random.Random) -> Image.Image:
    image, draw = _canvas(style)
    colours, nodes = style.choice(PALETTES), style.randrange(8, 16)
    places = []
    for node in range(nodes):
        angle, radius = 2 * math.pi * node / nodes, 0.42
        places.append((image.width * (0.5 + radius * math.cos(angle)), image.height * (0.5 + radius * math.sin(angle))))
    for _ in range(2 * nodes):
        draw.line(data.sample(places, 2), fill="#777777", width=2)
    for x, y in places:
        draw.ellipse([x - 16, y - 16, x + 16, y + 16], fill=data.choice(colours), outline="black")
    return image


def _photo(style: random.Random, data: random.Random) -> Image.Image:
    """Draw clouds: noise of several octaves, as the brightness of a photo lies."""
    width, height = style.randrange(480, 1280), style.randrange(360, 900)
    tone, noise = style.random(), np.random.default_rng(data.randrange(2**32))
    total = np.zeros((height, width, 3))
    for octave in range(2, 8):
        grid = noise.random((2**octave, 2**octave, 3)).astype("float32") * 255
        layer = Image.fromarray(grid.astype("uint8")).resize((width, height), Image.Resampling.BICUBIC)
        total += np.asarray(layer) / 255 / 1.7**octave
    total = (total - total.min()) / (total.max() - total.min())
    return Image.fromarray(((0.3 * tone + 0.7 * total) * 255).astype("uint8"))


KINDS: list[Callable[[random.Random, random.Random], Image.Image]] = [
    _bars, _lines, _flow, _paragraphs, _photo, _pie, _table, _dots, _network,
]  # fmt: skip
