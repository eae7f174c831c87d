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
   * What the agent is looking for: ranks what stays where something has to go. Up to 4096 bytes
   * count.
   */
  query?: string | null | undefined;
  /** The exact bytes are wanted; redaction alone still applies. */
  fullOutput?: boolean | undefined;
  /** What the result may cost, laid over the policy's budget. */
  budget?: BudgetPatch | null | undefined;
  /** How full the model's context is, 0 to 1: from 0.5 on results become shorter. */
  contextPressure?: number | null | undefined;
}

/** A tool result as the host has it. Members may go by the names that other hosts use for them. */
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
  /** The command line, where it is not in the arguments: a string or an array of words. */
  command?: CommandWords | null | undefined;
  /** The file or folder that the call named, where it is not in the arguments. */
  path?: string | null | undefined;
  /** The exit code of the command. */
  exitCode?: number | null | undefined;
  /** Whether the host counts the call as failed. */
  isError?: boolean | null | undefined;
  /**
   * The content: a string, or an array of parts. Text parts (`{"type":"text","text":…}` and the
   * like) and `{"type":"bytes","base64":…}` are compressed, any other part passes through.
   */
  content: string | unknown[];
  /** Per result in a batch: the exact bytes are wanted. */
  fullOutput?: boolean | undefined;
  /**
   * What the content costs by the host's own count, 1 and up: budgets then count this result in the
   * host's figures.
   */
  tokens?: number | null | undefined;
}

/** A command line, or its words. */
export type CommandWords = string | string[];

/** Settings that somebody gave; what is absent stays as it was. */
export interface PolicyPatch {
  /** What may be done. Default `standard`. */
  mode?: Mode | "conservative" | "balanced" | null | undefined;
  /** Results smaller than this many bytes pass through the safe stage only. Default 1024. */
  minBytes?: number | null | undefined;
  /**
   * Byte cap of a result, 1 to 1048576. Default 65536; when given, it also bounds failure lines.
   */
  maxOutputBytes?: number | null | undefined;
  /**
   * Bytes above which the middle of a text that no reducer understands is left out; 0 for never.
   * Failure lines stay. Default 12288 in `standard`, 6144 in `aggressive`, 32768 for a JSON
   * document.
   */
  headTailBytes?: number | null | undefined;
  /**
   * Whether a result that repeats an earlier one of the session becomes a reference. Default true.
   */
  dedup?: boolean | null | undefined;
  /** Whether outcomes are remembered by call id. Default true. */
  memo?: boolean | null | undefined;
  /** Whether secrets are removed. Default true. */
  redactSecrets?: boolean | null | undefined;
  /** Tools whose results are returned exactly, compared without case. Default none. */
  excludeTools?: string[] | null | undefined;
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
   * What a request gets that is repeated after an answer that was a reference or had gaps. Default
   * `full`.
   */
  onRepeat?: OnRepeat | null | undefined;
  /** How much of a file is shown. Default `auto`. */
  fileDetail?: FileDetail | null | undefined;
  /** What `auto` does with a file that no outline is known for. Default `full`. */
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
   * Whether lines of an outline carry the file's line numbers where the view itself has none.
   * Default false.
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
  /** Matches shown of one file; 0 for all. Default all in `standard`, 8 in `aggressive`. */
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
   * Folders whose content is folded in listings, with its counts. Default `node_modules`, `.git`,
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
  /** How far a budget may climb above `mode`. Default `aggressive`. */
  maxMode?: Mode | null | undefined;
  /** Tokens that results may take. Default any number. */
  budget?: BudgetPatch | null | undefined;
  /** What may become of structured data. Default `auto`. */
  structured?: Structured | null | undefined;
  /**
   * Whether members that are null, `""`, `[]` or `{}` may be left out in `aggressive`. Default
   * false.
   */
  dropEmpty?: boolean | null | undefined;
  /** Items shown of an array; 0 for all. Default all in `standard`, 24 in `aggressive`. */
  arrayMaxItems?: number | null | undefined;
  /**
   * Characters shown of a string in structured data; 0 for all. Default all in `standard`, 1000 in
   * `aggressive`.
   */
  stringMaxLength?: number | null | undefined;
  /** How repeated text is written once in `aggressive`. Default `auto`. */
  dictionary?: DictionaryMethod | null | undefined;
  /**
   * Bytes above which a result of a session is replaced by a pointer and a preview; 0 for never.
   * Default never.
   */
  externalizeAbove?: number | null | undefined;
}

