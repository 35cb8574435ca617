"""Where a Chinese question says to look: `去年的合同里`, `《劳动合同》这份文件中`, `最近一周上传的`, `第5页`.

As in English, a word is a cue by its frame (`PDF里`), not by itself (`PDF 是什么`), and a question about the handling
of files (`怎么从PDF里提取表格`) has none.
"""

import datetime
import re
from collections.abc import Iterator

from components.query.cues import Cue, masked
from components.query.date_words import CHINESE_PERIOD, chinese_period
from components.query.known_names import KnownNames, compared
from components.query.periods import Period
from components.query.short_filters import LANGUAGES, period_filter, short_filter, title_filter

_I = re.IGNORECASE
_FILE = "(?:文件|文档|资料|材料)"
_TYPE = (
    rf"(?:(?P<pdf>pdf)|(?P<docx>word|docx)|(?P<xlsx>excel|xlsx)|(?P<csv>csv)|(?P<pptx>pptx?|powerpoint|幻灯片|演示文稿)"
    rf"|(?P<markdown>markdown(?=\s?{_FILE}))|(?P<text>(?:txt|纯?文本)(?={_FILE}))|(?P<html>(?:html|网页)(?={_FILE}))"
    rf"|(?P<json>json(?=\s?{_FILE}))|(?P<sheet>电子表格|表格文件)|(?P<email>邮件))"
    rf"\s?(?:格式的)?(?:{_FILE}|表格?|表|课件|版)?"
)
_VALUES = {"sheet": "xlsx,csv"}
_TYPE_NOUN = re.sub(r"\?P<\w+>", "?:", _TYPE)
# one character is a place only where it does not begin another word: 中文, 中间件, 里程碑, 内容, 上传
_PLACE = (
    r"\s?(?:里面|里头|里边|当中|之中|之内|里(?![程斯约弄氏尔])|中(?![间文国心级等断继性型介标期学小东午秋药医央外部转枢止立华专])"
    r"|内(?![容部存核网嵌置联销审控线外])|上(?![传线限级下次海市层面诉班报岗调]))(?:的|，)?\s?"
)
_DOC = (
    rf"(?:{_TYPE_NOUN}|{_FILE}|合同|协议|报告|纪要|记录|通知|公告|手册|制度|方案|笔记|备忘录|信函|说明书|规定|指南"
    "|课件)"
)
_LOOK = r"(?:(?:请|帮我)?(?:只?在|只?从|去|到|看|查|搜索?|翻)\s?)?"
_THIS = r"(?:(?:这|那|该|此|本|每|各|哪)(?:些|[一两几]?[份个篇本套])?|所有的?|全部的?|我的|我们的)?\s?"
# 年度报告 speaks of a year and was written after it; a particle or verb ends the noun phrase
_MODIFIER = r"(?:(?!年度|季度|月度|财务|业绩|审计|年报|半年)[^\W\d_的在是有和与对从到被把比跟及或将][ ]?){0,8}?"
_UPLOADED = "(?:上传|导入|入库|添加|新增|收录|加入)"
_CHANGED = "(?:修改|更新|编辑|改动|修订|创建|新建|撰写|写|起草|保存)"
_SIDE = r"(?P<side>以来|以后|之后|以前|之前|后|前)"

