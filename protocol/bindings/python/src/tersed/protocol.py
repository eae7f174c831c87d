"""Types of the protocol, version 1.

Generated from the schema of the protocol; not to be edited. Members that a server may add later are
absent here and are to be ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict, Union

__all__ = [
    "AppendParams",
    "Appended",
    "ArtifactRef",
    "BatchBudget",
    "BatchCompressed",
    "BatchItem",
    "BatchItemObject",
    "BatchParams",
    "BeforeAfter",
    "BudgetPatch",
    "BudgetUse",
    "Capabilities",
    "CapabilityLimits",
    "Closed",
    "CommandWords",
    "CompressParams",
    "Compressed",
    "DictionaryMethod",
    "Discarded",
    "ErrorData",
    "EvictedParams",
    "Evidence",
    "EvidenceDetail",
    "FileDetail",
    "Format",
    "Found",
    "GuardEvidence",
    "List",
    "ListParams",
    "Listed",
    "Match",
    "Memo",
    "MessageResult",
    "MessagesCompressed",
    "MessagesParams",
    "Minified",
    "Mode",
    "NumberedLine",
    "Numbering",
    "Omission",
    "OnRepeat",
    "OpenParams",
    "Opened",
    "Options",
    "PolicyPatch",
    "Read",
    "ReadParams",
    "Reason",
    "RedactionCount",
    "Removal",
    "Rung",
    "SearchParams",
    "SessionParams",
    "ShownBy",
    "Stats",
    "Status",
    "Step",
    "StreamCloseParams",
    "StreamName",
    "StreamOpenParams",
    "StreamOpened",
    "StreamParams",
    "Structured",
    "StructuredContent",
    "Tokenizer",
    "Tokens",
    "ToolResult",
    "ToolSchemaParams",
    "ToolSchemas",
    "Totals",
]


class _CompressParams(TypedDict):
    """Members that every `CompressParams` has."""

    result: ToolResult
    """The result."""


class CompressParams(_CompressParams, total=False):
    """Parameters of `toolResult/compress`."""

    sessionId: str | None
    """The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no
    dedup.
    """

    policy: PolicyPatch | None
    """Settings for this request alone."""

    query: str | None
    """What the agent is looking for: ranks what stays where something has to go. Up to 4096
    bytes count.
    """

    fullOutput: bool
    """The exact bytes are wanted; redaction alone still applies."""

    budget: BudgetPatch | None
    """What the result may cost, laid over the policy's budget."""

    contextPressure: float | None
    """How full the model's context is, 0 to 1: from 0.5 on results become shorter."""


class _ToolResult(TypedDict):
    """Members that every `ToolResult` has."""

    content: str | list[Any]
    """The content: a string, or an array of parts. Text parts (`{"type":"text","text":…}` and
    the like) and `{"type":"bytes","base64":…}` are compressed, any other part passes
    through.
    """


class ToolResult(_ToolResult, total=False):
    """A tool result as the host has it. Members may go by the names that other hosts use for
    them.
    """

    toolCallId: str | None
    """The host's id of the call, 1 to 512 bytes. Needed for memo and dedup."""

    tool: str | None
    """The tool's name, up to 512 bytes."""

    arguments: Any
    """The tool's arguments, of any shape, or their JSON text; a command or path in them is found
    under its usual names.
    """

    command: CommandWords | None
    """The command line, where it is not in the arguments: a string or an array of words."""

    path: str | None
    """The file or folder that the call named, where it is not in the arguments."""

    exitCode: int | None
    """The exit code of the command."""

    isError: bool | None
    """Whether the host counts the call as failed."""

    fullOutput: bool
    """Per result in a batch: the exact bytes are wanted."""

    tokens: int | None
    """What the content costs by the host's own count, 1 and up: budgets then count this result
    in the host's figures.
    """


CommandWords: TypeAlias = "str | list[str]"
"""A command line, or its words."""


