//! Whether a frame is the user's own code or that of a library, a runtime or a framework, by its path or package. If
//! neither shows it, it is the user's.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::frame::{Frame, Language};

/// Folders that package managers and installations own.
const FOLDERS: &[&str] = &[
    "/site-packages/",
    "/dist-packages/",
    "/lib/python",
    "\\site-packages\\",
    "\\lib\\",
    "node_modules/",
    "node_modules\\",
    "/gems/",
    "/lib/ruby/",
    "/rubygems/",
    "/bundler/",
    "/vendor/",
    "/pkg/mod/",
    "/.cargo/registry/",
    "/.cargo/git/",
    "/rustc/",
    "/rustlib/",
    "/usr/lib/",
    "/usr/include/",
    "/usr/local/lib/",
    "/lib/x86_64",
    "/lib64/",
    "/usr/share/",
    "/.m2/",
    "/go/src/",
    "/Cellar/",
    "/.rbenv/versions/",
    "/.pyenv/versions/",
    "/.asdf/",
    "/.nvm/",
    "/build/glibc",
    "/sysdeps/",
    "compiler-rt/",
    "libsanitizer/",
    "/.pub-cache/",
    "/flutter/packages/",
    "phar://",
    "webpack-internal:",
    "webpack/bootstrap",
];

/// Starts of the names of files that belong to a runtime.
const FILES: &[&str] = &[
    "node:",
    "internal/",
    "<frozen ",
    "<__array_function__",
    "<decorator-gen",
    "native",
    "<anonymous>",
    "dart:",
    "package:flutter/",
    "package:test",
    "package:stack_trace/",
    "[internal function]",
    "<internal:",
    "(/lib",
    "(/usr/lib",
    "../sysdeps",
    "./nptl",
    "./csu",
    "./stdlib/",
    "./malloc/",
    "./string/",
    "./io/",
    "./debug/",
    "./elf/",
    "./sysdeps/",
    "./libio/",
    "./stdio-common/",
];

/// Packages of Java's platform, its libraries and its tools.
const PACKAGES: &[&str] = &[
    "java.",
    "javax.",
    "jakarta.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "kotlinx.",
    "scala.",
    "groovy.",
    "clojure.",
    "android.",
    "androidx.",
    "dalvik.",
    "com.android.",
    "org.junit.",
    "junit.",
    "org.testng.",
    "org.mockito.",
    "org.hamcrest.",
    "org.assertj.",
    "org.apache.",
    "org.springframework.",
    "org.hibernate.",
    "org.eclipse.",
    "org.gradle.",
    "org.codehaus.",
    "org.slf4j.",
    "ch.qos.logback.",
    "com.fasterxml.",
    "com.google.common.",
    "com.google.inject.",
    "com.google.gson.",
    "io.netty.",
    "io.vertx.",
    "reactor.",
    "io.reactivex.",
    "rx.",
    "akka.",
    "okhttp3.",
    "okio.",
    "retrofit2.",
    "com.mysql.",
    "org.postgresql.",
    "com.zaxxer.hikari.",
    "org.jboss.",
    "io.undertow.",
    "io.quarkus.",
    "io.micronaut.",
    "net.bytebuddy.",
    "worker.org.gradle.",
    "com.intellij.",
    "org.scalatest.",
    "org.scalacheck.",
    "sbt.",
    "feign.",
    "com.netflix.",
    "net.sf.",
    "lombok.",
];

/// Packages of Go's library that no user writes.
const GO: &[&str] = &[
    "runtime.",
    "runtime/",
    "testing.",
    "net/http.",
    "net.",
    "sync.",
    "internal/",
    "reflect.",
    "panic(",
    "os/signal.",
    "os.",
    "syscall.",
    "bufio.",
    "io.",
    "time.",
    "encoding/",
    "database/sql.",
    "context.",
    "golang.org/x/",
    "google.golang.org/",
];

/// Namespaces of .NET and its tools.
const DOT_NET: &[&str] = &[
    "System.",
    "Microsoft.",
    "MS.Internal.",
    "Xunit.",
    "NUnit.",
    "Internal.",
    "Newtonsoft.",
    "Castle.",
    "Moq.",
    "AutoMapper.",
    "Serilog.",
    "Npgsql.",
    "Dapper.",
    "MediatR.",
    "FluentAssertions.",
    "lambda_method",
];

/// Crates that come with Rust.
const RUST: &[&str] = &[
    "std::",
    "core::",
    "alloc::",
    "__rust",
    "rust_begin_unwind",
    "<alloc::",
    "<core::",
    "<std::",
    "test::",
    "__libc",
    "_start",
    "main",
    "clone",
    "start_thread",
    "__clone",
];

/// Functions of C libraries and sanitizers.
const NATIVE: &[&str] = &[
    "__asan",
    "__interceptor",
    "__sanitizer",
    "__ubsan",
    "__tsan",
    "__msan",
    "__lsan",
    "malloc",
    "free",
    "calloc",
    "realloc",
    "operator new",
    "operator delete",
    "std::",
    "__libc",
    "_start",
    "__GI_",
    "raise",
    "abort",
    "__assert_fail",
    "start_thread",
    "clone",
    "__pthread",
    "pthread_",
    "__cxa",
    "_Unwind",
    "memcpy",
    "strlen",
    "strcpy",
];

/// Finds any of the folders in one pass.
static HAS_FOLDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| AhoCorasick::new(FOLDERS).ok());

/// Whether the frame is the user's own.
pub fn is_user(frame: &Frame<'_>) -> bool {
    let Frame { function, file, .. } = *frame;
    let starts = |text: &str, list: &[&str]| list.iter().any(|start| text.starts_with(start));
    let in_library = HAS_FOLDER.as_ref().is_none_or(|any| any.is_match(file)) || starts(file, FILES);
    match frame.language {
        Language::Java => {
            // `java.base/java.lang.Thread.run`, `app//com.acme.App.run`
            let name = function.rsplit_once('/').map_or(function, |(_, name)| name);
            !starts(name, PACKAGES)
        }
        Language::Go => !(in_library || starts(function, GO)),
        Language::DotNet => !(in_library || starts(function, DOT_NET)),
        Language::Rust => {
            let is_main = function == "main" && file.is_empty();
            let is_std = starts(function, RUST) && function != "main";
            !(in_library || is_std || is_main)
        }
        Language::Native | Language::Valgrind => {
            let is_binary = file.starts_with("in /usr/lib") || file.starts_with("in /lib");
            !(in_library || is_binary || file.contains("vg_replace_") || starts(function, NATIVE))
        }
        Language::Php => !(in_library || function == "{main}"),
        // Applications of the runtime and of the package manager have a version here.
        Language::Elixir => ![
            "elixir ",
            "stdlib ",
            "kernel ",
            "ex_unit ",
            "mix ",
            "iex ",
            "logger ",
            "phoenix",
            "ecto",
            "plug",
            "cowboy",
            "ranch ",
            "db_connection ",
            "bandit ",
        ]
        .iter()
        .any(|app| file.starts_with(app)),
        Language::Apple => ![
            "lib",
            "Foundation",
            "CoreFoundation",
            "UIKit",
            "AppKit",
            "XCTest",
            "dyld",
            "SwiftUI",
            "GraphicsServices",
            "QuartzCore",
            "???",
        ]
        .iter()
        .any(|image| file.starts_with(image)),
        _ => !in_library,
    }
}
