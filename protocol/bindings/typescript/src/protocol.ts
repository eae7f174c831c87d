/**
 * Types of the protocol, version 1.
 *
 * Generated from the schema of the protocol; not to be edited. Members that a server may add later are
 * absent here and are to be ignored.
 */

/** Parameters of `toolResult/compress`. */
export interface CompressParams {
  /**
   * The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no dedup.
   */
  sessionId?: string | null | undefined;
  /** The result. */
  result: ToolResult;
  /** Settings for this request alone. */
  policy?: PolicyPatch | null | undefined;
  /**
   * What the agent is looking for: decides what stays if something must be left out. Up to 4096
   * bytes are used.
   */
  query?: string | null | undefined;
  /** Return the exact bytes; only secrets are removed. */
  fullOutput?: boolean | undefined;
  /** What the result may cost; overrides the policy's budget. */
  budget?: BudgetPatch | null | undefined;
  /** How full the model's context is, 0 to 1: from 0.5 on results become shorter. */
  contextPressure?: number | null | undefined;
  /** How the host cuts results itself. Text that it cuts does not count as shown. */
  hostCut?: HostCut | null | undefined;
  /** The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters. */
  correlationId?: string | null | undefined;
}

/** A tool result as the host has it. Members may have the names that other hosts use for them. */
export interface ToolResult {
  /** The host's id of the call, 1 to 512 bytes. Needed for memo and dedup. */
  toolCallId?: string | null | undefined;
  /** The tool's name, up to 512 bytes. */
  tool?: string | null | undefined;
  /**
   * The tool's arguments, of any shape, or their JSON text; a command or path in them is found
   * under its usual names.
   */
  arguments?: unknown | undefined;
  /** The command line, if it is not in the arguments: a string or an array of words. */
  command?: CommandWords | null | undefined;
  /** The file or folder that the call named, if it is not in the arguments. */
  path?: string | null | undefined;
  /** The exit code of the command. */
  exitCode?: number | null | undefined;
  /** Whether the host counts the call as failed. */
  isError?: boolean | null | undefined;
  /**
   * The content: a string, or an array of parts. Text parts (`{"type":"text","text":…}` and the
   * like) and `{"type":"bytes","base64":…}` are compressed, any other part is returned unchanged.
   */
  content: string | unknown[];
  /** Return the exact bytes of this result, for batches; only secrets are removed. */
  fullOutput?: boolean | undefined;
  /**
   * What the content costs by the host's own count, 1 and up: budgets then count this result in the
   * host's tokens.
   */
  tokens?: number | null | undefined;
}

/** A command line, or its words. */
export type CommandWords = string | string[];

/** Settings that were given; absent settings stay unchanged. */
export interface PolicyPatch {
  /** How far results may be changed. Default `standard`. */
  mode?: Mode | "off" | "conservative" | "balanced" | null | undefined;
  /** Results of fewer bytes only pass through the safe stage. Default 1024. */
  minBytes?: number | null | undefined;
  /**
   * Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure lines.
   * Below 256 the marker may exceed it.
   */
  maxOutputBytes?: number | null | undefined;
  /**
   * Bytes above which the middle of a text without a reducer is left out; 0 for never. Failure
   * lines stay. Default 12288 in `standard`, 6144 in `aggressive`, 32768 for a JSON document; less
   * while the context of a session is small.
   */
  headTailBytes?: number | null | undefined;
  /**
   * Whether a result that repeats an earlier one of the session becomes a reference. Default true.
   */
  dedup?: boolean | null | undefined;
  /**
   * Whether the model sees the ids of calls. If not, a reference names a call by its file or
   * command, and how many results ago it was. A request does not show this: some models see the
   * ids, or their ends, and others do not. Default true; false in hosts that use `tersed hook`,
   * `run`, `mcp`, `mcp-proxy` or `gateway`.
   */
  idsVisible?: boolean | null | undefined;
  /**
   * Whether the host gives every result of a conversation, so that a reference can say how many
   * results ago something was shown; if not, it says "earlier". Default true; false in hosts that
   * use `tersed hook`, `run`, `mcp` or `mcp-proxy`.
   */
  seesAllResults?: boolean | null | undefined;
  /** Whether outcomes are remembered by call id. Default true. */
  memo?: boolean | null | undefined;
  /** Whether secrets are removed. Default true. */
  redactSecrets?: boolean | null | undefined;
  /** Values that are not secrets to this operator. Default nothing. */
  secrets?: SecretsPatch | null | undefined;
  /** Tools whose results are returned exactly, compared without case. Default none. */
  excludeTools?: string[] | null | undefined;
  /**
   * Parts of names of tools whose results are returned exactly, compared without case. Default
   * none.
   */
  excludeToolSubstrings?: string[] | null | undefined;
  /**
   * Kinds of output that are returned exactly, by the call or by the grammar of any part of the
   * text. Default none.
   */
  excludeCategories?: Category[] | null | undefined;
  /**
   * Steps that are not tried, by their names in the evidence; `terminal` stands for rendering
   * escape sequences and overwritten text. Default none.
   */
  excludeMethods?: ("terminal" | "embedded_binary" | "shared_messages" | "stack_traces" | "progress" | "block_dedup" | "structured_data" | "file_detail" | "repeated_blocks" | "head_tail" | "dictionary_lzw" | "dictionary_repair" | "json_table" | "json_minify" | "xml_whitespace" | "data_whitespace" | "table_whitespace" | "trailing_whitespace" | "number_padding" | "repeated_lines" | "cargo_test" | "go_test" | "pytest" | "unittest" | "sympy" | "jest" | "vitest" | "cypress" | "mocha" | "node_test" | "playwright" | "bun_test" | "deno_test" | "bats" | "exunit" | "swift_test" | "tap" | "junit_xml" | "nextest" | "maven" | "gradle" | "rspec" | "minitest" | "phpunit" | "ctest" | "googletest" | "catch_2" | "dotnet" | "sbt" | "tox" | "test_pairs" | "dotnet_xml" | "cargo_json" | "rustc" | "gcc" | "tsc" | "javac" | "msvc" | "go_build" | "webpack" | "vite" | "esbuild" | "rollup" | "next" | "babel" | "bazel" | "swift_build" | "terraform" | "ansible" | "packer" | "helm_release" | "meson" | "cmake" | "pre_commit" | "shellcheck" | "biome" | "bandit" | "phpstan" | "checkstyle_xml" | "lint_json" | "eslint" | "formatters" | "lint" | "git_diff" | "git_status" | "vcs_log" | "git_blame" | "vcs_list" | "git_sync" | "forge_log" | "forge" | "docker_build" | "docker_layers" | "npm" | "pnpm" | "yarn_berry" | "yarn" | "bun" | "pip" | "uv" | "poetry" | "pipenv" | "conda" | "cargo_packages" | "go_modules" | "apt" | "apk" | "dnf" | "brew" | "gem" | "composer" | "nuget" | "wget" | "transfer" | "ffmpeg" | "kubectl_describe" | "kubectl_events" | "compose_logs" | "pulumi" | "ci_log" | "log" | "processes" | "filesystems" | "sockets" | "lsof" | "systemctl" | "strace" | "environment" | "curl" | "ping" | "dig" | "traceroute" | "certificate" | "counters" | "sysctl" | "ip" | "lscpu" | "perf" | "crontab" | "package_list" | "records" | "search" | "windows_dir" | "listing")[] | null | undefined;
  /**
   * First words of commands whose results are returned exactly, parsed as by a shell: `git diff
   * --stat`. Default none.
   */
  excludeCommands?: string[] | null | undefined;
  /**
   * Flags, such as `--json`; results of commands with one of them are returned exactly. Default
   * none.
   */
  excludeFlags?: string[] | null | undefined;
  /**
   * First words of commands whose lines are shown as they are or left out: no step rewrites them.
   * Default none.
   */
  verbatimCommands?: string[] | null | undefined;
  /**
   * Whether nothing is left out: only lossless steps are used, and only a byte cap that was set
   * cuts. Default false.
   */
  neverOmit?: boolean | null | undefined;
  /** Whether the host offers the model a tool that reads artifacts. Default false. */
  expandTool?: boolean | null | undefined;
  /** Evidence in responses. Default `full`. */
  evidence?: EvidenceDetail | null | undefined;
  /** Token counter. Default `o200k`. */
  tokenizer?: Tokenizer | null | undefined;
  /** Tokens above which the evidence suggests that the host summarizes. Default 4000. */
  summarizeAbove?: number | null | undefined;
  /**
   * After how many later results an output is no longer referred to, unless the host says that it
   * is visible. Default 200.
   */
  dedupWindowResults?: number | null | undefined;
  /** After how many tokens of later results an output is no longer referred to. Default 80000. */
  dedupWindowTokens?: number | null | undefined;
  /**
   * What a repeated request gets after an answer that was a reference or had gaps. Default `full`.
   */
  onRepeat?: OnRepeat | null | undefined;
  /** How much of a file is shown. Default `auto`. */
  fileDetail?: FileDetail | null | undefined;
  /** What `auto` does with a file without a known outline. Default `full`. */
  fileDetailFallback?: FileDetail | null | undefined;
  /** Lines up to which `auto` shows a file whole. Default 120. */
  fileFullMaxLines?: number | null | undefined;
  /**
   * Lines up to which `auto` may show the structure; above, only signatures where the mode allows
   * it. Default 280.
   */
  fileStructureMaxLines?: number | null | undefined;
  /**
   * Bytes of a view above which `auto` may leave out bodies; 0 for never. Default 12288 in
   * `standard`, 4096 in `aggressive`.
   */
  fileOutlineBytes?: number | null | undefined;
  /**
   * Whether lines of an outline carry the file's line numbers if the view has none. Default false.
   */
  fileLineNumbers?: boolean | null | undefined;
  /** Most lines shown of a file, from its start; 0 for no limit. Default 0. */
  fileMaxLines?: number | null | undefined;
  /** Most lines shown of a file, from its end; 0 for no limit. Default 0. */
  fileLastLines?: number | null | undefined;
  /**
   * Context lines shown around a match of a search; 0 and up. Default all in `standard`, 2 in
   * `aggressive`.
   */
  searchContextLines?: number | null | undefined;
  /**
   * Matches shown of one file; 0 for all. Default all in `standard`, 8 in `aggressive`; fewer while
   * the context of a session is small.
   */
  searchMaxMatchesPerFile?: number | null | undefined;
  /**
   * Files of which matches are shown; 0 for all. Default all in `standard`, 100 in `aggressive`.
   */
  searchMaxFiles?: number | null | undefined;
  /**
   * Characters above which a line of a search is cut around its match; 0 for never. Default 1000 in
   * `standard`, 240 in `aggressive`.
   */
  searchMaxLineLength?: number | null | undefined;
  /**
   * Folders whose content is folded in listings, with counts. Default `node_modules`, `.git`,
   * `target`, `__pycache__`, `.venv`, `vendor`.
   */
  noiseDirectories?: string[] | null | undefined;
  /**
   * Changed lines shown of one hunk of a diff; 0 for all. Default all in `standard`, 100 in
   * `aggressive`.
   */
  diffMaxLinesPerHunk?: number | null | undefined;
  /**
   * Changed lines shown of a whole diff; 0 for all. Default all in `standard`, 500 in `aggressive`.
   */
  diffMaxLines?: number | null | undefined;
  /** The highest mode that a budget may use. Default `aggressive`. */
  maxMode?: Mode | "off" | "conservative" | "balanced" | null | undefined;
  /** Token limits for results. Default any number. */
  budget?: BudgetPatch | null | undefined;
  /** What may happen to structured data. Default `auto`. */
  structured?: Structured | null | undefined;
  /**
   * Whether members of JSON and YAML that are null, `""`, `[]` or `{}` are left out, from
   * `standard` on. Default false.
   */
  dropEmpty?: boolean | null | undefined;
  /** Items shown of an array; 0 for all. Default all in `standard`, 24 in `aggressive`. */
  arrayMaxItems?: number | null | undefined;
  /**
   * Characters shown of a string in structured data; 0 for all. Default all in `standard`, 1000 in
   * `aggressive`.
   */
  stringMaxLength?: number | null | undefined;
  /** How repeated text is replaced by a dictionary in `aggressive`. Default `auto`. */
  dictionary?: DictionaryMethod | null | undefined;
  /**
   * Bytes above which a result of a session is replaced by a pointer and a preview; 0 for never.
   * Default never.
   */
  externalizeAbove?: number | null | undefined;
  /**
   * What is done to the schemas of tools in requests of the gateway, in lists of `mcp-proxy`, and
   * in `messages/compress`. Default `disabled`.
   */
  toolSchemas?: ToolSchemas | null | undefined;
  /**
   * Rules of the operator. A rule replaces an earlier one of the same name; others are added.
   * Default none.
   */
  rules?: Rule[] | null | undefined;
}

