"""An MCP server on stdio that answers what it is told to, for tests of the proxy."""

import json
import os
import signal
import sys

PASSING = "running 400 tests\n" + "".join(f"test case_{n} ... ok\n" for n in range(1, 401)) + (
    "\ntest result: ok. 400 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n"
)


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def ended(number, _frame):
    say(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"signal": number}}))
    sys.exit(7)


signal.signal(signal.SIGTERM, ended)
say("a line that is no JSON")
for line in sys.stdin:
    message = json.loads(line)
    method, id = message.get("method"), message.get("id")
    params = message.get("params", {})
    answer = {"jsonrpc": "2.0", "id": id}
    if method == "tools/list":
        answer["result"] = {"tools": [{"name": "run", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        command = params["arguments"]["command"]
        if command == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if command == "exit":
            sys.exit(3)
        if command == "hang":
            continue
        text = PASSING if command == "cargo test" else os.environ.get("TEXT", command)
        answer["result"] = {"content": [{"type": "text", "text": text}], "isError": False}
    elif method == "echo":
        # Spaces, member order and numbers that a JSON library would write another way.
        say('{"result" : {"line": %s, "n": 1.50, "e": 1E400}, "id":%s,  "jsonrpc":"2.0"}' % (json.dumps(line), json.dumps(id)))
        continue
    elif id is None:
        continue
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    say(json.dumps(answer))
