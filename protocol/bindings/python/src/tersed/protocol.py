"""Types of the protocol, version 1.

Generated from the schema of the protocol; not to be edited. Members that a server may add later are
absent here and are to be ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict, Union

__all__ = [
    "Alert",
    "AlertKind",
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
    "Cache",
    "CachePrices",
    "CacheTotals",
    "Capabilities",
    "CapabilityLimits",
    "Category",
    "Closed",
    "CommandWords",
    "CompactedParams",
    "CompressParams",
    "Compressed",
    "Configuration",
    "ContextItem",
    "Cost",
    "DictionaryMethod",
    "DidChangeParams",
    "Discarded",
    "Elapsed",
    "ErrorData",
    "Event",
    "EvictedParams",
    "Evidence",
    "EvidenceDetail",
    "FailureEvent",
    "FileDetail",
    "Fingerprints",
    "Flags",
    "ForkParams",
    "Forked",
    "Format",
    "Found",
    "GuardEvidence",
    "HostCut",
    "HostKeeps",
    "List",
    "ListParams",
    "Listed",
    "LogMessage",
    "Match",
    "Memo",
    "MessageResult",
    "MessagesCompressed",
    "MessagesParams",
    "Minified",
    "Mode",
    "ModelAnswer",
    "NumberedLine",
    "Numbering",
    "Omission",
    "Omitted",
    "OnRepeat",
    "OpenParams",
    "Opened",
    "Options",
    "PolicyPatch",
    "Profile",
    "Read",
    "ReadParams",
    "Reason",
    "ReasonTotals",
    "Reclaim",
    "ReclaimMode",
    "ReclaimParams",
    "ReclaimReason",
    "ReclaimSum",
    "ReclaimTerms",
    "Reclaimable",
    "Reclaimed",
    "ReclaimedParams",
    "ReclaimedTotals",
    "RedactionCount",
    "ReloadParams",
    "Reloaded",
    "Removal",
    "Replacement",
    "Resend",
    "ResultEvent",
    "ResultEventObject",
    "Rule",
    "RuleAsked",
    "RuleCondition",
    "RuleExplained",
    "RuleLines",
    "RuleMatchOutput",
    "RuleReplace",
    "RuleSample",
    "RuleStages",
    "RuleTest",
    "RuleTested",
    "RuleWhen",
    "RulesCheckParams",
    "RulesChecked",
    "Rung",
    "SearchParams",
    "SecretsPatch",
    "SessionParams",
    "ShownBy",
    "Spent",
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
    "TextOrTexts",
    "TimedStep",
    "Tokenizer",
    "Tokens",
    "ToolResult",
    "ToolSchemaParams",
    "ToolSchemas",
    "Totals",
    "Untrusted",
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
    """What the agent is looking for: decides what stays if something must be left out. Up to
    4096 bytes are used.
    """

    fullOutput: bool
    """Return the exact bytes; only secrets are removed."""

    budget: BudgetPatch | None
    """What the result may cost; overrides the policy's budget."""

    contextPressure: float | None
    """How full the model's context is, 0 to 1: from 0.5 on results become shorter."""

    hostCut: HostCut | None
    """How the host cuts results itself. Text that it cuts does not count as shown."""

    correlationId: str | None
    """The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters."""


class _ToolResult(TypedDict):
    """Members that every `ToolResult` has."""

    content: str | list[Any]
    """The content: a string, or an array of parts. Text parts (`{"type":"text","text":…}` and
    the like) and `{"type":"bytes","base64":…}` are compressed, any other part is returned
    unchanged.
    """


class ToolResult(_ToolResult, total=False):
    """A tool result as the host has it. Members may have the names that other hosts use for
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
    """The command line, if it is not in the arguments: a string or an array of words."""

    path: str | None
    """The file or folder that the call named, if it is not in the arguments."""

    exitCode: int | None
    """The exit code of the command."""

    isError: bool | None
    """Whether the host counts the call as failed."""

    fullOutput: bool
    """Return the exact bytes of this result, for batches; only secrets are removed."""

    tokens: int | None
    """What the content costs by the host's own count, 1 and up: budgets then count this result
    in the host's tokens.
    """


CommandWords: TypeAlias = "str | list[str]"
"""A command line, or its words."""


class PolicyPatch(TypedDict, total=False):
    """Settings that were given; absent settings stay unchanged."""

    mode: Mode | Literal["off", "conservative", "balanced"] | None
    """How far results may be changed. Default `standard`."""

    minBytes: int | None
    """Results of fewer bytes only pass through the safe stage. Default 1024."""

    maxOutputBytes: int | None
    """Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure
    lines. Below 256 the marker may exceed it.
    """

    headTailBytes: int | None
    """Bytes above which the middle of a text without a reducer is left out; 0 for never. Failure
    lines stay. Default 12288 in `standard`, 6144 in `aggressive`, 32768 for a JSON document;
    less while the context of a session is small.
    """

    dedup: bool | None
    """Whether a result that repeats an earlier one of the session becomes a reference. Default
    true.
    """

    idsVisible: bool | None
    """Whether the model sees the ids of calls. If not, a reference names a call by its file or
    command, and how many results ago it was. A request does not show this: some models see
    the ids, or their ends, and others do not. Default true; false in hosts that use `tersed
    hook`, `run`, `mcp`, `mcp-proxy` or `gateway`.
    """

    seesAllResults: bool | None
    """Whether the host gives every result of a conversation, so that a reference can say how
    many results ago something was shown; if not, it says "earlier". Default true; false in
    hosts that use `tersed hook`, `run`, `mcp` or `mcp-proxy`.
    """

    memo: bool | None
    """Whether outcomes are remembered by call id. Default true."""

    redactSecrets: bool | None
    """Whether secrets are removed. Default true."""

    secrets: SecretsPatch | None
    """Values that are not secrets to this operator. Default nothing."""

    excludeTools: list[str] | None
    """Tools whose results are returned exactly, compared without case. Default none."""

    excludeToolSubstrings: list[str] | None
    """Parts of names of tools whose results are returned exactly, compared without case. Default
    none.
    """

    excludeCategories: list[Category] | None
    """Kinds of output that are returned exactly, by the call or by the grammar of any part of
    the text. Default none.
    """

    excludeMethods: list[Literal["terminal", "embedded_binary", "shared_messages", "stack_traces", "progress", "block_dedup", "structured_data", "file_detail", "repeated_blocks", "head_tail", "dictionary_lzw", "dictionary_repair", "json_table", "json_minify", "xml_whitespace", "data_whitespace", "table_whitespace", "trailing_whitespace", "number_padding", "repeated_lines", "cargo_test", "go_test", "pytest", "unittest", "sympy", "jest", "vitest", "cypress", "mocha", "node_test", "playwright", "bun_test", "deno_test", "bats", "exunit", "swift_test", "tap", "junit_xml", "nextest", "maven", "gradle", "rspec", "minitest", "phpunit", "ctest", "googletest", "catch_2", "dotnet", "sbt", "tox", "test_pairs", "dotnet_xml", "cargo_json", "rustc", "gcc", "tsc", "javac", "msvc", "go_build", "webpack", "vite", "esbuild", "rollup", "next", "babel", "bazel", "swift_build", "terraform", "ansible", "packer", "helm_release", "meson", "cmake", "pre_commit", "shellcheck", "biome", "bandit", "phpstan", "checkstyle_xml", "lint_json", "eslint", "formatters", "lint", "git_diff", "git_status", "vcs_log", "git_blame", "vcs_list", "git_sync", "forge_log", "forge", "docker_build", "docker_layers", "npm", "pnpm", "yarn_berry", "yarn", "bun", "pip", "uv", "poetry", "pipenv", "conda", "cargo_packages", "go_modules", "apt", "apk", "dnf", "brew", "gem", "composer", "nuget", "wget", "transfer", "ffmpeg", "kubectl_describe", "kubectl_events", "compose_logs", "pulumi", "ci_log", "log", "processes", "filesystems", "sockets", "lsof", "systemctl", "strace", "environment", "curl", "ping", "dig", "traceroute", "certificate", "counters", "sysctl", "ip", "lscpu", "perf", "crontab", "package_list", "records", "search", "windows_dir", "listing"]] | None
    """Steps that are not tried, by their names in the evidence; `terminal` stands for rendering
    escape sequences and overwritten text. Default none.
    """

    excludeCommands: list[str] | None
    """First words of commands whose results are returned exactly, parsed as by a shell: `git
    diff --stat`. Default none.
    """

    excludeFlags: list[str] | None
    """Flags, such as `--json`; results of commands with one of them are returned exactly.
    Default none.
    """

    verbatimCommands: list[str] | None
    """First words of commands whose lines are shown as they are or left out: no step rewrites
    them. Default none.
    """

    neverOmit: bool | None
    """Whether nothing is left out: only lossless steps are used, and only a byte cap that was
    set cuts. Default false.
    """

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
    """What a repeated request gets after an answer that was a reference or had gaps. Default
    `full`.
    """

    fileDetail: FileDetail | None
    """How much of a file is shown. Default `auto`."""

    fileDetailFallback: FileDetail | None
    """What `auto` does with a file without a known outline. Default `full`."""

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
    """Whether lines of an outline carry the file's line numbers if the view has none. Default
    false.
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
    """Matches shown of one file; 0 for all. Default all in `standard`, 8 in `aggressive`; fewer
    while the context of a session is small.
    """

    searchMaxFiles: int | None
    """Files of which matches are shown; 0 for all. Default all in `standard`, 100 in
    `aggressive`.
    """

    searchMaxLineLength: int | None
    """Characters above which a line of a search is cut around its match; 0 for never. Default
    1000 in `standard`, 240 in `aggressive`.
    """

    noiseDirectories: list[str] | None
    """Folders whose content is folded in listings, with counts. Default `node_modules`, `.git`,
    `target`, `__pycache__`, `.venv`, `vendor`.
    """

    diffMaxLinesPerHunk: int | None
    """Changed lines shown of one hunk of a diff; 0 for all. Default all in `standard`, 100 in
    `aggressive`.
    """

    diffMaxLines: int | None
    """Changed lines shown of a whole diff; 0 for all. Default all in `standard`, 500 in
    `aggressive`.
    """

    maxMode: Mode | Literal["off", "conservative", "balanced"] | None
    """The highest mode that a budget may use. Default `aggressive`."""

    budget: BudgetPatch | None
    """Token limits for results. Default any number."""

    structured: Structured | None
    """What may happen to structured data. Default `auto`."""

    dropEmpty: bool | None
    """Whether members of JSON and YAML that are null, `""`, `[]` or `{}` are left out, from
    `standard` on. Default false.
    """

    arrayMaxItems: int | None
    """Items shown of an array; 0 for all. Default all in `standard`, 24 in `aggressive`."""

    stringMaxLength: int | None
    """Characters shown of a string in structured data; 0 for all. Default all in `standard`,
    1000 in `aggressive`.
    """

    dictionary: DictionaryMethod | None
    """How repeated text is replaced by a dictionary in `aggressive`. Default `auto`."""

    externalizeAbove: int | None
    """Bytes above which a result of a session is replaced by a pointer and a preview; 0 for
    never. Default never.
    """

    toolSchemas: ToolSchemas | None
    """What is done to the schemas of tools in requests of the gateway, in lists of `mcp-proxy`,
    and in `messages/compress`. Default `disabled`.
    """

    rules: list[Rule] | None
    """Rules of the operator. A rule replaces an earlier one of the same name; others are added.
    Default none.
    """