/** How far a result may be changed: each mode does everything that the one before it does. */
export type Mode =
  | "disabled"
  | "safe"
  | "standard"
  | "aggressive";

/** Treatment of secrets, as given. */
export interface SecretsPatch {
  /**
   * Values that stay, even if a rule finds them. An item is one or more of `rule:ID`, `path:GLOB`
   * and `fingerprint:HEX`, separated by blanks, which must all hold: `rule:url-password
   * path:tests/**`. Rules and fingerprints are those of the evidence; the path is that of the file
   * that a result is about. Files of a project cannot set it. Default none.
   */
  allow?: string[] | null | undefined;
}

/** A kind of output. */
export type Category =
  | "command"
  | "file"
  | "search"
  | "listing"
  | "diff"
  | "test"
  | "build"
  | "git"
  | "package"
  | "container"
  | "log"
  | "system";

/** How much evidence a response carries. */
export type EvidenceDetail =
  | "none"
  | "changed"
  | "full";

/** The counters that a policy can name. */
export type Tokenizer =
  | "o200k"
  | "cl100k"
  | "heuristic";

/** What a repeated request gets after an answer that was a reference or had gaps. */
export type OnRepeat =
  | "full"
  | "same";

/** How much of a file is shown. */
export type FileDetail =
  | "auto"
  | "full"
  | "structure"
  | "signatures";

/** A budget as given. Absent members have their defaults. */
export interface BudgetPatch {
  /** Tokens of one result; smaller results are left to the mode. 0 for any number. Default 2000. */
  perResult?: number | null | undefined;
  /** Tokens above which the evidence suggests that the host summarizes. Default 4000. */
  summarizeAbove?: number | null | undefined;
  /** Tokens of all results of a batch or a request together. 0 for any number. Default 8000. */
  total?: number | null | undefined;
}

/** What may happen to structured data (JSON, XML, YAML and the like). */
export type Structured =
  | "auto"
  | "parseable"
  | "tables"
  | "plain";

/** How repeated text is replaced by a dictionary in `aggressive`. */
export type DictionaryMethod =
  | "none"
  | "lzw"
  | "repair"
  | "auto";

/** What is done to the schemas of the tools in a request. */
export type ToolSchemas =
  | "disabled"
  | "minify";

/** One rule. */
export interface Rule {
  /**
   * Name, unique among the rules: 1 to 64 letters, digits, `-`, `_` and `.`. Markers and evidence
   * carry it.
   */
  name: string;
  /** What it is for. */
  description?: string | null | undefined;
  /**
   * If several rules match a result, the one with the highest number is used; of equals the first.
   * Default 0.
   */
  priority?: number | undefined;
  /**
   * Whether it is used. With false, it removes a rule of the same name that an earlier layer gave.
   * Default true.
   */
  enabled?: boolean | undefined;
  /** When it is used: all given conditions must hold. */
  when?: RuleWhen | undefined;
  /**
   * Names of the methods that process the text after the stages, instead of the built-in ones.
   * Default `lossless` for a rule with stages.
   */
  pipeline?: string[] | null | undefined;
  /** Line stages. */
  stages?: RuleStages | null | undefined;
  /** Tests that the rule must pass. */
  tests?: RuleTest[] | undefined;
}

/** The conditions of a rule. A rule without conditions is used on every text. */
export interface RuleWhen {
  /**
   * Names of tools, compared without case; `*` and `?` stand for any text and any character. One
   * must match the whole name, or the part after a server prefix such as `mcp__shell__`.
   */
  tool?: TextOrTexts | undefined;
  /**
   * First words of commands: `cargo test`, `npm run build*`. The command is parsed as a shell does,
   * through `cd x &&`, `sudo`, `env`, `bash -lc` and the like; a flag among the words may be
   * anywhere in the command.
   */
  command?: TextOrTexts | undefined;
  /** Paths that the call named, with `*` and `?`. */
  path?: TextOrTexts | undefined;
  /**
   * The type of the text by its content: `json`, `xml`, `html`, `text`, or a media type such as
   * `application/json`.
   */
  contentType?: TextOrTexts | undefined;
  /**
   * The kind of output: a family of reducers, such as `test`, `build` or `log`, or `file`,
   * `search`, `listing`, `diff`.
   */
  kind?: TextOrTexts | undefined;
  /** Exit statuses: numbers, `zero`, `nonzero`, `unknown`. */
  exitCode?: TextOrTexts | undefined;
  /** Regular expression that has to match somewhere in the text. */
  text?: string | null | undefined;
  /** Regular expression that must not match anywhere in the text. */
  notText?: string | null | undefined;
  /** Fewest bytes of the text. Default what the policy's `minBytes` says. */
  minBytes?: number | null | undefined;
  /** Most bytes of the text. */
  maxBytes?: number | null | undefined;
  /** Fewest lines of the text. */
  minLines?: number | null | undefined;
  /** Most lines of the text. */
  maxLines?: number | null | undefined;
}

/** One text, or several. Numbers count as texts. */
export type TextOrTexts = string | number | (string | number)[];

/**
 * The line stages, in the order in which they run. Each gets the lines that earlier stages left;
 * lines that report a failure pass all of them unchanged.
 */
