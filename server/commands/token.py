"""`khub token`: who may come in to the service."""

import json
from typing import Annotated

import typer

from khub.server.commands.token_row import TokenRow
from khub.server.terminal import tell, write_line


def create_named(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whom or what it is for.")],
    write: Annotated[bool, typer.Option("--write", help="Let it write, too: ingest, edit, delete.")] = False,
    level: Annotated[
        list[str] | None, typer.Option(metavar="LEVEL", help="Access level that it opens; again for more.")
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", metavar="NAME", help="Collection; again for more.")
    ] = None,
    days: Annotated[int | None, typer.Option(metavar="N", min=1, max=36_500, help="Ends after so many days.")] = None,
) -> None:
    """Make a token and print it: it is kept nowhere, and cannot be shown again.

    Without --level and --collection it sees everything. From the first one on nobody comes in without a token.

    Example: khub token create alice --collection manuals --level public --days 90
    """
    from khub.components.catalog.catalog import open_catalog
    from khub.server.named_tokens import create_token

    text, token = create_token(name, write, level, collection, days)
    kept = [f"{what} {', '.join(names)}" for what, names in (("levels", level), ("collections", collection)) if names]
    does = "reads and writes" if token.write else "reads"
    tell(f"token {token.name} ({token.id}): {does} {', '.join(kept) or 'everything'}")
    for one in sorted(set(collection or ()) - set(open_catalog().collections.names())):
        tell(f"there is no collection {one!r} yet")
    write_line(text)


def list_tokens(as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    """List the tokens, without what they are.

    Example: khub token list
    """
    from khub.server.named_tokens import read_tokens

    rows: list[TokenRow] = [
        {
            "name": token.name,
            "id": token.id,
            "access": "write" if token.write else "read",
            "levels": token.levels,
            "collections": token.collections,
            "expires": token.expires,
            "expired": token.has_expired(),
            "created": token.created,
        }
        for token in read_tokens()
    ]
    if as_json:
        write_line(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in rows:
        until = f"{'ended' if row['expired'] else 'until'} {row['expires']}" if row["expires"] else "without end"
        given = (("levels", row["levels"]), ("collections", row["collections"]))
        kept = [f"{key} {', '.join(names)}" for key, names in given if names is not None]
        write_line("; ".join([f"{row['name']} ({row['id']})", row["access"], *kept, until]))


def revoke_named(name: Annotated[str, typer.Argument(metavar="NAME", help="Its name or id.")]) -> None:
    """Let a token in no more, from the next request on.

    Example: khub token revoke alice
    """
    from khub.server.named_tokens import revoke_token

    revoke_token(name)
    tell(f"revoked {name}")