Mode: TypeAlias = Literal[
    "disabled",
    "safe",
    "standard",
    "aggressive",
]
"""How far a result may be changed: each mode does everything that the one before it does."""


class SecretsPatch(TypedDict, total=False):
    """Treatment of secrets, as given."""

    allow: list[str] | None
    """Values that stay, even if a rule finds them. An item is one or more of `rule:ID`,
    `path:GLOB` and `fingerprint:HEX`, separated by blanks, which must all hold:
    `rule:url-password path:tests/**`. Rules and fingerprints are those of the evidence; the
    path is that of the file that a result is about. Files of a project cannot set it. Default
    none.
    """


Category: TypeAlias = Literal[
    "command",
    "file",
    "search",
    "listing",
    "diff",
    "test",
    "build",
    "git",
    "package",
    "container",
    "log",
    "system",
]
"""A kind of output."""


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
"""What a repeated request gets after an answer that was a reference or had gaps."""


FileDetail: TypeAlias = Literal[
    "auto",
    "full",
    "structure",
    "signatures",
]
"""How much of a file is shown."""


class BudgetPatch(TypedDict, total=False):
    """A budget as given. Absent members have their defaults."""

    perResult: int | None
    """Tokens of one result; smaller results are left to the mode. 0 for any number. Default
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
"""What may happen to structured data (JSON, XML, YAML and the like)."""


DictionaryMethod: TypeAlias = Literal[
    "none",
    "lzw",
    "repair",
    "auto",
]
"""How repeated text is replaced by a dictionary in `aggressive`."""


ToolSchemas: TypeAlias = Literal[
    "disabled",
    "minify",
]
"""What is done to the schemas of the tools in a request."""


class _Rule(TypedDict):
    """Members that every `Rule` has."""

    name: str
    """Name, unique among the rules: 1 to 64 letters, digits, `-`, `_` and `.`. Markers and
    evidence carry it.
    """


class Rule(_Rule, total=False):
    """One rule."""

    description: str | None
    """What it is for."""

    priority: int
    """If several rules match a result, the one with the highest number is used; of equals the
    first. Default 0.
    """

    enabled: bool
    """Whether it is used. With false, it removes a rule of the same name that an earlier layer
    gave. Default true.
    """

    when: RuleWhen
    """When it is used: all given conditions must hold."""

    pipeline: list[str] | None
    """Names of the methods that process the text after the stages, instead of the built-in ones.
    Default `lossless` for a rule with stages.
    """

    stages: RuleStages | None
    """Line stages."""

    tests: list[RuleTest]
    """Tests that the rule must pass."""


class RuleWhen(TypedDict, total=False):
    """The conditions of a rule. A rule without conditions is used on every text."""

    tool: TextOrTexts
    """Names of tools, compared without case; `*` and `?` stand for any text and any character.
    One must match the whole name, or the part after a server prefix such as `mcp__shell__`.
    """

    command: TextOrTexts
    """First words of commands: `cargo test`, `npm run build*`. The command is parsed as a shell
    does, through `cd x &&`, `sudo`, `env`, `bash -lc` and the like; a flag among the words
    may be anywhere in the command.
    """

    path: TextOrTexts
    """Paths that the call named, with `*` and `?`."""

    contentType: TextOrTexts
    """The type of the text by its content: `json`, `xml`, `html`, `text`, or a media type such
    as `application/json`.
    """

    kind: TextOrTexts
    """The kind of output: a family of reducers, such as `test`, `build` or `log`, or `file`,
    `search`, `listing`, `diff`.
    """

    exitCode: TextOrTexts
    """Exit statuses: numbers, `zero`, `nonzero`, `unknown`."""

    text: str | None
    """Regular expression that has to match somewhere in the text."""

    notText: str | None
    """Regular expression that must not match anywhere in the text."""

    minBytes: int | None
    """Fewest bytes of the text. Default what the policy's `minBytes` says."""

    maxBytes: int | None
    """Most bytes of the text."""

    minLines: int | None
    """Fewest lines of the text."""

    maxLines: int | None
    """Most lines of the text."""


