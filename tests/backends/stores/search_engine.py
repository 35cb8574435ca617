"""A server that plays OpenSearch or Elasticsearch, by their documented REST interface and as strict as they are.

It knows creating, asking for and deleting an index, bulk, count, refresh, vector search, delete by query, and the
search for words of a field with the whitespace analyzer (of OpenSearch, by BM25); whatever
else it is asked for is noted in `refused`, so that a test can say that nothing was.
"""

import base64
import http.server
import json
import math
import re
import threading
from collections import Counter
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

INDEX_NAME = re.compile(r"[a-z0-9.][a-z0-9_.-]{0,254}")
WINDOW = 10_000
SUBJECTS = {"opensearch": "OpenSearchDocumentStore", "elasticsearch": "ElasticsearchDocumentStore"}


class RefusedError(Exception):
    """An error as the engine says it."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(f"{status} {kind}: {reason}")
        self.status = status
        self.body = {"error": {"root_cause": [{"type": kind}], "type": kind, "reason": reason}, "status": status}


class Index:
    """What was written, and what of it a search sees since the last refresh."""

    def __init__(self, dimension: int | None, keywords: frozenset[str] = frozenset()) -> None:
        self.dimension = dimension
        self.keywords = keywords
        """Fields whose values are compared as they are."""
        self.written: dict[str, dict[str, Any]] = {}
        self.seen: dict[str, dict[str, Any]] = {}

    def refresh(self) -> None:
        self.seen = dict(self.written)


class SearchEngine:
    """One node.

    :param kind: `opensearch` or `elasticsearch`.
    :param authorization: the header that it wants; None where it lets everybody in.
    """

    def __init__(self, kind: str, authorization: str | None = None) -> None:
        self.kind, self.authorization = kind, authorization
        self.indexes: dict[str, Index] = {}
        self.refused: list[str] = []
        self.asked: list[str] = []
        self.created: list[dict[str, Any]] = []
        """The bodies by which indexes were made."""
        self.fails: RefusedError | None = None
        """What every request is answered with while it is set."""
        self.rejects_writes = False
        engine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = urlsplit(self.path)
                status, answer = engine.answer(self.command, path.path, parse_qs(path.query), body, self.headers)
                data = b"" if self.command == "HEAD" else json.dumps(answer).encode()
                self.send_response(status)
                if engine.kind == "elasticsearch":
                    self.send_header("X-Elastic-Product", "Elasticsearch")
                    self.send_header("Content-Type", "application/vnd.elasticsearch+json;compatible-with=8")
                else:
                    self.send_header("Content-Type", "application/json; charset=UTF-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: bytes, headers: Any) -> tuple[int, Any]:
        self.asked.append(f"{method} {path}")
        try:
            if self.authorization is not None and headers.get("Authorization") != self.authorization:
                raise RefusedError(401, "security_exception", "missing authentication credentials for REST request")
            if self.fails is not None:
                raise self.fails
            return self._act(method, path.strip("/").split("/"), query, body, headers)
        except RefusedError as error:
            if error.status not in {401, 404, 429, 503}:
                self.refused.append(f"{method} {path}: {error}")
            return error.status, error.body

    def _act(self, method: str, parts: list[str], query: dict[str, list[str]], body: bytes, headers: Any) -> Any:
        name = parts[0]
        match method, parts[-1], len(parts):
            case "GET" | "HEAD", "", 1:
                return 200, {"name": "node", "version": {"number": "8.19.0"}, "tagline": "You Know, for Search"}
            case "POST" | "PUT", "_bulk", 1 | 2:
                return 200, self._bulk(name, query, body, headers)
            case "POST", "_delete_by_query", 2:
                return 200, self._delete_by_query(self._index(name), _json(body, headers), query)
            case "GET" | "POST", "_search", 2:
                return 200, self._search(self._index(name), _json(body, headers), query)
            case _, _, 1:
                return self._act_on_index(method, name, body, headers)
        return 200, self._about_index(method, name, "/".join(parts[1:]), body)

    def _act_on_index(self, method: str, name: str, body: bytes, headers: Any) -> tuple[int, Any]:
        match method:
            case "HEAD":
                return (200 if name in self.indexes else 404), {}
            case "PUT":
                return 200, self._create(name, _json(body, headers))
            case "DELETE":
                self._index(name)
                del self.indexes[name]
                return 200, {"acknowledged": True}
        raise RefusedError(405, "method_not_allowed", f"Incorrect HTTP method [{method}]")

    def _about_index(self, method: str, name: str, asked: str, body: bytes) -> Any:
        index, shards = self._index(name), {"_shards": {"total": 1, "failed": 0}}
        match method, asked:
            case "GET" | "POST", "_count":
                kept = _filter(index, (json.loads(body or b"{}").get("query") or {}).get("bool", {}).get("filter"))
                return {"count": len(kept), **shards}
            case "POST", "_refresh":
                index.refresh()
                return shards
            case "GET", "_mapping":
                about: dict[str, Any] = {"type": "dense_vector"}
                if self.kind == "opensearch":
                    about = {"type": "knn_vector", "dimension": index.dimension}
                return {name: {"mappings": {"properties": {"embedding": about, "content": {"type": "text"}}}}}
        raise RefusedError(400, "illegal_argument_exception", "no handler found for uri")

    def _index(self, name: str) -> Index:
        if name not in self.indexes:
            raise RefusedError(404, "index_not_found_exception", f"no such index [{name}]")
        return self.indexes[name]

    def _create(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        if not INDEX_NAME.fullmatch(name):
            raise RefusedError(400, "invalid_index_name_exception", f"Invalid index name [{name}]")
        if name in self.indexes:
            raise RefusedError(400, "resource_already_exists_exception", f"index [{name}] already exists")
        _only(body, {"mappings", "settings", "aliases"})
        vector = body["mappings"]["properties"]["embedding"]
        if self.kind == "opensearch":
            _only(vector, {"type", "index", "dimension", "method"})
            if vector["type"] != "knn_vector" or body["settings"].get("index.knn") is not True:
                raise RefusedError(400, "mapper_parsing_exception", "a knn_vector wants index.knn")
            if not 1 <= vector["dimension"] <= 16_000:
                raise RefusedError(400, "mapper_parsing_exception", "Dimension value must be within 1 and 16000")
            _only(vector.get("method", {}), {"name", "engine", "space_type", "parameters"})
        else:
            _only(vector, {"type", "index", "similarity", "dims", "index_options"})
            if vector["type"] != "dense_vector":
                raise RefusedError(400, "mapper_parsing_exception", f"No handler for type [{vector['type']}]")
        fields = {key: field for key, field in body["mappings"]["properties"].items() if key != "embedding"}
        for field in fields.values():
            _only(field, {"type", "analyzer"})
        keywords = frozenset(key for key, field in fields.items() if field["type"] == "keyword")
        self.indexes[name] = Index(vector.get("dimension") or vector.get("dims"), keywords)
        self.created.append(body)
        return {"acknowledged": True, "shards_acknowledged": True, "index": name}

    def _bulk(self, name: str, query: dict[str, list[str]], body: bytes, headers: Any) -> dict[str, Any]:
        kind = headers["Content-Type"]
        if "x-ndjson" not in kind and "json" not in kind:
            raise RefusedError(406, "media_type_header_exception", f"Content-Type [{kind}] is not supported")
        if not body.endswith(b"\n"):
            raise RefusedError(400, "illegal_argument_exception", "The bulk request must be terminated by a newline")
        _only(query, {"refresh", "timeout", "pipeline"})
        refresh = query.get("refresh", ["false"])[0]
        if refresh not in {"true", "false", "wait_for"}:
            raise RefusedError(400, "illegal_argument_exception", f"Unknown value for refresh: [{refresh}].")
        lines = iter(body.decode().splitlines())
        items = []
        for line in lines:
            ((action, about),) = json.loads(line).items()
            _only(about, {"_index", "_id", "routing"})
            index = self._index(about.get("_index") or name)
            source = None if action == "delete" else json.loads(next(lines))
            items.append({action: self._one(index, action, about["_id"], source)})
            if refresh != "false":
                index.refresh()
        return {"took": 1, "errors": any("error" in one for item in items for one in item.values()), "items": items}

    def _one(self, index: Index, action: str, key: str, source: dict[str, Any] | None) -> dict[str, Any]:
        told: dict[str, Any] = {"_id": key, "status": 200}

        def failed(status: int, kind: str, reason: str) -> dict[str, Any]:
            return {**told, "status": status, "error": {"type": kind, "reason": reason}}

        if self.rejects_writes:
            return failed(429, "circuit_breaking_exception", "[parent] Data too large")
        if action == "delete":
            found = index.written.pop(key, None)
            return {**told, "status": 200 if found else 404, "result": "deleted" if found else "not_found"}
        if action not in {"index", "create"} or source is None:
            raise RefusedError(400, "illegal_argument_exception", f"Malformed action/metadata line, found [{action}]")
        if action == "create" and key in index.written:
            return failed(409, "version_conflict_engine_exception", f"[{key}]: document already exists")
        vector = source.get("embedding")
        if not isinstance(vector, list) or not any(vector):
            return failed(400, "document_parsing_exception", "zero magnitude vectors are not supported by cosine")
        index.dimension = index.dimension or len(vector)  # Elasticsearch takes it from the first one
        if len(vector) != index.dimension:
            return failed(400, "document_parsing_exception", f"dimension {len(vector)}, not {index.dimension}")
        index.written[key] = source
        return {**told, "result": "created", "status": 201}

    def _search(self, index: Index, body: dict[str, Any], query: dict[str, list[str]]) -> dict[str, Any]:
        _only(body, {"query", "knn", "size", "from", "_source"})
        size, start = body.get("size", 10), body.get("from", int(query.get("from", ["0"])[0]))
        if size + start > WINDOW:
            raise RefusedError(400, "illegal_argument_exception", "Result window is too large")
        hits = self._hits(index, body)
        left_out = (body.get("_source") or {}).get("excludes", [])
        shown = [
            {"_id": key, "_score": score, "_source": {k: v for k, v in index.seen[key].items() if k not in left_out}}
            for key, score in hits[start : start + size]
        ]
        return {"took": 1, "hits": {"total": {"value": len(hits), "relation": "eq"}, "hits": shown}}

    def _hits(self, index: Index, body: dict[str, Any]) -> list[tuple[str, float]]:
        if self.kind == "opensearch" and (asked := body.get("query", {}).get("bool", {}).get("must")):
            if "multi_match" in asked[0]:
                return _by_words(index, asked[0]["multi_match"], body["query"]["bool"].get("filter"))
            ((knn,),) = [list(clause.values()) for clause in asked]
            _only(knn["embedding"], {"vector", "k"})
            return self._nearest(index, knn["embedding"]["vector"], knn["embedding"]["k"])
        if self.kind == "elasticsearch" and (knn := body.get("knn")):
            _only(knn, {"field", "query_vector", "k", "num_candidates"})
            if not knn["k"] <= knn["num_candidates"] <= WINDOW:
                raise RefusedError(400, "illegal_argument_exception", "[num_candidates] cannot exceed [10000]")
            return self._nearest(index, knn["query_vector"], knn["k"])
        if body.get("query", {"match_all": {}}) != {"match_all": {}}:
            raise RefusedError(400, "parsing_exception", "unknown query")
        return [(key, 1.0) for key in index.seen]

    def _nearest(self, index: Index, vector: list[float], k: int) -> list[tuple[str, float]]:
        if not index.seen:
            return []
        if len(vector) != index.dimension or k > WINDOW:
            raise RefusedError(
                400, "search_phase_execution_exception", f"dimension {len(vector)}, not {index.dimension}"
            )
        keys, asked = list(index.seen), np.asarray(vector)
        rows = np.asarray([index.seen[key]["embedding"] for key in keys])
        cosines = rows @ asked / np.linalg.norm(rows, axis=1) / np.linalg.norm(asked)
        order = np.argsort(-cosines)[:k]
        return [(keys[i], float(1 + cosines[i]) / 2) for i in order]

    def _delete_by_query(self, index: Index, body: dict[str, Any], query: dict[str, list[str]]) -> dict[str, Any]:
        _only(body, {"query"})
        if body["query"] != {"match_all": {}}:
            raise RefusedError(400, "parsing_exception", "unknown query")
        deleted = len(index.seen)
        index.written.clear()
        if query.get("refresh") == ["true"]:
            index.refresh()
        return {"deleted": deleted, "failures": []}


def _by_words(index: Index, asked: dict[str, Any], within: Any) -> list[tuple[str, float]]:
    """BM25 (k1 1.2, b 0.75) of the default field, `content`; a word that the query repeats counts as often."""
    _only(asked, {"query", "fuzziness", "type", "operator"})
    words = asked["query"].split(" ")
    if asked["fuzziness"] != 0 or asked["operator"] != "OR" or len(words) > 1024:
        raise RefusedError(400, "too_many_clauses", "maxClauseCount is set to 1024")
    texts = {key: Counter(row["content"].split()) for key, row in index.seen.items()}
    mean = sum(text.total() for text in texts.values()) / max(len(texts), 1)
    scores: dict[str, float] = {}
    for key in _filter(index, within):
        held, length = texts[key], texts[key].total() / mean
        for word in words:
            if tf := held[word]:
                of = sum(1 for text in texts.values() if word in text)
                rarity = math.log1p((len(texts) - of + 0.5) / (of + 0.5))
                scores[key] = scores.get(key, 0.0) + rarity * tf / (tf + 1.2 * (0.25 + 0.75 * length))
    return sorted(scores.items(), key=lambda hit: -hit[1])


def _filter(index: Index, asked: Any) -> list[str]:
    """Return the keys of the rows that a filter keeps: `bool` with `must`, `term` and `terms`."""
    if asked is None:
        return list(index.seen)
    ((kind, about),) = asked.items()
    if kind == "bool":
        _only(about, {"must"})
        parts = about["must"] if isinstance(about["must"], list) else [about["must"]]
        kept = [set(_filter(index, part)) for part in parts]
        return [key for key in index.seen if all(key in one for one in kept)]
    ((field, value),) = about.items()
    if kind == "term" and field == "content":
        return [key for key, row in index.seen.items() if value in row["content"].split()]
    if kind not in {"term", "terms"} or field not in index.keywords:
        raise RefusedError(400, "parsing_exception", f"unknown query [{kind}] of [{field}]")
    values = [value] if kind == "term" else value
    return [key for key, row in index.seen.items() if row.get(field) in values]


def basic(name: str, password: str) -> str:
    """Return the header of a name and a password."""
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


def _json(body: bytes, headers: Any) -> dict[str, Any]:
    if body and "json" not in (headers["Content-Type"] or ""):
        raise RefusedError(406, "media_type_header_exception", "Content-Type is not supported")
    found: dict[str, Any] = json.loads(body or b"{}")
    return found


def _only(given: dict[str, Any], known: set[str]) -> None:
    if unknown := sorted(set(given) - known):
        raise RefusedError(400, "parsing_exception", f"unknown key [{unknown[0]}]")