/** How far a result may be changed: each mode does what the one before it does, and more. */
export type Mode =
  | "disabled"
  | "safe"
  | "standard"
  | "aggressive";

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

/** What a request gets that is repeated after an answer that was a reference or had gaps. */
export type OnRepeat =
  | "full"
  | "same";

/** How much of a file is shown. */
export type FileDetail =
  | "auto"
  | "full"
  | "structure"
  | "signatures";

/** A budget as somebody gave it. Of a budget that is given, what is absent has its default. */
export interface BudgetPatch {
  /**
   * Tokens of one result. A result of no more is left to the mode. 0 for any number. Default 2000.
   */
  perResult?: number | null | undefined;
  /** Tokens above which the evidence suggests that the host summarizes. Default 4000. */
  summarizeAbove?: number | null | undefined;
  /** Tokens of all results of a batch or a request together. 0 for any number. Default 8000. */
  total?: number | null | undefined;
}

/** What may become of structured data (JSON, XML, YAML and the like). */
export type Structured =
  | "auto"
  | "parseable"
  | "tables"
  | "plain";

/** How repeated text is written once in `aggressive`. */
export type DictionaryMethod =
  | "none"
  | "lzw"
  | "repair"
  | "auto";

/** Result of `toolResult/compress`. */
export interface Compressed {
  /** The content in the shape in which it came. */
  content: string | unknown[];
  /** What happened, in the detail that the policy asks for. */
  evidence?: Evidence | null | undefined;
  /** The original, where the content differs from it and it could be stored. */
  artifact?: ArtifactRef | null | undefined;
}

/** Everything about one result. */
export interface Evidence {
  /** What became of the result. */
  status: Status;
  /** The mode that was used. */
  mode: Mode;
  /** What kind of output it is, where that is known. */
  family?: string | null | undefined;
  /** The reducer that was used. */
  reducer?: string | null | undefined;
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
  /** What is not shown. */
  omissions: Omission[];
  /** Secrets that were removed. */
  redactions: RedactionCount[];
  /** What the clean-up removed. */
  removals?: Removal[] | undefined;
  /** What the guard saw. */
  guard: GuardEvidence;
  /** Whether the byte cap cut something. */
  capped: boolean;
  /** What a budget did, where one was in force. */
  budget?: BudgetUse | null | undefined;
  /** Id of the artifact that the text became a pointer to. */
  externalized?: string | null | undefined;
  /** Call id of the earlier result that this one repeats. */
  duplicateOf?: string | null | undefined;
  /** What the memo did. */
  memo: Memo;
  /** Whether the result is larger than `summarizeAbove` tokens. */
  summarizeSuggested: boolean;
  /** BLAKE3 digest of the sanitized text, hexadecimal. */
  digest: string;
}

/** What became of a result. */
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
  | "satisfied"
  | "packages"
  | "package_hints"
  | "transferred_files"
  | "diff_context"
  | "diff_limit"
  | "generated_file"
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
  | "repeated_trace"
  | "asset_limit"
  | "tool_hints"
  | "tool_frames"
  | "unknown_value"
  | "log_repeat"
  | "log_form"
  | "log_group"
  | "shown_before"
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
  | "long_string"
  | "encoded_string"
  | "siblings"
  | "page_code"
  | "table_rows"
  | "xml_whitespace"
  | "embedded_binary"
  | "binary"
  | "json_whitespace"
  | "schema_table"
  | "table_whitespace"
  | "trailing_whitespace"
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
  | "holds_dictionary"
  | "below_min_bytes"
  | "full_output"
  | "mode_disabled"
  | "excluded_tool"
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
  /** Tokens that came in. */
  before: number;
  /** Tokens that go out. */
  after: number;
  /** Name of the counter. */
  counter: string;
}

