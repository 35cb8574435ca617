"""Write the skills into the folder in which a coding assistant looks for them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.errors import KhubError
from khub.server.clients.config_file import read_config, write_config
from khub.server.skills.skills import MADE_BY, SKILLS

FILE = "SKILL.md"


class SkillError(KhubError):
    """A skill that cannot be written."""

    code = "skill_not_written"


@dataclass(frozen=True)
class Written:
    """A skill's file.

    :param path: the file.
    :param changed: whether it was written; False if it was as it is to be.
    """

    path: Path
    changed: bool


def install_skills(folder: Path, root: Any) -> list[Written]:
    """Write every skill to `folder/NAME/SKILL.md`; one that the hub wrote before is brought up to date.

    :param folder: the folder of skills; made if it is not there.
    :param root: the click group of `khub`, from whose help they are made.
    :raises SkillError: if a file of that name is not the hub's; nothing is written then.
    :raises ClientConfigError: if a file cannot be read or written.
    """
    texts = {folder / skill.name / FILE: skill.markdown(root) for skill in SKILLS}
    there = {path: read_config(path) for path in texts}
    for path, old in there.items():
        if old is not None and MADE_BY not in old:
            raise SkillError(f"{path} was not made by khub", "move it away, or name another folder by --dir")
    for path, text in texts.items():
        if there[path] != text:
            write_config(path, text, keep=False)
    return [Written(path, there[path] != text) for path, text in texts.items()]