TextOrTexts: TypeAlias = "str | int | list[str | int]"
"""One text, or several. Numbers count as texts."""


class RuleStages(TypedDict, total=False):
    """The line stages, in the order in which they run. Each gets the lines that earlier stages
    left; lines that report a failure pass all of them unchanged.
    """

    stripAnsi: bool | None
    """Stage 1: Escape sequences are removed. This always happens before a rule is used, so only
    `true` is allowed.
    """

    replace: list[RuleReplace]
    """Stage 2: Parts of lines are replaced, by one replacement after the other, each at most 64
    times in a line.
    """

    matchOutput: list[RuleMatchOutput]
    """Stage 3: If a pattern matches in the text, the whole text is left out, and the marker
    shows a message instead. The first pattern that matches is used; none if the command
    failed or may have failed, or if a line reports a failure.
    """

    stripLines: TextOrTexts
    """Stage 4: Lines that match one of these regular expressions are left out."""

    keepLines: TextOrTexts
    """Stage 4: Lines that match none of these regular expressions are left out. Not together
    with `stripLines`.
    """

    truncateLinesAt: int | None
    """Stage 5: Lines are cut after this many characters, at least 20."""

    headLines: int | None
    """Stage 6: Only this many of the remaining lines stay, from the start. With `tailLines`,
    both ends stay.
    """

    tailLines: int | None
    """Stage 6: Only this many of the remaining lines stay, from the end."""

    maxLines: int | None
    """Stage 7: At most this many of the remaining lines stay, from the start; at least 1."""

    onEmpty: str | None
    """Stage 8: The message of the marker if no line is left."""


class _RuleReplace(TypedDict):
    """Members that every `RuleReplace` has."""

    pattern: str
    """Regular expression; it must not match the empty text."""


_RuleReplaceWords = TypedDict(
    "_RuleReplaceWords",
    {
        # The replacement; `$1`, `${name}` for what a group matched, `$$` for `$`. Default nothing.
        "with": str,
    },
    total=False,
)


class RuleReplace(_RuleReplace, _RuleReplaceWords):
    """A replacement inside lines."""


class _RuleMatchOutput(TypedDict):
    """Members that every `RuleMatchOutput` has."""

    pattern: str
    """Regular expression that has to match somewhere in the text."""

    message: str
    """The message of the marker: one line of at most 200 bytes without `[` and `]`. A message
    that claims success is only used if the exit status is known to be 0.
    """


class RuleMatchOutput(_RuleMatchOutput, total=False):
    """A text that is replaced by a message."""

    unless: str | None
    """Regular expression that must not match anywhere in the text."""


class _RuleTest(TypedDict):
    """Members that every `RuleTest` has."""

    input: str
    """The text."""


class RuleTest(_RuleTest, total=False):
    """A test of a rule. It needs at least one expectation."""

    name: str | None
    """What it is about."""

    tool: str | None
    """The tool. Default `bash`."""

    command: str | None
    """The command."""

    path: str | None
    """The path that the call named."""

    exitCode: int | None
    """The exit status."""

    fires: bool | None
    """Whether the rule is used. Default true."""

    expect: str | None
    """The whole expected output; the seal of its first marker may be left out."""

    contains: TextOrTexts
    """Texts that the output must contain."""

    lacks: TextOrTexts
    """Texts that the output must not contain."""


class HostCut(TypedDict, total=False):
    """How a host cuts a result that it gets: the largest size that stays whole, and the part of
    a longer result that is kept.
    """

    bytes: int | None
    """Bytes of all texts of the result together."""

    characters: int | None
    """Characters, as Unicode counts them."""

    lines: int | None
    """Lines."""

    tokens: int | None
    """Tokens by the host's own counter, which is unknown here: each counts as two bytes."""

    keeps: HostKeeps | None
    """The part of a longer result that is kept. Absent if it is unknown: then nothing of such a
    result counts as shown.
    """


HostKeeps: TypeAlias = Literal[
    "head",
    "tail",
    "ends",
]
"""The part of a result that a host keeps if the result is too long."""


class _Compressed(TypedDict):
    """Members that every `Compressed` has."""

    content: str | list[Any]
    """The content in the shape in which it came."""


class Compressed(_Compressed, total=False):
    """Result of `toolResult/compress`."""

    evidence: Evidence | None
    """What happened, in the detail that the policy asks for."""

    artifact: ArtifactRef | None
    """The original, if the content differs from it and it could be stored."""

    reclaimed: Reclaimed | None
    """Why the result was removed from the context, if it was; the content is then its
    replacement.
    """


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
    """The lines that are not shown."""

    redactions: list[RedactionCount]
    """Secrets that were removed."""

    guard: GuardEvidence
    """The findings of the guard."""

    capped: bool
    """Whether the byte cap cut something."""

    memo: Memo
    """The use of the memo."""

    summarizeSuggested: bool
    """Whether the result was larger than `summarizeAbove` tokens before the first cut
    (`head_tail`, `output_cap`, `budget`, `externalize`).
    """

    digest: str
    """BLAKE3 digest of the sanitized text, hexadecimal."""


class Evidence(_Evidence, total=False):
    """Everything about one result."""

    family: str | None
    """The kind of output, if it is known."""

    reducer: str | None
    """The reducer that was used."""

    rule: str | None
    """The rule of the operator that was used, the first where parts have several."""

    bypass: Reason | None
    """The rule that kept the text exact."""

    exitCode: int | None
    """The call's exit code, where the host gave it."""

    dictionaryMethod: str | None
    """How repeated text was found that is written once, `lzw` or `repair`."""

    removals: list[Removal]
    """Text that the clean-up removed or escaped, by class."""

    budget: BudgetUse | None
    """The effect of the budget, if there was one."""

    externalized: str | None
    """Id of the artifact, if the text was replaced by a pointer to it."""

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
"""The outcome of a result."""