export interface RuleStages {
  /**
   * Stage 1: Escape sequences are removed. This always happens before a rule is used, so only
   * `true` is allowed.
   */
  stripAnsi?: boolean | null | undefined;
  /**
   * Stage 2: Parts of lines are replaced, by one replacement after the other, each at most 64 times
   * in a line.
   */
  replace?: RuleReplace[] | undefined;
  /**
   * Stage 3: If a pattern matches in the text, the whole text is left out, and the marker shows a
   * message instead. The first pattern that matches is used; none if the command failed or may have
   * failed, or if a line reports a failure.
   */
  matchOutput?: RuleMatchOutput[] | undefined;
  /** Stage 4: Lines that match one of these regular expressions are left out. */
  stripLines?: TextOrTexts | undefined;
  /**
   * Stage 4: Lines that match none of these regular expressions are left out. Not together with
   * `stripLines`.
   */
  keepLines?: TextOrTexts | undefined;
  /** Stage 5: Lines are cut after this many characters, at least 20. */
  truncateLinesAt?: number | null | undefined;
  /**
   * Stage 6: Only this many of the remaining lines stay, from the start. With `tailLines`, both
   * ends stay.
   */
  headLines?: number | null | undefined;
  /** Stage 6: Only this many of the remaining lines stay, from the end. */
  tailLines?: number | null | undefined;
  /** Stage 7: At most this many of the remaining lines stay, from the start; at least 1. */
  maxLines?: number | null | undefined;
  /** Stage 8: The message of the marker if no line is left. */
  onEmpty?: string | null | undefined;
}

/** A replacement inside lines. */
export interface RuleReplace {
  /** Regular expression; it must not match the empty text. */
  pattern: string;
  /** The replacement; `$1`, `${name}` for what a group matched, `$$` for `$`. Default nothing. */
  with?: string | undefined;
}

/** A text that is replaced by a message. */
export interface RuleMatchOutput {
  /** Regular expression that has to match somewhere in the text. */
  pattern: string;
  /** Regular expression that must not match anywhere in the text. */
  unless?: string | null | undefined;
  /**
   * The message of the marker: one line of at most 200 bytes without `[` and `]`. A message that
   * claims success is only used if the exit status is known to be 0.
   */
  message: string;
}

/** A test of a rule. It needs at least one expectation. */
export interface RuleTest {
  /** What it is about. */
  name?: string | null | undefined;
  /** The text. */
  input: string;
  /** The tool. Default `bash`. */
  tool?: string | null | undefined;
  /** The command. */
  command?: string | null | undefined;
  /** The path that the call named. */
  path?: string | null | undefined;
  /** The exit status. */
  exitCode?: number | null | undefined;
  /** Whether the rule is used. Default true. */
  fires?: boolean | null | undefined;
  /** The whole expected output; the seal of its first marker may be left out. */
  expect?: string | null | undefined;
  /** Texts that the output must contain. */
  contains?: TextOrTexts | undefined;
  /** Texts that the output must not contain. */
  lacks?: TextOrTexts | undefined;
}

/**
 * How a host cuts a result that it gets: the largest size that stays whole, and the part of a
 * longer result that is kept.
 */
export interface HostCut {
  /** Bytes of all texts of the result together. */
  bytes?: number | null | undefined;
  /** Characters, as Unicode counts them. */
  characters?: number | null | undefined;
  /** Lines. */
  lines?: number | null | undefined;
  /** Tokens by the host's own counter, which is unknown here: each counts as two bytes. */
  tokens?: number | null | undefined;
  /**
   * The part of a longer result that is kept. Absent if it is unknown: then nothing of such a
   * result counts as shown.
   */
  keeps?: HostKeeps | null | undefined;
}

/** The part of a result that a host keeps if the result is too long. */
export type HostKeeps =
  | "head"
  | "tail"
  | "ends";

/** Result of `toolResult/compress`. */
export interface Compressed {
  /** The content in the shape in which it came. */
  content: string | unknown[];
  /** What happened, in the detail that the policy asks for. */
  evidence?: Evidence | null | undefined;
  /** The original, if the content differs from it and it could be stored. */
  artifact?: ArtifactRef | null | undefined;
  /**
   * Why the result was removed from the context, if it was; the content is then its replacement.
   */
  reclaimed?: Reclaimed | null | undefined;
}

/** Everything about one result. */
export interface Evidence {
  /** What became of the result. */
  status: Status;
  /** The mode that was used. */
  mode: Mode;
  /** The kind of output, if it is known. */
  family?: string | null | undefined;
  /** The reducer that was used. */
  reducer?: string | null | undefined;
  /** The rule of the operator that was used, the first where parts have several. */
  rule?: string | null | undefined;
  /** The rule that kept the text exact. */
  bypass?: Reason | null | undefined;
  /** The call's exit code, where the host gave it. */
  exitCode?: number | null | undefined;
  /** Tokens. */
  tokens: Tokens;
  /** Bytes. */
  bytes: BeforeAfter;
  /** Lines. */
  lines: BeforeAfter;
  /** Steps that were tried, in order. */
  steps: Step[];
  /** How repeated text was found that is written once, `lzw` or `repair`. */
  dictionaryMethod?: string | null | undefined;
  /** The lines that are not shown. */
  omissions: Omission[];
  /** Secrets that were removed. */
  redactions: RedactionCount[];
  /** Text that the clean-up removed or escaped, by class. */
  removals?: Removal[] | undefined;
  /** The findings of the guard. */
  guard: GuardEvidence;
  /** Whether the byte cap cut something. */
  capped: boolean;
  /** The effect of the budget, if there was one. */
  budget?: BudgetUse | null | undefined;
  /** Id of the artifact, if the text was replaced by a pointer to it. */
  externalized?: string | null | undefined;
  /** Call id of the earlier result that this one repeats. */
  duplicateOf?: string | null | undefined;
  /** The use of the memo. */
  memo: Memo;
  /**
   * Whether the result was larger than `summarizeAbove` tokens before the first cut (`head_tail`,
   * `output_cap`, `budget`, `externalize`).
   */
  summarizeSuggested: boolean;
  /** BLAKE3 digest of the sanitized text, hexadecimal. */
  digest: string;
}

/** The outcome of a result. */
export type Status =
  | "unchanged"
  | "compressed"
  | "duplicate"
  | "bypassed"
  | "suppressed"
  | "failed_open"
  | (string & {});

/** Stable reason code. */
export type Reason =
  | "passing_tests"
  | "test_output"
  | "skipped_tests"
  | "progress"
  | "build_steps"
  | "satisfied"
  | "packages"
  | "package_hints"
  | "transferred_files"
  | "diff_context"
  | "diff_limit"
  | "generated_file"
  | "status_files"
  | "git_hints"
  | "line_endings"
  | "same_author"
  | "commit_body"
  | "older_commits"
  | "blame_columns"
  | "same_refs"
  | "passing_checks"
  | "step_prefix"
  | "shared_folder"
  | "shared_path"
  | "shared_message"
  | "clean"
  | "search_limit"
  | "line_numbers"
  | "listing_layout"
  | "noise_directory"
  | "large_folder"
  | "kernel_threads"
  | "idle_processes"
  | "virtual_filesystems"
  | "local_sockets"
  | "mapped_files"
  | "thread_files"
  | "device_units"
  | "routine_calls"
  | "repeated_calls"
  | "shell_settings"
  | "connection_steps"
  | "steady_replies"
  | "no_reply"
  | "encoded_bytes"
  | "zero_counters"
  | "defaults"
  | "not_affected"
  | "common_fields"
  | "small_shares"
  | "shared_name"
  | "repeated_lines"
  | "repeated_block"
  | "repeated_diagnostic"
  | "diagnostic_excerpt"
  | "library_frames"
  | "same_failure"
  | "repeated_excerpt"
  | "repeated_trace"
  | "asset_limit"
  | "tool_hints"
  | "tool_frames"
  | "unknown_value"
  | "log_repeat"
  | "log_form"
  | "log_group"
  | "shown_before"
  | "same_outline"
  | "file_body"
  | "file_limit"
  | "head_tail"
  | "output_cap"
  | "budget"
  | "externalized"
  | "long_line"
  | "array_items"
  | "object_members"
  | "deep_value"
  | "empty_members"
  | "empty_kept"
  | "long_string"
  | "encoded_string"
  | "siblings"
  | "page_code"
  | "table_rows"
  | "xml_whitespace"
  | "data_whitespace"
  | "embedded_binary"
  | "binary"
  | "json_whitespace"
  | "schema_table"
  | "table_whitespace"
  | "trailing_whitespace"
  | "rule_lines"
  | "rule_limit"
  | "rule_match"
  | "rule_rewrite"
  | "rule_cut"
  | "rule_exact"
  | "rule_unproven"
  | "rule_unstable"
  | "applied"
  | "not_paying"
  | "guard_declined"
  | "reducer_panicked"
  | "invalid_reduction"
  | "not_recognized"
  | "nothing_to_do"
  | "few_items"
  | "mixed_items"
  | "deep_items"
  | "over_dictionary_limit"
  | "compared_records"
  | "holds_dictionary"
  | "below_min_bytes"
  | "full_output"
  | "command_asks"
  | "mode_disabled"
  | "excluded_tool"
  | "excluded_tool_substring"
  | "excluded_command"
  | "excluded_flag"
  | "excluded_category"
  | "excluded_method"
  | "verbatim"
  | "never_omit"
  | "asked_again"
  | "already_compressed"
  | "over_input_limit"
  | "no_session"
  | "not_stored"
  | "budget_too_small"
  | "fixed_results"
  | "structured_format"
  | (string & {});

