//! gcc, clang and linkers, with make, CMake or ninja around them. Left out are build steps that printed nothing,
//! diagnostics of a header that are repeated for another source file, and excerpts of warnings that occur often.
//! Errors always keep their headlines.
//!
//! Grammar: `file:line:column: warning: …`; above it the context (`In file included from …`,
//! `a.c: In function ‘f’:`); below it the excerpt and the notes of the diagnostic. Lines between one build step and
//! the next are the output of the first. Everything else is kept.

use super::gcc_lines::{Kind, is_caret, is_driver_line, kind};
use super::gcc_repeats::Repeats;
use super::gcc_steps;
use super::make::{is_compile_step, is_compiler};
use super::{CLAIM_LINES, SHOWN_WHOLE, Tally, name};
use crate::config::Mode;
use crate::detect::command::Simple;
use crate::input::Input;
use crate::reduce::diagnostic::C;
use crate::reduce::line_actions::{Blanks, LineActions};
use crate::reduce::lines::changes_directory;
use crate::reduce::{FormatProof, Meta, Reducer};
use crate::text::ledger::Reduction;
use crate::text::reason::Reason;
use crate::text::source::Source;

/// The reducer of this module.
pub struct Gcc;

static META: Meta = Meta {
    id: "gcc",
    family: "build",
    reads: "gcc, g++, clang, ld, with make, CMake or ninja around them",
    keeps: "every diagnostic, with its include chain, excerpt and notes, once; linker errors; failed targets, their \
            commands and their directories; lines that are none of these",
    omits: "commands and progress of steps that printed nothing, directories in which nothing was printed, a diagnostic \
            that comes again for the same place, excerpts from the sixth warning of a kind on (aggressive: the second); \
            warnings without excerpt into one of each message with every place",
    anchors: &[
        ": warning: ",
        ": error: ",
        "error: ",
        "Entering directory ",
        "%] ",
        "] Building C",
        "] Compiling C",
        "] Linking C",
        "-o ",
        " -c ",
        "undefined reference to",
        "] Error ",
    ],
};

impl Reducer for Gcc {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn proof(&self, input: &Input<'_>) -> FormatProof {
        tally(input.source).proof()
    }

    fn is_writer(&self, s: &Simple) -> bool {
        is_compiler(s.program())
    }

    fn is_driver(&self, s: &Simple) -> bool {
        matches!(s.program(), "make" | "gmake" | "cmake" | "ninja" | "meson" | "bear" | "remake")
    }

    fn reduce(&self, input: &Input<'_>) -> Result<Reduction, Reason> {
        let source = input.source;
        if asks_for_data(source.text()) || input.call.command.as_deref().is_some_and(asks_for_data) {
            return Err(Reason::StructuredFormat);
        }
        let lines: Vec<Kind> = (0..source.len()).map(|i| kind(source.line(i))).collect();
        let mut actions = LineActions::new(source);
        if !wants_commands(input) {
            gcc_steps::hide(source, &lines, input.call.exit_code, &mut actions);
        }
        let whole = if input.policy.mode == Mode::Aggressive { 1 } else { SHOWN_WHOLE };
        Repeats::new(source, &lines, !changes_directory(input), whole).hide(&mut actions);
        actions.finish(Blanks::Keep)
    }
}

/// Whether the call asks to see the commands: a dry run or a verbose build.
fn wants_commands(input: &Input<'_>) -> bool {
    const FLAGS: &[&str] = &["-n", "--dry-run", "--just-print", "--recon", "-v", "--verbose", "-t"];
    const SETTINGS: &[&str] = &["V=1", "V=2", "VERBOSE=1", "--trace", "-###"];
    let words = input.call.command.as_deref().unwrap_or_default();
    words.split_ascii_whitespace().any(|w| SETTINGS.contains(&w))
        || input.detection.command.producers().any(|(s, _)| s.has_flag(FLAGS))
}

/// Whether the compiler writes JSON or SARIF (`-fdiagnostics-format=json`), which has another grammar.
fn asks_for_data(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), "-fdiagnostics-format=")
        .any(|at| !text[at..].starts_with("-fdiagnostics-format=text"))
}

fn tally(source: &Source<'_>) -> Tally {
    let mut tally = Tally::default();
    let mut steps = 0;
    let mut code = false;
    for line in source.lines().take(CLAIM_LINES) {
        let kind = kind(line);
        tally.all += usize::from(kind != Kind::Blank);
        let own = match kind {
            Kind::Warning | Kind::Error => C.read(line).is_some_and(|found| is_c_family(found.path)),
            // One step may be a quotation; two prove a build.
            Kind::Step => {
                steps += usize::from(is_compile_step(line));
                steps == 2
            }
            Kind::Other => is_driver_line(line),
            _ => false,
        };
        tally.own += usize::from(own);
        // The line above a line of carets is code of the excerpt, so it counts as known too.
        let known = own || !matches!(kind, Kind::Other | Kind::Blank) || is_build_message(line);
        tally.known += if !known && is_caret(line) { 1 + usize::from(code) } else { usize::from(known) };
        code = !known;
    }
    tally
}

/// Other lines of a build: known, but not only gcc, clang or make write them.
fn is_build_message(line: &str) -> bool {
    line.starts_with("-- ")
        || line.ends_with(" generated.")
        || line == "compilation terminated."
        || line.starts_with("ninja: ")
}

/// Extensions of the files that these compilers read, in lower case.
const C_FAMILY: &[&str] = &[
    "c", "h", "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "ipp", "tcc", "inl", "inc", "s", "m", "mm",
    "cu", "y", "l",
];

/// Whether a path may belong to the C family. Standard headers have no extension.
fn is_c_family(path: &str) -> bool {
    match name(path).rsplit_once('.') {
        Some((_, extension)) => C_FAMILY.iter().any(|e| e.eq_ignore_ascii_case(extension)),
        None => path.contains("/include/"),
    }
}
