"""For whom a page is made: what the door of the service knows of the visitor, asked again at every run of a page."""

import os

import streamlit as st

from khub.components.catalog.access import Caller
from khub.server.access_right import Access
from khub.server.http.tokens import Tokens
from khub.server.http.visitors import Visitors


class Admission:
    """Who decides about visitors: the service that shows the pages."""

    visitors: Visitors | None = None


def visitor() -> tuple[Access, Caller]:
    """Return what the visitor may do, and for whom the hub works then.

    :raises KhubError: if the tokens cannot be read.
    """
    return _visitors().of(dict(st.context.headers), dict(st.context.cookies))


def needs_token() -> bool:
    """Say whether a client that reads has to send a token, whoever looks at the pages.

    :raises KhubError: if the tokens cannot be read.
    """
    return _visitors().tokens.are_needed()


def may_write() -> bool:
    """Say whether the visitor may change what the hub holds."""
    return visitor()[0] is Access.WRITE


def _visitors() -> Visitors:
    return Admission.visitors or Visitors(Tokens.of(os.environ))