/** Tokens before and after. */
export interface Tokens {
  /** Tokens of the input. */
  before: number;
  /** Tokens that go out. */
  after: number;
  /** Name of the counter. */
  counter: string;
}

/** Sizes before and after: of the input and of the output. */
export interface BeforeAfter {
  /** Size of the input. */
  before: number;
  /** Size of the output. */
  after: number;
}

/** One step of the pipeline that was tried. */
export interface Step {
  /** Name of the step. */
  id: string;
  /** `applied`, or why nothing was done. */
  reason: Reason;
  /** Bytes of the text before the step. */
  bytesBefore: number;
  /** Bytes of the text after the step. */
  bytesAfter: number;
}

/** Lines that are not shown. */
export interface Omission {
  /** First and last line of the sanitized text, from 1, inclusive. */
  lines: [number, number];
  /** Why. */
  reason: Reason;
  /** Lines not shown; 0 when the gap is inside a line. */
  count: number;
  /** Bytes not shown, where the gap is inside lines. */
  bytes?: number | undefined;
  /** Index of the content part, where the result has several. */
  part?: number | undefined;
  /** Where the model sees the lines, for `shown_before`, or their outline, for `same_outline`. */
  shownBy?: ShownBy | null | undefined;
}

/** Where lines were shown before. */
export interface ShownBy {
  /** Call id. */
  toolCallId: string;
  /** The argument of the call that holds the lines; absent where its result shows them. */
  argument?: string | null | undefined;
  /** First and last line of the result's sanitized text, or of the argument, from 1, inclusive. */
  lines: [number, number];
}

/** Secrets of one rule that were removed. */
export interface RedactionCount {
  /** Name of the rule. */
  rule: string;
  /** How many. */
  count: number;
  /**
   * Fingerprints of the values, made with a key of the installation, each once, at most 16.
   * `secrets.allow` accepts them.
   */
  fingerprints?: string[] | undefined;
}

/** Characters or sequences that the clean-up removed or escaped. */
export interface Removal {
  /** Class, for example `bidi_control` or `escape_sequence`. */
  class: string;
  /** How many. */
  count: number;
}

/** The findings of the guard. */
export interface GuardEvidence {
  /** Lines that report a failure. */
  signals: number;
  /** Of these, lines that can still be seen; of equal lines one has to be visible. */
  kept: number;
  /** Of these, lines that a step had hidden and the guard brought back. */
  restored?: number | undefined;
}

/** The effect of a budget on one result. */
export interface BudgetUse {
  /** Tokens that the result might take. */
  tokens: number;
  /** Whether it takes no more. */
  met: boolean;
  /** How far the budget had to go for it. */
  rung: Rung;
  /** Why it takes more. */
  why?: Reason | null | undefined;
  /** Tokens in the host's own figures, where it gave them. */
  hostTokens?: BeforeAfter | null | undefined;
}

/** How far a budget had to go. */
export interface Rung {
  /** The mode. */
  mode: Mode;
  /** How often the limits that depend on the mode were halved. */
  squeeze?: number | undefined;
  /** Whether lines were cut by tokens after that. */
  cut?: boolean | undefined;
}

/** The use of the memo. */
export interface Memo {
  /** The outcome is the one that was returned earlier for this call. */
  reused: boolean;
  /** The call was seen before with other bytes or another policy. */
  changed: boolean;
}

/** The original of a result, kept for reading back. */
export interface ArtifactRef {
  /** The id for `artifact/read`. */
  id: string;
  /** Size in bytes. */
  bytes: number;
  /** Lines, as markers number them. */
  lines: number;
  /**
   * The id of the text before clean-up (terminal sequences, invisible characters), if that differs.
   */
  originalId?: string | null | undefined;
  /** Whether a copy of it is on disk, which the settings of `recovery` control. */
  onDisk?: boolean | undefined;
}

/** A result that left the context. */
export interface Reclaimed {
  /** Why. */
  reason: ReclaimReason;
  /** How many results later the other one came, or how many answers did not cite it. */
  count: number;
  /** Tokens saved in the context. */
  tokensSaved: number;
}

/** Why a result left the context. */
export type ReclaimReason =
  | "shown_again"
  | "superseded"
  | "run_again"
  | "not_cited"
  | (string & {});

/** Parameters of `toolResult/compressBatch`. */
export interface BatchParams {
  /** The session, as in `toolResult/compress`. */
  sessionId?: string | null | undefined;
  /** The results of one turn, in order. */
  results: BatchItem[];
  /** Settings for this request alone. */
  policy?: PolicyPatch | null | undefined;
  /** What the agent is looking for, as in `toolResult/compress`. */
  query?: string | null | undefined;
  /** Return the exact bytes of all results; only secrets are removed. */
  fullOutput?: boolean | undefined;
  /** What the results may cost, each and together; overrides the policy's budget. */
  budget?: BudgetPatch | null | undefined;
  /** How full the model's context is, as in `toolResult/compress`. */
  contextPressure?: number | null | undefined;
  /** How the host cuts results itself. Text that it cuts does not count as shown. */
  hostCut?: HostCut | null | undefined;
  /** The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters. */
  correlationId?: string | null | undefined;
}

/** In a member. */
export interface BatchItemObject {
  /** The result. */
  result: ToolResult;
  /** Return the exact bytes; only secrets are removed. */
  fullOutput?: boolean | undefined;
}

/** One result of a batch: bare, or in an object as in the parameters of `toolResult/compress`. */
export type BatchItem = ToolResult | BatchItemObject;

/** Result of `toolResult/compressBatch`. */
export interface BatchCompressed {
  /** One for each result, in the same order. */
  results: Compressed[];
  /** Sums over the results; in the host's tokens for results that came with `tokens`. */
  tokens: BeforeAfter;
  /** Whether a budget made any result smaller; absent without a budget. */
  budgetApplied?: boolean | null | undefined;
  /** The budget of all results together, if there was one. */
  budget?: BatchBudget | null | undefined;
}

/** The outcome of the budget of a batch. */
export interface BatchBudget {
  /** Tokens that the results were allowed to take together. */
  tokens: number;
  /** Whether they take no more. */
  met: boolean;
  /** Why they take more. */
  why?: Reason | null | undefined;
}

/** Parameters of `toolResult/open`: those of `toolResult/compress`, without the content. */
export interface StreamOpenParams {
  /** The session, 1 to 512 bytes; it opens on first use. */
  sessionId?: string | null | undefined;
  /** The result as in `toolResult/compress`, without `content`. */
  result: object;
  /** Settings for this result alone. */
  policy?: PolicyPatch | null | undefined;
  /** What the agent is looking for, as in `toolResult/compress`. */
  query?: string | null | undefined;
  /** What the result may cost, as in `toolResult/compress`. */
  budget?: BudgetPatch | null | undefined;
  /** How full the model's context is, as in `toolResult/compress`. */
  contextPressure?: number | null | undefined;
  /** How the host cuts results itself. Text that it cuts does not count as shown. */
  hostCut?: HostCut | null | undefined;
  /** Return the exact bytes; only secrets are removed. */
  fullOutput?: boolean | undefined;
}

/** Result of `toolResult/open`. */
export interface StreamOpened {
  /** The id for the following requests. */
  streamId: string;
}

/** Parameters of `toolResult/append`. */
export interface AppendParams {
  /** The stream. */
  streamId: string;
  /** Its session; may be absent. */
  sessionId?: string | null | undefined;
  /** The next piece of text. It may end anywhere, even between the halves of a surrogate pair. */
  text: string;
  /** The stream to which the command wrote it. Default `none`. */
  stream?: StreamName | null | undefined;
}

/** The output stream of a piece. Pieces of one stream are joined; streams are kept separate. */
export type StreamName =
  | "none"
  | "stdout"
  | "stderr";

/** Result of `toolResult/append`. */
export interface Appended {
  /** Bytes received so far. */
  bytes: number;
  /** Whether all of them are kept. */
  whole: boolean;
}

/** Parameters of `toolResult/peek` and `toolResult/discard`. */
export interface StreamParams {
  /** The stream. */
  streamId: string;
  /** Its session; may be absent. */
  sessionId?: string | null | undefined;
}

/** Parameters of `toolResult/close`. */
export interface StreamCloseParams {
  /** The stream. */
  streamId: string;
  /** Its session; may be absent. */
  sessionId?: string | null | undefined;
  /** The exit code of the command. If absent, the one given to `toolResult/open`. */
  exitCode?: number | null | undefined;
  /**
   * Whether the host counts the call as failed. If absent, the value given to `toolResult/open`.
   */
  isError?: boolean | null | undefined;
}

/** Result of `toolResult/discard`. */
export interface Discarded {
  /** Whether the stream was open. */
  discarded: boolean;
}

