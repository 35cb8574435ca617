"""What goes to and fro where a program feeds a knowledge base of Open WebUI; what it does not read is left out."""

from typing import Annotated

from pydantic import BaseModel, Field

from khub.server.http.arguments import Line, Name
from khub.server.mcp.arguments import ID_CHARACTERS, SOURCE_CHARACTERS

MOST_FILES = 50_000
Folder = Annotated[str, Field(max_length=SOURCE_CHARACTERS)]
FileName = Annotated[str, Field(min_length=1, max_length=SOURCE_CHARACTERS)]


class KnowledgeBase(BaseModel):
    """A collection."""

    id: str
    name: str
    description: str
    updated_at: str


class FileFacts(BaseModel):
    """What is said of a file."""

    name: str = Field(description="With its folders.")
    size: int
    file_hash: str


class KnowledgeFile(BaseModel):
    """A file of a collection."""

    id: str = Field(description="`doc_id` of its document.")
    filename: str
    meta: FileFacts


class KnowledgeFiles(BaseModel):
    """All files of a collection that were synced."""

    items: list[KnowledgeFile]
    total: int


class ManifestEntry(BaseModel):
    """A file of the source; its size tells nothing that its checksum does not."""

    filename: FileName
    path: Folder = Field(default="", description="Its folder.")
    checksum: Line


class Manifest(BaseModel):
    """All files of the source."""

    manifest: list[ManifestEntry] = Field(max_length=MOST_FILES)


class Place(BaseModel):
    """Where a file lies in the source."""

    filename: str
    path: str


class StaleFile(Place):
    """A file that has changed."""

    stale_file_id: str


class GoneFile(Place):
    """A file that is no longer in the source."""

    file_id: str


class Diff(BaseModel):
    """What has to be sent and deleted; folders need not be made, and have their paths as ids."""

    added: list[Place]
    modified: list[StaleFile]
    deleted: list[GoneFile]
    unmodified_count: int
    mkdir: list[str]
    rmdir: list[str]
    directory_map: dict[str, str]


class Cleanup(BaseModel):
    """Files that are to be deleted."""

    file_ids: list[Annotated[str, Field(max_length=2 * ID_CHARACTERS)]] = Field(max_length=MOST_FILES)


class CleanedUp(BaseModel):
    """What was deleted."""

    status: bool
    deleted: int


class SentMetadata(BaseModel):
    """What is said of a file that is sent."""

    knowledge_id: Name
    file_hash: Line
    directory_id: Folder = Field(default="", description="Its folder.")


class SentFile(BaseModel):
    """A file that has come, and waits for its job."""

    id: str = Field(description="`doc_id` of its document.")
    filename: str
    job_id: str
