"""Which utterances are small talk and not a question for the documents; told by patterns that must fit all of them."""

import re
import unicodedata

LONGEST = 60
"""In characters: nothing longer is small talk."""

# Names by which the hub is addressed, and words that carry nothing, between and around the others.
_FILLER = (
    r"there|everyone|everybody|all|friend|assistant|bot|buddy|dear|again|hub|knowledge hub|ok|okay|great|well|oh|please"
    r"|小助手|助手|机器人|大家|各位|朋友|亲|老师|呀|啊|哦|哈|呢|嘛|吧|啦|哟|哇|好的|好|嗯|请问一下|请问|那|麻烦你|麻烦"
)
_KINDS = {
    "capabilities": (
        r"what (?:can|could|do) you (?:do|know|search|find|answer|look up)(?: for me)?"
        r"|what(?: else)? can you (?:help(?: me)? with|help me (?:do|find|search))"
        r"|what (?:can|could|should|may) i (?:ask|search|find|look up|query)(?: for)?(?: you| here)?"
        r"|what can i do (?:here|with you)|(?:what|which) collections (?:are there|do you have|exist)"
        r"|how (?:can|could|do) you help(?: me)?|how (?:can|do|should) i (?:use|query) (?:you|this hub|the hub)"
        r"|what are you (?:able to do|capable of|good at|for)|what are your (?:capabilities|features|functions|skills)"
        r"|what (?:documents|files|collections|data|sources) (?:do you have|can you search|can i search|do you search"
        r"|do you know)"
        r"|(?:你(?:都|还)?(?:能|可以|会)(?:够)?(?:帮我|为我|给我|帮助我)?(?:做|干|回答|找|查|搜|搜索|查询|检索)"
        r"|(?:都|还)?(?:能|可以)(?:查|搜|搜索|查询|检索))"
        r"(?:什么|些什么|哪些|啥|点什么|点啥)(?:东西|问题|资料|文档|内容|事情|事|信息)?"
        r"|你(?:都|还)?(?:会|懂|知道)(?:什么|些什么|哪些|啥)|你(?:能|可以)(?:怎么|如何)帮(?:助)?我"
        r"|你(?:有|有些)(?:什么|哪些|啥)(?:功能|能力|本领|用|用处|资料|文档|文件|知识|集合|数据|内容)"
        r"|(?:这里|这儿|知识库|资料库)(?:里|里面|中)?(?:都)?有(?:什么|哪些|些什么)(?:内容|资料|文档|东西|文件|知识)?"
        r"|(?:都)?有(?:哪些|什么)(?:集合|知识库)"
        r"|你的(?:功能|能力|用途)(?:是什么|有哪些)|你是(?:干什么|做什么|干嘛|干啥)(?:的|用的)"
        r"|我(?:能|可以)(?:问|查|搜|搜索|查询|检索)(?:你)?(?:什么|些什么|哪些|啥)(?:东西|问题|资料|文档|内容)?"
        r"|(?:这里|这儿)(?:能|可以)(?:查|搜|搜索|查询|检索)(?:到)?(?:什么|些什么|哪些|啥)(?:东西|资料|文档|内容)?"
        r"|(?:怎么|如何)(?:使用|用)你"
    ),
    "who": (
        r"who (?:are|r) (?:you|u)|what are you|what(?:'s| is) your name|introduce yourself"
        r"|tell me (?:about|something about) yourself|are you (?:a |an )?(?:bot|robot|human|person|ai|machine|chatbot"
        r"|real person)|who (?:made|built|created) you|do you have a name"
        r"|你(?:到底)?是谁|你(?:到底)?是(?:什么|哪位|啥)|你叫(?:什么|啥)(?:名字)?|你的名字(?:是什么|叫什么)|您是(?:谁|哪位)"
        r"|(?:请|麻烦)?(?:你)?(?:先)?(?:做个|做一下)?(?:介绍|介绍一下|介绍下)(?:一下)?你自己"
        r"|(?:请你|请|你)(?:先)?(?:做个|做一下)?自我介绍(?:一下)?"
        r"|你是(?:一个|个)?(?:机器人|真人|人|人工智能|ai|什么模型|什么机器人|什么东西|什么系统)"
    ),
    "thanks": (
        r"thank you(?: (?:so|very) much| a lot| for (?:your|the) help)?|thanks(?: a lot| a million| so much| very much"
        r"| for (?:your|the) help)?|many thanks|thx|thank u|much appreciated|appreciate it|i appreciate it"
        r"|that(?:'s| is| was) (?:helpful|very helpful|all)|that helps"
        r"|(?:非常|十分|太|很|真)?感谢(?:你|您|了|啦|你的帮助|您的帮助|帮助)?|多谢(?:你|您|了|啦)?"
        r"|(?:谢谢|谢啦|谢了|谢谢谢谢)(?:你|您|你的帮助|您的帮助|了|啦|大家)?|(?:太|非常)谢谢(?:你|您)?(?:了|啦)?|辛苦了|辛苦你了"
    ),
    "goodbye": (
        r"goodbye|good bye|bye(?: bye)?|bye-bye|see (?:you|ya)(?: (?:later|soon|tomorrow|next time))?|good night"
        r"|have a (?:nice|good|great) (?:day|one|evening|weekend)|take care|cya|talk to you later"
        r"|再见|再会|拜拜|回头见|明天见|下次见|晚安|回见|先这样"
    ),
    "greeting": (
        r"hi|hello|hey|hiya|howdy|hallo|greetings|good (?:morning|afternoon|evening|day)|what'?s up"
        r"|how are you(?: doing)?(?: today)?|how(?:'s| is) it going|how do you do|nice to meet you"
        r"|are you (?:there|here|ok)"
        r"|你好|您好|你们好|大家好|哈喽|哈啰|嗨|嘿|哈罗|早上好|早安|早|上午好|中午好|下午好|晚上好|在吗|在不在|在么|你在吗|你好吗|您好吗"
        r"|很高兴认识你|幸会|有人吗"
    ),
}
KINDS = tuple(_KINDS)
"""The one that asks for most first: that one is answered where there are several."""