_HANDLING = re.compile(
    "提取|抽取|抽出|转换|转成|转为|导出|导入|插入|读取|解析|复制|粘贴|打印|打开|生成|渲染|嵌入|删除|填写|高亮|签名|旋转|合并"
    "|拆分|压缩|加密|解密|解锁|识别|切分|分块|切块|分词|索引|检索|支持|翻译|乱码|字体|水印|书签|批注|超链接|页眉|页脚|页码|目录(?![下里中内])"
    "|(?<!环境)(?<!版权)(?<!权益)(?<!数据)(?<!隐私)(?<!劳动)(?<!文物)(?<!资源)保护(?!期|区|法|动物|环境|条例|伞|层)"
    "|函数|公式|单元格|透视表|动画|母版|排版|格式化|对齐|扫描|清洗|去重|预处理|向量化|下载|筛选|排序|编号|快捷键|元数据|宏"
)
_HOW_TO = re.compile("怎么|如何|怎样|怎麼|能不能|能否|可以|可不可以|方法|步骤|工具|代码|脚本")
_DONE = re.compile(
    "搜索|查找|找到|定位|添加|设置|修改|编辑|制作|创建|存储|保存|显示|引用|跳转|翻到|写入|加入|处理|更新|上传|画|做|写"
)
_SAYS_HOW = re.compile("(?:怎么|如何|怎样)(?:说|规定|写的|描述|定义|约定|讲|解释|要求|介绍|算|计算)")
_OTHERWISE = re.compile(r"(?:除了?|不是|不只|不仅|不光|而非|而不是|除开|区别于|不限于)(?:在)?\s?$")
_NOT = re.compile(rf"(?:不在|不要看|不看|别看|排除|不包括|不含|不要)\s?{_THIS}$")
_TYPE_IN = re.compile(rf"{_LOOK}{_THIS}(?<![a-z0-9_.\-/]){_TYPE}(?:文件)?{_PLACE}", _I)
_ONLY_TYPE = re.compile(
    rf"(?:只|仅|就)(?:看|查|搜|搜索|在|从|限)?\s?(?<![a-z0-9_.\-/]){_TYPE}(?:文件)?(?:{_PLACE}|(?=[，,：:。；;\s]))[：:，,]?",
    _I,
)
_DATED = re.compile(
    rf"(?:{_LOOK})(?P<said>(?P<period>{CHINESE_PERIOD})\s?{_SIDE}?(?:的|里的|内的)?\s?)(?P<noun>{_MODIFIER}{_DOC}){_PLACE}",
    _I,
)
_TOUCHED = re.compile(
    rf"(?P<said>(?:在|自|自从|从)?(?P<period>{CHINESE_PERIOD})\s?(?:内|里|中|期间)?{_SIDE}?(?:我们?|他们?|大家|新|刚|才|有)*\s?"
    rf"(?:(?P<uploaded>{_UPLOADED})|(?P<changed>{_CHANGED}))(?:过|了)?的?)(?<=[的])"
    rf"(?:(?P<noun>{_MODIFIER}{_DOC})|\s?(?P<none>$|[，。？！,?!]|里|中|有|都|内容|东西))",
    _I,
)
_PAGE = re.compile(
    r"(?:在)?第\s?(?P<first>\d{1,4}|[一二三四五六七八九十]{1,2})\s?(?:页?\s?(?:到|至|-|~|—|–|和)\s?第?\s?(?P<last>\d{1,4})\s?)?"
    r"[页頁](?:ppt|幻灯片)?(?=上|里|中|的|内|写|说|讲|有|提|是|那|规定|介绍|列|给|怎么|如何|关于|，|,|。|？|\?|\s|$)"
    r"(?:里面|上面|上|里|中|内)?的?",
    _I,
)
_LANGUAGE = re.compile(
    rf"{_LOOK}{_THIS}(?P<said>(?P<language>中文|英文|汉语|英语|中文版|英文版)的?)\s?(?:pdf|word)?\s?"
    rf"(?:{_FILE}|文献|论文|报告|手册|合同|网页){_PLACE}|用(?P<written>中文|英文|汉语|英语)(?:写|撰写|编写)的(?={_DOC})",
    _I,
)
_NTH_PAGE = r"\s?的?第\s?[\d一二三四五六七八九十]{1,4}\s?页"
_BOOK = re.compile(
    rf"(?P<look>{_LOOK}|根据|按照|依据|依照|参照|按)\s?《(?P<title>[^》]+)》\s?(?P<frame>(?:这|那|该|此)?[一]?[份个本篇部]?\s?"
    rf"(?:{_DOC}|书|文章)?(?P<place>{_PLACE}|(?={_NTH_PAGE}))?)"
)
_ACCORDING = ("根据", "按照", "依据", "依照", "参照", "按")
_NAME_BEFORE = re.compile(
    rf"(?P<title>[^\s，。？！,?!“”\"《》]{{2,40}}?)\s?(?P<frame>(?:(?:这|那|该|此)[一]?[份个本篇部]?\s?(?:{_FILE}|合同|书|手册|报告)?)?"
    rf"{_PLACE}|(?={_NTH_PAGE}))"
)
_FILE_NAME = re.compile(
    rf"{_LOOK}(?P<name>[\w\u4e00-\u9fff][\w\u4e00-\u9fff.+()（）-]*\.[a-z]{{2,8}})\s?(?:(?:这|那|该|此)[一]?[份个本篇]?{_DOC}?)?"
    rf"(?P<place>{_PLACE}|(?=\s?(?:的?第\s?\d|说了|讲了|提到|规定|写了)))",
    _I,
)
_FOLDER = re.compile(
    r"(?P<before>[\w\u4e00-\u9fff./-]{1,80})\s?[”\"」]?\s?(?:这个|那个)?(?:文件夹|目录)\s?(?:里面|下面|当中|里|下|中|内)的?"
)
_TAGGED = re.compile(
    r"(?:(?:标签|标记)(?:为|是|叫|成|：|:)?|(?:带有?|打了?|打上了?|有|含有?)\s?)\s?[“\"「]?(?P<tag>[^“”\"「」，。？！\s]{1,30}?)[”\"」]?"
    r"\s?(?P<label>这个标签|标签)?的"
)
_LABELLED = re.compile(r"(?P<tag>[^“”\"「」，。？！\s]{1,40})[”\"」]?\s?(?:这个)?标签(?:下|里)?的")
_STARTS = re.compile(r"(?:^|[\s，。？！,;；：:]|在|从|据|照|到|看|查|问|翻|于|请|只|找|搜)$")
SHORTEST_TITLE = 4  # characters of a title that needs no 《》 and no 这份文件 to be one


