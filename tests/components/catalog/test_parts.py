"""Names of files attached to mails."""

import pytest

from khub.components.catalog.parts import shown_name

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("/a/b/plan.docx", "plan.docx"),
        ("C:\\a\\plan.docx", "plan.docx"),
        ("/a/offer.eml!/prices.csv", "offer.eml!/prices.csv"),
        ("C:\\a\\offer.MSG!/Inner.eml!/deep.md", "offer.MSG!/Inner.eml!/deep.md"),
        ("/a/wow!/plan.docx", "plan.docx"),
        ("https://a.org/b/", "https://a.org/b/"),
        ("", ""),
    ],
)
def test_a_file_is_shown_without_folders_and_with_the_mail_around_it(source, name):
    assert shown_name(source) == name