class PolicyPatch(TypedDict, total=False):
    """Settings that somebody gave; what is absent stays as it was."""

    mode: Mode | Literal["conservative", "balanced"] | None
    """What may be done. Default `standard`."""

    minBytes: int | None
    """Results smaller than this many bytes pass through the safe stage only. Default 1024."""

    maxOutputBytes: int | None
    """Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure
    lines.
    """

    headTailBytes: int | None
    """Bytes above which the middle of a text that no reducer understands is left out; 0 for
    never. Failure lines stay. Default 12288 in `standard`, 6144 in `aggressive`, 32768 for a
    JSON document.
    """

    dedup: bool | None
    """Whether a result that repeats an earlier one of the session becomes a reference. Default
    true.
    """

    memo: bool | None
    """Whether outcomes are remembered by call id. Default true."""

    redactSecrets: bool | None
    """Whether secrets are removed. Default true."""

    excludeTools: list[str] | None
    """Tools whose results are returned exactly, compared without case. Default none."""

    expandTool: bool | None
    """Whether the host offers the model a tool that reads artifacts. Default false."""

    evidence: EvidenceDetail | None
    """Evidence in responses. Default `full`."""

    tokenizer: Tokenizer | None
    """Token counter. Default `o200k`."""

    summarizeAbove: int | None
    """Tokens above which the evidence suggests that the host summarizes. Default 4000."""

    dedupWindowResults: int | None
    """After how many later results an output is no longer referred to, unless the host says that
    it is visible. Default 200.
    """

    dedupWindowTokens: int | None
    """After how many tokens of later results an output is no longer referred to. Default 80000."""

    onRepeat: OnRepeat | None
    """What a request gets that is repeated after an answer that was a reference or had gaps.
    Default `full`.
    """

    fileDetail: FileDetail | None
    """How much of a file is shown. Default `auto`."""

    fileDetailFallback: FileDetail | None
    """What `auto` does with a file that no outline is known for. Default `full`."""

    fileFullMaxLines: int | None
    """Lines up to which `auto` shows a file whole. Default 120."""

    fileStructureMaxLines: int | None
    """Lines up to which `auto` may show the structure; above, only signatures where the mode
    allows it. Default 280.
    """

    fileOutlineBytes: int | None
    """Bytes of a view above which `auto` may leave out bodies; 0 for never. Default 12288 in
    `standard`, 4096 in `aggressive`.
    """

    fileLineNumbers: bool | None
    """Whether lines of an outline carry the file's line numbers where the view itself has none.
    Default false.
    """

    fileMaxLines: int | None
    """Most lines shown of a file, from its start; 0 for no limit. Default 0."""

    fileLastLines: int | None
    """Most lines shown of a file, from its end; 0 for no limit. Default 0."""

    searchContextLines: int | None
    """Context lines shown around a match of a search; 0 and up. Default all in `standard`, 2 in
    `aggressive`.
    """

    searchMaxMatchesPerFile: int | None
    """Matches shown of one file; 0 for all. Default all in `standard`, 8 in `aggressive`."""

    searchMaxFiles: int | None
    """Files of which matches are shown; 0 for all. Default all in `standard`, 100 in
    `aggressive`.
    """

    searchMaxLineLength: int | None
    """Characters above which a line of a search is cut around its match; 0 for never. Default
    1000 in `standard`, 240 in `aggressive`.
    """

    noiseDirectories: list[str] | None
    """Folders whose content is folded in listings, with its counts. Default `node_modules`,
    `.git`, `target`, `__pycache__`, `.venv`, `vendor`.
    """

    diffMaxLinesPerHunk: int | None
    """Changed lines shown of one hunk of a diff; 0 for all. Default all in `standard`, 100 in
    `aggressive`.
    """

    diffMaxLines: int | None
    """Changed lines shown of a whole diff; 0 for all. Default all in `standard`, 500 in
    `aggressive`.
    """

    maxMode: Mode | None
    """How far a budget may climb above `mode`. Default `aggressive`."""

    budget: BudgetPatch | None
    """Tokens that results may take. Default any number."""

    structured: Structured | None
    """What may become of structured data. Default `auto`."""

    dropEmpty: bool | None
    """Whether members that are null, `""`, `[]` or `{}` may be left out in `aggressive`. Default
    false.
    """

    arrayMaxItems: int | None
    """Items shown of an array; 0 for all. Default all in `standard`, 24 in `aggressive`."""

    stringMaxLength: int | None
    """Characters shown of a string in structured data; 0 for all. Default all in `standard`,
    1000 in `aggressive`.
    """

    dictionary: DictionaryMethod | None
    """How repeated text is written once in `aggressive`. Default `auto`."""

    externalizeAbove: int | None
    """Bytes above which a result of a session is replaced by a pointer and a preview; 0 for
    never. Default never.
    """


