import textwrap
import warnings

import pytest
from haystack import Document

from khub.components.splitters.markdown_splitter import MarkdownSplitter

pytestmark = pytest.mark.unit

PYTHON = '''"""What herons do."""

import os

WADES = True


# The bird.
@register("heron")
class Heron:
    """Waits for fish."""

    legs = 2

    @property
    def name(self) -> str:
        # grey
        return "heron"

    async def fish(self, water):
        def inner():
            return water

        return inner()

    class Nest:
        eggs = 3


def count(herons):
    return len(herons)


if os.environ:

    def late():
        return 1
'''

JAVA = """package a.b;

import x.Y;

/** Waits. */
public class Heron extends Bird {
    private int legs = 2;

    /**
     * Fishes.
     */
    @Override
    public List<Fish> fish(Water water) throws X {
        if (water.isDeep()) {
            leave(water);

            return null;
        }
        return water.fish();
    }

    void stand()
    {
        legs = 1;
    }
}

interface Wader {
    void wade();
}
"""

GO = (
    "package birds\n\ntype Heron struct {\n\tLegs int\n}\n\n"
    "func (h *Heron) Fish(n int) {\n\th.Legs -= n\n\n\tgo h.Rest()\n}\n"
)
RUST = (
    "pub struct Heron {\n    legs: u8,\n}\n\nimpl Heron {\n    pub fn fish(&self) {}\n}\n\npub(crate) enum Wader {}\n"
)
SCRIPT = (
    'import a from "a";\n\nexport const fish = (n) => {\n  return n;\n};\nexport default function rest(x) {\n'
    "  if (x) {\n    return 1;\n  }\n}\nclass Heron {\n  wade() {\n    return 1;\n  }\n}\n"
)
SQL = "CREATE TABLE IF NOT EXISTS herons (\n  id int\n);\n\ncreate or replace view waders as\nselect 1;\n"
C = (
    "#include <x.h>\n\nstatic int fish(int n)\n{\n    return n;\n}\n\n"
    "struct heron { int legs; };\n\nint *Heron::rest(void) {\n}\n"
)
SHELL = "set -e\n\nfish() {\n  echo 1\n}\n\nfunction rest {\n  exit\n}\n"
RUBY = "module Birds\n  class Heron\n    def fish?\n      1\n    end\n  end\nend\n"


def split(text=PYTHON, source="/x/heron.py", **parameters):
    document = Document(content=text, meta={"doc_id": "d1", "doc_type": "code", "source": source})
    return MarkdownSplitter(overlap=0, **parameters).run([document])["documents"]


def outline(*args, **parameters):
    return [(chunk.meta["section"], chunk.meta["symbols"]) for chunk in split(*args, **parameters)]


def test_python_by_definitions():
    assert outline(pack=0) == [
        ("", []),
        ("Heron", ["Heron", "Heron.name", "Heron.fish", "Heron.Nest"]),
        ("count", ["count"]),
        ("", ["late"]),
    ]


def test_a_class_that_does_not_fit_is_divided_into_its_members():
    assert outline(pack=0, chunk_size=160) == [
        ("", []),
        ("Heron", ["Heron"]),
        ("Heron.name", ["Heron.name"]),
        ("Heron.fish", ["Heron.fish"]),
        ("Heron.Nest", ["Heron.Nest"]),
        ("count", ["count"]),
        ("", ["late"]),
    ]


def test_comments_and_decorators_go_with_what_follows():
    chunks = split(pack=0, chunk_size=160)
    assert chunks[1].content.startswith('# The bird.\n@register("heron")\nclass Heron')
    assert chunks[2].content.startswith("    @property\n    def name")
    assert chunks[2].content.endswith('return "heron"')


def test_a_definition_begins_at_its_decorator():
    decorated = "@register(\n" + "".join(f"    'name {n}',\n" for n in range(40)) + ")\ndef fish():\n    pass\n"
    chunks = split(decorated, chunk_size=300)
    assert "def fish" not in chunks[0].content
    assert all(chunk.meta["symbols"] == ["fish"] for chunk in chunks)


def test_the_rest_of_a_class_takes_in_nothing_from_outside():
    text = JAVA.replace("    }\n}\n", "    }\n\n    // legs\n}\n")
    assert [chunk.content for chunk in split(text, "A.java", chunk_size=300, pack=0.1)][-2:] == [
        "    // legs\n}",
        "interface Wader {\n    void wade();\n}",
    ]


