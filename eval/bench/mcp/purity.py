"""Standard output holds the protocol alone, and each request has one reply: files go in while questions are asked."""

import shutil
import time
from concurrent.futures import Future
from pathlib import Path
from typing import cast

from khub.components.catalog.job_result import JobResult
from khub.components.catalog.job_row import JobRow
from khub.components.failed_file import FailedFile
from khub.eval.bench.mcp.client import REPLY_S, Client
from khub.eval.bench.mcp.hub import filled_hub, mixed_files, questions
from khub.eval.bench.mcp.json_rpc import Asked, Message
from khub.eval.bench.mcp.purity_result import PurityResult

AT_ONCE = 10
JOB_S = 900
ENDED = ("finished", "failed", "interrupted")


def run(work: Path, queries: int, chunks: int) -> PurityResult:
    """Ingest 50 files by a job and send mixed requests, ten at a time.

    :returns: lines that were no JSON-RPC, requests without a reply, replies that came twice, errors of the protocol.
    """
    home = work / "home-purity"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(filled_hub(work, chunks), home)
    files = mixed_files(work / "files-purity")
    running = Client(home, ["--allow-write", "--root", str(files)])
    try:
        running.initialize()
        began = time.perf_counter()
        job = running.call("ingest", paths=[str(files)])["structuredContent"]["job_id"]
        errors = _ask_all(running, requests(running, queries))
        seconds = time.perf_counter() - began
        state = _wait_for(running, job)
    finally:
        running.close()
    return {
        "queries": queries,
        "lines": running.lines,
        "not_json_rpc": len(running.bad_lines),
        "first_bad_lines": running.bad_lines[:3],
        "lost": running.owed() + errors["lost"],
        "duplicate": running.duplicates(),
        "protocol_errors": errors["protocol"],
        "tool_errors": errors["tool"],
        "seconds": round(seconds, 1),
        "job": {"state": state["state"], "progress": state.get("progress"), "result": _without_folders(state)},
    }


def requests(running: Client, count: int) -> list[Asked]:
    """Return requests of every kind, most of them questions."""
    first = running.call("describe")["structuredContent"]["documents"][0]["doc_id"]
    made: list[Asked] = []
    for number, question in enumerate(questions(count)):
        mode = ("both", "keyword", "meaning", "both")[number % 4]
        others: dict[int, Asked] = {
            7: ("tools/call", {"name": "list_collections", "arguments": {}}),
            17: ("tools/call", {"name": "get_document_summary", "arguments": {"doc_id": first}}),
            27: ("resources/list", {}),
            37: ("tools/call", {"name": "search_images", "arguments": {"query": question}}),
            47: ("prompts/list", {}),
            57: ("resources/read", {"uri": f"khub://doc/{first}"}),
            67: ("tools/call", {"name": "verify_answer", "arguments": {"answer": question}}),
        }
        ask = ("tools/call", {"name": "query_knowledge_hub", "arguments": {"query": question, "mode": mode}})
        made.append(others.get(number % 70, ask))
    return made


def _ask_all(running: Client, wanted: list[Asked]) -> dict[str, int]:
    errors = {"protocol": 0, "tool": 0, "lost": 0}
    waiting: list[Future[Message]] = []
    for method, params in wanted:
        if len(waiting) >= AT_ONCE:
            _count(waiting.pop(0), errors)
        waiting.append(running.start(method, params))
    for future in waiting:
        _count(future, errors)
    return errors


def _count(future: "Future[Message]", errors: dict[str, int]) -> None:
    try:
        reply = future.result(REPLY_S)
    except TimeoutError:
        return  # it is still owed at the end, or came late
    except Exception:
        errors["lost"] += 1
        return
    errors["protocol"] += "error" in reply
    errors["tool"] += bool(reply.get("result", {}).get("isError"))


def _without_folders(state: JobRow) -> JobResult:
    result = state.get("result") or {}
    failures: list[FailedFile] = [
        {**failure, "source": Path(failure["source"]).name} for failure in result.get("failures", [])
    ]
    return {**result, "failures": failures}


def _wait_for(running: Client, job: str) -> JobRow:
    deadline = time.monotonic() + JOB_S
    while True:
        state = cast(JobRow, running.call("job_status", job_id=job)["structuredContent"])
        if state["state"] in ENDED or time.monotonic() > deadline:
            return state
        time.sleep(1)