Mode: TypeAlias = Literal[
    "disabled",
    "safe",
    "standard",
    "aggressive",
]
"""How far a result may be changed: each mode does what the one before it does, and more."""


EvidenceDetail: TypeAlias = Literal[
    "none",
    "changed",
    "full",
]
"""How much evidence a response carries."""


Tokenizer: TypeAlias = Literal[
    "o200k",
    "cl100k",
    "heuristic",
]
"""The counters that a policy can name."""


OnRepeat: TypeAlias = Literal[
    "full",
    "same",
]
"""What a request gets that is repeated after an answer that was a reference or had gaps."""


FileDetail: TypeAlias = Literal[
    "auto",
    "full",
    "structure",
    "signatures",
]
"""How much of a file is shown."""


class BudgetPatch(TypedDict, total=False):
    """A budget as somebody gave it. Of a budget that is given, what is absent has its default."""

    perResult: int | None
    """Tokens of one result. A result of no more is left to the mode. 0 for any number. Default
    2000.
    """

    summarizeAbove: int | None
    """Tokens above which the evidence suggests that the host summarizes. Default 4000."""

    total: int | None
    """Tokens of all results of a batch or a request together. 0 for any number. Default 8000."""


Structured: TypeAlias = Literal[
    "auto",
    "parseable",
    "tables",
    "plain",
]
"""What may become of structured data (JSON, XML, YAML and the like)."""


DictionaryMethod: TypeAlias = Literal[
    "none",
    "lzw",
    "repair",
    "auto",
]
"""How repeated text is written once in `aggressive`."""


class _Compressed(TypedDict):
    """Members that every `Compressed` has."""

    content: str | list[Any]
    """The content in the shape in which it came."""


class Compressed(_Compressed, total=False):
    """Result of `toolResult/compress`."""

    evidence: Evidence | None
    """What happened, in the detail that the policy asks for."""

    artifact: ArtifactRef | None
    """The original, where the content differs from it and it could be stored."""


class _Evidence(TypedDict):
    """Members that every `Evidence` has."""

    status: Status
    """What became of the result."""

    mode: Mode
    """The mode that was used."""

    tokens: Tokens
    """Tokens."""

    bytes: BeforeAfter
    """Bytes."""

    lines: BeforeAfter
    """Lines."""

    steps: list[Step]
    """Steps that were tried, in order."""

    omissions: list[Omission]
    """What is not shown."""

    redactions: list[RedactionCount]
    """Secrets that were removed."""

    guard: GuardEvidence
    """What the guard saw."""

    capped: bool
    """Whether the byte cap cut something."""

    memo: Memo
    """What the memo did."""

    summarizeSuggested: bool
    """Whether the result is larger than `summarizeAbove` tokens."""

    digest: str
    """BLAKE3 digest of the sanitized text, hexadecimal."""


class Evidence(_Evidence, total=False):
    """Everything about one result."""

    family: str | None
    """What kind of output it is, where that is known."""

    reducer: str | None
    """The reducer that was used."""

    bypass: Reason | None
    """The rule that kept the text exact."""

    exitCode: int | None
    """The call's exit code, where the host gave it."""

    dictionaryMethod: str | None
    """How repeated text was found that is written once, `lzw` or `repair`."""

    removals: list[Removal]
    """What the clean-up removed."""

    budget: BudgetUse | None
    """What a budget did, where one was in force."""

    externalized: str | None
    """Id of the artifact that the text became a pointer to."""

    duplicateOf: str | None
    """Call id of the earlier result that this one repeats."""


Status: TypeAlias = Union[
    Literal[
        "unchanged",
        "compressed",
        "duplicate",
        "bypassed",
        "suppressed",
        "failed_open",
    ],
    str,
]
"""What became of a result."""


