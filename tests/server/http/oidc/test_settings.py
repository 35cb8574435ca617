"""What has to be set for an issuer, and what its groups may say."""

import pickle

import pytest

from khub.components.catalog.access import caller, calling_as
from khub.components.errors import FileError, KhubError, MissingLibraryError
from khub.components.home import hub_home
from khub.server.access_right import Access
from khub.server.http.tokens import Tokens
from khub.server.jobs.asker import asker_fields, asker_of
from khub.server.people import settings
from khub.server.people.group_rights import Rights, known_groups, rights_of
from khub.server.people.person import Person
from khub.server.people.settings import OidcSettings
from tests.server.http.oidc.conftest import write_groups

pytestmark = pytest.mark.unit
SET = {"KHUB_OIDC_ISSUER": "https://login.example/realms/a", "KHUB_OIDC_CLIENT_ID": "hub"}


def test_without_an_issuer_nothing_changes():
    assert Tokens.of({"KHUB_OIDC_CLIENT_ID": "hub"}) == Tokens()
    assert not Tokens.of({}).are_needed()


def test_with_an_issuer_nobody_comes_in_without_a_token():
    write_groups("staff: {}\n")
    tokens = Tokens.of(SET)
    assert tokens.are_needed()
    assert tokens.caller("")[0] is Access.NOTHING
    assert pickle.loads(pickle.dumps(tokens)) == tokens  # it goes to the processes that serve
    assert "s3cret" not in repr(OidcSettings.of({**SET, "KHUB_OIDC_CLIENT_SECRET": "s3cret"}))


@pytest.mark.parametrize(
    "changed",
    [
        {"KHUB_OIDC_CLIENT_ID": ""},
        {"KHUB_OIDC_ISSUER": "login.example"},
        {"KHUB_OIDC_ISSUER": "file:///etc"},
        {"KHUB_OIDC_ISSUER": "https://user:word@login.example"},
    ],
)
def test_settings_that_cannot_be_used_are_told(changed):
    write_groups("staff: {}\n")
    with pytest.raises(KhubError, match="KHUB_OIDC") as told:
        Tokens.of({**SET, **changed})
    assert (told.value.code, bool(told.value.remedy), "word" in str(told.value)) == ("setting_invalid", True, False)


def test_a_missing_extra_is_told_with_the_remedy(monkeypatch):
    monkeypatch.setattr(settings, "find_spec", lambda _: None)
    with pytest.raises(MissingLibraryError, match=r"\[oidc\]"):
        Tokens.of(SET)


@pytest.mark.parametrize(
    "text",
    [
        "", "staff", "- staff", "staff: [a]", "staff: {collection: [a]}", "staff: {levels: public}",
        "staff: {write: 1}", "staff: {collections: [yes]}", "staff: {collections: [[a]]}", "a: &a [*a]",
        "staff: {collections: null}",
    ],
)  # fmt: skip
def test_groups_that_say_something_else_are_refused(text):
    write_groups(text)
    with pytest.raises(FileError, match=r"oidc\.yaml"):
        Tokens.of(SET)


def test_what_is_left_out_is_not_limited():
    write_groups("a: {collections: [x], levels: [1]}\nb: {write: true}\nc:\n")
    only, whole = frozenset({"x"}), Rights(True, None, None)
    assert known_groups() == {"a": Rights(False, frozenset({"1"}), only), "b": whole, "c": Rights(False, None, None)}
    assert rights_of(["a", "b"]) == whole
    assert rights_of(["d"]) is None


def test_without_a_file_there_is_no_group():
    assert not hub_home().exists()
    assert known_groups() == {}
    with pytest.raises(FileError):
        Tokens.of(SET)


def test_who_is_in_no_group_would_see_nothing_anywhere():
    access, who = Person("a.oidc-0", ("x",)).rights()
    assert (access, who.levels, who.collections, who.sees_all) == (Access.NOTHING, (), frozenset(), False)


def test_a_job_has_the_rights_that_its_person_has_now():
    write_groups("editors: {write: true, collections: [a]}\n")
    _, who = Person("alice@example.com.oidc-0", ("editors",)).rights()
    with calling_as(who):
        about = asker_fields()
    assert asker_of(about) == who
    write_groups("editors: {write: true, collections: [b]}\n")
    assert asker_of(about).collections == {"b"}
    for text in ("editors: {}\n", "others: {write: true}\n"):
        write_groups(text)
        with pytest.raises(KhubError, match=r"alice@example\.com'") as told:
            asker_of(about)
        assert told.value.code == "access_denied"
    with pytest.raises(KhubError):
        asker_of({"caller": who.name})  # a name alone opens nothing
    assert asker_fields() == {"caller": caller().name}
