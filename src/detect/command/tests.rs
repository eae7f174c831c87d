//! Command lines of agents, and their parsed form.

use proptest::prelude::*;

use super::*;

fn shown(line: &CommandLine) -> Vec<String> {
    let words = |s: &Simple| s.argv.join(" ") + if s.to_file { " >" } else { "" };
    line.pipelines.iter().map(|p| p.iter().map(words).collect::<Vec<_>>().join(" | ")).collect()
}

fn programs(text: &str) -> Vec<String> {
    shown(&CommandLine::parse(text))
}

fn check(cases: &[(&str, &[&str])]) {
    for (text, expected) in cases {
        assert_eq!(programs(text), *expected, "{text}");
    }
}

#[test]
fn reads_what_agents_type() {
    check(&[
        ("cd x && FOO=1 sudo timeout 9 npx vitest run | tail -50", &["vitest run | tail -50"]),
        ("bash -lc \"cd /a; cargo test --workspace\"", &["cargo test --workspace"]),
        ("uv run --with x pytest -q 2>&1 | grep 'a | b'", &["pytest -q | grep a | b"]),
        ("python -m pytest tests; git status", &["pytest tests", "git status"]),
        ("/usr/bin/git log --oneline > out.txt", &["git log --oneline >"]),
        ("git commit -m \"fix; log\" || true", &["git commit -m fix; log"]),
        ("(cd a && make) 2>/dev/null & wait", &["make"]),
        ("echo $(git rev-parse HEAD; x) # note | y", &["echo $(git rev-parse HEAD; x)"]),
        ("C:\\tools\\git.exe status", &["git status"]),
        ("`cat a.rs`", &["cat a.rs"]),
        ("echo `a | b` c", &["echo `a | b` c"]),
        (
            "echo a\\ b 'c d' \"e\\\"f $(x \"y z\")\" $'g\\nh' --i='j k'",
            &["echo a b c d e\"f $(x \"y z\") g\nh --i=j k"],
        ),
        ("a \\\n  b\nc", &["a b", "c"]),
        ("", &[]),
        ("   # only this", &[]),
        ("A=1 B=2", &[]),
        (";;; | && )", &[]),
    ]);
}

#[test]
fn reads_redirections_and_heredocs() {
    check(&[
        ("cat <<'EOF' > a.py\nimport x; y | z\nEOF\npython a.py", &["cat >", "python a.py"]),
        ("cat <<-A <<B\n\tx;y\n\tA\nz\nB\nls", &["cat", "ls"]),
        ("bash <<EOF\ncargo test\nEOF", &["cargo test"]),
        ("ssh -p 22 me@host <<'E'\nmake -j2\nE", &["make -j2"]),
        ("grep x <<< \"a; b\"", &["grep x"]),
        (
            "make &> log; make >& log; make >| log; make 2>&1 | tee log",
            &["make >", "make >", "make >", "make | tee log"],
        ),
        ("make | tee log > /dev/null", &["make | tee log >"]),
        ("make 2> err.txt >&2", &["make >"]),
        ("diff <(sort a) <(sort b)", &["diff <(sort a) <(sort b)"]),
        ("{ make; ls; } > out", &["make >", "ls >"]),
        ("echo a 1>&2", &["echo a"]),
    ]);
    let line = CommandLine::parse("make 2>/dev/null; make > /dev/null 2>&1; make >/dev/stdout");
    let streams: Vec<_> = line.pipelines.iter().map(|p| (p[0].to_file, p[0].stderr_to_file)).collect();
    assert_eq!(streams, [(false, true), (true, true), (false, false)]);
}

