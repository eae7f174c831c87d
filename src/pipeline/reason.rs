//! Reason codes: the closed list of why lines are not shown, why a step did nothing, and why a
//! result was bypassed. They are stable; `protocol/spec.md` lists them from this table.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
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
            pub fn code(self) -> &'static str {
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
    PassingTests = "passing_tests", "Lines that report tests that passed.";
    TestOutput = "test_output", "What passing tests printed.";
    Progress = "progress", "Progress, downloads and build steps that succeeded.";
    Satisfied = "satisfied", "What was there already; the marker names it.";
    DiffContext = "diff_context", "Unchanged lines around the changes of a diff.";
    DiffLimit = "diff_limit", "Lines of a hunk over the limits of a diff.";
    GeneratedFile = "generated_file", "Changes of a lock file or a generated or minified file.";
    GitHints = "git_hints", "The hints that git prints on what to type next.";
    SharedFolder = "shared_folder", "A folder that stood in front of many names is written once.";
    SharedPath = "shared_path", "A path that stood in front of many lines is written once.";
    SearchLimit = "search_limit", "Matches, and lines around them, over the limits of a search.";
    LineNumbers = "line_numbers", "The number of the line was put before it.";
    ListingLayout = "listing_layout", "Names of a listing share lines; an owner, group or date that most lines have is written once.";
    NoiseDirectory = "noise_directory", "What a folder of `noiseDirectories` holds.";
    LargeFolder = "large_folder", "Names of a folder that has more than the mode shows.";
    RepeatedLines = "repeated_lines", "Lines that repeat the lines just before them.";
    RepeatedBlock = "repeated_block", "A block of lines that stands verbatim earlier in the text; the marker says where.";
    RepeatedDiagnostic = "repeated_diagnostic", "A diagnostic that is shown whole elsewhere in the text, for the same place.";
    DiagnosticExcerpt = "diagnostic_excerpt", "The excerpt and notes of a diagnostic when others of its kind are shown whole.";
    LogRepeat = "log_repeat", "Log records that are equal to shown ones but for times, process and thread ids, memory addresses, ports or durations.";
    LogForm = "log_form", "Log records of a form of which the first, the last and the one that stands out are shown.";
    LogGroup = "log_group", "What a group of a CI log holds that its page shows closed.";
    ShownBefore = "shown_before", "Lines that an earlier result, still visible, shows, or that the model wrote into a call.";
    FileBody = "file_body", "Bodies of a long file of which the outline is shown.";
    FileLimit = "file_limit", "Lines of a file over `fileMaxLines` or `fileLastLines`.";
    HeadTail = "head_tail", "The middle of a long text that no reducer understands; in `aggressive` also of a long report.";
    OutputCap = "output_cap", "Lines over the byte cap.";
    LongLine = "long_line", "The middle of an over-long line.";
    EmbeddedBinary = "embedded_binary", "Base64 of binary data inside a text.";
    Binary = "binary", "Binary data.";
    JsonWhitespace = "json_whitespace", "White space between JSON tokens.";
    TableWhitespace = "table_whitespace", "Padding between the columns of a table.";
    TrailingWhitespace = "trailing_whitespace", "White space at the end of lines.";
    Applied = "applied", "The step changed the text.";
    NotPaying = "not_paying", "The step would not have made the text smaller.";
    GuardDeclined = "guard_declined", "The step hid so many failure lines that it was not used.";
    ReducerPanicked = "reducer_panicked", "The step failed inside; its input was used.";
    InvalidReduction = "invalid_reduction", "The step did not account for every line; its input was used.";
    NotRecognized = "not_recognized", "The text does not follow the grammar that the step knows.";
    NothingToDo = "nothing_to_do", "The text has nothing that the step removes.";
    BelowMinBytes = "below_min_bytes", "The result is smaller than `minBytes`.";
    FullOutput = "full_output", "The caller asked for the exact bytes.";
    ModeDisabled = "mode_disabled", "The mode is `disabled`.";
    ExcludedTool = "excluded_tool", "The policy excludes the tool.";
    AskedAgain = "asked_again", "The request was repeated after an answer that was a reference or had gaps.";
    AlreadyCompressed = "already_compressed", "The text is an earlier output of ours, whole.";
    OverInputLimit = "over_input_limit", "The text is larger than the hard input limit; only the cap looked at it.";
    StructuredFormat = "structured_format", "The caller asked the tool for a machine format.";
}

impl Reason {
    /// Whether a replacement for this reason still says everything that the lines said.
    pub fn is_lossless(self) -> bool {
        matches!(
            self,
            Self::JsonWhitespace
                | Self::TableWhitespace
                | Self::TrailingWhitespace
                | Self::SharedFolder
                | Self::SharedPath
                | Self::ListingLayout
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

impl JsonSchema for Reason {
    fn schema_name() -> Cow<'static, str> {
        "Reason".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let codes: Vec<&str> = Self::ALL.iter().map(|r| r.code()).collect();
        schemars::json_schema!({ "type": "string", "enum": codes, "description": "Stable reason code." })
    }
}
