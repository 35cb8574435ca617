"""The encoder that ships: vectors that depend on nothing else, its tokens, cosines that mean the same everywhere."""

import itertools

import numpy as np
import pytest
from tokenizers import Tokenizer

from khub.components.embedders.model_folder import SHIPPED, load_model
from khub.components.embedders.piece_tokenizer import PieceTokenizer

pytestmark = pytest.mark.unit
FOLDER = SHIPPED / "khub-base"
WINDOW = 512
LONG = "".join(
    f"The gateway restarts every night at {hour} o'clock. 网关每天夜里{hour}点重启一次。" for hour in range(60)
)
UNKNOWN = "<unk>"
SAID = [
    ("如何更换打印机的墨盒？", "How do I replace the ink cartridge of the printer?"),
    ("员工每年有十五天带薪年假。", "Employees have fifteen days of paid leave a year."),
    ("数据库每天凌晨两点备份一次。", "The database is backed up every night at two o'clock."),
    ("这座桥建于一九三七年，长两公里。", "The bridge was built in 1937 and is two kilometres long."),
    ("发烧超过三天请尽快就医。", "See a doctor soon if the fever lasts more than three days."),
    ("面团需要在温暖的地方发酵一小时。", "The dough has to rise in a warm place for an hour."),
    ("大象是现存最大的陆地动物。", "The elephant is the largest living land animal."),
    (
        "合同到期前三十天须书面通知对方。",
        "The other party must be notified in writing thirty days before the contract ends.",
    ),
    ("地震发生时应远离窗户。", "Keep away from windows during an earthquake."),
    ("她小时候学过八年钢琴。", "She learned the piano for eight years as a child."),
    ("中央银行上个月提高了利率。", "The central bank raised interest rates last month."),
    ("这趟列车不在小站停靠。", "This train does not stop at small stations."),
]
ASKED = [
    ("怎么给打印机换墨盒？", "How do I change the ink cartridge of the printer?"),
    ("每年有多少天年假？", "How many days of leave are there a year?"),
    ("数据库什么时候备份？", "When is the database backed up?"),
    ("这座桥有多长？", "How long is the bridge?"),
    ("发烧几天要去看医生？", "After how many days of fever should I see a doctor?"),
    ("面团要发酵多久？", "How long does the dough have to rise?"),
    ("最大的陆地动物是什么？", "What is the largest land animal?"),
    ("不续签合同要提前多久通知？", "How early must notice be given before the contract ends?"),
    ("地震时应该怎么做？", "What should be done in an earthquake?"),
    ("她学钢琴学了几年？", "How many years did she learn the piano?"),
    ("央行把利率调高了吗？", "Did the central bank change interest rates?"),
    ("哪些站这趟车不停？", "Which stations does the train pass without stopping?"),
]
LANGUAGES = {"zh": 0, "en": 1}
UNRELATED = ~np.eye(len(SAID), dtype=bool)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(FOLDER / "tokenizer.json"))


@pytest.fixture(scope="module")
def cosines() -> dict[tuple[str, str], np.ndarray]:
    """Of each question (rows) and passage (columns), by their languages; number i is answered by number i."""
    model = load_model("khub-base")
    asked = {one: model.encode([model.prefixes.query + texts[i] for texts in ASKED]) for one, i in LANGUAGES.items()}
    said = {one: model.encode([model.prefixes.passage + texts[i] for texts in SAID]) for one, i in LANGUAGES.items()}
    return {(one, other): asked[one] @ said[other].T for one, other in itertools.product(LANGUAGES, LANGUAGES)}


def tokens(tokenizer: Tokenizer, text: str) -> list[str]:
    """The pieces of a text; `UNKNOWN` for what the model has no vector of."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return [
        UNKNOWN if number == tokenizer.token_to_id(UNKNOWN) else tokenizer.id_to_token(number)
        for number in encoding.ids
    ]


def test_a_vector_is_the_same_alone_and_among_others_in_one_thread_and_in_two():
    texts = [ASKED[0][0], LONG, SAID[1][1], ASKED[2][1], LONG[:90]]
    (ids,) = PieceTokenizer(FOLDER).encode([LONG])
    assert len(ids) > 2 * WINDOW
    alone = np.vstack([load_model("khub-base", threads=1).encode([text]) for text in texts])
    for threads in (1, 2):
        model = load_model("khub-base", threads=threads)
        assert np.array_equal(model.encode(texts), alone)
        assert np.array_equal(model.encode(texts[::-1])[::-1], alone)


def test_the_wide_tilde_of_chinese_ranges_stays(tokenizer: Tokenizer):
    assert "～" in tokens(tokenizer, "3～5个工作日")
    assert UNKNOWN not in tokens(tokenizer, "3～5个工作日")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ＡＰＩ　Ｋｅｙ１２３！", "API Key123!"),  # full-width letters
        ("①级 ㎏", "1级 kg"),
        ("gate\x07way\x1b 重\x01启", "gateway 重启"),  # control characters
        ("the \n\t  gateway\r\n\u3000重启", "the gateway 重启"),
        ("the\u200bgateway", "the gateway"),
        ("  the gateway", "the gateway"),
        ("the gateway \n", "the gateway"),
        ("重启。\u3000\n\n", "重启。"),
        (" \n\u3000", ""),
    ],
)
def test_what_looks_the_same_has_the_same_tokens(tokenizer: Tokenizer, text: str, same: str):
    assert tokens(tokenizer, text) == tokens(tokenizer, same)
    assert UNKNOWN not in tokens(tokenizer, text)


@pytest.mark.parametrize(
    "text",
    [
        "資料庫伺服器每天凌晨備份，請於備份結束後檢查紀錄檔並回報問題。",
        "臺灣與香港的讀者習慣閱讀繁體中文，機構發佈的檔案亦以繁體為準。",
        "醫療費用應於離職後兩個月內憑發票報銷，逾期須經經理簽署說明。",
        "😀🎉🚀👍❤✅⚠👩🇨🇳",
        "for (i = 0; i < n; ++i) { x[i] *= 2.5e-3; }  # café naïve Привет ひらがな",
    ],
)
def test_everything_that_chinese_and_english_text_has_is_known(tokenizer: Tokenizer, text: str):
    assert UNKNOWN not in tokens(tokenizer, text)
    assert UNKNOWN in tokens(tokenizer, "\ud7ff")  # were it never given, this could not fail


@pytest.mark.parametrize(("texts", "prefix", "margin"), [(ASKED, "query: ", 0.08), (SAID, "passage: ", 0.04)])
def test_a_translation_is_nearer_than_anything_else_of_both_languages(
    texts: list[tuple[str, str]], prefix: str, margin: float
):
    count = len(texts)
    vectors = load_model("khub-base").encode([prefix + pair[side] for side in (0, 1) for pair in texts])
    cosines = vectors @ vectors.T
    own = np.tile(np.diag(cosines[:count, count:]), 2)
    others = np.where(np.tile(UNRELATED, (2, 2)), cosines, -1)
    assert (own - others.max(axis=1)).min() > margin


def test_one_threshold_tells_answers_in_all_directions(cosines: dict[tuple[str, str], np.ndarray]):
    threshold = 0.35
    for direction, found in cosines.items():
        assert (found[UNRELATED] > threshold).mean() < 0.05, direction
        assert (np.diag(found) > threshold).sum() >= 0.7 * len(SAID), direction