def chinese_cues(question: str, names: KnownNames, today: datetime.date) -> Iterator[Cue]:
    """Yield the cues of a question.

    :param question: as it was typed.
    :param names: what the collection knows.
    :param today: the day from which dates are spoken.
    """
    plain = masked(question)
    yield from _documents(question, names)
    yield from _tags(question, names)
    if _asks_for_handling(plain):
        return
    yield from _types(plain)
    yield from _dates(plain, today)
    yield from _pages(plain)
    yield from _languages(plain)
    yield from _folders(plain, names)


def _asks_for_handling(plain: str) -> bool:
    """Say whether the question is about doing something with files, or about what they are made of."""
    if _HANDLING.search(plain := re.sub(rf"{CHINESE_PERIOD}.{{0,4}}{_UPLOADED}", "", plain)):
        return True
    said = _SAYS_HOW.sub("", plain)
    return bool(_HOW_TO.search(said) and _DONE.search(re.sub(rf"(?:{_UPLOADED}|{_CHANGED})(?:过|了)?的", "", said)))


def _types(plain: str) -> Iterator[Cue]:
    for match in (*_TYPE_IN.finditer(plain), *_ONLY_TYPE.finditer(plain)):
        before = plain[: match.start()]
        if _OTHERWISE.search(before):
            continue
        name = next(name for name, found in match.groupdict().items() if found)
        negated = _NOT.search(plain[: match.start(name)])
        start = negated.start() if negated else match.start()
        yield Cue(
            start, match.end(), short_filter("type", _VALUES.get(name, name), bool(negated)), f"type{bool(negated)}"
        )


def _dates(plain: str, today: datetime.date) -> Iterator[Cue]:
    for match in _DATED.finditer(plain):
        period = chinese_period(match["period"], today)
        if period and not _OTHERWISE.search(plain[: match.start()]):
            yield _date_cue(match, "modified", period)
    for match in _TOUCHED.finditer(plain):
        period = chinese_period(match["period"], today)
        if period and (match["uploaded"] or match["noun"]):
            yield _date_cue(match, "ingested" if match["uploaded"] else "modified", period)


def _date_cue(match: re.Match[str], key: str, period: Period) -> Cue:
    side = match["side"]
    if side in ("以来", "以后", "之后", "后"):
        period = Period(period.first, None)
    elif side:
        period = period.before()
    return Cue(match.start("said"), match.end("said"), period_filter(key, period), "date")


