"""Numbers with their units in Chinese and English text, on one scale: `800,000 yuan` is `八十万元`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from khub.components.text.number_words import ENGLISH_NUMERAL, english_number, han_number

# what is measured, how many base units one is, spellings (English ones without the plural's s)
_TABLE = """
duration 0.001 ms millisecond 毫秒
duration 1 s sec second 秒 秒钟
duration 60 min minute 分钟
duration 3600 h hr hour 小时 钟头
duration 86400 day 天 日
duration 604800 week 周 星期
months 1 month 个月
months 3 quarter 季度
months 12 year 年
percent 1 % percent
percent 0.1 ‰
length 0.001 mm millimetre millimeter 毫米
length 0.01 cm centimetre centimeter 厘米
length 1 m metre meter 米
length 1000 km kilometre kilometer 公里 千米
length 0.0254 inch 英寸
speed 1 m/s 米/秒 米每秒
speed 0.2777777778 km/h 公里/小时
mass 0.001 g gram 克
mass 1 kg kilogram kilo 公斤 千克
mass 1000 tonne 吨
data 1 byte 字节
data 1e3 kb kilobyte
data 1024 kib
data 1e6 mb megabyte 兆
data 1048576 mib
data 1e9 gb gigabyte
data 1073741824 gib
data 1e12 tb terabyte
data 1099511627776 tib
volume 0.001 ml millilitre milliliter 毫升
volume 1 litre liter 升
yuan 1 yuan rmb cny renminbi ¥ 元 块钱 人民币
euro 1 euro eur € 欧元
dollar 1 dollar usd $ 美元
voltage 1 v volt 伏 伏特
current 1 ampere 安培
energy 1 wh 瓦时
energy 1000 kwh 千瓦时 度电
power 1 w watt 瓦
power 1000 kw 千瓦
temperature 1 °c ℃ 摄氏度
frequency 1 hz 赫兹
frequency 1e6 mhz
frequency 1e9 ghz
bits 1 bit 比特
"""
UNITS = {
    spelling: (quantity, float(factor))
    for quantity, factor, *spellings in map(str.split, _TABLE.strip().splitlines())
    for spelling in spellings
}
"""Spelling -> what it measures, and how many base units it is."""
_SPELLINGS = "|".join(
    re.escape(s) + ("s?" if s.isalpha() and s.isascii() else "") for s in sorted(UNITS, key=len)[::-1]
)


def _unit(group: str) -> str:
    return rf"(?:[\s-]?(?:(?:working|calendar|business) )?个?(?:自然|工作)?(?P<{group}>{_SPELLINGS})(?![A-Za-z]))"


_SCALES = {"hundred": 100, "thousand": 1e3, "k": 1e3, "million": 1e6, "billion": 1e9, "千": 1e3, "万": 1e4, "亿": 1e8}
_PARTS = {"十万": 1e5, "百万": 1e6, "百": 100, "千": 1000, "万": 1e4}
_HAN = "零〇一二两三四五六七八九十百千万亿"
_HAN_NUMBER = rf"[{_HAN}]+(?:点[零〇一二三四五六七八九]+)?"
# what Chinese counts with; 一个 is often no more than an article
_COUNTED = "[个种次页名条项台份篇张字人倍行列位层章节款]"
_NUMBER = re.compile(
    rf"(?P<parts>{'|'.join(_PARTS)})分之(?P<share>{_HAN_NUMBER}|\d+(?:\.\d+)?)"
    r"|(?:(?P<currency>[¥€$])\s?)?(?<![A-Za-z0-9_.])(?P<figure>(?:(?<![^\s(])[-−])?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
    r"(?:\s?(?P<scale>万|亿|千(?![克米瓦])|(?:hundred|thousand|million|billion|k)\b))?"
    rf"(?:{_unit('unit')}|-?(?P<other>[A-Za-z]{{1,4}})(?![A-Za-z0-9]))?"
    rf"|(?P<han>(?<![第{_HAN}]){_HAN_NUMBER})(?:{_unit('hanunit')}|(?<!一)(?={_COUNTED}))"
    rf"|\b(?P<words>(?!(?:one|zero)\b(?![ -](?:hundred|thousand|million))){ENGLISH_NUMERAL})\b{_unit('wordunit')}?"
    rf"|\b(?P<one>one){_unit('oneunit')}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Number:
    """A number in a text.

    :param value: in base units of its quantity.
    :param quantity: what is measured (`duration`, `percent`, `yuan` …), "" where no known unit follows.
    :param text: as it stands.
    :param span: its place.
    """

    value: float
    quantity: str
    text: str
    span: tuple[int, int]


def numbers_in(text: str) -> Iterator[Number]:
    """Find the numbers of a text.

    Read are figures (`3,260`, `0.5 %`, `80 万元`), Chinese numerals before a unit or a measure word (`八十万元`),
    English number words (`three seconds`), and shares (`百分之五`, `千分之三`), as percent. Figures inside identifiers
    (`E4012`) are none.

    :param text: any text, NFKC-normalised.
    """
    for match in _NUMBER.finditer(text):
        unit = next((match[name] for name in ("unit", "hanunit", "wordunit", "oneunit", "currency") if match[name]), "")
        if match["share"]:
            value, unit = 100 * _value(match["share"]) / _PARTS[match["parts"]], "%"
        elif match["figure"]:
            value = _value(match["figure"]) * _SCALES.get((match["scale"] or "").lower(), 1)
        else:
            value = han_number(match["han"]) if match["han"] else english_number(match["words"] or match["one"])
        name = unit.lower()
        quantity, factor = UNITS.get(name) or UNITS.get(name.removesuffix("s")) or ((match["other"] or "").lower(), 1.0)
        yield Number(value * factor, quantity, match[0].strip(), match.span())


def _value(text: str) -> float:
    plain = text.replace(",", "").replace("−", "-")
    return float(plain) if plain[-1].isdecimal() else han_number(plain)
