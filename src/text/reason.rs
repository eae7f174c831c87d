//! Reason codes: the closed list of why lines are not shown, why a step did nothing, and why a
//! result was bypassed. They are stable; `protocol/spec.md` lists them from this table.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

macro_rules! reasons {
    ($($name:ident = $code:literal, $doc:literal;)*) => {
        /// Why something was done or not done.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason { $(#[doc = $doc] $name,)* }

        impl Reason {
            /// Every reason, in the order of the documentation.
            pub const ALL: &'static [Reason] = &[$(Reason::$name,)*];

            /// The code on the wire and in markers.
            pub const fn code(self) -> &'static str {
                match self { $(Reason::$name => $code,)* }
            }

            /// One sentence for the documentation.
            pub fn doc(self) -> &'static str {
                match self { $(Reason::$name => $doc,)* }
            }
        }
    };
}

reasons! {
    PassingTests = "passing_tests", "Lines that report passed tests. The names in the marker are names of tests; the number of tests is given if it differs from the number of lines.";
    TestOutput = "test_output", "What passing tests printed.";
    SkippedTests = "skipped_tests", "Tests that did not run, beyond the first of them.";
    Progress = "progress", "Progress, downloads and build steps that succeeded.";
    BuildSteps = "build_steps", "Steps of a build that succeeded, such as goals and tasks, and what a build tool writes about them.";
    Satisfied = "satisfied", "What was already installed or up to date; the marker names it.";
    Packages = "packages", "Packages that are installed, changed or removed, or would be, one to a line; the marker names them.";
    PackageHints = "package_hints", "Suggestions, funding notices and advice of a package manager, and its lists of what is new.";
    TransferredFiles = "transferred_files", "The middle of a long list of files that were copied, packed or unpacked.";
    DiffContext = "diff_context", "Unchanged lines around the changes of a diff.";
    DiffLimit = "diff_limit", "Lines of a hunk over the limits of a diff.";
    GeneratedFile = "generated_file", "Changes of a lock file or a minified file; the marker names it and counts the lines added and removed.";
    StatusFiles = "status_files", "Files in a status that lists very many files in the same state; the marker counts them by state and folder. All conflicts are shown.";
    GitHints = "git_hints", "The hints that git prints on what to type next.";
    LineEndings = "line_endings", "Warnings of git that it will change the line endings of a file; the marker names the files.";
    SameAuthor = "same_author", "The author or date of a commit is that of the commit before it.";
    CommitBody = "commit_body", "The body, author and date, or file statistics of an older commit; its hash and subject stay. Where author and date go, the marker at the first such commit says so.";
    OlderCommits = "older_commits", "Commits beyond those that the mode shows of a long log.";
    BlameColumns = "blame_columns", "Author and date of a commit are written at its first line, its hash where the commit changes.";
    SameRefs = "same_refs", "A reference that has the same name on both sides is written with one name.";
    PassingChecks = "passing_checks", "Checks, jobs or steps that passed; the marker names them where a check has a line of its own.";
    StepPrefix = "step_prefix", "The job, the step and the day in front of the lines of a log are written once, the time where its second changes.";
    SharedFolder = "shared_folder", "A folder that many names start with is written once.";
    SharedPath = "shared_path", "A path that many lines start with is written once.";
    SharedMessage = "shared_message", "Diagnostics of one rule: the message is written once, with every place (aggressive: with the first places of each file and the number of the others).";
    Clean = "clean", "Files and other items in which a check found nothing.";
    SearchLimit = "search_limit", "Matches, and lines around them, over the limits of a search.";
    LineNumbers = "line_numbers", "The line number was written before the line.";
    ListingLayout = "listing_layout", "Names of a listing share lines; an owner, date, suite, architecture or state that most lines have is written once.";
    NoiseDirectory = "noise_directory", "The contents of a folder that the setting `noiseDirectories` names.";
    LargeFolder = "large_folder", "Names of a folder that has more than the mode shows.";
    KernelThreads = "kernel_threads", "Idle threads of the kernel; the marker counts them by name.";
    IdleProcesses = "idle_processes", "Sleeping processes that use neither processor nor memory; the marker counts them by name.";
    VirtualFilesystems = "virtual_filesystems", "File systems of the kernel, in memory or of images; the marker names where they are mounted.";
    LocalSockets = "local_sockets", "Connected or unnamed sockets between processes of the machine.";
    MappedFiles = "mapped_files", "Libraries that processes have mapped, and root folders that are `/`; the marker counts them by process.";
    ThreadFiles = "thread_files", "Open files as listed for single threads of a process.";
    DeviceUnits = "device_units", "Units of devices that are plugged in.";
    RoutineCalls = "routine_calls", "Calls that succeeded and only manage memory, descriptors, signals or time; the marker counts them by name.";
    RepeatedCalls = "repeated_calls", "Calls with the same arguments and result as one that is shown; the marker counts them by name.";
    ShellSettings = "shell_settings", "Colours, functions and variables that a shell keeps for itself; the marker names them.";
    ConnectionSteps = "connection_steps", "Steps of a connection that succeeded, and what a tool says about itself.";
    SteadyReplies = "steady_replies", "Replies between the first and the last of consecutive replies of which none is missing. If some are far slower than most, the slowest are shown.";
    NoReply = "no_reply", "Hops that did not answer.";
    EncodedBytes = "encoded_bytes", "Keys, signatures and certificates in hexadecimal or base64.";
    ZeroCounters = "zero_counters", "Counters that are zero.";
    Defaults = "defaults", "Fields without a value or with the one that they have by default.";
    NotAffected = "not_affected", "Vulnerabilities that a processor does not have; the marker names them.";
    CommonFields = "common_fields", "Lines that every record of a series has; the first record shows them, the marker names them.";
    SmallShares = "small_shares", "Rows of a profile with a share below 0.5 %.";
    SharedName = "shared_name", "A name that consecutive lines start with is written once.";
    RepeatedLines = "repeated_lines", "Lines that repeat the lines just before them.";
    RepeatedBlock = "repeated_block", "Blocks of lines that occur unchanged earlier in the text; the marker says where, and how many follow each other.";
    RepeatedDiagnostic = "repeated_diagnostic", "A diagnostic that is shown whole elsewhere in the text, for the same place.";
    DiagnosticExcerpt = "diagnostic_excerpt", "The excerpt and notes of a diagnostic when others of its kind are shown whole.";
    LibraryFrames = "library_frames", "Frames of libraries, runtimes and frameworks in a stack trace.";
    SameFailure = "same_failure", "A report of a failure that equals the one shown before it, except for the name of the test and memory addresses.";
    RepeatedExcerpt = "repeated_excerpt", "Source lines of a failure or finding that an earlier one of the text shows.";
    RepeatedTrace = "repeated_trace", "Frames of a stack trace that the text already showed. If the text has several stacks, the marker says which one showed them; for the stack of a thread, it says which thread.";
    AssetLimit = "asset_limit", "Files that a bundler wrote, except the largest.";
    ToolHints = "tool_hints", "What a tool prints with every run: advice, and how it was built itself.";
    ToolFrames = "tool_frames", "Frames of a build tool itself below an error that shows its place.";
    UnknownValue = "unknown_value", "Attributes of a planned resource that are known only after it is made.";
    LogRepeat = "log_repeat", "Log records that equal shown records except for times, process and thread ids, memory addresses, ports or durations. If some durations are far longer than the others, the longest are shown. The records before and after a long pause are shown, as are those where a counter falls or skips numbers.";
    LogForm = "log_form", "Log records that have the same form as shown records. Of each form, these are shown: the first, the last, the one that stands out, up to four with rare words, and up to six with a rare value or a number far above the others. The marker lists the numbers of orders, invoices, tickets and the like in the records that are not shown.";
    LogGroup = "log_group", "The content of a group of a CI log that its web page shows collapsed.";
    ShownBefore = "shown_before", "Lines that an earlier result, still visible, shows, or that the model wrote into a call.";
    SameOutline = "same_outline", "Parts of a long file of which an earlier result, still visible, shows the same outline.";
    FileBody = "file_body", "Bodies in a long file that is shown as its outline.";
    FileLimit = "file_limit", "Lines of a file over `fileMaxLines` or `fileLastLines`.";
    HeadTail = "head_tail", "The middle of a long text that no reducer understands; in `aggressive` also of a long report.";
    OutputCap = "output_cap", "Lines over the byte cap.";
    Budget = "budget", "Lines over the budget.";
    Externalized = "externalized", "What the preview of an externalized text leaves out.";
    LongLine = "long_line", "The middle of an over-long line.";
    ArrayItems = "array_items", "Items of a long array, or documents of a long series; the first, the last and those that stand out are shown. Where the others stand in several places, the marker numbers them from 0.";
    ObjectMembers = "object_members", "Members of an object with many of them; the marker names some of their keys.";
    DeepValue = "deep_value", "The contents of an array or object that is deeply nested in a document.";
    EmptyMembers = "empty_members", "Members that are null or empty.";
    EmptyKept = "empty_kept", "`dropEmpty` does nothing here: in `safe`, and in lines that were asked for.";
    LongString = "long_string", "The middle of a long string or text of structured data.";
    EncodedString = "encoded_string", "Base64 in structured data.";
    Siblings = "siblings", "Elements of an XML or HTML document beside others of the same name; keys of a property list go with their values.";
    PageCode = "page_code", "Scripts, styles and drawings of an HTML page.";
    TableRows = "table_rows", "Rows of a long table; the first, the last and those that stand out are shown.";
    XmlWhitespace = "xml_whitespace", "Indentation between the elements of an XML document.";
    DataWhitespace = "data_whitespace", "White space that means nothing in a TOML, YAML or JSON5 document.";
    EmbeddedBinary = "embedded_binary", "Base64 of binary data inside a text.";
    Binary = "binary", "Binary data.";
    JsonWhitespace = "json_whitespace", "White space between JSON tokens.";
    SchemaTable = "schema_table", "Objects that are alike are rows of a table; nothing is lost.";
    TableWhitespace = "table_whitespace", "Padding between the columns of a table.";
    TrailingWhitespace = "trailing_whitespace", "White space at the end of lines.";
    RuleLines = "rule_lines", "Lines that a rule of the operator leaves out; the marker names the rule, and its words where no line is left.";
    RuleLimit = "rule_limit", "Lines over the limits of a rule of the operator; the marker names the rule.";
    RuleMatch = "rule_match", "A text that a rule of the operator replaces by a message; the marker names the rule and has the message.";
    RuleRewrite = "rule_rewrite", "Parts of lines that a rule of the operator replaces; the marker names the rule.";
    RuleCut = "rule_cut", "The end of a line that is longer than a rule of the operator allows.";
    RuleExact = "rule_exact", "A rule of the operator leaves the text as the safe stage left it.";
    RuleUnproven = "rule_unproven", "A message of a rule was not used, because the exit status or a failure line does not support what it says.";
    RuleUnstable = "rule_unstable", "The rule was not used, because its output would change if it were compressed again.";
    Applied = "applied", "The step changed the text.";
    NotPaying = "not_paying", "The step would not have made the text smaller.";
    GuardDeclined = "guard_declined", "The step hid so many failure lines that it was not used.";
    ReducerPanicked = "reducer_panicked", "The step had an internal error; its input was used.";
    InvalidReduction = "invalid_reduction", "The step did not account for every line; its input was used.";
    NotRecognized = "not_recognized", "The text does not follow the grammar that the step knows.";
    NothingToDo = "nothing_to_do", "The text has nothing that the step removes.";
    FewItems = "few_items", "The arrays of objects are too short for a table.";
    MixedItems = "mixed_items", "The items of an array differ in their types, keys or order of keys, or an item has a key twice.";
    DeepItems = "deep_items", "The items of an array are nested too deeply for a table.";
    OverDictionaryLimit = "over_dictionary_limit", "The text is larger than the limit for a dictionary (50,000 bytes).";
    ComparedRecords = "compared_records", "The text has a document, a table or records, which are easier to compare without a dictionary. They get one only if the setting `dictionary` names a method other than `auto`.";
    HoldsDictionary = "holds_dictionary", "The text holds a dictionary or references to one already.";
    BelowMinBytes = "below_min_bytes", "The result is smaller than `minBytes`.";
    FullOutput = "full_output", "The caller asked for the exact bytes.";
    CommandAsks = "command_asks", "The command asks for its exact output: it contains `TERSED_MODE=off` or `tersed run --raw`.";
    ModeDisabled = "mode_disabled", "The mode is `disabled`.";
    ExcludedTool = "excluded_tool", "The policy excludes the tool.";
    ExcludedToolSubstring = "excluded_tool_substring", "The policy excludes tools whose names contain this text.";
    ExcludedCommand = "excluded_command", "The policy excludes the command.";
    ExcludedFlag = "excluded_flag", "The policy excludes commands with such a flag.";
    ExcludedCategory = "excluded_category", "The policy excludes outputs of this kind.";
    ExcludedMethod = "excluded_method", "The policy excludes the step.";
    Verbatim = "verbatim", "The step rewrites lines, and the policy wants the lines of this command unchanged.";
    NeverOmit = "never_omit", "The step leaves something out, and the policy allows no gaps.";
    AskedAgain = "asked_again", "The request was repeated after an answer that was a reference or had gaps.";
    AlreadyCompressed = "already_compressed", "The text is an earlier output of ours, whole.";
    OverInputLimit = "over_input_limit", "The text is larger than the hard input limit; only the byte cap was applied.";
    NoSession = "no_session", "The request has no session or no call id, so the original could not be kept for as long as it is needed.";
    NotStored = "not_stored", "The original could not be stored for as long as it is needed.";
    BudgetTooSmall = "budget_too_small", "The budget is smaller than the shortest output that can represent the text.";
    FixedResults = "fixed_results", "Results that stay exact, or as they were given before, take more than the budget.";
    StructuredFormat = "structured_format", "The caller asked the tool for a machine format.";
}