Reason: TypeAlias = Union[
    Literal[
        "passing_tests",
        "test_output",
        "skipped_tests",
        "progress",
        "satisfied",
        "packages",
        "package_hints",
        "transferred_files",
        "diff_context",
        "diff_limit",
        "generated_file",
        "git_hints",
        "line_endings",
        "same_author",
        "commit_body",
        "older_commits",
        "blame_columns",
        "same_refs",
        "passing_checks",
        "step_prefix",
        "shared_folder",
        "shared_path",
        "shared_message",
        "clean",
        "search_limit",
        "line_numbers",
        "listing_layout",
        "noise_directory",
        "large_folder",
        "kernel_threads",
        "idle_processes",
        "virtual_filesystems",
        "local_sockets",
        "mapped_files",
        "thread_files",
        "device_units",
        "routine_calls",
        "repeated_calls",
        "shell_settings",
        "connection_steps",
        "steady_replies",
        "no_reply",
        "encoded_bytes",
        "zero_counters",
        "defaults",
        "not_affected",
        "common_fields",
        "small_shares",
        "shared_name",
        "repeated_lines",
        "repeated_block",
        "repeated_diagnostic",
        "diagnostic_excerpt",
        "library_frames",
        "repeated_trace",
        "asset_limit",
        "tool_hints",
        "tool_frames",
        "unknown_value",
        "log_repeat",
        "log_form",
        "log_group",
        "shown_before",
        "file_body",
        "file_limit",
        "head_tail",
        "output_cap",
        "budget",
        "externalized",
        "long_line",
        "array_items",
        "object_members",
        "deep_value",
        "empty_members",
        "long_string",
        "encoded_string",
        "siblings",
        "page_code",
        "table_rows",
        "xml_whitespace",
        "embedded_binary",
        "binary",
        "json_whitespace",
        "schema_table",
        "table_whitespace",
        "trailing_whitespace",
        "applied",
        "not_paying",
        "guard_declined",
        "reducer_panicked",
        "invalid_reduction",
        "not_recognized",
        "nothing_to_do",
        "few_items",
        "mixed_items",
        "deep_items",
        "over_dictionary_limit",
        "holds_dictionary",
        "below_min_bytes",
        "full_output",
        "mode_disabled",
        "excluded_tool",
        "asked_again",
        "already_compressed",
        "over_input_limit",
        "no_session",
        "not_stored",
        "budget_too_small",
        "fixed_results",
        "structured_format",
    ],
    str,
]
"""Stable reason code."""


class Tokens(TypedDict):
    """Tokens before and after."""

    before: int
    """Tokens that came in."""

    after: int
    """Tokens that go out."""

    counter: str
    """Name of the counter."""


class BeforeAfter(TypedDict):
    """Sizes before and after. `before` is what came in, `after` what goes out."""

    before: int
    """What came in."""

    after: int
    """What goes out."""


class Step(TypedDict):
    """One step of the pipeline that was tried."""

    id: str
    """Name of the step."""

    reason: Reason
    """`applied`, or why nothing was done."""

    bytesBefore: int
    """Bytes of the text before the step."""

    bytesAfter: int
    """Bytes of the text after the step."""


class _Omission(TypedDict):
    """Members that every `Omission` has."""

    lines: list[int]
    """First and last line of the sanitized text, from 1, inclusive."""

    reason: Reason
    """Why."""

    count: int
    """Lines not shown; 0 when the gap is inside a line."""


class Omission(_Omission, total=False):
    """Lines that are not shown."""

    bytes: int
    """Bytes not shown, where the gap is inside lines."""

    part: int
    """Index of the content part, where the result has several."""

    shownBy: ShownBy | None
    """Where the model sees the lines, for `shown_before`."""


class _ShownBy(TypedDict):
    """Members that every `ShownBy` has."""

    toolCallId: str
    """Call id."""

    lines: list[int]
    """First and last line of the result's sanitized text, or of the argument, from 1, inclusive."""


class ShownBy(_ShownBy, total=False):
    """Where lines were shown before."""

    argument: str | None
    """The argument of the call that holds the lines; absent where its result shows them."""


class RedactionCount(TypedDict):
    """Secrets of one rule that were removed."""

    rule: str
    """Name of the rule."""

    count: int
    """How many."""

Removal = TypedDict(
    "Removal",
    {
        # Class, for example `bidi_control` or `escape_sequence`.
        "class": str,
        # How many.
        "count": int,
    },
)
"""Characters or sequences that the clean-up removed."""


class _GuardEvidence(TypedDict):
    """Members that every `GuardEvidence` has."""

    signals: int
    """Lines that report a failure."""

    kept: int
    """Of these, lines that can still be seen; a repeated line counts as seen when one of it is."""


