"""headroom, for `figures::a_peer` (`protocol/measured.md`): a JSON object a line with tool, command, exitCode and text comes in, a JSON
string with what the model would get goes out. As it installs: `pip install headroom-ai==0.42.0`, without its optional models. It leaves the
last messages alone, so the result is followed by a few."""

import json
import logging
import sys

from headroom import compress

logging.disable(logging.CRITICAL)
out, sys.stdout = sys.stdout, sys.stderr
for line in sys.stdin:
    given = json.loads(line)
    function = {"name": given["tool"], "arguments": json.dumps({"command": given["command"] or ""})}
    messages = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": given["text"]},
    ]
    messages += 4 * [{"role": "assistant", "content": "Done."}, {"role": "user", "content": "Go on."}]
    result = compress(messages, model="gpt-4o")
    content = result.messages[2]["content"]
    print(json.dumps(content if isinstance(content, str) else "".join(part.get("text", "") for part in content)), file=out, flush=True)