/** Parameters of `messages/compress`. */
export interface MessagesParams {
  /**
   * The session, 1 to 512 bytes; it opens on first use. Without one there is no memo and no dedup.
   */
  sessionId?: string | null | undefined;
  /** The format of the body. May be absent if the body shows it. */
  format?: Format | null | undefined;
  /**
   * The request as the model's provider takes it, or, for `mcp`, a result or an array of messages.
   */
  body: object | unknown[];
  /** Settings for this request alone. */
  policy?: PolicyPatch | null | undefined;
  /**
   * What the agent is looking for, as in `toolResult/compress`. It applies to results that the
   * session does not know yet; the others stay as they were given.
   */
  query?: string | null | undefined;
  /**
   * What each result, and all results of one turn together, may cost; overrides the policy's
   * budget. A turn is the results between two messages of the model.
   */
  budget?: BudgetPatch | null | undefined;
  /**
   * How full the model's context is, as in `toolResult/compress`. It applies to results that the
   * session does not know yet.
   */
  contextPressure?: number | null | undefined;
  /** This many of the newest results stay exact; only secrets are removed from them. Default 0. */
  keepNewest?: number | undefined;
  /** What is done to the schemas of the tools in the body. Default the policy's `toolSchemas`. */
  toolSchemas?: ToolSchemas | null | undefined;
  /** How the `structuredContent` of an MCP result is treated. Default `keep`. */
  structuredContent?: StructuredContent | undefined;
  /** Whether the member `_forge` is removed from the body. Default false. */
  stripOverrides?: boolean | undefined;
  /**
   * Whether earlier results that are no longer needed are removed, if that pays. Needs `sessionId`,
   * and `keepNewest` 0. Default `off`.
   */
  reclaim?: ReclaimMode | undefined;
  /** The values that decide whether it pays. */
  reclaimTerms?: ReclaimTerms | null | undefined;
  /** The host's own name for the request, for telemetry: 1 to 128 visible ASCII characters. */
  correlationId?: string | null | undefined;
}

/** Formats of bodies. */
export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "mcp";

/** How structured content is treated. */
export type StructuredContent =
  | "keep"
  | "dropRepeated";

/** Whether earlier results may leave the context. */
export type ReclaimMode =
  | "off"
  | "auto";

/**
 * Decides whether removing results pays: `requestsToCome * removed` must be more than `(write -
 * read) / read * behind`.
 */
export interface ReclaimTerms {
  /**
   * Expected number of further requests of the conversation, including this one. Without it, a
   * cautious estimate from the number so far.
   */
  requestsToCome?: number | null | undefined;
  /** How the cache is priced. Default `fiveMinutes`. */
  cache?: Cache | null | undefined;
  /** Prices, in place of `cache`. */
  prices?: CachePrices | null | undefined;
  /**
   * Smallest gain of a batch, in tokens read from the cache. Default 6000; 12000 for a batch with
   * results that no later result replaces.
   */
  minGain?: number | null | undefined;
}

/** How a provider's cache is priced. */
export type Cache =
  | "fiveMinutes"
  | "oneHour"
  | "automatic"
  | "cold";

/** Prices of a token, in any unit. */
export interface CachePrices {
  /** Writing it to the cache. */
  write: number;
  /** Reading it from there. */
  read: number;
}

/** Result of `messages/compress`. */
export interface MessagesCompressed {
  /** The body. Every byte outside of the texts of results is unchanged. */
  body: object | unknown[];
  /** The format that the body was read in; absent if the body has no result that shows it. */
  format?: Format | null | undefined;
  /** One for each result with text, in the order of the body. */
  results: MessageResult[];
  /**
   * Secrets that were removed outside of compressed texts: from data, documents, and results of the
   * provider's servers.
   */
  redactions?: RedactionCount[] | undefined;
  /** Sums over the results. */
  tokens: BeforeAfter;
  /** Tokens of `tools`, if their descriptions were minified. */
  toolTokens?: BeforeAfter | null | undefined;
  /** What was removed from the context, if the request asked for that. */
  reclaim?: Reclaim | null | undefined;
}

/** One result of a body after compression. */
export interface MessageResult {
  /**
   * The call that it answers: the id in the body, or `name#n` for the n-th result of that tool that
   * has none. Absent if the body gives neither.
   */
  toolCallId?: string | null | undefined;
  /** Its place in the body. */
  place: string;
  /** What happened, in the detail that the policy asks for. */
  evidence?: Evidence | null | undefined;
  /** The original, if the text differs from it and it could be stored. */
  artifact?: ArtifactRef | null | undefined;
  /** Why the result was removed from the context, if it was; a short text then replaces it. */
  reclaimed?: Reclaimed | null | undefined;
}

/** The results that were removed from the context of a conversation. */
export interface Reclaim {
  /** Removed results. */
  results: number;
  /** Of these, the results that this request removed. */
  newResults: number;
  /** Tokens saved in the context by all of them. */
  tokensSaved: number;
  /** The sum of this request. */
  sum: ReclaimSum;
}

/** The sum that decides. */
export interface ReclaimSum {
  /** Tokens that the best batch would remove. */
  removed: number;
  /** Tokens after the first removed one that stay, and that the cache holds. */
  behind: number;
  /** Expected number of further requests. */
  requests: number;
  /** Extra price of writing a token to the cache, as a multiple of the read price. */
  factor: number;
  /** The gain, in tokens read from the cache: `requests * removed - factor * behind`. */
  gain: number;
}

/** Parameters of `toolSchema/minify`. */
export interface ToolSchemaParams {
  /** The tools as a request has them: OpenAI, Anthropic, MCP or Gemini. */
  tools: unknown[];
  /** Settings for this request alone. Only `tokenizer` is used. */
  policy?: PolicyPatch | null | undefined;
}

/** Result of `toolSchema/minify`. */
export interface Minified {
  /** The tools. Every byte outside of descriptions is unchanged. */
  tools: unknown[];
  /** Tokens of the JSON text of the tools. */
  tokens: BeforeAfter;
}

/** Parameters of `rules/check`. */
export interface RulesCheckParams {
  /** The rules. If absent, the rules in force. */
  rules?: Rule[] | null | undefined;
  /** A call to explain. */
  sample?: RuleSample | null | undefined;
  /** Settings for this request alone. */
  policy?: PolicyPatch | null | undefined;
}

/** A call and its text. */
export interface RuleSample {
  /** The tool. Default `bash`. */
  tool?: string | null | undefined;
  /** The command. */
  command?: string | null | undefined;
  /** The path that the call named. */
  path?: string | null | undefined;
  /** The exit status. */
  exitCode?: number | null | undefined;
  /** The text. */
  content: string;
}

/** Result of `rules/check`. */
export interface RulesChecked {
  /** Whether all rules can be used and pass their tests. */
  ok: boolean;
  /** How many rules there are. */
  rules: number;
  /**
   * Faults of rules: rule, field, value and what is allowed. Rules with faults are not in the other
   * members.
   */
  errors: string[];
  /** Warnings about rules that can be used. */
  warnings: string[];
  /** The results of the tests. */
  tests: RuleTested[];
  /** The result for the sample. */
  sample?: RuleExplained | null | undefined;
}

/** One test of a rule. */
export interface RuleTested {
  /** The rule. */
  rule: string;
  /** The test's name, or its position. */
  test: string;
  /** Whether the test passed. */
  ok: boolean;
  /** The failed expectations. */
  problems: string[];
  /** The output, if the test failed. */
  output?: string | null | undefined;
}

/** The explanation of a sample. */
export interface RuleExplained {
  /** The rule that is used. */
  rule?: string | null | undefined;
  /** All rules, in the order in which they are tried. */
  rules: RuleAsked[];
  /** What the stages of the rule do to the lines, as runs of lines with the same fate. */
  lines: RuleLines[];
  /** The output. */
  content: string;
  /** The evidence. */
  evidence: Evidence;
}

/** One rule, and the results of its conditions. */
export interface RuleAsked {
  /** The rule. */
  rule: string;
  /** Its priority. */
  priority: number;
  /** Whether all its conditions hold. */
  fits: boolean;
  /** Whether it is the one that is used. */
  used: boolean;
  /** The conditions. */
  conditions: RuleCondition[];
}

/** The result of one condition. */
export interface RuleCondition {
  /** Its name. */
  condition: string;
  /** Whether it holds. */
  holds: boolean;
  /** The expected and the actual value. */
  why: string;
}

/** Lines with the same fate. */
export interface RuleLines {
  /** First and last line of the sanitized text, from 1. */
  lines: [number, number];
  /** `kept`, `kept_failure`, `rewritten`, `truncated` or `dropped`; `taken` by an earlier step. */
  fate: string;
  /** The stage that did it. */
  stage?: string | null | undefined;
  /** The place of the pattern in the stage's list, from 0. */
  pattern?: number | null | undefined;
}

/** Parameters of `artifact/read`. */
export interface ReadParams {
  /** The session that owns the artifact; absent for results that came without a session. */
  sessionId?: string | null | undefined;
  /** The id of the artifact, or the handle in a marker. */
  id: string;
  /**
   * Ranges `[first, last]`, from 1, inclusive. They are sorted, and adjacent ones are joined. A
   * range may end after the last line. Absent or empty for everything.
   */
  lines?: ([number, number])[] | null | undefined;
  /** The numbers that `lines` uses. Default `result`. */
  numbering?: Numbering | undefined;
  /** Most bytes to return, at least 1; larger numbers mean 1048576. Default 65536. */
  maxBytes?: number | null | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | null | undefined;
}

