"""The programs of the guide that hand passages to other frameworks run as they stand there."""

import pytest

from tests.clients.environments import NotInstalledError, python_of
from tests.docs.python_programs import make_handbooks, programs_with, run

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("family", ["langchain", "llama_index"])
def test_retrievers_of_others_give_passages(family, tmp_path, pytestconfig):
    try:
        python = python_of(family, pytestconfig.cache.mkdir("clients"))
    except NotInstalledError as error:
        pytest.skip(str(error))
    make_handbooks(tmp_path)
    run(programs_with("hub.ingest(")[0], tmp_path)
    (program,) = programs_with(f"{family}{'_core' if family == 'langchain' else ''}")
    assert "Ember" in run(program, tmp_path, str(python))