class GuardEvidence(_GuardEvidence, total=False):
    """What the guard saw."""

    restored: int
    """Of these, lines that a step had hidden and the guard brought back."""


class _BudgetUse(TypedDict):
    """Members that every `BudgetUse` has."""

    tokens: int
    """Tokens that the result might take."""

    met: bool
    """Whether it takes no more."""

    rung: Rung
    """How far the budget had to go for it."""


class BudgetUse(_BudgetUse, total=False):
    """What a budget did to one result."""

    why: Reason | None
    """Why it takes more."""

    hostTokens: BeforeAfter | None
    """Tokens in the host's own figures, where it gave them."""


class _Rung(TypedDict):
    """Members that every `Rung` has."""

    mode: Mode
    """The mode."""


class Rung(_Rung, total=False):
    """How far a budget had to go."""

    squeeze: int
    """How often the limits that depend on the mode were halved."""

    cut: bool
    """Whether lines were cut by tokens after that."""


class Memo(TypedDict):
    """What the memo did."""

    reused: bool
    """The outcome is the one given before for this call."""

    changed: bool
    """The call was seen before with other bytes or another policy."""


class _ArtifactRef(TypedDict):
    """Members that every `ArtifactRef` has."""

    id: str
    """What `artifact/read` takes."""

    bytes: int
    """Size in bytes."""

    lines: int
    """Lines, as markers number them."""


class ArtifactRef(_ArtifactRef, total=False):
    """The original of a result, kept for reading back."""

    originalId: str | None
    """The text before clean-up (terminal sequences, invisible characters), where that differs."""


class _BatchParams(TypedDict):
    """Members that every `BatchParams` has."""

    results: list[BatchItem]
    """The results of one turn, in order."""


class BatchParams(_BatchParams, total=False):
    """Parameters of `toolResult/compressBatch`."""

    sessionId: str | None
    """The session, as in `toolResult/compress`."""

    policy: PolicyPatch | None
    """Settings for this request alone."""

    query: str | None
    """What the agent is looking for, as in `toolResult/compress`."""

    fullOutput: bool
    """The exact bytes of all results are wanted."""

    budget: BudgetPatch | None
    """What the results may cost, each and together, laid over the policy's budget."""

    contextPressure: float | None
    """How full the model's context is, as in `toolResult/compress`."""


class _BatchItemObject(TypedDict):
    """Members that every `BatchItemObject` has."""

    result: ToolResult
    """The result."""


class BatchItemObject(_BatchItemObject, total=False):
    """In a member."""

    fullOutput: bool
    """The exact bytes are wanted."""


BatchItem: TypeAlias = "ToolResult | BatchItemObject"
"""One result of a batch, by itself or as `toolResult/compress` takes it."""


class _BatchCompressed(TypedDict):
    """Members that every `BatchCompressed` has."""

    results: list[Compressed]
    """One for each result, in the same order."""

    tokens: BeforeAfter
    """Sums over the results, in the host's figures for those that came with them."""


class BatchCompressed(_BatchCompressed, total=False):
    """Result of `toolResult/compressBatch`."""

    budgetApplied: bool | None
    """Whether a budget made any result smaller; absent where none was in force."""

    budget: BatchBudget | None
    """The budget of all results together, where one was in force."""


class _BatchBudget(TypedDict):
    """Members that every `BatchBudget` has."""

    tokens: int
    """Tokens that the results might take together."""

    met: bool
    """Whether they take no more."""


class BatchBudget(_BatchBudget, total=False):
    """What became of the budget of a batch."""

    why: Reason | None
    """Why they take more."""


class _StreamOpenParams(TypedDict):
    """Members that every `StreamOpenParams` has."""

    result: Mapping[str, Any]
    """The result as in `toolResult/compress`, without `content`."""


class StreamOpenParams(_StreamOpenParams, total=False):
    """Parameters of `toolResult/open`: those of `toolResult/compress`, but for the content."""

    sessionId: str | None
    """The session, 1 to 512 bytes; it opens on first use."""

    policy: PolicyPatch | None
    """Settings for this result alone."""

    query: str | None
    """What the agent is looking for, as in `toolResult/compress`."""

    budget: BudgetPatch | None
    """What the result may cost, as in `toolResult/compress`."""

    contextPressure: float | None
    """How full the model's context is, as in `toolResult/compress`."""

    fullOutput: bool
    """The exact bytes are wanted; redaction alone still applies."""