def test_pack():
    counts = [len(split(pack=pack)) for pack in (0, 0.25, 1)]
    assert counts == [4, 2, 1]
    assert outline(pack=1)[0][1][:2] == ["Heron", "Heron.name"]


def test_chunk_size():
    function = "def call():\n" + "".join(f"    step_{n} = {n}\n\n" for n in range(60))
    chunks = split(function, chunk_size=200)
    assert len(chunks) > 3
    assert all(len(chunk.content) <= 200 for chunk in chunks)
    assert {chunk.meta["section"] for chunk in chunks} == {"call"}
    assert all(chunk.meta["symbols"] == ["call"] for chunk in chunks)
    assert len({chunk.meta["parent"] for chunk in chunks}) == 1


def test_wide_characters():
    text = "def 鹭():\n    return '" + "鹭" * 400 + "'\n\n\nx = '" + "鸟" * 200 + "'\n"
    assert len(split(text, pack=1)) == 1
    assert len(split(text, pack=1, wide_character=2.0)) > 1


@pytest.mark.parametrize(
    ("text", "source"),
    [("def f(:\n    pass\n\n\ndef g():\n    pass\n", "a.py"), ("\0def f(): pass\n\ndef g(): pass", "a.pyi")],
)
def test_python_that_does_not_parse_is_read_by_its_lines(text, source):
    assert "".join(str(outline(text, source, pack=0))).count("'g'") == 2


def test_a_module_may_hold_anything_that_python_allows():
    odd = "x = '''\n\ndef no(): pass\n'''\r\ndef f(): return '\\d'\f\n\n\nclass A: pass; y = 1\n# last"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert outline(odd, pack=0) == [("", []), ("f", ["f"]), ("A", ["A"]), ("", [])]
    assert outline("(" * 5000, "a.py") == [("", [])] * len(split("(" * 5000, "a.py"))


def test_java_by_blank_lines_and_indentation():
    assert outline(JAVA, "A.java", chunk_size=400, pack=0) == [
        ("", []),
        ("", []),
        ("Heron", ["Heron", "fish", "stand"]),
        ("Wader", ["Wader"]),
    ]
    assert outline(JAVA, "A.java", chunk_size=260, pack=0) == [
        ("", []),
        ("", []),
        ("Heron", ["Heron"]),
        ("Heron.fish", ["fish"]),
        ("Heron.stand", ["stand"]),
        ("Wader", ["Wader"]),
    ]
    fish = split(JAVA, "A.java", chunk_size=260, pack=0)[3].content
    assert fish.startswith("    /**\n     * Fishes.")
    assert fish.endswith("    }")


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("a.go", GO, [("", []), ("Heron", ["Heron"]), ("Fish", ["Fish"])]),
        ("a.rs", RUST, [("Heron", ["Heron"]), ("Heron", ["Heron", "fish"]), ("Wader", ["Wader"])]),
        ("a.js", SCRIPT, [("", []), ("fish", ["fish"]), ("rest", ["rest"]), ("Heron", ["Heron", "wade"])]),
        ("a.sql", SQL, [("herons", ["herons"]), ("waders", ["waders"])]),
        ("a.c", C, [("", []), ("fish", ["fish"]), ("heron", ["heron"]), ("Heron::rest", ["Heron::rest"])]),
        ("a.sh", SHELL, [("", []), ("fish", ["fish"]), ("rest", ["rest"])]),
        ("a.rb", RUBY, [("Birds", ["Birds", "Heron", "fish?"])]),
        ("a.yaml", "a:\n  b: 1\n\nc:\n  - d\n", [("", []), ("", [])]),
    ],
)
def test_other_languages(source, text, expected):
    assert outline(text, source, pack=0) == expected


@pytest.mark.parametrize(
    "prose", ["type of bird\n", "// class Heron\n", "call(fish) {\n", "if (heron) {\n  x\n}\n", "return f(x) {"]
)
def test_what_defines_nothing(prose):
    symbols = outline(prose, "a.js")[0][1]
    assert symbols == (["call"] if prose.startswith("call") else [])


def test_a_document_that_only_looks_like_markdown():
    code = textwrap.dedent(
        """\
        # not a heading
        ---
        x: 1
        """
    )
    assert outline(code, "a.yaml") == [("", [])]