/** Sizes before and after. `before` is what came in, `after` what goes out. */
export interface BeforeAfter {
  /** What came in. */
  before: number;
  /** What goes out. */
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
  /** Where the model sees the lines, for `shown_before`. */
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
}

/** Characters or sequences that the clean-up removed. */
export interface Removal {
  /** Class, for example `bidi_control` or `escape_sequence`. */
  class: string;
  /** How many. */
  count: number;
}

/** What the guard saw. */
export interface GuardEvidence {
  /** Lines that report a failure. */
  signals: number;
  /** Of these, lines that can still be seen; a repeated line counts as seen when one of it is. */
  kept: number;
  /** Of these, lines that a step had hidden and the guard brought back. */
  restored?: number | undefined;
}

/** What a budget did to one result. */
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

/** What the memo did. */
export interface Memo {
  /** The outcome is the one given before for this call. */
  reused: boolean;
  /** The call was seen before with other bytes or another policy. */
  changed: boolean;
}

/** The original of a result, kept for reading back. */
export interface ArtifactRef {
  /** What `artifact/read` takes. */
  id: string;
  /** Size in bytes. */
  bytes: number;
  /** Lines, as markers number them. */
  lines: number;
  /** The text before clean-up (terminal sequences, invisible characters), where that differs. */
  originalId?: string | null | undefined;
}

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
  /** The exact bytes of all results are wanted. */
  fullOutput?: boolean | undefined;
  /** What the results may cost, each and together, laid over the policy's budget. */
  budget?: BudgetPatch | null | undefined;
  /** How full the model's context is, as in `toolResult/compress`. */
  contextPressure?: number | null | undefined;
}

/** In a member. */
export interface BatchItemObject {
  /** The result. */
  result: ToolResult;
  /** The exact bytes are wanted. */
  fullOutput?: boolean | undefined;
}

/** One result of a batch, by itself or as `toolResult/compress` takes it. */
export type BatchItem = ToolResult | BatchItemObject;

/** Result of `toolResult/compressBatch`. */
export interface BatchCompressed {
  /** One for each result, in the same order. */
  results: Compressed[];
  /** Sums over the results, in the host's figures for those that came with them. */
  tokens: BeforeAfter;
  /** Whether a budget made any result smaller; absent where none was in force. */
  budgetApplied?: boolean | null | undefined;
  /** The budget of all results together, where one was in force. */
  budget?: BatchBudget | null | undefined;
}

/** What became of the budget of a batch. */
export interface BatchBudget {
  /** Tokens that the results might take together. */
  tokens: number;
  /** Whether they take no more. */
  met: boolean;
  /** Why they take more. */
  why?: Reason | null | undefined;
}

/** Parameters of `toolResult/open`: those of `toolResult/compress`, but for the content. */
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
  /** The exact bytes are wanted; redaction alone still applies. */
  fullOutput?: boolean | undefined;
}

/** Result of `toolResult/open`. */
export interface StreamOpened {
  /** What the following requests name it by. */
  streamId: string;
}

/** Parameters of `toolResult/append`. */
export interface AppendParams {
  /** The stream. */
  streamId: string;
  /** Its session; may be absent. */
  sessionId?: string | null | undefined;
  /** What came next. It may end anywhere, also between the halves of a surrogate pair. */
  text: string;
  /** Where it was written to. Default `none`. */
  stream?: StreamName | null | undefined;
}

/** Where a piece was written to. Pieces of one name follow each other; names stay apart. */
export type StreamName =
  | "none"
  | "stdout"
  | "stderr";