class StreamOpened(TypedDict):
    """Result of `toolResult/open`."""

    streamId: str
    """What the following requests name it by."""


class _AppendParams(TypedDict):
    """Members that every `AppendParams` has."""

    streamId: str
    """The stream."""

    text: str
    """What came next. It may end anywhere, also between the halves of a surrogate pair."""


class AppendParams(_AppendParams, total=False):
    """Parameters of `toolResult/append`."""

    sessionId: str | None
    """Its session; may be absent."""

    stream: StreamName | None
    """Where it was written to. Default `none`."""


StreamName: TypeAlias = Literal[
    "none",
    "stdout",
    "stderr",
]
"""Where a piece was written to. Pieces of one name follow each other; names stay apart."""


class Appended(TypedDict):
    """Result of `toolResult/append`."""

    bytes: int
    """Bytes that came so far."""

    whole: bool
    """Whether all of them are kept."""


class _StreamParams(TypedDict):
    """Members that every `StreamParams` has."""

    streamId: str
    """The stream."""


class StreamParams(_StreamParams, total=False):
    """Parameters of `toolResult/peek` and `toolResult/discard`."""

    sessionId: str | None
    """Its session; may be absent."""


class _StreamCloseParams(TypedDict):
    """Members that every `StreamCloseParams` has."""

    streamId: str
    """The stream."""


class StreamCloseParams(_StreamCloseParams, total=False):
    """Parameters of `toolResult/close`."""

    sessionId: str | None
    """Its session; may be absent."""

    exitCode: int | None
    """The exit code of the command. Absent for the one given to `toolResult/open`, if one was."""

    isError: bool | None
    """Whether the host counts the call as failed; likewise."""


class Discarded(TypedDict):
    """Result of `toolResult/discard`."""

    discarded: bool
    """Whether the stream was open."""


class _MessagesParams(TypedDict):
    """Members that every `MessagesParams` has."""

    body: Mapping[str, Any] | list[Any]
    """The request as the model's provider takes it, or, for `mcp`, a result or an array of
    messages.
    """


class MessagesParams(_MessagesParams, total=False):
    """Parameters of `messages/compress`."""

    sessionId: str | None
    """The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no
    dedup.
    """

    format: Format | None
    """The format of the body. May be absent where the body tells."""

    policy: PolicyPatch | None
    """Settings for this request alone."""

    query: str | None
    """What the agent is looking for, as in `toolResult/compress`. It counts for results that the
    session does not know yet; the others stay as they were given.
    """

    budget: BudgetPatch | None
    """What each result may cost, and those of one turn together, laid over the policy's budget.
    A turn is the results between two messages of the model.
    """

    contextPressure: float | None
    """How full the model's context is, as in `toolResult/compress`. It counts for results that
    the session does not know yet.
    """

    keepNewest: int
    """So many of the newest results stay exact; redaction alone still applies. Default 0."""

    toolSchemas: ToolSchemas | None
    """What is done to the schemas of the tools in the body. Default `disabled`."""

    structuredContent: StructuredContent
    """What becomes of the `structuredContent` of an MCP result. Default `keep`."""

    stripOverrides: bool
    """Whether the member `_forge` is taken out of the body. Default false."""


Format: TypeAlias = Literal[
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "mcp",
]
"""Formats of bodies."""


ToolSchemas: TypeAlias = Literal[
    "disabled",
    "minify",
]
"""What is done to the schemas of the tools in a body."""


StructuredContent: TypeAlias = Literal[
    "keep",
    "dropRepeated",
]
"""What becomes of structured content."""


class _MessagesCompressed(TypedDict):
    """Members that every `MessagesCompressed` has."""

    body: dict[str, Any] | list[Any]
    """The body. Every byte that is not a text of a result is as it came."""

    results: list[MessageResult]
    """One for each result with text, in the order of the body."""

    tokens: BeforeAfter
    """Sums over the results."""


class MessagesCompressed(_MessagesCompressed, total=False):
    """Result of `messages/compress`."""

    format: Format | None
    """The format that the body was read in; absent where it holds no result that would tell."""

    toolTokens: BeforeAfter | None
    """Tokens of `tools`, where their descriptions were minified."""


class _MessageResult(TypedDict):
    """Members that every `MessageResult` has."""

    place: str
    """Where it stands in the body."""