impl Reason {
    /// The more informative of two reasons for doing nothing: that of the step that came closest to being applied.
    pub fn max_of(self, other: Self) -> Self {
        const ORDER: [Reason; 6] = [
            Reason::NothingToDo,
            Reason::FewItems,
            Reason::MixedItems,
            Reason::DeepItems,
            Reason::NotPaying,
            Reason::GuardDeclined,
        ];
        let rank = |reason| ORDER.iter().position(|r| *r == reason);
        if rank(other) > rank(self) { other } else { self }
    }

    /// Whether the name in a marker of this reason is that of a rule, which stays correct if lines are restored.
    pub fn names_a_rule(self) -> bool {
        matches!(self, Self::RuleLines | Self::RuleLimit)
    }

    /// Whether the names in a marker of this reason are of kinds of lines: they stay correct if another step takes some of
    /// the lines.
    pub fn names_kinds(self) -> bool {
        self == Self::CommonFields
    }

    /// Whether a replacement for this reason has all information of the lines.
    pub fn is_lossless(self) -> bool {
        matches!(
            self,
            Self::JsonWhitespace
                | Self::TableWhitespace
                | Self::XmlWhitespace
                | Self::DataWhitespace
                | Self::TrailingWhitespace
                | Self::SharedFolder
                | Self::SharedPath
                | Self::SharedName
                | Self::ListingLayout
                | Self::BlameColumns
                | Self::SameRefs
                | Self::LineNumbers
        )
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> serde::Deserialize<'de> for Reason {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = Cow::<str>::deserialize(deserializer)?;
        Self::ALL
            .iter()
            .copied()
            .find(|r| r.code() == code)
            .ok_or_else(|| serde::de::Error::custom(format!("unknown reason code `{code}`")))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Reason {
    fn schema_name() -> Cow<'static, str> {
        "Reason".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let codes: Vec<&str> = Self::ALL.iter().map(|r| r.code()).collect();
        schemars::json_schema!({ "type": "string", "enum": codes, "description": "Stable reason code." })
    }
}
