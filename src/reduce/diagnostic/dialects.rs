//! The families of tools, and the forms of headlines of each.

use super::Dialect;
use super::forms::{go_vet, jvm, linter, microsoft, one_line, plain, rust_short, scala3, typescript};

/// gcc and clang: `a.c:3:5: warning: …`. A line of this form without a severity belongs to another diagnostic.
pub static C: Dialect = Dialect { forms: &[plain], extensions: &[] };

/// rustc with `--message-format=short`: `src/main.rs:2:9: error[E0308]: …`.
pub static RUST: Dialect = Dialect { forms: &[rust_short], extensions: &[".rs"] };

/// javac, kotlinc and scalac: `A.java:3: warning: [deprecation] …`, `a.kt:3:5: warning: …`, and of Scala 3
/// `-- [E007] Type Mismatch Error: src/a.scala:3:5 ---`.
pub static JAVA: Dialect =
    Dialect { forms: &[scala3, jvm], extensions: &[".java", ".kt", ".kts", ".scala", ".sc"] };

/// go: `pkg/a.go:9:2: …`, `vet: pkg/a.go:20:11: …`; it has no severities.
pub static GO: Dialect = Dialect { forms: &[go_vet], extensions: &[".go"] };

/// tsc: `src/a.ts(3,5): error TS2322: …`, `src/a.ts:3:5 - error TS2322: …`, `error TS18003: …`.
pub static TYPESCRIPT: Dialect = Dialect { forms: &[typescript], extensions: &[] };

/// cl, link, csc and MSBuild: `a.cpp(3,5): warning C4996: …`, `LINK : fatal error LNK1181: …`. Path and place are
/// not separated, because projects and numbers of nodes may be around them.
pub static MICROSOFT: Dialect = Dialect { forms: &[microsoft], extensions: &[] };

/// Linters: `a.py:3:5: E501 …`, `a.py:3: [W0611] …`, `a.js: line 3, col 5, Warning - …`, `[WARN] A.java:3:5: …`,
/// `Dockerfile:3 DL3008 …`, `a.cpp(3):  …  [x/y] [1]`, `M D NP: … At A.java:[line 3]`.
pub static LINTERS: Dialect = Dialect { forms: &[linter], extensions: &[] };

/// Warnings of compilers that fill one line: `a.cpp(3,5): warning C4996: … [p]` of MSVC, `csc` and MSBuild,
/// `a.c:3:5: warning: … [-Wx]` of gcc and clang, `w: a.kt:3:5 …` of kotlinc, `[WARNING] A.java:[3,5] …` of Maven.
pub static ONE_LINE: Dialect = Dialect { forms: &[one_line], extensions: &[] };
