import pytest

from tests.eval.beir_folder import write_beir

PASSAGES = [
    ("p1", "Passwords", "To reset a password, open the settings and choose a new one."),
    ("p2", "", "Invoices are due within thirty days of delivery."),
    ("p3", "Robots", "The battery of the robot lasts eleven hours."),
    ("p4", "年假", "员工每年有十五天年假，未休完的可以顺延到次年三月。"),
]
QUERIES = [("q1", "How do I reset my password?"), ("q2", "年假可以顺延吗？"), ("q3", "nobody judged this one")]
JUDGED = [("q1", "p1", 2), ("q1", "p3", 0), ("q2", "p4", 1), ("q2", "gone", 1), ("q9", "p1", 1)]


@pytest.fixture
def beir(tmp_path):
    """Return a function that writes a data set, the small one unless told otherwise, and returns its folder."""

    def write(name="small", passages=PASSAGES, queries=QUERIES, judged=JUDGED):
        return write_beir(tmp_path / name, passages, queries, judged)

    return write
