"""`khub graph parts`."""

from dataclasses import asdict

from khub.server.commands.options import JsonOption
from khub.server.terminal import tell, write_json, write_table


def graph_parts(as_json: JsonOption = False) -> None:
    """List the installed packages that announce parts for graphs, and whether they are trusted.

    Nothing of a package is imported, and no graph may name its classes, until you trust it: khub trust --module NAME.
    """
    from khub.server.graphs.announced import GROUP, announced_packages

    packages = announced_packages()
    if as_json:
        write_json({"packages": [asdict(package) for package in packages]})
        return
    rows = []
    for package in packages:
        parts = [*package.classes, *(f"plugins: [{name}]" for name in package.plugins)]
        trusted = "yes" if package.trusted else "no"
        rows += [(package.distribution, package.module, trusted, part) for part in parts or [""]]
    if rows:
        write_table(("package", "module", "trusted", "part"), rows)
    else:
        tell("no package announces parts for graphs", f"one does by an entry point of the group {GROUP}")
    for package in packages:
        if not package.trusted:
            tell(f"{package.module} is not trusted", f"to use its parts: khub trust --module {package.module}")
