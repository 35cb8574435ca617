"""Files that a person sends from the browser."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import streamlit as st

from khub.components.catalog.access import caller
from khub.components.disk_full import told_when_full
from khub.components.home import hub_home
from khub.components.text.hidden_names import is_hidden
from khub.dashboard.changes import noted
from khub.dashboard.language import caption, t
from khub.dashboard.parts.ingestion.ingest_preview import show_preview
from khub.dashboard.parts.ingestion.ingest_target import INGEST, as_text, choose_target, chosen_graph, remember
from khub.dashboard.parts.ingestion.open_job import open_job
from khub.dashboard.parts.ingestion.samples import offer_samples
from khub.server.graphs.extensions import extensions_read_by
from khub.server.http.asked_ingests import ask_for_sent, places_of_sent
from khub.server.jobs.service_jobs import new_job_id
from khub.server.library.incoming_files import FILES_AT_ONCE, IncomingFiles, TooLargeError, largest_file
from khub.server.library.ingest import prepare_ingest
from khub.server.library.ingest_preview import IngestPreview, preview_sent
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.uploads import incoming

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

ROUND = "uploads so far"
"""How many uploads the visit has seen: each has a widget of its own, so that files do not stay in memory."""
PREVIEW, GO = "preview of upload", "ingest files"


def show_upload() -> None:
    """Show the form: files first, then where they go."""
    files = _choose_files()
    if not files:
        offer_samples()
        return
    wanted = choose_target()
    about = (caller().name, as_text(wanted), *(file.file_id for file in files))
    with st.container(horizontal=True):
        go = bool(st.session_state.get(GO))  # a disabled one would say no
        label = t("Ingest", "导入") + f" ({len(files):,})"
        st.button(label, type="primary", icon=INGEST, disabled=go, key=GO)
        look = st.button(t("See first what would happen", "先看会发生什么"), key="look at files")
    if go:
        with st.spinner(t("Taking the files …", "正在接收文件……")), noted("POST", "/documents"):
            job_id = _begin(files, wanted)
        st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
        st.session_state.pop(PREVIEW, None)
        remember(wanted.collection)
        open_job(job_id)
    if look:
        with st.spinner(t("Looking at the files …", "正在查看文件……")):
            st.session_state[PREVIEW] = about, _preview(files, wanted)
    before, preview = st.session_state.get(PREVIEW, (None, None))
    if before == about:
        show_preview(preview)


def _choose_files() -> Sequence["UploadedFile"]:
    whole = st.toggle(t("A folder with all that is in it", "整个文件夹（含子文件夹）"), key="whole folder")
    largest = largest_file() // 1_000_000
    with st.container(key="incoming-files"):  # where drop.js finds it
        files = st.file_uploader(
            t("Files", "文件"),
            sorted(ending[1:] for ending in extensions_read_by(chosen_graph())) if whole else None,
            accept_multiple_files="directory" if whole else True,
            key=f"files {st.session_state.get(ROUND, 0)} {whole}",
            max_upload_size=largest,
            help=t(
                f"PDF, Word, PowerPoint, Excel, pictures, HTML, EPUB, mail, text and code, up to {largest} MB each. "
                "A file that is sent again by the same name replaces the earlier one.",
                f"支持 PDF、Word、PowerPoint、Excel、图片、HTML、EPUB、邮件、文本与代码，单个文件不超过 {largest} MB。"
                "同名文件会替换此前上传的版本。",
            ),
        )
    of_folders = [file for file in files if "/" in file.name]
    read = extensions_read_by(chosen_graph()) if of_folders else ()
    passed_over = [file for file in of_folders if not _is_taken(PurePosixPath(file.name), read)]
    if passed_over:
        number = len(passed_over)
        caption(f"Passed over: {number:,} (hidden, or not read)", f"跳过 {number:,} 个（隐藏，或类型不支持）")
    return [file for file in files if file not in passed_over] if passed_over else files


def _is_taken(path: PurePosixPath, read: Collection[str]) -> bool:
    """Say whether a walk of the folder takes a file."""
    return path.suffix.lower() in read and not any(map(is_hidden, path.parts[1:]))


def _begin(files: Sequence["UploadedFile"], wanted: IngestRequest) -> str:
    with _written(files) as (job_id, parts):
        return str(ask_for_sent(wanted, parts, job_id)["job_id"])


def _preview(files: Sequence["UploadedFile"], wanted: IngestRequest) -> IngestPreview:
    with _written(files) as (_, parts):
        places = places_of_sent(wanted, [name for _, name in parts])
        graph = prepare_ingest(wanted.graph, wanted.collection, wanted.meta)
        return preview_sent(graph, parts, places, wanted.collection)


@contextmanager
def _written(files: Sequence["UploadedFile"]) -> Iterator[tuple[str, list[tuple[Path, str]]]]:
    """Write files into a folder that goes with the block; give the id of a job, and where each file lies."""
    largest, job_id = largest_file(), new_job_id()
    if sum(file.size for file in files) > FILES_AT_ONCE * largest:
        most = FILES_AT_ONCE * largest // 1_000_000
        raise TooLargeError(f"the files have more than {most} MB together", "send them in several parts")
    with told_when_full(hub_home()), incoming(job_id) as folder:
        coming = IncomingFiles(folder, largest)
        for file in files:
            file.seek(0)
            coming.take(file.name.replace("%22", '"'), file)  # a browser sends a quotation mark so
        yield job_id, coming.parts
