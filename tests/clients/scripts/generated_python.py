"""A client that openapi-python-client makes of the service's own description."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

given = json.loads(sys.argv[1])
request = urllib.request.Request(f"{given['url']}/openapi.json", headers={"Authorization": f"Bearer {given['token']}"})
with urllib.request.urlopen(request) as reply:
    Path("openapi.json").write_bytes(reply.read())
generate = [str(Path(sys.executable).with_name("openapi-python-client")), "generate", "--path", "openapi.json"]
subprocess.run([*generate, "--output-path", "hub", "--meta", "none"], stdout=subprocess.DEVNULL, check=True)
sys.path.insert(0, str(Path.cwd()))

from hub import AuthenticatedClient  # noqa: E402 - it has just been made
from hub.api.query import run_query  # noqa: E402
from hub.api.verify import run_verify  # noqa: E402
from hub.models import RunQueryQueryRun, RunVerifyVerifyRun  # noqa: E402

client = AuthenticatedClient(base_url=given["url"], token=given["token"])
answer = run_query.sync(client=client, body=RunQueryQueryRun(query=given["question"], collection="default"))
found = run_verify.sync(client=client, body=RunVerifyVerifyRun(claims=["It flies."], collection="default"))
said = {
    "chunk_id": answer.citations[0].chunk_id,
    "source": answer.citations[0].source,
    "legs": [leg.name for leg in answer.legs],
    "verdict": found.claims[0].verdict.value,
}
sys.stdout.write(json.dumps(said))