/** The numbers of lines. */
export type Numbering =
  | "result"
  | "shown";

/** Result of `artifact/read`. */
export interface Read {
  /** The artifact. */
  id: string;
  /** The text with its line ends, in the form that `encoding` names. */
  text: string;
  /** `utf-8`, or `base64` for binary data. */
  encoding: string;
  /** Line ranges that the text covers. */
  lines: ([number, number])[];
  /** Lines of the whole artifact. */
  totalLines: number;
  /** Bytes of the whole artifact. */
  totalBytes: number;
  /** Where the next page starts; absent at the end. */
  nextCursor?: string | null | undefined;
}

/** Parameters of `artifact/search`. */
export interface SearchParams {
  /** The session that owns the artifact. */
  sessionId?: string | null | undefined;
  /** The id of the artifact, or the handle in a marker. */
  id: string;
  /** Regular expression in the syntax of Rust's `regex` crate. */
  pattern: string;
  /** The pattern is plain text. */
  fixed?: boolean | undefined;
  /** Ignores letter case. */
  ignoreCase?: boolean | undefined;
  /** Lines before and after each match; larger numbers mean 20. Default 0. */
  context?: number | undefined;
  /**
   * Most matches to return, at least 1; larger numbers mean 500. Default 50. A page is also limited
   * in bytes, so it may hold fewer.
   */
  maxMatches?: number | null | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | null | undefined;
}

/** Result of `artifact/search`. */
export interface Found {
  /** The artifact. */
  id: string;
  /** Matching lines, in order. */
  matches: Match[];
  /**
   * Matching lines in the whole artifact; with `timedOut`, in the part that was searched so far.
   */
  totalMatches: number;
  /**
   * Whether the time for one page (one second) ran out before the end; `nextCursor` continues. How
   * much a page covers depends on the machine.
   */
  timedOut?: boolean | undefined;
  /** Where the next page starts; absent at the end. */
  nextCursor?: string | null | undefined;
}

/** One matching line. */
export interface Match {
  /** From 1. */
  line: number;
  /** The line, or the part of it around the match if the line is very long. */
  text: string;
  /** Column of the first byte of `text`, from 1; above 1 when the line was cut. */
  column: number;
  /** Lines before. */
  before: NumberedLine[];
  /** Lines after. */
  after: NumberedLine[];
}

/** A line and its number. */
export interface NumberedLine {
  /** From 1. */
  line: number;
  /** Without line end. */
  text: string;
}

/** Parameters of `artifact/list`. */
export interface ListParams {
  /** The session; absent for results that came without one. */
  sessionId?: string | null | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | null | undefined;
}

/** Result of `artifact/list`. */
export interface List {
  /** Newest first. */
  artifacts: Listed[];
  /** Where the next page starts; absent at the end. */
  nextCursor?: string | null | undefined;
}

/** One stored original. */
export interface Listed {
  /** The id for `artifact/read`. */
  id: string;
  /** BLAKE3 digest, hexadecimal. */
  digest: string;
  /** Size in bytes. */
  bytes: number;
  /** Lines. */
  lines: number;
  /** Tool that wrote it. */
  tool: string;
  /** Call that it answers. */
  toolCallId?: string | null | undefined;
  /**
   * Start of the first line of the command that wrote it, without secrets; absent if the call had
   * no command.
   */
  command?: string | null | undefined;
  /** Whether only its copy on disk is left, which the settings of `recovery` control. */
  onDisk?: boolean | undefined;
}

/** Parameters of `session/open`. */
export interface OpenParams {
  /** The session, 1 to 512 bytes. */
  sessionId: string;
  /** Settings for all requests of the session. */
  policy?: PolicyPatch | null | undefined;
}

/** Result of `session/open`. */
export interface Opened {
  /** The session. */
  sessionId: string;
  /** False if it was already open; then its state does not change. */
  created: boolean;
}

/** Parameters of `session/fork`. */
export interface ForkParams {
  /** The session that is copied; it does not change. */
  sessionId: string;
  /** The new session. */
  newSessionId: string;
  /**
   * The only calls whose results the new context shows. Absent if it shows all that the other one
   * does.
   */
  visible?: string[] | null | undefined;
}

/** Result of `session/fork`. */
export interface Forked {
  /** The new session. */
  sessionId: string;
  /** False if it was already open; then its state does not change. */
  created: boolean;
  /** Calls taken over from the other session; 0 if that one is not open. */
  calls: number;
}

/** Parameters of `session/close` and `session/stats`. */
export interface SessionParams {
  /** The session. */
  sessionId: string;
}

/** Result of `session/close`. */
export interface Closed {
  /** Whether the session was open. */
  closed: boolean;
}

/** Result of `session/stats`. Results count once, however often they are resent. */
export interface Stats {
  /** All results. */
  total: Totals;
  /** Results that were repeated under their call id with the same bytes and policy. */
  resends: Totals;
  /** Resends that were answered from the memo. */
  memoHits: number;
  /** Call ids that were repeated with other bytes or another policy. */
  memoChanged: number;
  /** By tool; `other` from the 1025th tool on. */
  byTool: Record<string, Totals>;
  /** By family; `other` if none is known. */
  byFamily: Record<string, Totals>;
  /** By reducer; results without one are not listed. */
  byReducer: Record<string, Totals>;
  /** Results by status. */
  byStatus: Record<string, number>;
  /** Lines not shown, by reason. */
  omittedLines: Record<string, number>;
  /** Secrets removed, by rule. */
  redactions: Record<string, number>;
  /** Text that is not shown, by reason. */
  byReason: Record<string, ReasonTotals>;
  /** Steps that were tried and did nothing, by reason. */
  skipped: Record<string, number>;
  /** Repeated results, as a prompt cache sees them. */
  cache: CacheTotals;
  /** The cost by model; only models that the user gave prices for. */
  cost?: Record<string, Cost> | undefined;
}

/** Sums over some results. */
export interface Totals {
  /** Results. */
  results: number;
  /** Tokens of the input. */
  tokensBefore: number;
  /** Tokens of the output. */
  tokensAfter: number;
  /** Bytes of the input. */
  bytesBefore: number;
  /** Bytes of the output. */
  bytesAfter: number;
  /**
   * Tokens of the input that the host would have shown: all of a result within `hostLimit`; of a
   * larger one, the share of its bytes within the limit, rounded down.
   */
  baselineTokens: number;
  /**
   * Tokens of the output that the host shows, counted in the same way. The difference to the
   * baseline was saved.
   */
  shownTokens: number;
}

/** Text that is not shown for one reason. */
export interface ReasonTotals {
  /** Results with such a gap. */
  results: number;
  /** Lines in such gaps. */
  lines: number;
  /** Bytes of such gaps inside lines. */
  bytes: number;
}

/** Repeated results, as a provider's prompt cache sees them. */
export interface CacheTotals {
  /** Tokens of results that were repeated byte for byte: a prompt cache may have them. */
  stableTokens: number;
  /**
   * Tokens of results that were repeated with other bytes or another policy: a cached prompt ends
   * before them.
   */
  changedTokens: number;
}

/** The cost with one model, at the user's prices; the parts are separate. */
export interface Cost {
  /**
   * Every result once, at the price of writing to the prompt cache, or of input if that is not
   * given.
   */
  results: Spent;
  /** Repeated results, as input without a cache. */
  resends: Spent;
  /** Repeated results, as read from the cache; absent if that has no price. */
  resendsCached?: Spent | null | undefined;
}

/** The cost of tokens at the user's price. */
export interface Spent {
  /** As the host would have shown the results. */
  baseline: number;
  /** As they were returned. */
  shown: number;
}

/** Parameters of `session/evicted`: what the model no longer sees. */
export interface EvictedParams {
  /** The session. */
  sessionId: string;
  /** Calls whose results left the context. */
  toolCallIds?: string[] | undefined;
  /** The only calls whose results are still in the context. */
  visible?: string[] | null | undefined;
}

/** Parameters of `session/compacted`: the conversation was summarized, cut short or restarted. */
export interface CompactedParams {
  /** The session. */
  sessionId: string;
  /** The only calls whose results are still in the context. Absent if there are none. */
  visible?: string[] | undefined;
}

/** Parameters of `session/reclaim`. */
export interface ReclaimParams {
  /** The session; it opens on first use. */
  sessionId: string;
  /**
   * What the context holds, in order: the call id of each result, and the tokens of everything
   * between. Absent if it holds what the session knows.
   */
  context?: ContextItem[] | null | undefined;
  /**
   * The answers of the model since the last `session/reclaim`, in order, at most 256. Absent if
   * they are not known: then every earlier result counts as cited.
   */
  answers?: ModelAnswer[] | null | undefined;
  /** The values that decide whether it pays. */
  reclaimTerms?: ReclaimTerms | null | undefined;
  /** Settings for this request alone. */
  policy?: PolicyPatch | null | undefined;
}

/** An item of a context: the call id of a result, or the tokens of anything else. */
export type ContextItem = string | number;