def _pages(plain: str) -> Iterator[Cue]:
    for match in _PAGE.finditer(plain):
        first, last = (_number(match[name]) for name in ("first", "last"))
        if first and (last is None or last >= first):
            pages = f"{first}-{last}" if last else str(first)
            yield Cue(match.start(), match.end(), short_filter("page", pages), "page")


def _number(text: str | None) -> int | None:
    if text is None or text.isdecimal():
        return int(text) if text else None
    tens, ten, ones = text.rpartition("十")
    digits = "零一二三四五六七八九"
    if len(tens) > 1 or len(ones) > 1:
        return None
    return (digits.index(tens) if tens else 1) * 10 * bool(ten) + (digits.index(ones) if ones else 0)


def _languages(plain: str) -> Iterator[Cue]:
    for match in _LANGUAGE.finditer(plain):
        language = LANGUAGES[(match["language"] or match["written"])[:2]]
        start, end = match.span("said") if match["said"] else match.span()
        yield Cue(start, end, short_filter("lang", language), "language")


def _folders(plain: str, names: KnownNames) -> Iterator[Cue]:
    for match in _FOLDER.finditer(plain):
        text = match["before"].strip().rstrip("/")
        for start in _starts(text):
            *above, last = text[start:].split("/")
            folders = sorted(names.folders.get(compared(last), ()))
            for folder in folders:
                path = "/".join([*above, folder])
                begin = _with_preposition(plain, match.start() + start)
                yield Cue(begin, match.end(), short_filter("path", f'"{path}/*"'), "folder")
            if folders:
                break


def _starts(text: str) -> Iterator[int]:
    """Yield where a name may begin in a text without spaces, the longest name first."""
    return (start for start in range(len(text)) if _STARTS.search(text[:start]))


def _with_preposition(text: str, start: int) -> int:
    """Return where the words begin that say "in" before a name."""
    before = text[:start].rstrip()
    return len(before) - 1 if before.endswith(("在", "从")) else start


def _documents(question: str, names: KnownNames) -> Iterator[Cue]:
    yield from _files(question, names)
    for match in _BOOK.finditer(question):
        placed = match["place"] is not None or match["look"] in _ACCORDING
        if placed and not _OTHERWISE.search(question[: match.start()]):
            yield from _named(match["title"], names, match.start(), match.end())
    for match in _NAME_BEFORE.finditer(question):
        text = match["title"]
        shortest = 2 if match["frame"][:1] in ("这", "那", "该", "此") else SHORTEST_TITLE
        for start in _starts(text[: 1 - shortest]):
            cues = list(_named(text[start:], names, _with_preposition(question, match.start() + start), match.end()))
            yield from cues
            if cues:
                break


def _files(question: str, names: KnownNames) -> Iterator[Cue]:
    for match in _FILE_NAME.finditer(question):
        name = match["name"]
        for start in [0, *(s for s in range(1, len(name)) if not name[s - 1].isascii() and name[s].isascii())]:
            files = sorted(names.files.get(compared(name[start:]), ()))
            for file in files:
                begin = _with_preposition(question, match.start("name") + start)
                yield Cue(begin, match.end(), short_filter("path", f'"{file}"'), "document")
            if files:
                break


def _named(name: str, names: KnownNames, start: int, end: int) -> Iterator[Cue]:
    """Yield a cue for each document of that title, or else for each file of that name."""
    titles = names.titles.get(compared(name), ())
    for title in sorted(titles):
        yield Cue(start, end, title_filter(title), "document")
    for file in sorted(names.files.get(compared(name), ())) if not titles else ():
        yield Cue(start, end, short_filter("path", f'"{file}"'), "document")


def _tags(question: str, names: KnownNames) -> Iterator[Cue]:
    for match in _TAGGED.finditer(question):
        if not match["label"] and not match[0].startswith(("标签", "标记")):
            continue
        for tag in sorted(names.tags.get(compared(match["tag"]), ())):
            yield Cue(match.start(), match.end(), short_filter("tag", f'"{tag}"'), "tag")
    for match in _LABELLED.finditer(question):
        for start in _starts(match["tag"]):
            for tag in sorted(names.tags.get(compared(match["tag"][start:]), ())):
                begin = _with_preposition(question, match.start() + start)
                yield Cue(begin, match.end(), short_filter("tag", f'"{tag}"'), "tag")
