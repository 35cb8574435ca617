"""Which East Asian encoding bytes are in: the one whose characters people write most."""

import math
import re
from collections import Counter
from collections.abc import Callable

_HAN = frozenset(
    "的一在人中国了日大为有年和发行上是月不动时公会生市业区出新家地对作到成以来全工部个进方于开民等现文能这下用法分"
    "多通员元高后场前力要将学安者务展报车经关同主长理实过合机体资们电自水事与化表道金示据提美正网子他可交产心加期重"
    "本保小建面海内其次天活我万及定司入度台题目间名外当社平点最量北并查警记原品也持被之设利政信近此情比队标应明数位"
    "强更联任局服好已就计路至还受管流所相共收向第得运该防院手布性南特制东解物起调式某都科省基息系西三处消总说从组增"
    "门股案项推委意接山风看里程传指称源两续价导州广支医供今军回着线斯商而件游立办如村众级达预集问创京代团因口城赛技"
    "视气企告规营女各无责河江参统造环但常户亿步影治升打华客结球然议站投求费领专施助党证由二果超种护老约群雨降身单深"
    "救教知整术带显取引色备图周感书育格监注研需境首认未县青态转获战放让非克决举号张米型少率质包况险使反款没限每宣先"
    "些去域际友直头尔完济选益确积检别志做协清额极观四响份灾空亚或准排十类快效构优节给速权易精识走很复频采热孩请值师"
    "拉己士房形闻官马居界王演变列爱编德健港世银条改具涨想李根林农范急红光援园容愿声府职装旅片严致镇执罗段势季织随存"
    "置男边普功融较财低验落模维航校见违控儿余星样阳只她难连乐火配兰习售双策货讯罪净半象击话即充害康划乡俄送销察律再"
    "均黄考湖属跌智英依龙器核义温街副介测断纪围干涉料负景食诉始评洪铁油审福究卫历失微望卡何足辆停汽真辑照"
)
"""Characters that make up most of Chinese running text; two in three are also common in traditional script, and many
in Japanese."""
_HANGUL = frozenset(
    "이다의는에을를가은하고로지한기서사인도시어자리대나으스그해일정보있만들수부아장주라여게성것전제상구공용원면과동니조"
    "비경문소우신드안연무유와현모치관국화선행되생었습회식않미적위오명음간단물금내방체세개할반재등개입력파열행찾변된없"
    "호외계중분당트통약발업바르진요심실결권규노까저두출학교감작거추마속했및년월본후타기류품점검표목록양번평수러울프크"
    "북남달려레투민복설순야영예운질차참책처천초최크태토편필함합항향허형환활황회획효난녀능담독때또람래량련령례료루률린매맞"
    "먼며받배버법별병본불브빈빠산색석셔송쓰씨았애약억언얼업역였열염온완왔왕외욕월육융은응의임잘잡졌족존종좋준줄즈증직집쪽"
    "채청체총축충취층컴큼키터템팀판팔포표플피하학핵했헤혁협혼홍확히힘"
)
"""Syllables that make up nearly all of Korean running text."""
_PROBABLE, _POSSIBLE, _RARE, _NEVER = (math.log(share) for share in (2e-3, 7e-5, 5e-6, 1e-7))
_BROKEN, _ASCII = math.log(1e-9), math.log(2e-2)
_LEAST_MEAN = math.log(6e-5)
_FIRST_LEAD = 2.0
_ALONE = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f](?=[A-Za-z])")
_KANA = range(0x3041, 0x30FF)
_MARKS = (*range(0x3001, 0x3020), *range(0xFF01, 0xFF5F), *map(ord, "·—…“”‘’　￥"))


def east_asian_encoding(sample: bytes) -> str | None:
    """Name the encoding in which a sample is the likeliest Chinese, Japanese or Korean; None where it is in none.

    A short text is valid in several of them: what tells them apart is how common the characters are. Chinese in
    simplified script comes first among equals.

    :param sample: with bytes beyond ASCII; its last character may be cut.
    """
    found = {}
    for encoding, weigh in _WEIGHTS.items():
        counts = Counter(_decoded(sample, encoding))
        weights = {character: weigh(character) for character in counts if not character.isascii()}
        number = sum(counts[character] for character in weights)
        weight = sum(counts[character] * value for character, value in weights.items())
        if number and weight / number >= _LEAST_MEAN:
            found[encoding] = weight + _ASCII * (counts.total() - number)
    if "gb18030" in found:
        found["gb18030"] += _FIRST_LEAD
    return max(found, key=found.__getitem__, default=None)


def is_everyday(character: str) -> bool:
    """Say whether a character is one that Chinese, Japanese or Korean text is made of."""
    return any(weigh(character) >= _POSSIBLE for weigh in _WEIGHTS.values())


def is_common_chinese(text: str) -> bool:
    """Say whether a text has two Chinese characters side by side, and no character beyond ASCII that is not common."""
    beyond = re.findall(r"[^\x00-\x7f]+", text)
    return any(len(run) > 1 for run in beyond) and all(map(_HAN.__contains__, "".join(beyond)))


def _decoded(sample: bytes, encoding: str) -> str:
    text = sample.decode(encoding, errors="replace").removesuffix("\ufffd")
    return _ALONE.sub(lambda found: "\ufffd" if _swallows(found[0], encoding) else found[0], text)


def _swallows(character: str, encoding: str) -> bool:
    """Say whether a letter of a Latin word would be the second half of a character."""
    return character.encode(encoding, "replace")[-1:].isalpha()


def _simplified(character: str) -> float:
    return _PROBABLE if character in _HAN else _by_row(character, "gb2312", 0xB0, 0xD7)


def _traditional(character: str) -> float:
    return _PROBABLE if character in _HAN else _by_row(character, "big5", 0xA4, 0xC6)


def _japanese(character: str) -> float:
    if ord(character) in _KANA:
        return _PROBABLE
    return _by_row(character, "cp932", 0x88, 0x97)


def _korean(character: str) -> float:
    if character in _HANGUL:
        return _PROBABLE
    return _POSSIBLE if "\uac00" <= character <= "\ud7a3" and _row(character, "euc_kr") else _NEVER


def _by_row(character: str, encoding: str, first: int, last: int) -> float:
    """Weigh a character by its row in a national standard: those that are used daily have rows of their own."""
    if ord(character) in _MARKS:
        return _PROBABLE
    if character == "\ufffd":
        return _BROKEN
    row = _row(character, encoding)
    return _POSSIBLE if first <= row <= last else _RARE if row else _NEVER


def _row(character: str, encoding: str) -> int:
    try:
        return character.encode(encoding)[0]
    except UnicodeEncodeError:
        return 0


_WEIGHTS: dict[str, Callable[[str], float]] = {
    "gb18030": _simplified,
    "big5hkscs": _traditional,
    "cp932": _japanese,
    "euc_jp": _japanese,
    "cp949": _korean,
}