/** An answer of the model. */
export interface ModelAnswer {
  /** Its text, without reasoning. */
  text?: string | undefined;
  /**
   * The calls that it makes. Absent if all results since the last `session/reclaim` came after this
   * answer.
   */
  toolCallIds?: string[] | undefined;
}

/** Result of `session/reclaim`. */
export interface Reclaimable {
  /** The number of the batch, for `session/reclaimed`; absent if nothing can be removed. */
  batch?: number | null | undefined;
  /** The results that may be removed, in the order in which they came. Empty if it does not pay. */
  replacements: Replacement[];
  /** Tokens that this saves in the context. */
  tokensSaved: number;
  /** The sum that decided. */
  sum: ReclaimSum;
}

/** The replacement of a result. */
export interface Replacement {
  /** The call of the result. */
  toolCallId: string;
  /** The text that replaces the text of the result. */
  content: string;
  /** Why it may be removed. */
  reclaimed: Reclaimed;
  /** The original. */
  artifact?: ArtifactRef | null | undefined;
}

/** Parameters of `session/reclaimed`. */
export interface ReclaimedParams {
  /** The session. */
  sessionId: string;
  /** The number of the batch that the last `session/reclaim` gave. */
  batch: number;
}

/** Result of `session/reclaimed`. */
export interface ReclaimedTotals {
  /** Removed results of the session. */
  results: number;
  /** Tokens saved in the context by all of them. */
  tokensSaved: number;
}

/** Parameters of `config/reload`. */
export type ReloadParams = object;

/** The changes after reading the files again. */
export interface Reloaded {
  /** Configuration files that were read, highest priority first. */
  files: string[];
  /** Settings whose value changed. */
  changed: string[];
  /** Settings whose value changed in the files, but which are only read when the process starts. */
  needsRestart: string[];
}

/** Parameters of `workspace/didChangeConfiguration`, as LSP has them. */
export interface DidChangeParams {
  /**
   * `{"tersed": …}` with the members of `initializationOptions.tersed`: replaces the settings of
   * earlier notifications. Null, or null under `tersed`, reads the configuration files again.
   */
  settings?: unknown | undefined;
}

/** `initializationOptions.tersed`. */
export interface Options {
  /** Major versions of the protocol that the host speaks; absent for any. */
  protocolVersions?: number[] | null | undefined;
  /** A named set of settings, with the next priority above the defaults. */
  profile?: Profile | null | undefined;
  /** Settings for all requests. */
  policy?: PolicyPatch | null | undefined;
  /** Whether the server sends `telemetry/event` for each result. Default false. */
  telemetryEvents?: boolean | undefined;
}

/** Settings under one name. */
export type Profile =
  | "coding"
  | "research"
  | "ops";

/** `capabilities.experimental.tersed`. */
export interface Capabilities {
  /** Major version of the protocol. */
  protocolVersion: number;
  /** Methods of this server. */
  methods: string[];
  /** All modes. */
  modes: Mode[];
  /** Token counters. */
  tokenizers: Tokenizer[];
  /** Limits. */
  limits: CapabilityLimits;
  /** The result of reading settings from files and variables. */
  configuration: Configuration;
}

/** Limits that a host may want to know. */
export interface CapabilityLimits {
  /** Most open sessions; the least recently used one ends first. */
  maxSessions: number;
  /** Most calls that a session remembers. */
  maxCallsPerSession: number;
  /** Largest `maxOutputBytes`. */
  maxOutputBytes: number;
  /** Most originals that are kept. */
  maxArtifacts: number;
  /** Most bytes of all originals together. */
  maxArtifactBytes: number;
  /** Most open streams. */
  maxStreams: number;
  /** Bytes up to which a stream is kept whole. */
  maxStreamBytes: number;
}

/**
 * The result of reading settings from files and variables. Faulty and untrusted settings are
 * ignored; all others apply.
 */
export interface Configuration {
  /** Configuration files that were found, highest priority first. */
  files: string[];
  /** The faults, one text for each: the place, the key, the value and what is allowed. */
  faults: string[];
  /** The project's file, if it has settings that only a trusted file may set. */
  untrusted?: Untrusted | null | undefined;
}

/** A project's file whose present content the user does not trust. */
export interface Untrusted {
  /** The file. */
  file: string;
  /** Its settings that are ignored. */
  ignored: string[];
  /** The same as a sentence, with what the user can do. */
  text: string;
}

/** Parameters of `window/logMessage`. */
export interface LogMessage {
  /** 1 for an error, 2 for a warning. */
  type: number;
  /** The text. Never content of a result. */
  message: string;
}

/** One event. */
export interface Event {
  /** Version of this format, 1. */
  version: number;
  /** Milliseconds since 1970 began, UTC. */
  time: number;
  /** The process that wrote it, 16 hexadecimal digits. */
  process: string;
  /** Number of the event in its process, from 1; dropped events leave a gap. */
  seq: number;
  /** Events that were dropped just before this one, because the queue was full. */
  dropped?: number | undefined;
  /** Members that were left out because the event would have been too long. */
  shortened?: string[] | undefined;
}

/** How a result was given again, byte for byte. */
export type Resend =
  | "memo"
  | "remade"
  | (string & {});

/** A step that was tried. */
export interface TimedStep {
  /** Name of the step. */
  id: string;
  /** `applied`, or why nothing was done. */
  reason: Reason;
  /** Bytes of the text before the step. */
  bytesBefore: number;
  /** Bytes of the text after the step. */
  bytesAfter: number;
  /** Its time, in microseconds. */
  elapsedMicros?: number | null | undefined;
}

/** Times of a result, in microseconds. */
export interface Elapsed {
  /** The total. */
  totalMicros: number;
  /**
   * Of this, the clean-up and the removal of secrets; absent if a batch had measured the result
   * before.
   */
  safeMicros?: number | null | undefined;
}

/** What happened to a result beside its steps. */
export interface Flags {
  /** Secrets were removed. */
  redacted: boolean;
  /** The byte cap cut something. */
  capped: boolean;
  /** The result, or lines of it, became a reference to an earlier one. */
  deduplicated: boolean;
  /** The text became a pointer. */
  externalized: boolean;
  /** It was compressed less than requested. */
  fellBack: boolean;
  /** It is larger than `summarizeAbove` tokens. */
  summarizeSuggested: boolean;
  /** Whether a budget was met; absent without a budget. */
  budgetMet?: boolean | null | undefined;
}

/** Text that is not shown for one reason. */
export interface Omitted {
  /** Gaps. */
  gaps: number;
  /** Lines in them. */
  lines: number;
  /** Bytes of gaps inside lines. */
  bytes?: number | undefined;
}

/**
 * 64-bit fingerprints, 16 hexadecimal digits each. Not cryptographic. Only fingerprints of the same
 * kind can be compared.
 */
export interface Fingerprints {
  /**
   * Of the original after the removal of secrets and the clean-up: the first digits of the
   * evidence's `digest`.
   */
  original: string;
  /** Of the output. */
  compressed: string;
  /**
   * Of the arguments, command and path of the call after the removal of secrets; absent if there
   * are none, or more than 64 KiB.
   */
  arguments?: string | null | undefined;
}

