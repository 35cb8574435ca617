"""A writing token with one level against a service that works: by its run routes, and by uploads that wait in line."""

from pathlib import Path

import httpx
import pytest

from khub.server.named_tokens import create_token, revoke_token
from tests.soak.service import ended, note, serving

pytestmark = pytest.mark.soak
OWN, SECRET = {"access_level": "public"}, {"access_level": "secret"}
ROUNDS = 5


def upload(client: httpx.Client, name: str, text: str, meta: dict[str, str]) -> httpx.Response:
    body = {"source": name, "text": text, "graph": "ingest_fast", "meta": meta}
    return client.post("/documents", json=body)


def finds(client: httpx.Client, word: str) -> bool:
    return f"{word} is" in client.post("/query/run", json={"query": word, "legs": ["sparse"]}).text


def test_no_run_route_opens_or_takes_what_is_closed(tmp_path: Path) -> None:
    hr = tmp_path / "files" / "hr"
    hr.mkdir(parents=True)
    (hr / "pay.md").write_text("# Pay\n\nThe payroll SECRETGAMMA is 99000.\n", encoding="utf-8")
    (hr.parent / "r.md").write_text("# R\n\nThe word OPENALPHA is here.\n", encoding="utf-8")
    token, _ = create_token("limited", write=True, levels=["public"])
    roots = {"KHUB_INGEST_ROOTS": str(hr.parent)}
    with serving(tmp_path, **roots) as service, service.client() as admin, service.client(token) as limited:

        def run(client: httpx.Client, graph: str, path: Path, meta: dict[str, str]) -> int:
            return client.post(f"/{graph}/run", json={"sources": [str(path)], "meta": meta}).status_code

        assert run(admin, "ingest_fast", hr, SECRET) == 200
        for graph in ("ingest", "ingest_fast", "more/ingest_dedup"):
            assert run(limited, graph, hr, OWN) == 403
            assert run(limited, graph, hr.parent / "r.md", SECRET) == 422
            assert run(limited, graph, hr.parent / "r.md", {}) == 422
        assert run(limited, "ingest_fast", hr.parent / "r.md", OWN) == 200
        assert finds(limited, "OPENALPHA")
        assert not finds(limited, "SECRETGAMMA")
        assert finds(admin, "SECRETGAMMA")
    note("run routes with a level", "403 and 422; the closed text stays closed", "nothing opened")


def test_a_line_of_uploads_takes_nothing_that_is_closed_by_then(tmp_path: Path) -> None:
    token, _ = create_token("limited", write=True, levels=["public"])
    gone, _ = create_token("gone", write=True, levels=["public"])
    with serving(tmp_path) as service, service.client() as admin:
        limited, former = service.client(token), service.client(gone)
        sent = []
        for number in range(ROUNDS):
            name = f"race{number}.md"
            sent.append(upload(admin, name, f"# Race\n\nRACESECRET{number} is 7.\n", SECRET))
            sent.append(upload(limited, name, "# Race\n\nmine\n", OWN))
        late = upload(former, "late.md", "# Late\n\nLATEWORD is here.\n", OWN)
        assert {reply.status_code for reply in (*sent, late)} <= {202, 403}  # 403 where the first is there already
        revoke_token("gone")
        jobs = [ended(admin, reply) for reply in sent if reply.status_code == 202]
        assert ended(admin, late)["state"] == "failed"
        assert all(finds(admin, f"RACESECRET{number}") for number in range(ROUNDS))
        assert not finds(admin, "LATEWORD")
        assert sum(job["result"]["written"] for job in jobs) == ROUNDS
    note(f"{ROUNDS} closed uploads replaced in line", f"{ROUNDS} of {ROUNDS} stay", "all stay")
