//! The bundlers that [`Bundler`] knows: their line forms.

use super::bundle::Bundler;
use crate::reduce::Meta;
use crate::reduce::format::FormAction::{Hide, Keep, Shows, State};
use crate::reduce::format::Format;
use crate::text::reason::Reason;

/// webpack 4 and 5, with webpack-cli 3 to 6.
pub static WEBPACK: Bundler = Bundler {
    format: &WEBPACK_FORMAT,
    proof: |line| {
        line.starts_with("webpack 5.") && line.contains(" compiled ")
            || line.starts_with("Version: webpack ")
            || line.starts_with("<s> [webpack.Progress] ")
    },
    file: |line| {
        line.starts_with("asset ") && line.ends_with([']', ')'])
            || line.contains("  [emitted]")
            || line.contains("[emitted]  ")
    },
    explains: |_| false,
};

static WEBPACK_FORMAT: Format = Format::new(
    Meta {
        id: "webpack",
        family: "build",
        reads: "webpack 4 and 5, alone and behind `npm run build`",
        keeps: "errors, warnings, entry points, the largest assets and those with other flags, counts of modules, the final line",
        omits: "progress, modules that were built, assets beyond the largest 24",
        anchors: &[
            "webpack 5.",
            "Version: webpack ",
            "[webpack.Progress]",
            "[webpack-cli]",
            " compiled successfully in ",
            " compiled with ",
        ],
    },
    &["webpack", "webpack-cli", "webpack build"],
    1,
    &[
        (r"(?:\d{4}-\S+ \S+: )?(?:.*\()?webpack 5\.\S+\)? compiled .*", Shows),
        (r"Version: webpack .*", Shows),
        (r"(?:ERROR|WARNING) in .*", Keep),
        (r"<s> \[webpack\.Progress\] .*", State),
        (r" *\d+% (?:compiling|building|sealing|emitting|setup|chunk|module|asset|after).*", State),
        (
            r" *(?:\[\S+\] )?\S.* (?:[\d.,]+ (?:bytes|KiB|MiB)) (?:\{[^{}]*\} )?(?:\[\S[^\[\]]*\] )*\[built\].*",
            Hide(Reason::Progress),
        ),
        (r" +\| +\S+ [\d.]+ (?:bytes|KiB|MiB) .*\[built\].*", Hide(Reason::Progress)),
        (r"asset .*", Keep),
        (r"(?:assets|modules|cacheable modules|runtime modules|orphan modules|built modules) .*", Keep),
        (r" *(?:modules|assets|cacheable modules|\+) .*", Keep),
        (r" +\+ \d+ hidden modules", Keep),
        (r"(?:Hash|Time|Built at|Entrypoint .*|Child .*|PublicPath|chunk .*)[: ].*", Keep),
        (r" *Asset +Size .*", Keep),
        (r" *\S+ +[\d.]+ (?:bytes|KiB|MiB) .*\[emitted\].*", Keep),
    ],
);

/// Vite 2 to 7.
pub static VITE: Bundler = Bundler {
    format: &VITE_FORMAT,
    proof: |line| line.starts_with("vite v") && line.contains(" building"),
    file: |line| {
        let written = line.split('│').next().unwrap_or(line).trim_end();
        let Some((name, size)) = written.split_once("  ") else { return false };
        !name.is_empty()
            && !name.contains(' ')
            && [" kB", " B", " KiB", " MB"].iter().any(|u| size.ends_with(u))
    },
    explains: |_| false,
};

static VITE_FORMAT: Format = Format::new(
    Meta {
        id: "vite",
        family: "build",
        reads: "`vite build`, alone and behind `npm run build`",
        keeps: "version, count of modules, warnings, errors, the largest files with sizes and those with other measures, time",
        omits: "phases that were passed, files beyond the largest 24",
        anchors: &["building for ", " modules transformed.", "building SSR bundle for"],
    },
    &["vite build", "vite", "vitepress build", "astro build", "remix vite:build", "react-router build"],
    2,
    &[
        (r"vite v\S+ building .*", Shows),
        (r"(?:\xE2\x9C\x93|\xE2\x9C\x94|x) \d+ modules transformed\.", Shows),
        (r"(?:\xE2\x9C\x93|\xE2\x9C\x94) built in .*", Shows),
        (
            r"(?:transforming|rendering chunks|computing gzip size)(?: \(\d+\))?(?: ?\.\.\.)?.*",
            Hide(Reason::Progress),
        ),
        (r"\S+ +[\d.,]+ (?:kB|KiB|B|MB)(?: .*)?", Keep),
    ],
);

/// The command line of esbuild.
pub static ESBUILD: Bundler = Bundler {
    format: &ESBUILD_FORMAT,
    proof: |line| line.starts_with("⚡ Done in "),
    file: |line| {
        line.starts_with("  ")
            && line.trim_end().ends_with('b')
            && line.trim().split_ascii_whitespace().count() == 2
            && line.trim_end().trim_end_matches(['k', 'm', 'b']).ends_with(|c: char| c.is_ascii_digit())
    },
    // `  The original key "k" is here:` differs from the other explanations: a place follows it.
    explains: |line| {
        line.len() > 60 && line.starts_with("  ") && !line.starts_with("   ") && !line.ends_with(':')
    },
};