Reason: TypeAlias = Union[
    Literal[
        "passing_tests",
        "test_output",
        "skipped_tests",
        "progress",
        "build_steps",
        "satisfied",
        "packages",
        "package_hints",
        "transferred_files",
        "diff_context",
        "diff_limit",
        "generated_file",
        "status_files",
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
        "same_failure",
        "repeated_excerpt",
        "repeated_trace",
        "asset_limit",
        "tool_hints",
        "tool_frames",
        "unknown_value",
        "log_repeat",
        "log_form",
        "log_group",
        "shown_before",
        "same_outline",
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
        "empty_kept",
        "long_string",
        "encoded_string",
        "siblings",
        "page_code",
        "table_rows",
        "xml_whitespace",
        "data_whitespace",
        "embedded_binary",
        "binary",
        "json_whitespace",
        "schema_table",
        "table_whitespace",
        "trailing_whitespace",
        "rule_lines",
        "rule_limit",
        "rule_match",
        "rule_rewrite",
        "rule_cut",
        "rule_exact",
        "rule_unproven",
        "rule_unstable",
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
        "compared_records",
        "holds_dictionary",
        "below_min_bytes",
        "full_output",
        "command_asks",
        "mode_disabled",
        "excluded_tool",
        "excluded_tool_substring",
        "excluded_command",
        "excluded_flag",
        "excluded_category",
        "excluded_method",
        "verbatim",
        "never_omit",
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
    """Tokens of the input."""

    after: int
    """Tokens that go out."""

    counter: str
    """Name of the counter."""


class BeforeAfter(TypedDict):
    """Sizes before and after: of the input and of the output."""

    before: int
    """Size of the input."""

    after: int
    """Size of the output."""


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
    """Where the model sees the lines, for `shown_before`, or their outline, for `same_outline`."""


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


class _RedactionCount(TypedDict):
    """Members that every `RedactionCount` has."""

    rule: str
    """Name of the rule."""

    count: int
    """How many."""


class RedactionCount(_RedactionCount, total=False):
    """Secrets of one rule that were removed."""

    fingerprints: list[str]
    """Fingerprints of the values, made with a key of the installation, each once, at most 16.
    `secrets.allow` accepts them.
    """

Removal = TypedDict(
    "Removal",
    {
        # Class, for example `bidi_control` or `escape_sequence`.
        "class": str,
        # How many.
        "count": int,
    },
)
"""Characters or sequences that the clean-up removed or escaped."""


class _GuardEvidence(TypedDict):
    """Members that every `GuardEvidence` has."""

    signals: int
    """Lines that report a failure."""

    kept: int
    """Of these, lines that can still be seen; of equal lines one has to be visible."""


class GuardEvidence(_GuardEvidence, total=False):
    """The findings of the guard."""

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
    """The effect of a budget on one result."""

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
    """The use of the memo."""

    reused: bool
    """The outcome is the one that was returned earlier for this call."""

    changed: bool
    """The call was seen before with other bytes or another policy."""


class _ArtifactRef(TypedDict):
    """Members that every `ArtifactRef` has."""

    id: str
    """The id for `artifact/read`."""

    bytes: int
    """Size in bytes."""

    lines: int
    """Lines, as markers number them."""


class ArtifactRef(_ArtifactRef, total=False):
    """The original of a result, kept for reading back."""

    originalId: str | None
    """The id of the text before clean-up (terminal sequences, invisible characters), if that
    differs.
    """

    onDisk: bool
    """Whether a copy of it is on disk, which the settings of `recovery` control."""


class Reclaimed(TypedDict):
    """A result that left the context."""

    reason: ReclaimReason
    """Why."""

    count: int
    """How many results later the other one came, or how many answers did not cite it."""

    tokensSaved: int
    """Tokens saved in the context."""


ReclaimReason: TypeAlias = Union[
    Literal[
        "shown_again",
        "superseded",
        "run_again",
        "not_cited",
    ],
    str,
]
"""Why a result left the context."""


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
    """Return the exact bytes of all results; only secrets are removed."""

    budget: BudgetPatch | None
    """What the results may cost, each and together; overrides the policy's budget."""

    contextPressure: float | None
    """How full the model's context is, as in `toolResult/compress`."""

    hostCut: HostCut | None
    """How the host cuts results itself. Text that it cuts does not count as shown."""

    correlationId: str | None
    """The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters."""


class _BatchItemObject(TypedDict):
    """Members that every `BatchItemObject` has."""

    result: ToolResult
    """The result."""


class BatchItemObject(_BatchItemObject, total=False):
    """In a member."""

    fullOutput: bool
    """Return the exact bytes; only secrets are removed."""


BatchItem: TypeAlias = "ToolResult | BatchItemObject"
"""One result of a batch: bare, or in an object as in the parameters of `toolResult/compress`."""


class _BatchCompressed(TypedDict):
    """Members that every `BatchCompressed` has."""

    results: list[Compressed]
    """One for each result, in the same order."""

    tokens: BeforeAfter
    """Sums over the results; in the host's tokens for results that came with `tokens`."""


class BatchCompressed(_BatchCompressed, total=False):
    """Result of `toolResult/compressBatch`."""

    budgetApplied: bool | None
    """Whether a budget made any result smaller; absent without a budget."""

    budget: BatchBudget | None
    """The budget of all results together, if there was one."""


class _BatchBudget(TypedDict):
    """Members that every `BatchBudget` has."""

    tokens: int
    """Tokens that the results were allowed to take together."""

    met: bool
    """Whether they take no more."""


class BatchBudget(_BatchBudget, total=False):
    """The outcome of the budget of a batch."""

    why: Reason | None
    """Why they take more."""


class _StreamOpenParams(TypedDict):
    """Members that every `StreamOpenParams` has."""

    result: Mapping[str, Any]
    """The result as in `toolResult/compress`, without `content`."""


class StreamOpenParams(_StreamOpenParams, total=False):
    """Parameters of `toolResult/open`: those of `toolResult/compress`, without the content."""

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

    hostCut: HostCut | None
    """How the host cuts results itself. Text that it cuts does not count as shown."""

    fullOutput: bool
    """Return the exact bytes; only secrets are removed."""


class StreamOpened(TypedDict):
    """Result of `toolResult/open`."""

    streamId: str
    """The id for the following requests."""


class _AppendParams(TypedDict):
    """Members that every `AppendParams` has."""

    streamId: str
    """The stream."""

    text: str
    """The next piece of text. It may end anywhere, even between the halves of a surrogate pair."""


class AppendParams(_AppendParams, total=False):
    """Parameters of `toolResult/append`."""

    sessionId: str | None
    """Its session; may be absent."""

    stream: StreamName | None
    """The stream to which the command wrote it. Default `none`."""


StreamName: TypeAlias = Literal[
    "none",
    "stdout",
    "stderr",
]
"""The output stream of a piece. Pieces of one stream are joined; streams are kept separate."""


class Appended(TypedDict):
    """Result of `toolResult/append`."""

    bytes: int
    """Bytes received so far."""

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
    """The exit code of the command. If absent, the one given to `toolResult/open`."""

    isError: bool | None
    """Whether the host counts the call as failed. If absent, the value given to
    `toolResult/open`.
    """


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
    """The format of the body. May be absent if the body shows it."""

    policy: PolicyPatch | None
    """Settings for this request alone."""

    query: str | None
    """What the agent is looking for, as in `toolResult/compress`. It applies to results that the
    session does not know yet; the others stay as they were given.
    """

    budget: BudgetPatch | None
    """What each result, and all results of one turn together, may cost; overrides the policy's
    budget. A turn is the results between two messages of the model.
    """

    contextPressure: float | None
    """How full the model's context is, as in `toolResult/compress`. It applies to results that
    the session does not know yet.
    """

    keepNewest: int
    """This many of the newest results stay exact; only secrets are removed from them. Default 0."""

    toolSchemas: ToolSchemas | None
    """What is done to the schemas of the tools in the body. Default the policy's `toolSchemas`."""

    structuredContent: StructuredContent
    """How the `structuredContent` of an MCP result is treated. Default `keep`."""

    stripOverrides: bool
    """Whether the member `_forge` is removed from the body. Default false."""

    reclaim: ReclaimMode
    """Whether earlier results that are no longer needed are removed, if that pays. Needs
    `sessionId`, and `keepNewest` 0. Default `off`.
    """

    reclaimTerms: ReclaimTerms | None
    """The values that decide whether it pays."""

    correlationId: str | None
    """The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters."""


Format: TypeAlias = Literal[
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "mcp",
]
"""Formats of bodies."""


StructuredContent: TypeAlias = Literal[
    "keep",
    "dropRepeated",
]
"""How structured content is treated."""


ReclaimMode: TypeAlias = Literal[
    "off",
    "auto",
]
"""Whether earlier results may leave the context."""


class ReclaimTerms(TypedDict, total=False):
    """Decides whether removing results pays: `requestsToCome * removed` must be more than
    `(write - read) / read * behind`.
    """

    requestsToCome: int | None
    """Expected number of further requests of the conversation, including this one. Without it, a
    cautious estimate from the number so far.
    """

    cache: Cache | None
    """How the cache is priced. Default `fiveMinutes`."""

    prices: CachePrices | None
    """Prices, in place of `cache`."""

    minGain: int | None
    """Smallest gain of a batch, in tokens read from the cache. Default 6000; 12000 for a batch
    with results that no later result replaces.
    """


Cache: TypeAlias = Literal[
    "fiveMinutes",
    "oneHour",
    "automatic",
    "cold",
]
"""How a provider's cache is priced."""


class CachePrices(TypedDict):
    """Prices of a token, in any unit."""

    write: float
    """Writing it to the cache."""

    read: float
    """Reading it from there."""


class _MessagesCompressed(TypedDict):
    """Members that every `MessagesCompressed` has."""

    body: dict[str, Any] | list[Any]
    """The body. Every byte outside of the texts of results is unchanged."""

    results: list[MessageResult]
    """One for each result with text, in the order of the body."""

    tokens: BeforeAfter
    """Sums over the results."""


class MessagesCompressed(_MessagesCompressed, total=False):
    """Result of `messages/compress`."""

    format: Format | None
    """The format that the body was read in; absent if the body has no result that shows it."""

    redactions: list[RedactionCount]
    """Secrets that were removed outside of compressed texts: from data, documents, and results
    of the provider's servers.
    """

    toolTokens: BeforeAfter | None
    """Tokens of `tools`, if their descriptions were minified."""

    reclaim: Reclaim | None
    """What was removed from the context, if the request asked for that."""


class _MessageResult(TypedDict):
    """Members that every `MessageResult` has."""

    place: str
    """Its place in the body."""


class MessageResult(_MessageResult, total=False):
    """One result of a body after compression."""

    toolCallId: str | None
    """The call that it answers: the id in the body, or `name#n` for the n-th result of that tool
    that has none. Absent if the body gives neither.
    """

    evidence: Evidence | None
    """What happened, in the detail that the policy asks for."""

    artifact: ArtifactRef | None
    """The original, if the text differs from it and it could be stored."""

    reclaimed: Reclaimed | None
    """Why the result was removed from the context, if it was; a short text then replaces it."""


class Reclaim(TypedDict):
    """The results that were removed from the context of a conversation."""

    results: int
    """Removed results."""

    newResults: int
    """Of these, the results that this request removed."""

    tokensSaved: int
    """Tokens saved in the context by all of them."""

    sum: ReclaimSum
    """The sum of this request."""


class ReclaimSum(TypedDict):
    """The sum that decides."""

    removed: int
    """Tokens that the best batch would remove."""

    behind: int
    """Tokens after the first removed one that stay, and that the cache holds."""

    requests: int
    """Expected number of further requests."""

    factor: float
    """Extra price of writing a token to the cache, as a multiple of the read price."""

    gain: int
    """The gain, in tokens read from the cache: `requests * removed - factor * behind`."""


class _ToolSchemaParams(TypedDict):
    """Members that every `ToolSchemaParams` has."""

    tools: list[Any]
    """The tools as a request has them: OpenAI, Anthropic, MCP or Gemini."""


class ToolSchemaParams(_ToolSchemaParams, total=False):
    """Parameters of `toolSchema/minify`."""

    policy: PolicyPatch | None
    """Settings for this request alone. Only `tokenizer` is used."""


class Minified(TypedDict):
    """Result of `toolSchema/minify`."""

    tools: list[Any]
    """The tools. Every byte outside of descriptions is unchanged."""

    tokens: BeforeAfter
    """Tokens of the JSON text of the tools."""


class RulesCheckParams(TypedDict, total=False):
    """Parameters of `rules/check`."""

    rules: list[Rule] | None
    """The rules. If absent, the rules in force."""

    sample: RuleSample | None
    """A call to explain."""

    policy: PolicyPatch | None
    """Settings for this request alone."""


class _RuleSample(TypedDict):
    """Members that every `RuleSample` has."""

    content: str
    """The text."""


class RuleSample(_RuleSample, total=False):
    """A call and its text."""

    tool: str | None
    """The tool. Default `bash`."""

    command: str | None
    """The command."""

    path: str | None
    """The path that the call named."""

    exitCode: int | None
    """The exit status."""


class _RulesChecked(TypedDict):
    """Members that every `RulesChecked` has."""

    ok: bool
    """Whether all rules can be used and pass their tests."""

    rules: int
    """How many rules there are."""

    errors: list[str]
    """Faults of rules: rule, field, value and what is allowed. Rules with faults are not in the
    other members.
    """

    warnings: list[str]
    """Warnings about rules that can be used."""

    tests: list[RuleTested]
    """The results of the tests."""


class RulesChecked(_RulesChecked, total=False):
    """Result of `rules/check`."""

    sample: RuleExplained | None
    """The result for the sample."""


class _RuleTested(TypedDict):
    """Members that every `RuleTested` has."""

    rule: str
    """The rule."""

    test: str
    """The test's name, or its position."""

    ok: bool
    """Whether the test passed."""

    problems: list[str]
    """The failed expectations."""


class RuleTested(_RuleTested, total=False):
    """One test of a rule."""

    output: str | None
    """The output, if the test failed."""


class _RuleExplained(TypedDict):
    """Members that every `RuleExplained` has."""

    rules: list[RuleAsked]
    """All rules, in the order in which they are tried."""

    lines: list[RuleLines]
    """What the stages of the rule do to the lines, as runs of lines with the same fate."""

    content: str
    """The output."""

    evidence: Evidence
    """The evidence."""


class RuleExplained(_RuleExplained, total=False):
    """The explanation of a sample."""

    rule: str | None
    """The rule that is used."""


class RuleAsked(TypedDict):
    """One rule, and the results of its conditions."""

    rule: str
    """The rule."""

    priority: int
    """Its priority."""

    fits: bool
    """Whether all its conditions hold."""

    used: bool
    """Whether it is the one that is used."""

    conditions: list[RuleCondition]
    """The conditions."""


class RuleCondition(TypedDict):
    """The result of one condition."""

    condition: str
    """Its name."""

    holds: bool
    """Whether it holds."""

    why: str
    """The expected and the actual value."""


class _RuleLines(TypedDict):
    """Members that every `RuleLines` has."""

    lines: list[int]
    """First and last line of the sanitized text, from 1."""

    fate: str
    """`kept`, `kept_failure`, `rewritten`, `truncated` or `dropped`; `taken` by an earlier step."""


class RuleLines(_RuleLines, total=False):
    """Lines with the same fate."""

    stage: str | None
    """The stage that did it."""

    pattern: int | None
    """The place of the pattern in the stage's list, from 0."""


class _ReadParams(TypedDict):
    """Members that every `ReadParams` has."""

    id: str
    """The id of the artifact, or the handle in a marker."""


class ReadParams(_ReadParams, total=False):
    """Parameters of `artifact/read`."""

    sessionId: str | None
    """The session that owns the artifact; absent for results that came without a session."""

    lines: list[list[int]] | None
    """Ranges `[first, last]`, from 1, inclusive. They are sorted, and adjacent ones are joined.
    A range may end after the last line. Absent or empty for everything.
    """

    numbering: Numbering
    """The numbers that `lines` uses. Default `result`."""

    maxBytes: int | None
    """Most bytes to return, at least 1; larger numbers mean 1048576. Default 65536."""

    cursor: str | None
    """The `nextCursor` of the previous page."""


Numbering: TypeAlias = Literal[
    "result",
    "shown",
]
"""The numbers of lines."""


class _Read(TypedDict):
    """Members that every `Read` has."""

    id: str
    """The artifact."""

    text: str
    """The text with its line ends, in the form that `encoding` names."""

    encoding: str
    """`utf-8`, or `base64` for binary data."""

    lines: list[list[int]]
    """Line ranges that the text covers."""

    totalLines: int
    """Lines of the whole artifact."""

    totalBytes: int
    """Bytes of the whole artifact."""


class Read(_Read, total=False):
    """Result of `artifact/read`."""

    nextCursor: str | None
    """Where the next page starts; absent at the end."""


class _SearchParams(TypedDict):
    """Members that every `SearchParams` has."""

    id: str
    """The id of the artifact, or the handle in a marker."""

    pattern: str
    """Regular expression in the syntax of Rust's `regex` crate."""


class SearchParams(_SearchParams, total=False):
    """Parameters of `artifact/search`."""

    sessionId: str | None
    """The session that owns the artifact."""

    fixed: bool
    """The pattern is plain text."""

    ignoreCase: bool
    """Ignores letter case."""

    context: int
    """Lines before and after each match; larger numbers mean 20. Default 0."""

    maxMatches: int | None
    """Most matches to return, at least 1; larger numbers mean 500. Default 50. A page is also
    limited in bytes, so it may hold fewer.
    """

    cursor: str | None
    """The `nextCursor` of the previous page."""


class _Found(TypedDict):
    """Members that every `Found` has."""

    id: str
    """The artifact."""

    matches: list[Match]
    """Matching lines, in order."""

    totalMatches: int
    """Matching lines in the whole artifact; with `timedOut`, in the part that was searched so
    far.
    """


class Found(_Found, total=False):
    """Result of `artifact/search`."""

    timedOut: bool
    """Whether the time for one page (one second) ran out before the end; `nextCursor` continues.
    How much a page covers depends on the machine.
    """

    nextCursor: str | None
    """Where the next page starts; absent at the end."""


class Match(TypedDict):
    """One matching line."""

    line: int
    """From 1."""

    text: str
    """The line, or the part of it around the match if the line is very long."""

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
    """Without line end."""


class ListParams(TypedDict, total=False):
    """Parameters of `artifact/list`."""

    sessionId: str | None
    """The session; absent for results that came without one."""

    cursor: str | None
    """The `nextCursor` of the previous page."""


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
    """The id for `artifact/read`."""

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

    command: str | None
    """Start of the first line of the command that wrote it, without secrets; absent if the call
    had no command.
    """

    onDisk: bool
    """Whether only its copy on disk is left, which the settings of `recovery` control."""


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
    """False if it was already open; then its state does not change."""


class _ForkParams(TypedDict):
    """Members that every `ForkParams` has."""

    sessionId: str
    """The session that is copied; it does not change."""

    newSessionId: str
    """The new session."""


class ForkParams(_ForkParams, total=False):
    """Parameters of `session/fork`."""

    visible: list[str] | None
    """The only calls whose results the new context shows. Absent if it shows all that the other
    one does.
    """


class Forked(TypedDict):
    """Result of `session/fork`."""

    sessionId: str
    """The new session."""

    created: bool
    """False if it was already open; then its state does not change."""

    calls: int
    """Calls taken over from the other session; 0 if that one is not open."""


class SessionParams(TypedDict):
    """Parameters of `session/close` and `session/stats`."""

    sessionId: str
    """The session."""


class Closed(TypedDict):
    """Result of `session/close`."""

    closed: bool
    """Whether the session was open."""


class _Stats(TypedDict):
    """Members that every `Stats` has."""

    total: Totals
    """All results."""

    resends: Totals
    """Results that were repeated under their call id with the same bytes and policy."""

    memoHits: int
    """Resends that were answered from the memo."""

    memoChanged: int
    """Call ids that were repeated with other bytes or another policy."""

    byTool: dict[str, Totals]
    """By tool; `other` from the 1025th tool on."""

    byFamily: dict[str, Totals]
    """By family; `other` if none is known."""

    byReducer: dict[str, Totals]
    """By reducer; results without one are not listed."""

    byStatus: dict[str, int]
    """Results by status."""

    omittedLines: dict[str, int]
    """Lines not shown, by reason."""

    redactions: dict[str, int]
    """Secrets removed, by rule."""

    byReason: dict[str, ReasonTotals]
    """Text that is not shown, by reason."""

    skipped: dict[str, int]
    """Steps that were tried and did nothing, by reason."""

    cache: CacheTotals
    """Repeated results, as a prompt cache sees them."""


class Stats(_Stats, total=False):
    """Result of `session/stats`. Results count once, however often they are resent."""

    cost: dict[str, Cost]
    """The cost by model; only models that the user gave prices for."""


class Totals(TypedDict):
    """Sums over some results."""

    results: int
    """Results."""

    tokensBefore: int
    """Tokens of the input."""

    tokensAfter: int
    """Tokens of the output."""

    bytesBefore: int
    """Bytes of the input."""

    bytesAfter: int
    """Bytes of the output."""

    baselineTokens: int
    """Tokens of the input that the host would have shown: all of a result within `hostLimit`; of
    a larger one, the share of its bytes within the limit, rounded down.
    """

    shownTokens: int
    """Tokens of the output that the host shows, counted in the same way. The difference to the
    baseline was saved.
    """


class ReasonTotals(TypedDict):
    """Text that is not shown for one reason."""

    results: int
    """Results with such a gap."""

    lines: int
    """Lines in such gaps."""

    bytes: int
    """Bytes of such gaps inside lines."""


class CacheTotals(TypedDict):
    """Repeated results, as a provider's prompt cache sees them."""

    stableTokens: int
    """Tokens of results that were repeated byte for byte: a prompt cache may have them."""

    changedTokens: int
    """Tokens of results that were repeated with other bytes or another policy: a cached prompt
    ends before them.
    """


class _Cost(TypedDict):
    """Members that every `Cost` has."""

    results: Spent
    """Every result once, at the price of writing to the prompt cache, or of input if that is not
    given.
    """

    resends: Spent
    """Repeated results, as input without a cache."""


class Cost(_Cost, total=False):
    """The cost with one model, at the user's prices; the parts are separate."""

    resendsCached: Spent | None
    """Repeated results, as read from the cache; absent if that has no price."""


class Spent(TypedDict):
    """The cost of tokens at the user's price."""

    baseline: float
    """As the host would have shown the results."""

    shown: float
    """As they were returned."""


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


class _CompactedParams(TypedDict):
    """Members that every `CompactedParams` has."""

    sessionId: str
    """The session."""


class CompactedParams(_CompactedParams, total=False):
    """Parameters of `session/compacted`: the conversation was summarized, cut short or
    restarted.
    """

    visible: list[str]
    """The only calls whose results are still in the context. Absent if there are none."""


class _ReclaimParams(TypedDict):
    """Members that every `ReclaimParams` has."""

    sessionId: str
    """The session; it opens on first use."""


class ReclaimParams(_ReclaimParams, total=False):
    """Parameters of `session/reclaim`."""

    context: list[ContextItem] | None
    """What the context holds, in order: the call id of each result, and the tokens of everything
    between. Absent if it holds what the session knows.
    """

    answers: list[ModelAnswer] | None
    """The answers of the model since the last `session/reclaim`, in order, at most 256. Absent
    if they are not known: then every earlier result counts as cited.
    """

    reclaimTerms: ReclaimTerms | None
    """The values that decide whether it pays."""

    policy: PolicyPatch | None
    """Settings for this request alone."""


ContextItem: TypeAlias = "str | int"
"""An item of a context: the call id of a result, or the tokens of anything else."""


class ModelAnswer(TypedDict, total=False):
    """An answer of the model."""

    text: str
    """Its text, without reasoning."""

    toolCallIds: list[str]
    """The calls that it makes. Absent if all results since the last `session/reclaim` came after
    this answer.
    """


class _Reclaimable(TypedDict):
    """Members that every `Reclaimable` has."""

    replacements: list[Replacement]
    """The results that may be removed, in the order in which they came. Empty if it does not
    pay.
    """

    tokensSaved: int
    """Tokens that this saves in the context."""

    sum: ReclaimSum
    """The sum that decided."""


class Reclaimable(_Reclaimable, total=False):
    """Result of `session/reclaim`."""

    batch: int | None
    """The number of the batch, for `session/reclaimed`; absent if nothing can be removed."""


class _Replacement(TypedDict):
    """Members that every `Replacement` has."""

    toolCallId: str
    """The call of the result."""

    content: str
    """The text that replaces the text of the result."""

    reclaimed: Reclaimed
    """Why it may be removed."""


class Replacement(_Replacement, total=False):
    """The replacement of a result."""

    artifact: ArtifactRef | None
    """The original."""


class ReclaimedParams(TypedDict):
    """Parameters of `session/reclaimed`."""

    sessionId: str
    """The session."""

    batch: int
    """The number of the batch that the last `session/reclaim` gave."""


class ReclaimedTotals(TypedDict):
    """Result of `session/reclaimed`."""

    results: int
    """Removed results of the session."""

    tokensSaved: int
    """Tokens saved in the context by all of them."""


ReloadParams: TypeAlias = "Mapping[str, Any]"
"""Parameters of `config/reload`."""


class Reloaded(TypedDict):
    """The changes after reading the files again."""

    files: list[str]
    """Configuration files that were read, highest priority first."""

    changed: list[str]
    """Settings whose value changed."""

    needsRestart: list[str]
    """Settings whose value changed in the files, but which are only read when the process
    starts.
    """


class DidChangeParams(TypedDict, total=False):
    """Parameters of `workspace/didChangeConfiguration`, as LSP has them."""

    settings: Any
    """`{"tersed": …}` with the members of `initializationOptions.tersed`: replaces the
    settings of earlier notifications. Null, or null under `tersed`, reads the configuration
    files again.
    """


class Options(TypedDict, total=False):
    """`initializationOptions.tersed`."""

    protocolVersions: list[int] | None
    """Major versions of the protocol that the host speaks; absent for any."""

    profile: Profile | None
    """A named set of settings, with the next priority above the defaults."""

    policy: PolicyPatch | None
    """Settings for all requests."""

    telemetryEvents: bool
    """Whether the server sends `telemetry/event` for each result. Default false."""


Profile: TypeAlias = Literal[
    "coding",
    "research",
    "ops",
]
"""Settings under one name."""


class Capabilities(TypedDict):
    """`capabilities.experimental.tersed`."""

    protocolVersion: int
    """Major version of the protocol."""

    methods: list[str]
    """Methods of this server."""

    modes: list[Mode]
    """All modes."""

    tokenizers: list[Tokenizer]
    """Token counters."""

    limits: CapabilityLimits
    """Limits."""

    configuration: Configuration
    """The result of reading settings from files and variables."""


class CapabilityLimits(TypedDict):
    """Limits that a host may want to know."""

    maxSessions: int
    """Most open sessions; the least recently used one ends first."""

    maxCallsPerSession: int
    """Most calls that a session remembers."""

    maxOutputBytes: int
    """Largest `maxOutputBytes`."""

    maxArtifacts: int
    """Most originals that are kept."""

    maxArtifactBytes: int
    """Most bytes of all originals together."""

    maxStreams: int
    """Most open streams."""

    maxStreamBytes: int
    """Bytes up to which a stream is kept whole."""


class _Configuration(TypedDict):
    """Members that every `Configuration` has."""

    files: list[str]
    """Configuration files that were found, highest priority first."""

    faults: list[str]
    """The faults, one text for each: the place, the key, the value and what is allowed."""


class Configuration(_Configuration, total=False):
    """The result of reading settings from files and variables. Faulty and untrusted settings are
    ignored; all others apply.
    """

    untrusted: Untrusted | None
    """The project's file, if it has settings that only a trusted file may set."""


class Untrusted(TypedDict):
    """A project's file whose present content the user does not trust."""

    file: str
    """The file."""

    ignored: list[str]
    """Its settings that are ignored."""

    text: str
    """The same as a sentence, with what the user can do."""


class LogMessage(TypedDict):
    """Parameters of `window/logMessage`."""

    type: int
    """1 for an error, 2 for a warning."""

    message: str
    """The text. Never content of a result."""


class _Event(TypedDict):
    """Members that every `Event` has."""

    version: int
    """Version of this format, 1."""

    time: int
    """Milliseconds since 1970 began, UTC."""

    process: str
    """The process that wrote it, 16 hexadecimal digits."""

    seq: int
    """Number of the event in its process, from 1; dropped events leave a gap."""


class Event(_Event, total=False):
    """One event."""

    dropped: int
    """Events that were dropped just before this one, because the queue was full."""

    shortened: list[str]
    """Members that were left out because the event would have been too long."""


Resend: TypeAlias = Union[
    Literal[
        "memo",
        "remade",
    ],
    str,
]
"""How a result was given again, byte for byte."""


class _TimedStep(TypedDict):
    """Members that every `TimedStep` has."""

    id: str
    """Name of the step."""

    reason: Reason
    """`applied`, or why nothing was done."""

    bytesBefore: int
    """Bytes of the text before the step."""

    bytesAfter: int
    """Bytes of the text after the step."""


class TimedStep(_TimedStep, total=False):
    """A step that was tried."""

    elapsedMicros: int | None
    """Its time, in microseconds."""


class _Elapsed(TypedDict):
    """Members that every `Elapsed` has."""

    totalMicros: int
    """The total."""


class Elapsed(_Elapsed, total=False):
    """Times of a result, in microseconds."""

    safeMicros: int | None
    """Of this, the clean-up and the removal of secrets; absent if a batch had measured the
    result before.
    """


class _Flags(TypedDict):
    """Members that every `Flags` has."""

    redacted: bool
    """Secrets were removed."""

    capped: bool
    """The byte cap cut something."""

    deduplicated: bool
    """The result, or lines of it, became a reference to an earlier one."""

    externalized: bool
    """The text became a pointer."""

    fellBack: bool
    """It was compressed less than requested."""

    summarizeSuggested: bool
    """It is larger than `summarizeAbove` tokens."""


class Flags(_Flags, total=False):
    """What happened to a result beside its steps."""

    budgetMet: bool | None
    """Whether a budget was met; absent without a budget."""


class _Omitted(TypedDict):
    """Members that every `Omitted` has."""

    gaps: int
    """Gaps."""

    lines: int
    """Lines in them."""


class Omitted(_Omitted, total=False):
    """Text that is not shown for one reason."""

    bytes: int
    """Bytes of gaps inside lines."""


class _Fingerprints(TypedDict):
    """Members that every `Fingerprints` has."""

    original: str
    """Of the original after the removal of secrets and the clean-up: the first digits of the
    evidence's `digest`.
    """

    compressed: str
    """Of the output."""


class Fingerprints(_Fingerprints, total=False):
    """64-bit fingerprints, 16 hexadecimal digits each. Not cryptographic. Only fingerprints of
    the same kind can be compared.
    """

    arguments: str | None
    """Of the arguments, command and path of the call after the removal of secrets; absent if
    there are none, or more than 64 KiB.
    """


class ResultEventObject(TypedDict, total=False):
    """Text that is not shown, by reason."""

    already_compressed: Omitted
    """"""

    applied: Omitted
    """"""

    array_items: Omitted
    """"""

    asked_again: Omitted
    """"""

    asset_limit: Omitted
    """"""

    below_min_bytes: Omitted
    """"""

    binary: Omitted
    """"""

    blame_columns: Omitted
    """"""

    budget: Omitted
    """"""

    budget_too_small: Omitted
    """"""

    build_steps: Omitted
    """"""

    clean: Omitted
    """"""

    command_asks: Omitted
    """"""

    commit_body: Omitted
    """"""

    common_fields: Omitted
    """"""

    compared_records: Omitted
    """"""

    connection_steps: Omitted
    """"""

    data_whitespace: Omitted
    """"""

    deep_items: Omitted
    """"""

    deep_value: Omitted
    """"""

    defaults: Omitted
    """"""

    device_units: Omitted
    """"""

    diagnostic_excerpt: Omitted
    """"""

    diff_context: Omitted
    """"""

    diff_limit: Omitted
    """"""

    embedded_binary: Omitted
    """"""

    empty_kept: Omitted
    """"""

    empty_members: Omitted
    """"""

    encoded_bytes: Omitted
    """"""

    encoded_string: Omitted
    """"""

    excluded_category: Omitted
    """"""

    excluded_command: Omitted
    """"""

    excluded_flag: Omitted
    """"""

    excluded_method: Omitted
    """"""

    excluded_tool: Omitted
    """"""

    excluded_tool_substring: Omitted
    """"""

    externalized: Omitted
    """"""

    few_items: Omitted
    """"""

    file_body: Omitted
    """"""

    file_limit: Omitted
    """"""

    fixed_results: Omitted
    """"""

    full_output: Omitted
    """"""

    generated_file: Omitted
    """"""

    git_hints: Omitted
    """"""

    guard_declined: Omitted
    """"""

    head_tail: Omitted
    """"""

    holds_dictionary: Omitted
    """"""

    idle_processes: Omitted
    """"""

    invalid_reduction: Omitted
    """"""

    json_whitespace: Omitted
    """"""

    kernel_threads: Omitted
    """"""

    large_folder: Omitted
    """"""

    library_frames: Omitted
    """"""

    line_endings: Omitted
    """"""

    line_numbers: Omitted
    """"""

    listing_layout: Omitted
    """"""

    local_sockets: Omitted
    """"""

    log_form: Omitted
    """"""

    log_group: Omitted
    """"""

    log_repeat: Omitted
    """"""

    long_line: Omitted
    """"""

    long_string: Omitted
    """"""

    mapped_files: Omitted
    """"""

    mixed_items: Omitted
    """"""

    mode_disabled: Omitted
    """"""

    never_omit: Omitted
    """"""

    no_reply: Omitted
    """"""

    no_session: Omitted
    """"""

    noise_directory: Omitted
    """"""

    not_affected: Omitted
    """"""

    not_paying: Omitted
    """"""

    not_recognized: Omitted
    """"""

    not_stored: Omitted
    """"""

    nothing_to_do: Omitted
    """"""

    object_members: Omitted
    """"""

    older_commits: Omitted
    """"""

    output_cap: Omitted
    """"""

    over_dictionary_limit: Omitted
    """"""

    over_input_limit: Omitted
    """"""

    package_hints: Omitted
    """"""

    packages: Omitted
    """"""

    page_code: Omitted
    """"""

    passing_checks: Omitted
    """"""

    passing_tests: Omitted
    """"""

    progress: Omitted
    """"""

    reducer_panicked: Omitted
    """"""

    repeated_block: Omitted
    """"""

    repeated_calls: Omitted
    """"""

    repeated_diagnostic: Omitted
    """"""

    repeated_excerpt: Omitted
    """"""

    repeated_lines: Omitted
    """"""

    repeated_trace: Omitted
    """"""

    routine_calls: Omitted
    """"""

    rule_cut: Omitted
    """"""

    rule_exact: Omitted
    """"""

    rule_limit: Omitted
    """"""

    rule_lines: Omitted
    """"""

    rule_match: Omitted
    """"""

    rule_rewrite: Omitted
    """"""

    rule_unproven: Omitted
    """"""

    rule_unstable: Omitted
    """"""

    same_author: Omitted
    """"""

    same_failure: Omitted
    """"""

    same_outline: Omitted
    """"""

    same_refs: Omitted
    """"""

    satisfied: Omitted
    """"""

    schema_table: Omitted
    """"""

    search_limit: Omitted
    """"""

    shared_folder: Omitted
    """"""

    shared_message: Omitted
    """"""

    shared_name: Omitted
    """"""

    shared_path: Omitted
    """"""

    shell_settings: Omitted
    """"""

    shown_before: Omitted
    """"""

    siblings: Omitted
    """"""

    skipped_tests: Omitted
    """"""

    small_shares: Omitted
    """"""

    status_files: Omitted
    """"""

    steady_replies: Omitted
    """"""

    step_prefix: Omitted
    """"""

    structured_format: Omitted
    """"""

    table_rows: Omitted
    """"""

    table_whitespace: Omitted
    """"""

    test_output: Omitted
    """"""

    thread_files: Omitted
    """"""

    tool_frames: Omitted
    """"""

    tool_hints: Omitted
    """"""

    trailing_whitespace: Omitted
    """"""

    transferred_files: Omitted
    """"""

    unknown_value: Omitted
    """"""

    verbatim: Omitted
    """"""

    virtual_filesystems: Omitted
    """"""

    xml_whitespace: Omitted
    """"""

    zero_counters: Omitted
    """"""


class _ResultEvent(TypedDict):
    """Members that every `ResultEvent` has."""

    tool: str
    """The tool; empty if unknown."""

    status: Status
    """The status, as in the evidence."""

    mode: Mode
    """The mode that was used."""

    tokens: Tokens
    """Tokens."""

    bytes: BeforeAfter
    """Bytes."""

    lines: BeforeAfter
    """Lines."""

    flags: Flags
    """Further facts."""

    guard: GuardEvidence
    """Lines that report a failure."""

    memo: Memo
    """The use of the memo."""


class ResultEvent(_ResultEvent, total=False):
    """A result was given."""

    correlationId: str | None
    """`correlationId` of the request."""

    sessionId: str | None
    """The session."""

    toolCallId: str | None
    """The call."""

    resend: Resend | None
    """If the session had given it before: how it was given again."""

    family: str | None
    """The kind of output, as in the evidence; `command` if only the command line is known."""

    contentType: str
    """The type of the text, by its content alone: `json`, `xml`, `html`, `text` or `binary`."""

    reducer: str | None
    """The reducer that was used."""

    bypass: Reason | None
    """Why it was kept exact."""

    exitCode: int | None
    """The call's exit code, if the host gave it."""

    hostLimit: int | None
    """Bytes above which the host cuts a result by itself."""

    strategies: list[str]
    """Steps that changed the text, each once, in order."""

    steps: list[TimedStep]
    """Steps that were tried, in order."""

    elapsed: Elapsed | None
    """The times for this result."""

    dictionaryMethod: str | None
    """The method that found repeated text for a dictionary, `lzw` or `repair`."""

    omitted: ResultEventObject
    """Text that is not shown, by reason."""

    redactions: list[RedactionCount]
    """Secrets that were removed, by rule."""

    fingerprints: Fingerprints | None
    """64-bit fingerprints; absent if they are off, or if secrets are not removed."""


class _FailureEvent(TypedDict):
    """Members that every `FailureEvent` has."""

    tool: str
    """The tool; empty if unknown."""

    kind: str
    """Kind of the error, as on the wire, for example `redaction_failed`."""


class FailureEvent(_FailureEvent, total=False):
    """A result could not be given."""

    correlationId: str | None
    """`correlationId` of the request."""

    sessionId: str | None
    """The session."""

    toolCallId: str | None
    """The call."""


AlertKind: TypeAlias = Union[
    Literal[
        "failure",
        "fallback",
    ],
    str,
]
"""What an alert reports."""


class _Alert(TypedDict):
    """Members that every `Alert` has."""

    kind: AlertKind
    """What it is about."""

    count: int
    """How often within the window; at most 4096, or the threshold if that is higher, are
    counted.
    """

    windowSeconds: int
    """The window in seconds."""


class Alert(_Alert, total=False):
    """Events of one kind reached the threshold within the window."""

    step: str | None
    """The step that failed; `other` for steps beyond the 256 that are counted separately. Absent
    for fallbacks.
    """


class ErrorData(TypedDict):
    """The `data` member of an error."""

    kind: str
    """Stable name of the fault, for example `artifact_not_found`."""

    retryable: bool
    """Whether the same request may succeed later."""
