"""The environment, in agents of the real mini-swe-agent with a scripted model."""

from __future__ import annotations

import copy
import os
import sys
import tempfile
import unittest
from typing import Any

os.environ["MSWEA_SILENT_STARTUP"] = "1"
os.environ["MSWEA_GLOBAL_CONFIG_DIR"] = tempfile.mkdtemp()

from common import BROKEN, REPORT, broken, is_small, working  # noqa: E402
from minisweagent.agents.default import DefaultAgent  # noqa: E402
from minisweagent.environments.local import LocalEnvironment  # noqa: E402
from minisweagent.models.test_models import (  # noqa: E402
    DeterministicToolcallModel,
    make_toolcall_output,
)

from tersed import Compressor, Failure  # noqa: E402
from tersed.adapters.mini_swe_agent import TersedEnvironment  # noqa: E402

RUN = f"{sys.executable} -c 'import os; print(os.environ[\"REPORT\"], end=\"\"); exit(101)' # cargo test"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo it fails"


def step(number: int, command: str) -> dict[str, Any]:
    id_ = f"call_{number}"
    function = {"name": "bash", "arguments": "{}"}
    call = {"id": id_, "type": "function", "function": function}
    message: dict[str, Any] = make_toolcall_output(
        None, [call], [{"command": command, "tool_call_id": id_}]
    )
    return message


def run(compressor: Compressor) -> tuple[dict[str, Any], str]:
    """The end of a run, and what the model saw of the report."""
    model = DeterministicToolcallModel(outputs=[step(1, RUN), step(2, SUBMIT)])
    environment = TersedEnvironment(LocalEnvironment(env={"REPORT": REPORT}), compressor)
    agent = DefaultAgent(model, environment, system_template="", instance_template="{{task}}")
    end = agent.run("test it")
    return end, next(m["content"] for m in agent.messages if m["role"] == "tool")


class MiniSweAgent(unittest.TestCase):
    def test_observations_are_smaller(self) -> None:
        with working() as compressor:
            end, seen = run(compressor)
        self.assertTrue(is_small(seen), seen)
        self.assertIn("<returncode>101</returncode>", seen)
        self.assertEqual((end["exit_status"], end["submission"]), ("Submitted", "it fails\n"))

    def test_the_rest_is_that_of_the_environment(self) -> None:
        inner = LocalEnvironment(cwd="/", timeout=7)
        with working() as compressor:
            outer = TersedEnvironment(inner, compressor)
            self.assertIs(outer.config, inner.config)
            self.assertEqual(outer.serialize(), inner.serialize())
            self.assertEqual(outer.execute({"command": "pwd"})["output"], "/\n")
            self.assertEqual(outer.execute({"command": "pwd"}, cwd="/tmp")["output"], "/tmp\n")
            with self.assertRaises(AttributeError):
                _ = outer.no_such_thing
            self.assertIs(copy.copy(outer).environment, inner)

    def test_without_a_server_observations_stay(self) -> None:
        for name in BROKEN:
            with self.subTest(name):
                told: list[Failure] = []
                with broken(name, told) as compressor:
                    end, seen = run(compressor)
                self.assertIn(REPORT, seen)
                self.assertEqual(end["exit_status"], "Submitted")
                self.assertEqual(len(told), 1)


if __name__ == "__main__":
    unittest.main()
