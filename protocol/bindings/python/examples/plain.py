"""A result, a stream and an original read back, without any framework."""

from _script import COMMAND, REPORT, show, tell

from tersed import Compressor

with Compressor(session_id="example", on_failure=tell) as compressor:
    outcome = compressor.compress(
        REPORT, tool="bash", arguments={"command": COMMAND}, tool_call_id="call_1", exit_code=101
    )
    show(outcome.content)
    if outcome.artifact:
        print(compressor.read(outcome.artifact["id"], lines=[(2, 4)]))
    stream = compressor.stream(tool="bash", command=COMMAND, tool_call_id="call_2")
    for line in REPORT.splitlines(keepends=True):
        stream.append(line)
    print(stream.close(exit_code=101).content)