class MessageResult(_MessageResult, total=False):
    """What became of one result of a body."""

    toolCallId: str | None
    """The call that it answers: the id in the body, or `name#n` for the n-th result of that tool
    that has none. Absent where there is nothing to tell it by.
    """

    evidence: Evidence | None
    """What happened, in the detail that the policy asks for."""

    artifact: ArtifactRef | None
    """The original, where the text differs from it and it could be stored."""


class _ToolSchemaParams(TypedDict):
    """Members that every `ToolSchemaParams` has."""

    tools: list[Any]
    """The tools as a request has them: OpenAI, Anthropic, MCP or Gemini."""


class ToolSchemaParams(_ToolSchemaParams, total=False):
    """Parameters of `toolSchema/minify`."""

    policy: PolicyPatch | None
    """Settings for this request alone. Only `tokenizer` matters."""


class Minified(TypedDict):
    """Result of `toolSchema/minify`."""

    tools: list[Any]
    """The tools. Every byte that is not in a description is as it came."""

    tokens: BeforeAfter
    """Tokens of the JSON text of the tools."""


class _ReadParams(TypedDict):
    """Members that every `ReadParams` has."""

    id: str
    """The artifact, or the handle of a marker."""


class ReadParams(_ReadParams, total=False):
    """Parameters of `artifact/read`."""

    sessionId: str | None
    """The session that owns the artifact; absent for results that came without a session."""

    lines: list[list[int]] | None
    """Ranges `[first, last]`, from 1, inclusive. They are put in order, and those that touch are
    joined. A last line behind the end means the last line. Absent or empty for everything.
    """

    numbering: Numbering
    """What the lines are numbered by. Default `result`."""

    maxBytes: int | None
    """Most bytes to return, from 1; more than 1048576 is taken as that. Default 65536."""

    cursor: str | None
    """Where the page before ended."""


Numbering: TypeAlias = Literal[
    "result",
    "shown",
]
"""What lines are numbered by."""


class _Read(TypedDict):
    """Members that every `Read` has."""

    id: str
    """The artifact."""

    text: str
    """The text, terminators included. Base64 when `encoding` says so."""

    encoding: str
    """`utf-8`, or `base64` for binary data."""

    lines: list[list[int]]
    """Line ranges that the text covers."""

    totalLines: int
    """Lines of the whole."""

    totalBytes: int
    """Bytes of the whole."""


class Read(_Read, total=False):
    """Result of `artifact/read`."""

    nextCursor: str | None
    """Where the next page starts; absent at the end."""


class _SearchParams(TypedDict):
    """Members that every `SearchParams` has."""

    id: str
    """The artifact, or the handle of a marker."""

    pattern: str
    """Regular expression in the syntax of Rust's `regex` crate."""


class SearchParams(_SearchParams, total=False):
    """Parameters of `artifact/search`."""

    sessionId: str | None
    """The session that owns the artifact."""

    fixed: bool
    """The pattern is plain text."""

    ignoreCase: bool
    """Letter case does not matter."""

    context: int
    """Lines before and after each match; more than 20 is taken as that. Default 0."""

    maxMatches: int | None
    """Most matches to return, from 1; more than 500 is taken as that. Default 50. A page is also
    bounded in bytes, so that it may hold fewer.
    """

    cursor: str | None
    """Where the page before ended."""


class _Found(TypedDict):
    """Members that every `Found` has."""

    id: str
    """The artifact."""

    matches: list[Match]
    """Matching lines, in order."""

    totalMatches: int
    """Matching lines in the whole."""


class Found(_Found, total=False):
    """Result of `artifact/search`."""

    nextCursor: str | None
    """Where the next page starts; absent at the end."""


class Match(TypedDict):
    """One matching line."""

    line: int
    """From 1."""

    text: str
    """The line, or the part of it around the match when it is very long."""

    column: int
    """Column of the first byte of `text`, from 1; above 1 when the line was cut."""

    before: list[NumberedLine]
    """Lines before."""

    after: list[NumberedLine]
    """Lines after."""


class NumberedLine(TypedDict):
    """A line and its number."""

    line: int
    """From 1."""

    text: str
    """Without terminator."""


class ListParams(TypedDict, total=False):
    """Parameters of `artifact/list`."""

    sessionId: str | None
    """The session; absent for results that came without one."""

    cursor: str | None
    """Where the page before ended."""