/** Text that is not shown, by reason. */
export interface ResultEventObject {
  /**  */
  already_compressed?: Omitted | undefined;
  /**  */
  applied?: Omitted | undefined;
  /**  */
  array_items?: Omitted | undefined;
  /**  */
  asked_again?: Omitted | undefined;
  /**  */
  asset_limit?: Omitted | undefined;
  /**  */
  below_min_bytes?: Omitted | undefined;
  /**  */
  binary?: Omitted | undefined;
  /**  */
  blame_columns?: Omitted | undefined;
  /**  */
  budget?: Omitted | undefined;
  /**  */
  budget_too_small?: Omitted | undefined;
  /**  */
  build_steps?: Omitted | undefined;
  /**  */
  clean?: Omitted | undefined;
  /**  */
  command_asks?: Omitted | undefined;
  /**  */
  commit_body?: Omitted | undefined;
  /**  */
  common_fields?: Omitted | undefined;
  /**  */
  compared_records?: Omitted | undefined;
  /**  */
  connection_steps?: Omitted | undefined;
  /**  */
  data_whitespace?: Omitted | undefined;
  /**  */
  deep_items?: Omitted | undefined;
  /**  */
  deep_value?: Omitted | undefined;
  /**  */
  defaults?: Omitted | undefined;
  /**  */
  device_units?: Omitted | undefined;
  /**  */
  diagnostic_excerpt?: Omitted | undefined;
  /**  */
  diff_context?: Omitted | undefined;
  /**  */
  diff_limit?: Omitted | undefined;
  /**  */
  embedded_binary?: Omitted | undefined;
  /**  */
  empty_kept?: Omitted | undefined;
  /**  */
  empty_members?: Omitted | undefined;
  /**  */
  encoded_bytes?: Omitted | undefined;
  /**  */
  encoded_string?: Omitted | undefined;
  /**  */
  excluded_category?: Omitted | undefined;
  /**  */
  excluded_command?: Omitted | undefined;
  /**  */
  excluded_flag?: Omitted | undefined;
  /**  */
  excluded_method?: Omitted | undefined;
  /**  */
  excluded_tool?: Omitted | undefined;
  /**  */
  excluded_tool_substring?: Omitted | undefined;
  /**  */
  externalized?: Omitted | undefined;
  /**  */
  few_items?: Omitted | undefined;
  /**  */
  file_body?: Omitted | undefined;
  /**  */
  file_limit?: Omitted | undefined;
  /**  */
  fixed_results?: Omitted | undefined;
  /**  */
  full_output?: Omitted | undefined;
  /**  */
  generated_file?: Omitted | undefined;
  /**  */
  git_hints?: Omitted | undefined;
  /**  */
  guard_declined?: Omitted | undefined;
  /**  */
  head_tail?: Omitted | undefined;
  /**  */
  holds_dictionary?: Omitted | undefined;
  /**  */
  idle_processes?: Omitted | undefined;
  /**  */
  invalid_reduction?: Omitted | undefined;
  /**  */
  json_whitespace?: Omitted | undefined;
  /**  */
  kernel_threads?: Omitted | undefined;
  /**  */
  large_folder?: Omitted | undefined;
  /**  */
  library_frames?: Omitted | undefined;
  /**  */
  line_endings?: Omitted | undefined;
  /**  */
  line_numbers?: Omitted | undefined;
  /**  */
  listing_layout?: Omitted | undefined;
  /**  */
  local_sockets?: Omitted | undefined;
  /**  */
  log_form?: Omitted | undefined;
  /**  */
  log_group?: Omitted | undefined;
  /**  */
  log_repeat?: Omitted | undefined;
  /**  */
  long_line?: Omitted | undefined;
  /**  */
  long_string?: Omitted | undefined;
  /**  */
  mapped_files?: Omitted | undefined;
  /**  */
  mixed_items?: Omitted | undefined;
  /**  */
  mode_disabled?: Omitted | undefined;
  /**  */
  never_omit?: Omitted | undefined;
  /**  */
  no_reply?: Omitted | undefined;
  /**  */
  no_session?: Omitted | undefined;
  /**  */
  noise_directory?: Omitted | undefined;
  /**  */
  not_affected?: Omitted | undefined;
  /**  */
  not_paying?: Omitted | undefined;
  /**  */
  not_recognized?: Omitted | undefined;
  /**  */
  not_stored?: Omitted | undefined;
  /**  */
  nothing_to_do?: Omitted | undefined;
  /**  */
  object_members?: Omitted | undefined;
  /**  */
  older_commits?: Omitted | undefined;
  /**  */
  output_cap?: Omitted | undefined;
  /**  */
  over_dictionary_limit?: Omitted | undefined;
  /**  */
  over_input_limit?: Omitted | undefined;
  /**  */
  package_hints?: Omitted | undefined;
  /**  */
  packages?: Omitted | undefined;
  /**  */
  page_code?: Omitted | undefined;
  /**  */
  passing_checks?: Omitted | undefined;
  /**  */
  passing_tests?: Omitted | undefined;
  /**  */
  progress?: Omitted | undefined;
  /**  */
  reducer_panicked?: Omitted | undefined;
  /**  */
  repeated_block?: Omitted | undefined;
  /**  */
  repeated_calls?: Omitted | undefined;
  /**  */
  repeated_diagnostic?: Omitted | undefined;
  /**  */
  repeated_excerpt?: Omitted | undefined;
  /**  */
  repeated_lines?: Omitted | undefined;
  /**  */
  repeated_trace?: Omitted | undefined;
  /**  */
  routine_calls?: Omitted | undefined;
  /**  */
  rule_cut?: Omitted | undefined;
  /**  */
  rule_exact?: Omitted | undefined;
  /**  */
  rule_limit?: Omitted | undefined;
  /**  */
  rule_lines?: Omitted | undefined;
  /**  */
  rule_match?: Omitted | undefined;
  /**  */
  rule_rewrite?: Omitted | undefined;
  /**  */
  rule_unproven?: Omitted | undefined;
  /**  */
  rule_unstable?: Omitted | undefined;
  /**  */
  same_author?: Omitted | undefined;
  /**  */
  same_failure?: Omitted | undefined;
  /**  */
  same_outline?: Omitted | undefined;
  /**  */
  same_refs?: Omitted | undefined;
  /**  */
  satisfied?: Omitted | undefined;
  /**  */
  schema_table?: Omitted | undefined;
  /**  */
  search_limit?: Omitted | undefined;
  /**  */
  shared_folder?: Omitted | undefined;
  /**  */
  shared_message?: Omitted | undefined;
  /**  */
  shared_name?: Omitted | undefined;
  /**  */
  shared_path?: Omitted | undefined;
  /**  */
  shell_settings?: Omitted | undefined;
  /**  */
  shown_before?: Omitted | undefined;
  /**  */
  siblings?: Omitted | undefined;
  /**  */
  skipped_tests?: Omitted | undefined;
  /**  */
  small_shares?: Omitted | undefined;
  /**  */
  status_files?: Omitted | undefined;
  /**  */
  steady_replies?: Omitted | undefined;
  /**  */
  step_prefix?: Omitted | undefined;
  /**  */
  structured_format?: Omitted | undefined;
  /**  */
  table_rows?: Omitted | undefined;
  /**  */
  table_whitespace?: Omitted | undefined;
  /**  */
  test_output?: Omitted | undefined;
  /**  */
  thread_files?: Omitted | undefined;
  /**  */
  tool_frames?: Omitted | undefined;
  /**  */
  tool_hints?: Omitted | undefined;
  /**  */
  trailing_whitespace?: Omitted | undefined;
  /**  */
  transferred_files?: Omitted | undefined;
  /**  */
  unknown_value?: Omitted | undefined;
  /**  */
  verbatim?: Omitted | undefined;
  /**  */
  virtual_filesystems?: Omitted | undefined;
  /**  */
  xml_whitespace?: Omitted | undefined;
  /**  */
  zero_counters?: Omitted | undefined;
}

/** A result was given. */
export interface ResultEvent {
  /** `correlationId` of the request. */
  correlationId?: string | null | undefined;
  /** The session. */
  sessionId?: string | null | undefined;
  /** The call. */
  toolCallId?: string | null | undefined;
  /** The tool; empty if unknown. */
  tool: string;
  /** If the session had given it before: how it was given again. */
  resend?: Resend | null | undefined;
  /** The status, as in the evidence. */
  status: Status;
  /** The mode that was used. */
  mode: Mode;
  /** The kind of output, as in the evidence; `command` if only the command line is known. */
  family?: string | null | undefined;
  /** The type of the text, by its content alone: `json`, `xml`, `html`, `text` or `binary`. */
  contentType?: string | undefined;
  /** The reducer that was used. */
  reducer?: string | null | undefined;
  /** Why it was kept exact. */
  bypass?: Reason | null | undefined;
  /** The call's exit code, if the host gave it. */
  exitCode?: number | null | undefined;
  /** Tokens. */
  tokens: Tokens;
  /** Bytes. */
  bytes: BeforeAfter;
  /** Lines. */
  lines: BeforeAfter;
  /** Bytes above which the host cuts a result by itself. */
  hostLimit?: number | null | undefined;
  /** Steps that changed the text, each once, in order. */
  strategies?: string[] | undefined;
  /** Steps that were tried, in order. */
  steps?: TimedStep[] | undefined;
  /** The times for this result. */
  elapsed?: Elapsed | null | undefined;
  /** The method that found repeated text for a dictionary, `lzw` or `repair`. */
  dictionaryMethod?: string | null | undefined;
  /** Further facts. */
  flags: Flags;
  /** Text that is not shown, by reason. */
  omitted?: ResultEventObject | undefined;
  /** Secrets that were removed, by rule. */
  redactions?: RedactionCount[] | undefined;
  /** Lines that report a failure. */
  guard: GuardEvidence;
  /** The use of the memo. */
  memo: Memo;
  /** 64-bit fingerprints; absent if they are off, or if secrets are not removed. */
  fingerprints?: Fingerprints | null | undefined;
}

/** A result could not be given. */
export interface FailureEvent {
  /** `correlationId` of the request. */
  correlationId?: string | null | undefined;
  /** The session. */
  sessionId?: string | null | undefined;
  /** The call. */
  toolCallId?: string | null | undefined;
  /** The tool; empty if unknown. */
  tool: string;
  /** Kind of the error, as on the wire, for example `redaction_failed`. */
  kind: string;
}

/** What an alert reports. */
export type AlertKind =
  | "failure"
  | "fallback"
  | (string & {});

/** Events of one kind reached the threshold within the window. */
export interface Alert {
  /** What it is about. */
  kind: AlertKind;
  /**
   * The step that failed; `other` for steps beyond the 256 that are counted separately. Absent for
   * fallbacks.
   */
  step?: string | null | undefined;
  /** How often within the window; at most 4096, or the threshold if that is higher, are counted. */
  count: number;
  /** The window in seconds. */
  windowSeconds: number;
}

/** The `data` member of an error. */
export interface ErrorData {
  /** Stable name of the fault, for example `artifact_not_found`. */
  kind: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}
