"""The words of a question that say nothing about what is searched for, in Chinese and English."""

import re

from khub.components.text.symbols import symbols_in
from khub.components.text.tokenizer import tokenize

_ENGLISH = """
    a about am an and any are as at be been being but by can could did do does doing for from had has have having he
    her him his how how's i i'm i've if in into is it it's its itself me my of on or our please she should so some such
    tell than that that's the their them then there there's these they this those to us was we were what what's when
    where where's which who who's whom whose why will with would you your
"""
ENGLISH = frozenset(tokenize(_ENGLISH))

# Longer phrases stand before the shorter ones that they begin with: an alternation takes the first that fits.
CHINESE = re.compile(
    "请告诉我|告诉我|请问|为什么"
    "|[是有做叫在]?(?:什么时候|什么样|什么是?|怎么样|怎么办|怎么|怎样|如何|哪一?[个年种里儿些位]|多少|谁)"
    "|是不是|是否|有没有|能不能|可不可以"
    r"|[吗呢](?=\W|$)|(?<![目标])的(?![确士])"
)
ACRONYM = re.compile("(?<![A-Za-z])[A-Z]{2,}(?![A-Za-z])")


def without_stopwords(text: str) -> list[str]:
    """Return the tokens of a query without its stop words.

    Chinese phrases are cut out before the text is tokenized: a bigram that reaches into one (`么配` in `怎么配置`) is a
    word of no document. An English stop word in capitals (IT, US, WHO) is a name and stays.

    :param text: the query.
    :returns: its tokens in their order; all of them, where there are only stop words.
    """
    typed = tokenize(text)
    kept = set(typed)
    names = set(tokenize(" ".join(ACRONYM.findall(text))))

    def tells(term: str) -> bool:
        # a lone character that was none before is a rest of the cut: the index knows it as part of bigrams only
        return (len(term) > 1 or term in kept) and (term not in ENGLISH or term in names)

    return list(filter(tells, tokenize(CHINESE.sub(" ", text)))) or typed


def search_terms(text: str) -> list[str]:
    """Return what is looked for of a query: its tokens without stop words, or its symbols where it has no words."""
    return without_stopwords(text) or symbols_in(text)
