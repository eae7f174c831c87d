"""A mini-swe-agent whose model is a script: it asks for the tests to be run, and submits."""

import os
import sys
import tempfile

os.environ.setdefault("MSWEA_SILENT_STARTUP", "1")
os.environ.setdefault("MSWEA_GLOBAL_CONFIG_DIR", tempfile.mkdtemp())

from _script import REPORT, show, tell
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output

from tersed import Compressor
from tersed.adapters.mini_swe_agent import TersedEnvironment

# The command prints the report and fails, as the real one does.
run_tests = f"{sys.executable} -c 'import os; print(os.environ[\"REPORT\"], end=\"\"); exit(101)' # cargo test"
model = DeterministicModel(
    outputs=[
        make_output("I run the tests.", [{"command": run_tests}]),
        make_output("I am done.", [{"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}]),
    ]
)
with Compressor(on_failure=tell) as compressor:
    inner = LocalEnvironment(env={"REPORT": REPORT})
    agent = DefaultAgent(
        model,
        TersedEnvironment(inner, compressor),
        system_template="You are a tester.",
        instance_template="{{task}}",
    )
    agent.run("Do the tests pass?")
    show(agent.messages[3]["content"])