_GAP = r"[\s,.!?~;:，。！？～、；：…\-—()（）]"
_ANY = "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items())
_END = r"(?![a-z0-9'])"
_PART = re.compile(rf"(?:(?:{_ANY}|(?P<filler>{_FILLER}))(?:吗|呢|呀|啊|吧|哦|哈|嘛|啦|的)?{_END}){_GAP}*")
_LATIN = re.compile("[a-z0-9']")
_GREETING = re.compile(
    rf"\s*(?:{_KINDS['greeting']})(?:{_GAP}*(?:呀|啊|there))?{_END}\s*[,.!，。！~～、;；\n]++\s*+(?!world)",
    re.IGNORECASE,
)


def small_talk(text: str) -> str:
    """Say what kind of small talk a text is.

    :param text: what was typed.
    :returns: one of `KINDS`; "" for everything of which any part could be a question for the documents.
    """
    if len(text) > LONGEST:
        return ""
    plain = "".join(filter(_counts, unicodedata.normalize("NFKC", text).lower().replace("’", "'"))).strip()
    place = re.match(rf"{_GAP}*", plain).end()  # type: ignore[union-attr]
    kinds = set()
    while place < len(plain):
        part = _longest_part(plain, place)
        if part is None:
            return ""
        kinds |= {kind for kind in KINDS if part[kind]}
        place = part.end()
    return next((kind for kind in KINDS if kind in kinds), "")


def without_greeting(text: str) -> str:
    """Return a question without the greeting before it, which a comma or the like ends ("你好，…", "Hi! …").

    :param text: what was typed.
    """
    greeting = _GREETING.match(text)
    rest = text[greeting.end() :] if greeting else text
    return rest if any(map(str.isalnum, rest)) else text


def _longest_part(text: str, place: int) -> re.Match[str] | None:
    """Match as much as one part can; alternation alone would take the first that fits (你是什么 of 你是什么模型)."""
    if not _PART.match(text, place):
        return None
    for end in range(len(text), place, -1):
        if not _cuts_a_word(text, end) and (part := _PART.fullmatch(text, place, end)):
            return part
    return None


def _cuts_a_word(text: str, end: int) -> bool:
    return end < len(text) and _LATIN.match(text, end - 1) is not None and _LATIN.match(text, end) is not None


def _counts(character: str) -> bool:
    """Leave emoji and what is put on them out."""
    return unicodedata.category(character) not in ("So", "Sk", "Cf", "Mn", "Me", "Cs", "Co", "Cn")
