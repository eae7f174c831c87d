"""A server that misbehaves in the way that its first argument names."""

import json
import os
import sys
import time

MODE = sys.argv[1]


def read():
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else None


def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def main():
    if MODE == "exits":
        sys.exit(3)
    if MODE == "garbage":
        print("Welcome to something else!", flush=True)
    if MODE == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    if MODE == "silent":
        time.sleep(600)
    while (message := read()) is not None:
        method, id_ = message["method"], message.get("id")
        if method == "initialize":
            offer = {"protocolVersion": 1, "methods": [], "modes": [], "tokenizers": [], "limits": {}}
            write({"id": id_, "result": {"capabilities": {"experimental": {"tersed": offer}}}})
        elif method == "shutdown":
            write({"id": id_, "result": None})
        elif method == "exit":
            sys.exit(0)
        elif id_ is not None:
            answer(method, id_, message)


def answer(method, id_, message):
    if MODE == "crashes":
        os._exit(9)
    elif MODE == "hangs":
        time.sleep(600)
    elif MODE == "late-garbage":
        print("Segmentation fault", flush=True)
    elif MODE == "half":
        sys.stdout.buffer.write(b'Content-Length: 99\r\n\r\n{"jsonrpc"')
        sys.stdout.buffer.flush()
        os._exit(0)
    elif MODE == "wrong-shape":
        write({"id": id_, "result": {"content": 5, "results": 5, "body": 5}})
    elif MODE == "redaction":
        data = {"kind": "redaction_failed", "retryable": False}
        write({"id": id_, "error": {"code": -32803, "message": "no redaction", "data": data}})
    elif MODE == "waits":
        cancel = read()
        assert cancel["method"] == "$/cancelRequest", cancel
        error = {"code": -32800, "message": "cancelled"}
        write({"id": cancel["params"]["id"], "error": error})
        write({"method": "test/cancelled", "params": cancel["params"]})
    elif MODE == "echoes":
        write({"id": id_, "result": {"method": method, "params": message.get("params")}})


main()