static ESBUILD_FORMAT: Format = Format::new(
    Meta {
        id: "esbuild",
        family: "build",
        reads: "`esbuild` and `tsup` that call it",
        keeps: "errors and warnings whole, the largest files with sizes, counts, time",
        omits: "explanations that stood below an earlier warning, files beyond the largest 24",
        anchors: &["⚡ Done in ", "[ERROR] ", "[WARNING] "],
    },
    &["esbuild", "tsup"],
    1,
    &[
        (r"\xE2\x9A\xA1 Done in .*", Shows),
        (r"(?:\xE2\x9C\x98|X|\xE2\x96\xB2) \[(?:ERROR|WARNING)\] .*", Keep),
        (r"  \S+ +[\d.]+[km]?b", Keep),
        (r"\.\.\.and \d+ more output files?\.\.\.", Keep),
        (r"\d+ (?:error|warning)s?(?: and \d+ (?:error|warning)s?)?", Keep),
    ],
);

/// The command line of Rollup.
pub static ROLLUP: Bundler = Bundler {
    format: &ROLLUP_FORMAT,
    proof: |line| line.starts_with("created ") && line.contains(" in ") && line.ends_with('s'),
    file: |_| false,
    explains: |_| false,
};

static ROLLUP_FORMAT: Format = Format::new(
    Meta {
        id: "rollup",
        family: "build",
        reads: "`rollup`, alone and behind `npm run build`",
        keeps: "inputs and outputs, warnings, errors with their excerpt, times",
        omits: "addresses of explanations, frames of Rollup itself below an error, progress of `--watch`",
        anchors: &[" → ", "[!] "],
    },
    &["rollup"],
    1,
    &[
        (r"created \S.* in [\d.]+m?s", Shows),
        (r"\S.* \xE2\x86\x92 \S.*\.\.\.", Shows),
        (r"\[!\] .*", Shows),
        (r"\(!\) .*", Shows),
        (r"https://rollupjs\.org/\S+", Hide(Reason::ToolHints)),
        (r"    at .*[/\\]node_modules[/\\]rollup[/\\].*", Hide(Reason::ToolFrames)),
        (r"    at .*[/\\]rollup[/\\]dist[/\\].*", Hide(Reason::ToolFrames)),
        (r"\[[\d: -]+\] waiting for changes\.\.\.", State),
    ],
);

/// Next.js 9 to 15.
pub static NEXT: Bundler = Bundler {
    format: &NEXT_FORMAT,
    proof: |line| line.trim_start().starts_with("▲ Next.js ") || line.contains(" Collecting page data"),
    file: |line| line.starts_with("  ├ chunks/"),
    explains: |_| false,
};

static NEXT_FORMAT: Format = Format::new(
    Meta {
        id: "next",
        family: "build",
        reads: "`next build`, alone and behind `npm run build`",
        keeps: "version, environment files, errors, warnings, the table of routes with sizes",
        omits: "phases and counts of pages under way",
        anchors: &["Next.js ", "Collecting page data", "Generating static pages"],
    },
    &["next build", "next"],
    1,
    &[
        (r" *\xE2\x96\xB2 Next\.js .*", Shows),
        (r"Route \((?:pages|app)\) .*", Shows),
        (r"Page +Size .*", Shows),
        (r"Failed to compile\.", Keep),
        (
            r"(?: +|info +- +)?(?:Generating static pages|Collecting page data|Finalizing page optimization|Collecting build traces|Creating an optimized production build|Linting and checking validity of types|Checking validity of types|Linting|Running TypeScript|Using cached data)\b ?.*",
            Hide(Reason::Progress),
        ),
        (
            r" *(?:\xE2\x9C\x93|info +-) (?:Generating static pages|Collecting page data|Finalizing page optimization|Collecting build traces|Linting and checking validity of types|Creating an optimized production build|Skipping linting).*",
            Hide(Reason::Progress),
        ),
        (r" *(?:\xE2\x9C\x93|info +-) (?:Compiled|Loaded) ?.*", Keep),
        (
            r"(?:\xE2\x94\x8C|\xE2\x94\x9C|\xE2\x94\x94|\+|\xE2\x97\x8B|\xCE\xBB|\xE2\x97\x8F|\xC6\x92|  \xE2\x94\x9C|  \xE2\x94\x94) .*",
            Keep,
        ),
    ],
);

/// The command lines of Babel and swc: both write files one by one.
pub static BABEL: Bundler = Bundler {
    format: &BABEL_FORMAT,
    proof: |line| {
        line.starts_with("Successfully compiled")
            && (line.contains(" with Babel") || line.contains(" with swc"))
    },
    file: |_| false,
    explains: |_| false,
};

static BABEL_FORMAT: Format = Format::new(
    Meta {
        id: "babel",
        family: "build",
        reads: "`babel` and `swc`, alone and behind `npm run build`",
        keeps: "errors with their excerpt, counts of files, times",
        omits: "files that were compiled, frames of the compiler itself below an error",
        anchors: &["Successfully compiled", "Failed to compile ", "SyntaxError: "],
    },
    &["babel", "swc"],
    1,
    &[
        (r"Successfully compiled:? \d+ files? with (?:Babel|swc).*", Shows),
        (r"Failed to compile \d+ files? with swc\.", Shows),
        (r"\S+ -> \S+", Hide(Reason::Progress)),
        (r"    at .*[/\\]@babel[/\\].*[^{]", Hide(Reason::ToolFrames)),
        (r"    at .*[/\\]@swc[/\\].*[^{]", Hide(Reason::ToolFrames)),
    ],
);