#[test]
fn reads_compound_commands() {
    check(&[
        ("if cargo build; then cargo test; else ls; fi", &["cargo build", "cargo test", "ls"]),
        ("if a; then b; elif c; then d; fi && e", &["a", "b", "c", "d", "e"]),
        ("while read l; do echo $l; done < f", &["echo $l"]),
        (
            "for f in a b; do echo \"== $f\"; cat ${f}.txt $fx; done",
            &["echo == a", "cat a.txt $fx", "echo == b", "cat b.txt $fx"],
        ),
        ("for f in *.rs; do wc $f; done | tail -1", &["wc $f | tail -1"]),
        ("for ((i=0;i<3;i++)); do run $i; done", &["run $i"]),
        ("case $x in a|b) make;; *) ls; pwd;; esac; id", &["make", "ls", "pwd", "id"]),
        ("f() { go test ./...; }\nf; g() (ls); ls -l", &["go test ./...", "ls -l"]),
        ("[[ -f a && -d b || $x < y ]] && make", &["[[ -f a && -d b || $x < y ]]", "make"]),
        ("(a; b) | grep x", &["a | grep x", "b | grep x"]),
        ("! grep -q x f && make", &["grep -q x f", "make"]),
        ("a &&\n b ||\n c", &["a", "b", "c"]),
    ]);
    let line = CommandLine::parse("a && b || c; d & e");
    let joins: Vec<Join> = line.pipelines.iter().map(|p| p.join).collect();
    assert_eq!(joins, [Join::Then, Join::And, Join::Or, Join::Then, Join::Then]);
}

#[test]
fn takes_wrappers_off() {
    check(&[
        ("docker exec -it -u 0 web go test ./...", &["go test ./..."]),
        ("docker run --rm -v $PWD:/a -w /a node:20 npm test", &["npm test"]),
        ("docker run -d --name x nginx", &["docker run -d --name x nginx"]),
        ("docker compose -f a.yml exec web sh -c 'ls; pytest'", &["ls", "pytest"]),
        ("docker ps -a", &["docker ps -a"]),
        ("kubectl -n x get pods", &["kubectl -n x get pods"]),
        ("kubectl exec -n x pod/web -c app -- cat /etc/hosts", &["cat /etc/hosts"]),
        ("ssh -o BatchMode=yes -p 22 me@host 'cd /a && make' test", &["make test"]),
        ("env -i PATH=/bin A=1 make", &["make"]),
        ("sudo -u app -- env X=1 nice -n 10 ionice -c2 make", &["make"]),
        ("timeout -k 5 -s KILL 9 stdbuf -oL pytest", &["pytest"]),
        ("time -p cargo test", &["cargo test"]),
        ("watch -n1 'kubectl get pods'", &["kubectl get pods"]),
        ("find . -name '*.rs' | xargs -n1 grep -n foo | head", &["grep -n foo | head"]),
        ("find . -name '*.rs' -exec grep -l foo {} \\;", &["grep -l foo {} ;"]),
        ("fd -e rs -x wc -l", &["wc -l"]),
        ("python3.11 -W error -m coverage run -m pytest -q", &["pytest -q"]),
        ("python -c 'print(1)'", &["python -c print(1)"]),
        ("poetry run python -m pytest", &["pytest"]),
        ("pnpm --filter web exec -- vitest run", &["vitest run"]),
        (
            "pnpm vitest; yarn workspace web jest; bun run test; bunx tsc",
            &["vitest", "jest", "bun run test", "tsc"],
        ),
        (
            "yarn test; npm run lint; pnpm install; npm exec -- eslint .",
            &["yarn test", "npm run lint", "pnpm install", "eslint ."],
        ),
        ("bundle exec rspec; pipx run black .; uvx ruff check", &["rspec", "black .", "ruff check"]),
        ("su - app -c 'make test'; eval \"make x\"", &["make test", "make x"]),
        ("nohup ./server.sh > log 2>&1 &\ncurl -s localhost", &["server.sh >", "curl -s localhost"]),
        ("cross-env CI=1 jest --ci", &["jest --ci"]),
        ("command -v node; which go", &["command -v node", "which go"]),
        ("rustup run nightly cargo test; cargo +nightly test", &["cargo test", "cargo +nightly test"]),
        ("curl -s x | bash", &["curl -s x | bash"]),
        ("sudo", &["sudo"]),
    ]);
    let line = CommandLine::parse("ssh host 'docker exec web sudo make'");
    assert_eq!(line.pipelines[0][0].via, ["ssh", "docker", "sudo"]);
}

