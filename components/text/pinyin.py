"""Chinese characters by how they are read in Latin letters, without tones."""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

FIRST, LAST = 0x4E00, 0x9FFF
LONGEST_SYLLABLE = 6
MOST_SYLLABLES = 6
SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许邓冯韩曹曾彭萧肖蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟姜崔谭廖范汪"
    "陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严武莫孔向汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳"
    "翟申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷曲盛冉翁蓝骆路游辛靳管柴蒙鲍华喻祁房滕屈饶解牟艾尤时穆农"
    "司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬仇栾隋商沙荣巫寇桑郎甄丛仲敖巩明佘池查麻"
    "苑迟邝官封谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国"
    "狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公哈湛宾戎勾茅利"
    "揭覃洪付闫占"
)
"""The family names of one character that people have most often; they decide which character a syllable can be."""


COMMON, OF_FAMILIES = 2, 3
"""So many readings of a character are usual, and so many of a family name: 单 is dan and chan, and Shan as a name."""


def _readings(written: Iterable[int], most: int) -> dict[str, str]:
    """Return syllable -> the characters that can be read so; `v` stands for ü."""
    from pypinyin.pinyin_dict import pinyin_dict

    found: dict[str, list[str]] = {}
    for code in written:
        plain = unicodedata.normalize("NFD", pinyin_dict.get(code, "")).replace("u\u0308", "v")
        for syllable in dict.fromkeys("".join(c for c in plain if c.isascii()).split(",")[:most]):
            found.setdefault(syllable, []).append(chr(code))
    return {syllable: "".join(characters) for syllable, characters in found.items() if set(syllable) & set("aeiouv")}


@lru_cache(maxsize=1)
def _usual() -> dict[str, str]:
    return _readings(range(FIRST, LAST + 1), COMMON)


@lru_cache(maxsize=1)
def _of_families() -> dict[str, str]:
    return _readings(map(ord, SURNAMES), OF_FAMILIES)


def _spelled(table: dict[str, str], syllable: str) -> str:
    """Return what a table has of a syllable: 吕 is written `lü`, `lv`, `lyu` and `lu`."""
    if syllable[:1] not in {"l", "n"}:
        return table.get(syllable, "")
    plain = syllable.replace("ü", "v").replace("yu", "v")
    return "".join(table.get(one, "") for one in dict.fromkeys([plain, plain.replace("u", "v")]))


def characters(syllable: str) -> str:
    """Return the characters that are usually read as a syllable."""
    return _spelled(_usual(), syllable)


def surnames(syllable: str) -> str:
    """Return the family names that are read as a syllable."""
    return _spelled(_of_families(), syllable)


def syllables(word: str) -> list[tuple[str, ...]]:
    """Return the ways in which a word can be read as Chinese syllables: `xian` is 先 or 西安; none for other words.

    :param word: letters of any case; an apostrophe may stand between syllables.
    """
    plain = word.casefold().replace("'", "").replace("’", "")
    return list(_cut(plain, MOST_SYLLABLES)) if plain else []


def _cut(rest: str, places: int) -> Iterator[tuple[str, ...]]:
    if not rest:
        yield ()
        return
    for end in range(1, min(len(rest), LONGEST_SYLLABLE) + 1) if places else ():
        if characters(rest[:end]):
            yield from ((rest[:end], *others) for others in _cut(rest[end:], places - 1))