/** Result of `toolResult/append`. */
export interface Appended {
  /** Bytes that came so far. */
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
  /** The exit code of the command. Absent for the one given to `toolResult/open`, if one was. */
  exitCode?: number | null | undefined;
  /** Whether the host counts the call as failed; likewise. */
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
  /** The format of the body. May be absent where the body tells. */
  format?: Format | null | undefined;
  /**
   * The request as the model's provider takes it, or, for `mcp`, a result or an array of messages.
   */
  body: object | unknown[];
  /** Settings for this request alone. */
  policy?: PolicyPatch | null | undefined;
  /**
   * What the agent is looking for, as in `toolResult/compress`. It counts for results that the
   * session does not know yet; the others stay as they were given.
   */
  query?: string | null | undefined;
  /**
   * What each result may cost, and those of one turn together, laid over the policy's budget. A
   * turn is the results between two messages of the model.
   */
  budget?: BudgetPatch | null | undefined;
  /**
   * How full the model's context is, as in `toolResult/compress`. It counts for results that the
   * session does not know yet.
   */
  contextPressure?: number | null | undefined;
  /** So many of the newest results stay exact; redaction alone still applies. Default 0. */
  keepNewest?: number | undefined;
  /** What is done to the schemas of the tools in the body. Default `disabled`. */
  toolSchemas?: ToolSchemas | null | undefined;
  /** What becomes of the `structuredContent` of an MCP result. Default `keep`. */
  structuredContent?: StructuredContent | undefined;
  /** Whether the member `_forge` is taken out of the body. Default false. */
  stripOverrides?: boolean | undefined;
}

/** Formats of bodies. */
export type Format =
  | "openai-chat"
  | "openai-responses"
  | "anthropic"
  | "gemini"
  | "mcp";

/** What is done to the schemas of the tools in a body. */
export type ToolSchemas =
  | "disabled"
  | "minify";

/** What becomes of structured content. */
export type StructuredContent =
  | "keep"
  | "dropRepeated";

/** Result of `messages/compress`. */
export interface MessagesCompressed {
  /** The body. Every byte that is not a text of a result is as it came. */
  body: object | unknown[];
  /** The format that the body was read in; absent where it holds no result that would tell. */
  format?: Format | null | undefined;
  /** One for each result with text, in the order of the body. */
  results: MessageResult[];
  /** Sums over the results. */
  tokens: BeforeAfter;
  /** Tokens of `tools`, where their descriptions were minified. */
  toolTokens?: BeforeAfter | null | undefined;
}

/** What became of one result of a body. */
export interface MessageResult {
  /**
   * The call that it answers: the id in the body, or `name#n` for the n-th result of that tool that
   * has none. Absent where there is nothing to tell it by.
   */
  toolCallId?: string | null | undefined;
  /** Where it stands in the body. */
  place: string;
  /** What happened, in the detail that the policy asks for. */
  evidence?: Evidence | null | undefined;
  /** The original, where the text differs from it and it could be stored. */
  artifact?: ArtifactRef | null | undefined;
}

/** Parameters of `toolSchema/minify`. */
export interface ToolSchemaParams {
  /** The tools as a request has them: OpenAI, Anthropic, MCP or Gemini. */
  tools: unknown[];
  /** Settings for this request alone. Only `tokenizer` matters. */
  policy?: PolicyPatch | null | undefined;
}

/** Result of `toolSchema/minify`. */
export interface Minified {
  /** The tools. Every byte that is not in a description is as it came. */
  tools: unknown[];
  /** Tokens of the JSON text of the tools. */
  tokens: BeforeAfter;
}

/** Parameters of `artifact/read`. */
export interface ReadParams {
  /** The session that owns the artifact; absent for results that came without a session. */
  sessionId?: string | null | undefined;
  /** The artifact, or the handle of a marker. */
  id: string;
  /**
   * Ranges `[first, last]`, from 1, inclusive. They are put in order, and those that touch are
   * joined. A last line behind the end means the last line. Absent or empty for everything.
   */
  lines?: ([number, number])[] | null | undefined;
  /** What the lines are numbered by. Default `result`. */
  numbering?: Numbering | undefined;
  /** Most bytes to return, from 1; more than 1048576 is taken as that. Default 65536. */
  maxBytes?: number | null | undefined;
  /** Where the page before ended. */
  cursor?: string | null | undefined;
}

/** What lines are numbered by. */
export type Numbering =
  | "result"
  | "shown";

/** Result of `artifact/read`. */
export interface Read {
  /** The artifact. */
  id: string;
  /** The text, terminators included. Base64 when `encoding` says so. */
  text: string;
  /** `utf-8`, or `base64` for binary data. */
  encoding: string;
  /** Line ranges that the text covers. */
  lines: ([number, number])[];
  /** Lines of the whole. */
  totalLines: number;
  /** Bytes of the whole. */
  totalBytes: number;
  /** Where the next page starts; absent at the end. */
  nextCursor?: string | null | undefined;
}