#[test]
fn reads_powershell_and_cmd() {
    check(&[
        (
            "$env:CI='1'; & \"C:\\Program Files\\nodejs\\npm.cmd\" test 2>&1 | Out-String",
            &["npm test | Out-String"],
        ),
        (
            "Get-Content .\\a.txt -TotalCount 20 | Select-String 'x; y'",
            &["Get-Content .\\a.txt -TotalCount 20 | Select-String x; y"],
        ),
        (
            "powershell -NoProfile -Command \"Set-Location C:\\a; cargo test `\n --all\"",
            &["cargo test --all"],
        ),
        ("pwsh -c 'if ($true) { git status }'", &["git status"]),
        (
            "Get-ChildItem | Where-Object { $_.Name -match 'a;b' }",
            &["Get-ChildItem | Where-Object { $_.Name -match 'a;b' }"],
        ),
        ("cmd /c \"set X=1&& npm test & dir C:\\a^&b\"", &["npm test", "dir C:\\a&b"]),
        ("cmd.exe /C git status", &["git status"]),
        ("Write-Host 'it''s'; $x = git log; git status", &["Write-Host it's", "git status"]),
    ]);
}

#[test]
fn knows_files_and_filters() {
    let line = CommandLine::parse("make > log; pytest | grep x; cargo test 2>&1 | tail -5");
    let producers: Vec<_> = line.producers().map(|(s, f)| (s.program().to_owned(), f)).collect();
    assert_eq!(producers, [("pytest".to_owned(), true), ("cargo".to_owned(), false)]);
    assert!(line.is_filtered() && line.runs(|s| s.program() == "cargo") && line.only().is_none());
    assert!(CommandLine::parse("cargo -q test -- x").only().is_some_and(|s| s.subcommand() == Some("test")));
    for traced in [
        "set -x\nmake",
        "set -euxo pipefail",
        "set -o xtrace",
        "cd a && bash -x b.sh",
        "sh -x b",
        "bash -ex b",
    ] {
        assert!(CommandLine::parse(traced).is_traced, "{traced}");
    }
    for plain in ["make -x", "set -e", "sh -ex b", "bash - x", "push --x"] {
        assert!(!CommandLine::parse(plain).is_traced, "{plain}");
    }
}

#[test]
fn depth_and_size_are_bounded() {
    let deep = "(".repeat(20_000) + "ls" + &")".repeat(20_000);
    CommandLine::parse(&deep);
    CommandLine::parse(&("bash -c '".repeat(500) + "ls"));
    CommandLine::parse(&"if ".repeat(20_000));
    CommandLine::parse(&"echo \"$(".repeat(50_000));
    let quotes = "'\"".repeat(500_000);
    CommandLine::parse(&quotes);
    assert!(CommandLine::parse(&"ls;".repeat(10_000)).pipelines.len() <= 256);
}

proptest! {
    #[test]
    fn any_text_is_read(text in r#"[ -~\n]{0,80}|([a-z'"$(){}|&;<>\\` \n]|if |then |for |do |done |case |esac |<<E\n){0,60}"#) {
        CommandLine::parse(&text);
        CommandLine::parse_as(&text, Dialect::PowerShell);
        CommandLine::parse_as(&text, Dialect::Cmd);
    }

    // An independent splitter reads words and quotes in the same way.
    #[test]
    fn words_are_those_of_a_shell(words in prop::collection::vec("[a-zA-Z0-9 _./'\"$;|&<>()#*-]{1,12}", 1..6)) {
        let text = format!("prog {}", shell_words::join(words.iter().map(|w| format!("x{w}"))));
        let expected = shell_words::split(&text).unwrap();
        prop_assert_eq!(&CommandLine::parse(&text).pipelines[0][0].argv, &expected, "{}", text);
    }
}

#[test]
fn what_a_command_line_grows_to_is_bounded() {
    let parts = |text: &str| -> usize { CommandLine::parse(text).pipelines.iter().map(|p| p.len()).sum() };
    let list = "a; ".repeat(200);
    assert!(parts(&format!("({list}) {}", "| b ".repeat(2000))) < 20_000);
    let calls = format!("f() {{ {list}}}\n{}", "f;".repeat(5000));
    assert!(parts(&calls) < 20_000);
    assert!(parts("(a; b) | c | d") == 6 && parts("f() { a; b; }\nf; f") == 4);
}
