//! Vitest: files and tests with `✓`, `×`, `❯`, failures between rules of `⎯`, totals.
//!
//! Lines as the reporters `default`, `verbose` and `dot` of Vitest 1 to 3 write them without a terminal.

use super::tree::LineKind::{
    Failed, FailedFile, Hide, Keep, Opens, Output, Passed, PassedFile, Retried, Shows, Skipped, Totals,
};
use super::tree::Tree;
use crate::reduce::Meta;
use crate::text::reason::Reason;

/// The reducer of this module.
pub static VITEST: Tree = Tree::new(
    Meta {
        id: "vitest",
        family: "test",
        reads: "`vitest`, with the reporters `default`, `verbose`, `tree` and `dot`, also with coverage",
        keeps: "failures and failed suites whole, skipped and todo tests, warnings, coverage, snapshots, totals; output of tests that may report a failure",
        omits: "passing tests, headings and files in which all tests passed; in a failed run, long output of tests in files that passed; skipped tests beyond the first 20",
        anchors: &[" RUN  v", " Test Files  ", "Tests  "],
    },
    &[
        "vitest",
        "npx vitest",
        "pnpm vitest",
        "yarn vitest",
        "bunx vitest",
        "pnpm exec vitest",
        "npm exec vitest",
    ],
    3,
    &[
        (r" (?:RUN|DEV) +v\d.*", Shows),
        (r" *Test Files +\S.*", Totals),
        (r" *(?:Tests|Snapshots|Errors|Type Errors) +\d.*", Shows),
        (r" *(?:Start at|Duration) +\d.*", Shows),
        (r" % Coverage report from .*|-+\|[-|]+", Shows),
        (r"No test files found.*", Shows),
        (r"[^|]+\|[ %\w.]+\|[ %\w.]+\|.*", Keep),
        (r"⎯+ (?:Failed|Unhandled|Uncaught|Startup|Source|Typecheck|Vitest).* ⎯+", Opens),
        (r" FAIL +(?:\|[^|]+\| )?(\S+\.[cm]?[jt]sx?).*", Opens),
        (r" FAIL +.*", Opens),
        (r"(?:stdout|stderr) \| unknown test.*", Keep),
        (r"(?:stdout|stderr) \| (.+?\.[cm]?[jt]sx?)(?: > .*)?", Output),
        (r" ❯ +(?:\|[^|]+\| )?(\S.*?\.[cm]?[jt]sx?) +\(\d+ tests?.*", FailedFile),
        (r" (?:✓|√) +(?:\|[^|]+\| )?(\S.*?\.[cm]?[jt]sx?) +\(\d+ tests?[^()]*\).*", PassedFile),
        (r" +(?:✓|√) .+ \(retry x\d+\).*", Retried),
        (r" +(?:✓|√) .+", Passed),
        (r" +(?:×|❯) +(?:\|[^|]+\| )?(\S+?\.[cm]?[jt]sx?) > .+", Failed),
        (r" +(?:×|❯) .+", Failed),
        (r" +(?:↓|□) .+", Skipped),
        (r" +→ .*", Keep),
        (r"(?:·)+", Hide(Reason::PassingTests)),
    ],
);