/** Parameters of `artifact/search`. */
export interface SearchParams {
  /** The session that owns the artifact. */
  sessionId?: string | null | undefined;
  /** The artifact, or the handle of a marker. */
  id: string;
  /** Regular expression in the syntax of Rust's `regex` crate. */
  pattern: string;
  /** The pattern is plain text. */
  fixed?: boolean | undefined;
  /** Letter case does not matter. */
  ignoreCase?: boolean | undefined;
  /** Lines before and after each match; more than 20 is taken as that. Default 0. */
  context?: number | undefined;
  /**
   * Most matches to return, from 1; more than 500 is taken as that. Default 50. A page is also
   * bounded in bytes, so that it may hold fewer.
   */
  maxMatches?: number | null | undefined;
  /** Where the page before ended. */
  cursor?: string | null | undefined;
}

/** Result of `artifact/search`. */
export interface Found {
  /** The artifact. */
  id: string;
  /** Matching lines, in order. */
  matches: Match[];
  /** Matching lines in the whole. */
  totalMatches: number;
  /** Where the next page starts; absent at the end. */
  nextCursor?: string | null | undefined;
}

/** One matching line. */
export interface Match {
  /** From 1. */
  line: number;
  /** The line, or the part of it around the match when it is very long. */
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
  /** Without terminator. */
  text: string;
}

/** Parameters of `artifact/list`. */
export interface ListParams {
  /** The session; absent for results that came without one. */
  sessionId?: string | null | undefined;
  /** Where the page before ended. */
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
  /** What `artifact/read` takes. */
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
  /** False when it was open already; its state is untouched then. */
  created: boolean;
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
  /** Results that came again under their call id with the same bytes and policy. */
  resends: Totals;
  /** Resends that were answered from the memo. */
  memoHits: number;
  /** Call ids that came again with other bytes or another policy. */
  memoChanged: number;
  /** By tool; `other` from the 1025th tool on. */
  byTool: Record<string, Totals>;
  /** By family, `other` where none is known. */
  byFamily: Record<string, Totals>;
  /** By reducer; results without one are not listed. */
  byReducer: Record<string, Totals>;
  /** Results by status. */
  byStatus: Record<string, number>;
  /** Lines not shown, by reason. */
  omittedLines: Record<string, number>;
  /** Secrets removed, by rule. */
  redactions: Record<string, number>;
}

/** Sums over some results. */
export interface Totals {
  /** Results. */
  results: number;
  /** Tokens that came in. */
  tokensBefore: number;
  /** Tokens that went out. */
  tokensAfter: number;
  /** Bytes that came in. */
  bytesBefore: number;
  /** Bytes that went out. */
  bytesAfter: number;
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

/** `initializationOptions.tersed`. */
export interface Options {
  /** Major versions of the protocol that the host speaks; absent for any. */
  protocolVersions?: number[] | null | undefined;
  /** Settings for all requests. */
  policy?: PolicyPatch | null | undefined;
}

/** `capabilities.experimental.tersed`. */
export interface Capabilities {
  /** Major version of the protocol. */
  protocolVersion: number;
  /** Methods that are there. */
  methods: string[];
  /** Modes that do something. */
  modes: Mode[];
  /** Token counters. */
  tokenizers: Tokenizer[];
  /** Bounds. */
  limits: CapabilityLimits;
}

/** Bounds that a host may want to know. */
export interface CapabilityLimits {
  /** Sessions at once; the one that was used least lately ends first. */
  maxSessions: number;
  /** Calls that a session remembers. */
  maxCallsPerSession: number;
  /** Largest `maxOutputBytes`. */
  maxOutputBytes: number;
  /** Originals at once. */
  maxArtifacts: number;
  /** Bytes of all originals. */
  maxArtifactBytes: number;
  /** Streams at once. */
  maxStreams: number;
  /** Bytes of a stream up to which all is kept. */
  maxStreamBytes: number;
}

/** The `data` member of an error. */
export interface ErrorData {
  /** Stable name of the fault, for example `artifact_not_found`. */
  kind: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}