class _List(TypedDict):
    """Members that every `List` has."""

    artifacts: list[Listed]
    """Newest first."""


class List(_List, total=False):
    """Result of `artifact/list`."""

    nextCursor: str | None
    """Where the next page starts; absent at the end."""


class _Listed(TypedDict):
    """Members that every `Listed` has."""

    id: str
    """What `artifact/read` takes."""

    digest: str
    """BLAKE3 digest, hexadecimal."""

    bytes: int
    """Size in bytes."""

    lines: int
    """Lines."""

    tool: str
    """Tool that wrote it."""


class Listed(_Listed, total=False):
    """One stored original."""

    toolCallId: str | None
    """Call that it answers."""


class _OpenParams(TypedDict):
    """Members that every `OpenParams` has."""

    sessionId: str
    """The session, 1 to 512 bytes."""


class OpenParams(_OpenParams, total=False):
    """Parameters of `session/open`."""

    policy: PolicyPatch | None
    """Settings for all requests of the session."""


class Opened(TypedDict):
    """Result of `session/open`."""

    sessionId: str
    """The session."""

    created: bool
    """False when it was open already; its state is untouched then."""


class SessionParams(TypedDict):
    """Parameters of `session/close` and `session/stats`."""

    sessionId: str
    """The session."""


class Closed(TypedDict):
    """Result of `session/close`."""

    closed: bool
    """Whether the session was open."""


class Stats(TypedDict):
    """Result of `session/stats`. Results count once, however often they are resent."""

    total: Totals
    """All results."""

    resends: Totals
    """Results that came again under their call id with the same bytes and policy."""

    memoHits: int
    """Resends that were answered from the memo."""

    memoChanged: int
    """Call ids that came again with other bytes or another policy."""

    byTool: dict[str, Totals]
    """By tool; `other` from the 1025th tool on."""

    byFamily: dict[str, Totals]
    """By family, `other` where none is known."""

    byReducer: dict[str, Totals]
    """By reducer; results without one are not listed."""

    byStatus: dict[str, int]
    """Results by status."""

    omittedLines: dict[str, int]
    """Lines not shown, by reason."""

    redactions: dict[str, int]
    """Secrets removed, by rule."""


class Totals(TypedDict):
    """Sums over some results."""

    results: int
    """Results."""

    tokensBefore: int
    """Tokens that came in."""

    tokensAfter: int
    """Tokens that went out."""

    bytesBefore: int
    """Bytes that came in."""

    bytesAfter: int
    """Bytes that went out."""


class _EvictedParams(TypedDict):
    """Members that every `EvictedParams` has."""

    sessionId: str
    """The session."""


class EvictedParams(_EvictedParams, total=False):
    """Parameters of `session/evicted`: what the model no longer sees."""

    toolCallIds: list[str]
    """Calls whose results left the context."""

    visible: list[str] | None
    """The only calls whose results are still in the context."""


class Options(TypedDict, total=False):
    """`initializationOptions.tersed`."""

    protocolVersions: list[int] | None
    """Major versions of the protocol that the host speaks; absent for any."""

    policy: PolicyPatch | None
    """Settings for all requests."""


class Capabilities(TypedDict):
    """`capabilities.experimental.tersed`."""

    protocolVersion: int
    """Major version of the protocol."""

    methods: list[str]
    """Methods that are there."""

    modes: list[Mode]
    """Modes that do something."""

    tokenizers: list[Tokenizer]
    """Token counters."""

    limits: CapabilityLimits
    """Bounds."""


class CapabilityLimits(TypedDict):
    """Bounds that a host may want to know."""

    maxSessions: int
    """Sessions at once; the one that was used least lately ends first."""

    maxCallsPerSession: int
    """Calls that a session remembers."""

    maxOutputBytes: int
    """Largest `maxOutputBytes`."""

    maxArtifacts: int
    """Originals at once."""

    maxArtifactBytes: int
    """Bytes of all originals."""

    maxStreams: int
    """Streams at once."""

    maxStreamBytes: int
    """Bytes of a stream up to which all is kept."""


class ErrorData(TypedDict):
    """The `data` member of an error."""

    kind: str
    """Stable name of the fault, for example `artifact_not_found`."""

    retryable: bool
    """Whether the same request may succeed later."""
