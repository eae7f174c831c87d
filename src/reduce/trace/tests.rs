//! Frames of every language, and lines that only look like one.

use super::*;

fn languages(text: &str) -> Vec<(Language, bool)> {
    let source = Source::new(text);
    let mut hints = super::frame::Hints::new(source.text());
    let mut at = 0;
    let mut out = Vec::new();
    while at < source.len() {
        match frame(&source, at, &mut hints) {
            Some(frame) => {
                at = frame.lines.end;
                out.push((frame.language, library::is_user(&frame)));
            }
            None => at += 1,
        }
    }
    out
}

#[test]
fn knows_frames() {
    use Language::*;
    for (text, expected) in [
        ("\tat com.acme.App.run(App.java:10)", (Java, true)),
        (
            "12:00 ERROR web - \tat java.base/java.util.ArrayList.get(ArrayList.java:427) ~[?:?]",
            (Java, false),
        ),
        ("    at app//com.acme.FooKt.main(Foo.kt)", (Java, true)),
        ("\tat jdk.internal.reflect.GeneratedMethodAccessor1.invoke(Unknown Source)", (Java, false)),
        ("    at load (/app/a.js:3:40)", (JavaScript, true)),
        ("    at async Promise.all (index 0)\n    at /app/a.js:4:1", (JavaScript, true)),
        ("    at Module._compile (node:internal/modules/cjs/loader:1364:14)", (JavaScript, false)),
        (
            "    at Layer.handle [as handle_request] (/app/node_modules/express/lib/layer.js:95:5)",
            (JavaScript, false),
        ),
        ("render@http://localhost:3000/app.js:10:5", (JavaScript, true)),
        ("  File \"/app/a.py\", line 3, in main\n    load()\n    ~~~~^^", (Python, true)),
        ("  |   File \"/usr/lib/python3/dist-packages/x.py\", line 3, in f\n  |     g()", (Python, false)),
        ("  File \"<frozen importlib._bootstrap>\", line 1, in _gcd", (Python, false)),
        ("main.work(0x1, {0x2, 0x3})\n\t/app/a.go:3 +0x55", (Go, true)),
        ("runtime.gopark(0x0)\n\t/usr/local/go/src/runtime/proc.go:363 +0xd6", (Go, false)),
        (
            "created by net/http.(*Server).Serve in goroutine 1\n\t/usr/local/go/src/net/http/server.go:3102 +0x4db",
            (Go, false),
        ),
        ("   4: app::parse\n             at ./src/main.rs:1:20", (Rust, true)),
        (
            "   2: core::result::unwrap_failed\n             at /rustc/5980/library/core/src/result.rs:1732:5",
            (Rust, false),
        ),
        ("  14:     0x55d0 - std::rt::lang_start", (Rust, false)),
        ("   at Acme.Store.Load(Int32 id) in /app/Store.cs:line 12", (DotNet, true)),
        ("   at System.Int32.Parse(String s)", (DotNet, false)),
        ("\tfrom a.rb:5:in `deep'", (Ruby, true)),
        ("\tfrom /usr/lib/ruby/3.1.0/set.rb:511:in `each'", (Ruby, false)),
        ("#3 /app/a.php(2): work()", (Php, true)),
        ("#4 /app/vendor/laravel/x.php(7): A->b(Object(C), 'd')", (Php, false)),
        ("#5 [internal function]: {closure}()", (Php, false)),
        ("    #1 0x55d in use /app/a.c:6", (Native, true)),
        (
            "    #0 0x7f1 in __interceptor_free ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:52",
            (Native, false),
        ),
        ("#7  __GI___qsort_r (b=<optimized out>, n=4) at ./stdlib/msort.c:296", (Native, false)),
        ("#3  0x00007ffff in foo () from /usr/lib/libfoo.so.1", (Native, false)),
        ("==12==    by 0x1091: main (a.c:7)", (Valgrind, true)),
        ("==12==    at 0x4848: malloc (vg_replace_malloc.c:381)", (Valgrind, false)),
        ("#1      main (package:app/main.dart:5:3)", (Dart, true)),
        (
            "#2      _startIsolate.<anonymous closure> (dart:isolate-patch/isolate_patch.dart:297:19)",
            (Dart, false),
        ),
        ("    (app 0.1.0) lib/app.ex:5: App.run/1", (Elixir, true)),
        ("    (stdlib 4.0) proc_lib.erl:240: :proc_lib.init_p_do_apply/3", (Elixir, false)),
        ("4   MyApp                               0x0000000102e4a1b0 main + 12", (Apple, true)),
        ("5   libdyld.dylib                       0x00000001a1b2c3d4 start + 4", (Apple, false)),
    ] {
        assert_eq!(languages(text), [expected], "{text}");
    }
}

#[test]
fn other_lines_are_no_frames() {
    for text in [
        "look at this (really)",
        "    at 12:30 (noon)",
        "  - at home",
        "#1 fix the bug (#2)",
        "# 0 heading",
        "== title ==",
        "from a import b",
        "12: see above",
        "  File \"a.py\", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax",
        "user@host:~/a$",
        "func main() {\n\tfmt.Println()",
        "(see 1.0) below",
        "    - 4 eyes 0x1",
    ] {
        assert_eq!(languages(text), [], "{text}");
    }
}

#[test]
fn names_of_processes() {
    for (line, expected) in [
        ("[rank3]:   File \"a.py\"", "   File \"a.py\""),
        ("[1,3]<stderr>:x", "x"),
        ("web-1  | x | y", "x | y"),
        ("db_1 | [rank1]: x", "[rank1]: x"),
        ("[main]: x", "[main]: x"),
        ("[12:01:02] x", "[12:01:02] x"),
        ("a | b", "a | b"),
        ("", ""),
        ("[é1]: x", "[é1]: x"),
    ] {
        assert_eq!(strip_process_name(line), expected, "{line}");
    }
}

#[test]
fn a_trace_that_is_left_out_says_which_stack_it_has() {
    let shown = |text: &str| {
        let source = Source::new(text);
        let ledger = Ledger::new(&source);
        let reduction = reduce(&source, &ledger).unwrap();
        ledger.apply(&source, reduction).unwrap().render(&source, None)
    };
    let thread = |i: usize| {
        let frames = match i {
            11 | 39 => [
                "lock_wait () at lowlevellock.c:49",
                "mutex_lock () at lock.c:80",
                "post () at src/ledger.cpp:212",
            ],
            _ => ["futex_wait () at futex.h:146", "cond_wait () at wait.c:503", "pop () at src/queue.cpp:61"],
        };
        let frames = frames.iter().enumerate().map(|(n, frame)| format!("#{n}  {frame}\n"));
        format!("Thread {i} (LWP 30{i}):\n{}#3  main () at src/main.cpp:9\n\n", frames.collect::<String>())
    };
    let dump = shown(&(1..=40).rev().map(thread).collect::<String>());
    assert!(dump.contains("repeated_trace: as Thread 40: 38-12, 10-1]"), "{dump}");
    assert!(dump.contains("repeated_trace: as Thread 39: 11]"), "{dump}");
    // Traces without a name have a marker in their place.
    let failure = |i: usize| {
        let call = if i % 3 == 1 { "lock" } else { "mail" };
        format!(
            "job {i} raised\nTraceback (most recent call last):\n  File \"/w/a.py\", line 3, in run\n    {call}()\n  File \"/w/b.py\", line 9, in x\n    \
             {call}2()\n  File \"/w/b.py\", line 12, in y\n    {call}3()\n  File \"/w/b.py\", line 20, in z\n    {call}4()\nValueError: no\n"
        )
    };
    let log = shown(&(0..9).map(failure).collect::<String>());
    assert!(
        log.contains("job 4 raised\nTraceback (most recent call last):\n[tersed: omitted 8 lines"),
        "{log}"
    );
    assert!(log.matches("repeated_trace: as lines 3-10]").count() >= 2, "{log}");
    assert!(log.contains("repeated_trace: as lines 14-21]"), "{log}");
}

#[test]
fn a_goroutine_that_waits_elsewhere_or_far_longer_is_shown() {
    let routine = |i: usize| {
        let state = match i {
            7 => "chan receive, 4812 minutes",
            9 => "chan receive, 3 minutes, locked to thread",
            _ => "chan receive, 3 minutes",
        };
        let line = if i == 5 { 131 } else { 88 };
        format!(
            "goroutine {i} [{state}]:\nacme.io/shop/worker.(*Pool).run(0xc000e3{i:04x})\n\t/work/worker/pool.go:{line} +0x4c\n\
             created by acme.io/shop/worker.New in goroutine 1\n\t/work/worker/pool.go:41 +0x9a\n\n"
        )
    };
    let text: String = (2..30).map(routine).collect();
    let source = Source::new(&text);
    let ledger = Ledger::new(&source);
    let shown = ledger.apply(&source, reduce(&source, &ledger).unwrap()).unwrap().render(&source, None);
    for odd in ["pool.go:131", "4812 minutes", "locked to thread"] {
        assert!(shown.contains(odd), "{odd}: {shown}");
    }
    assert_eq!(shown.matches("goroutine ").count() - shown.matches("in goroutine").count(), 4 + 1, "{shown}");
}
