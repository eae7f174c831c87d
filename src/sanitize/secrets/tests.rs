//! Tests the rules with their own examples.

use super::table::{Form, SOURCE, compile, load, table};
use super::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Examples {
    rule: Vec<Example>,
}

#[derive(Deserialize)]
struct Example {
    id: String,
    #[serde(rename = "match")]
    matches: Vec<Vec<String>>,
    spare: Vec<Vec<String>>,
}

fn examples() -> Vec<Example> {
    toml::from_str::<Examples>(SOURCE).unwrap().rule
}

#[test]
fn a_value_goes_wherever_it_stands() {
    let value = ["q7mzk2vtXw4ab6", "ncy3hd5frjse7l"].concat();
    let text = format!("# it was {value}, once\napi_key: {value}\nand x{value}\n");
    let shown = "# it was [REDACTED:generic-api-key], once\napi_key: [REDACTED:generic-api-key]\nand x";
    assert_eq!(redact(&text).unwrap().text, format!("{shown}{value}\n"));
    // A weak password may also be a word of the text.
    let text = "password: \"Development-2024\"\nthe Development-2024 is up\n";
    assert!(redact(text).unwrap().text.ends_with("the Development-2024 is up\n"));
}

#[test]
fn a_value_longer_than_what_its_rule_reads_goes_as_a_whole() {
    let value = ["q7mzk2vtXw4ab6", "ncy3hd5frjse7l"].concat().repeat(400);
    for (before, behind) in
        [("Authorization: Bearer ", "\nend\n"), ("//host/:_auth=", "\n"), ("use bearer ", " now")]
    {
        let shown = redact(&format!("{before}{value}{behind}")).unwrap().text;
        assert!(!shown.contains(&value[..14]), "{before}: {} bytes", shown.len());
        assert!(shown.starts_with(before) && shown.ends_with(behind), "{before}");
    }
}

#[test]
fn every_rule_finds_its_examples_and_spares_its_look_alikes() {
    let mut wrong = Vec::new();
    for example in examples() {
        assert!(!example.matches.is_empty() && !example.spare.is_empty(), "{} lacks examples", example.id);
        for text in example.matches.iter().map(|pieces| pieces.concat()) {
            let found = find(text.as_bytes());
            if !found.iter().any(|f| f.rule == example.id) {
                wrong.push(format!("{} misses {text:?}: {found:?}", example.id));
            }
        }
        for text in example.spare.iter().map(|pieces| pieces.concat()) {
            let found = find(text.as_bytes());
            if found.iter().any(|f| f.rule == example.id) {
                wrong.push(format!("{} hits {text:?}: {found:?}", example.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_table_is_sound() {
    let loaded = load(SOURCE).unwrap();
    assert!(loaded.rules.len() >= 200, "{} rules", loaded.rules.len());
    for (rule, info) in loaded.rules.iter().zip(&loaded.infos) {
        assert!(loaded.infos.iter().filter(|i| i.id == info.id).count() == 1, "{} twice", info.id);
        assert!(
            info.id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{}",
            info.id
        );
        assert!(!info.description.is_empty() && !rule.keywords.is_empty(), "{}", info.id);
        assert!(rule.keywords.iter().all(|k| k.len() >= 3 && *k == k.to_ascii_lowercase()), "{}", info.id);
        if let Form::Token { prefix, .. } = &rule.form {
            for word in prefix {
                assert!(
                    rule.keywords.iter().any(|k| word.to_ascii_lowercase().starts_with(k.as_str())
                        || k.starts_with(&word.to_ascii_lowercase())),
                    "{}",
                    info.id
                );
            }
        }
        if let Form::Pattern { regex, .. } = &rule.form {
            compile(regex).unwrap_or_else(|e| panic!("{}: {e}", info.id));
        }
    }
    assert!(table().is_some());
}

/// Text and what is left of it.
const SHOWN: &[(&str, &str)] = &[
    // The next member is not a part of a string.
    (
        "\"A_PASS\" = \"kX9mQ2vL8pRt\"\n\"B\" = \"c\"\n",
        "\"A_PASS\" = \"[REDACTED:generic-password]\"\n\"B\" = \"c\"\n",
    ),
    (
        "+ \"DB_PASS\" = \"kX9mQ2vL8pRt\"\n+ \"STAGE\"   = \"prod\"\n",
        "+ \"DB_PASS\" = \"[REDACTED:generic-password]\"\n+ \"STAGE\"   = \"prod\"\n",
    ),
    (
        "+password: \"kX9mQ2vL8pRt\"\n+\"replicas\": 3\n",
        "+password: \"[REDACTED:generic-password]\"\n+\"replicas\": 3\n",
    ),
    (
        "https://x-access-token:kX9mQ2vL8pRtA@github.com/a/b.git\n",
        "https://x-access-token:[REDACTED:url-password]@github.com/a/b.git\n",
    ),
    ("x11vnc -passwd kX9mQ2vL -rfbport 5900\n", "x11vnc -passwd [REDACTED:generic-password] -rfbport 5900\n"),
    (
        "Username  Password        Password2\nreg       kX9mQ2vL8pRtAz  nN8mQ2vL8pRtAz\n",
        "Username  Password        Password2\nreg       [REDACTED:generic-password]  [REDACTED:generic-password]\n",
    ),
    (
        "{\"stdout\":\"PASS: a/test-parse2\\nPASS: a/test-lexer3\\n\"}\n",
        "{\"stdout\":\"PASS: a/test-parse2\\nPASS: a/test-lexer3\\n\"}\n",
    ),
    ("DB_PASSWORD=hunter2\nDEBUG=1\n", "DB_PASSWORD=[REDACTED:generic-password]\nDEBUG=1\n"),
    ("export DB_PASSWORD='hunter2 x9'\n", "export DB_PASSWORD='[REDACTED:generic-password]'\n"),
    ("PGPASSWORD=s3cretpw psql -h db\n", "PGPASSWORD=[REDACTED:generic-password] psql -h db\n"),
    ("MYSQL_ROOT_PASSWORD=supersecretvalue\n", "MYSQL_ROOT_PASSWORD=supersecretvalue\n"),
    ("REDIS_PASSWORD=correcthorsebattery\n", "REDIS_PASSWORD=[REDACTED:generic-password]\n"),
    ("  password: hunter2\n", "  password: [REDACTED:generic-password]\n"),
    ("spring.datasource.password=Tr0ub4dor&3\n", "spring.datasource.password=[REDACTED:generic-password]\n"),
    ("const dbPassword = 'Tr0ub4dor&3';\n", "const dbPassword = '[REDACTED:generic-password]';\n"),
    ("let password: &str = \"Tr0ub4dor&3\";\n", "let password: &str = \"[REDACTED:generic-password]\";\n"),
    ("password = \"abc\\\"def123\"\n", "password = \"[REDACTED:generic-password]\"\n"),
    (
        "{\"a\":\"{\\\"pwd\\\":\\\"hunter2\\\"}\"}",
        "{\"a\":\"{\\\"pwd\\\":\\\"[REDACTED:generic-password]\\\"}\"}",
    ),
    ("{\"pwd\": 100001}", "{\"pwd\": \"[REDACTED:generic-password]\"}"),
    (
        "{\"a\":\"{\\\"pwd\\\":100001,\\\"b\\\":1}\"}",
        "{\"a\":\"{\\\"pwd\\\":\\\"[REDACTED:generic-password]\\\",\\\"b\\\":1}\"}",
    ),
    (
        "jdbc:mysql://h/db?user=a&password=hunter2&ssl=1",
        "jdbc:mysql://h/db?user=a&password=[REDACTED:generic-password]&ssl=1",
    ),
    (
        "mongodb+srv://app:S3cr3t%21@c0.example.net/x",
        "mongodb+srv://app:[REDACTED:url-password]@c0.example.net/x",
    ),
    ("login user=bob password=hunter2 ok", "login user=bob password=[REDACTED:generic-password] ok"),
    ("login(user=bob, password=hunter2)", "login(user=bob, password=hunter2)"),
    ("curl -u bob:hunter2 https://h/", "curl -u bob:[REDACTED:curl-user] https://h/"),
    ("   12\tpassword: hunter2\n", "   12\tpassword: [REDACTED:generic-password]\n"),
    ("+  password: hunter2\n", "+  password: [REDACTED:generic-password]\n"),
    ("\u{1b}[32mpassword\u{1b}[0m: x\n", "\u{1b}[32mpassword\u{1b}[0m: x\n"),
    (
        "fn login(password: &str, token: Token) -> Secret {",
        "fn login(password: &str, token: Token) -> Secret {",
    ),
    ("def f(password=None, token='', secret=secret):", "def f(password=None, token='', secret=secret):"),
    ("self.token = token or os.getenv('TOKEN_V2_X1')", "self.token = token or os.getenv('TOKEN_V2_X1')"),
    (
        "<input type=\"password\" name=\"password\" id=\"pw1\">",
        "<input type=\"password\" name=\"password\" id=\"pw1\">",
    ),
    ("#password2 { color: red }", "#password2 { color: red }"),
    ("commit 8b1118b376c313ed420e5133ba91307817ed52c2", "commit 8b1118b376c313ed420e5133ba91307817ed52c2"),
    (
        "token_sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "token_sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ),
    (
        "integrity sha512-q1w2e3r4t5y6u7i8o9p0q1w2e3r4t5y6u7i8o9p0Aa==",
        "integrity sha512-q1w2e3r4t5y6u7i8o9p0q1w2e3r4t5y6u7i8o9p0Aa==",
    ),
    (
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA\"",
        "src=\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA\"",
    ),
    (
        "request_token: 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
        "request_token: 3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    ),
    ("serde_json = \"1.0.140\" # token = v1.0.140", "serde_json = \"1.0.140\" # token = v1.0.140"),
    ("prompt_tokens=1834 completion_tokens=212", "prompt_tokens=1834 completion_tokens=212"),
    ("the secret: do not panic2 when tired", "the secret: do not panic2 when tired"),
];

#[test]
fn the_value_goes_and_the_rest_stays() {
    let wrong: Vec<String> = SHOWN
        .iter()
        .map(|(text, expected)| (redact(text).map_or((*text).to_owned(), |r| r.text), *expected))
        .filter(|(shown, expected)| shown != expected)
        .map(|(shown, expected)| format!("{shown}\nnot {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hits_are_counted_in_the_order_of_the_table() {
    let text =
        ["password: hunter2\npassword: hunter3\nA=gh", "p_16C7e42F292c6912E7710c838347Ae178B4a\n"].concat();
    let redacted = redact(&text).unwrap();
    assert_eq!(redacted.hits, vec![("github-pat", 1), ("generic-password", 2)]);
    assert!(redact(&redacted.text).is_none());
    assert_eq!(redact("nothing to see"), None);
    assert!(rules().iter().any(|rule| rule.id == "github-pat" && !rule.description.is_empty()));
}

#[test]
fn bytes_that_are_no_text_pass() {
    let (bytes, hits) = redact_bytes(b"\xff\xfe password: hunter2\n\x80").unwrap();
    assert_eq!(bytes, b"\xff\xfe password: [REDACTED:generic-password]\n\x80");
    assert_eq!(hits, vec![("generic-password", 1)]);
}

#[test]
fn a_key_block_without_an_end_goes_up_to_the_next_text() {
    let line = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
    let text = format!("-----BEGIN OPENSSH PRI{}\n{line}\n{line}\nQyNTUxOQ\n$ ls\n", "VATE KEY-----");
    let shown = redact(&text).unwrap().text;
    assert_eq!(shown, format!("-----BEGIN OPENSSH PRI{}\n[REDACTED:private-key]\n$ ls\n", "VATE KEY-----"));
    let numbered = text.replace('\n', "\n  7\t");
    assert!(!redact(&numbered).unwrap().text.contains("b3Bl"));
    let escaped = text.replace('\n', "\\n");
    assert!(!redact(&escaped).unwrap().text.contains("b3Bl"), "{:?}", redact(&escaped));
}

#[test]
fn texts_full_of_markers_take_linear_time() {
    let begin = ["-----BEGIN PRI", "VATE KEY-----"].concat();
    let spams = [
        "token=",
        "password='",
        "token=\"\\",
        "://a:b",
        "cookie: a=b;",
        "Private-Lines: 1\n",
        "authorization: bearer ",
        "ey",
        "eyJ.",
        "sk-",
        "glpat-",
        "datadog_key ",
        "secret:\n",
        "\"password\",",
        "hooks.slack.com/",
        "token",
        "curl -u a",
        "machine a login ",
        "$6$",
        "mysql -p",
        "asana",
        &begin,
        "[REDACTED:",
        "[REDACTED:jwt]",
    ];
    for spam in spams {
        let text = spam.repeat((1 << 17) / spam.len());
        // Quadratic work would take hours here; the bench shows the speed.
        let found = find(text.as_bytes());
        assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start), "{spam:?}");
    }
}

mod properties {
    use super::*;
    use crate::sanitize::secrets::scan::Scan;
    use crate::sanitize::secrets::{matcher, shapes, table};
    use proptest::prelude::*;
    use regex::bytes::{Regex, RegexBuilder};
    use std::sync::LazyLock;

    /// Everything a text is put together from: examples, whole and in pieces, and the text around them.
    static PARTS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut parts: Vec<String> = [
            "\n",
            " ",
            "=",
            ": ",
            "\"",
            "'",
            "\\n",
            "x",
            "-",
            ".",
            "@",
            "_",
            "[REDACTED:jwt]",
            "[REDACTED:none]",
            "é",
            "&",
            "\t",
            ",",
        ]
        .map(str::to_owned)
        .to_vec();
        for example in examples() {
            for pieces in example.matches.into_iter().chain(example.spare) {
                parts.push(pieces.concat());
                parts.push(pieces.concat().trim_end().to_owned());
                parts.extend(pieces);
            }
        }
        parts
    });

    fn texts() -> impl Strategy<Value = String> {
        let part = prop_oneof![0..18usize, any::<prop::sample::Index>().prop_map(|i| i.index(PARTS.len()))];
        proptest::collection::vec(part, 0..14)
            .prop_map(|parts| parts.iter().map(|&i| PARTS[i].as_str()).collect())
    }

    /// The first group that matches, or all of the match.
    fn value_in(found: &regex::bytes::Captures<'_>) -> std::ops::Range<usize> {
        found.iter().skip(1).flatten().next().or(found.get(0)).unwrap().range()
    }

    /// What the rules find when each looks at the whole text, without a keyword search, window or memory.
    fn found_by_whole_text(text: &[u8]) -> Vec<Finding> {
        let table = table::table().unwrap();
        let placeholder = Regex::new(r"\[REDACTED:([a-z0-9-]+)\]").unwrap();
        let placeholders: Vec<_> = placeholder
            .captures_iter(text)
            .filter(|c| table.infos.iter().any(|i| i.id.as_bytes() == &c[1]))
            .map(|c| c.get(0).unwrap().range())
            .collect();
        let mut all = Scan::new(text);
        for (rule, index) in table.rules.iter().zip(0u16..) {
            if let Form::Pattern { regex, .. } = &rule.form {
                // A regex may match texts without its keywords; the rule does not apply to those.
                if !rule.keywords.iter().any(|word| judge::contains(text, word)) {
                    continue;
                }
                let regex = compiled(index, regex);
                for found in regex.captures_iter(text) {
                    let (mut value, known) = (value_in(&found), all.claims.len());
                    all.claim(rule, index, value.clone());
                    if matcher::goes_on(text, &value) {
                        value.end = matcher::LONG_VALUE.run(text, value.end);
                    }
                    all.claims[known..].iter_mut().for_each(|claim| claim.end = value.end);
                }
                continue;
            }
            for at in 0..text.len() {
                for word in &rule.keywords {
                    let end = at + word.len();
                    let here = text.get(at..end).is_some_and(|t| t.eq_ignore_ascii_case(word.as_bytes()));
                    if !here || placeholders.iter().any(|p| p.contains(&at)) {
                        continue;
                    }
                    match &rule.form {
                        Form::Assigned { min, max, .. } => {
                            if let Some(from) = shapes::assigned_value(text, at..end) {
                                let class = compiled(index, &format!("^{}", class(index, *min, *max)));
                                if let Some(m) = class.captures(&text[from..]) {
                                    all.claim(rule, index, from..from + m.get(1).unwrap().end());
                                }
                            }
                        }
                        _ => {
                            let mut alone = Scan::new(text);
                            alone.look(rule, index, at..end);
                            all.claims.append(&mut alone.claims);
                        }
                    }
                }
            }
        }
        all.placeholders = placeholders;
        findings(table, all.into_claims())
    }

    /// The regex of an assigned value, from what `rules.toml` says of it.
    fn class(index: u16, min: usize, max: usize) -> String {
        static ENTRIES: LazyLock<Vec<read::Entry>> = LazyLock::new(|| read::read(SOURCE).unwrap());
        let max = if max == usize::MAX { String::new() } else { max.to_string() };
        format!("([{}]{{{min},{max}}})(?:[^A-Za-z0-9_+/=-]|$)", ENTRIES[usize::from(index)].charset)
    }

    /// The regex with the library's default options.
    fn plain(regex: &str) -> Regex {
        RegexBuilder::new(regex).unicode(false).size_limit(64 << 20).build().unwrap()
    }

    fn compiled(index: u16, regex: &str) -> Regex {
        static CACHE: LazyLock<std::sync::Mutex<std::collections::BTreeMap<u16, Regex>>> =
            LazyLock::new(Default::default);
        CACHE.lock().unwrap().entry(index).or_insert_with(|| plain(regex)).clone()
    }

    /// A regex that gives texts for a regex with conditions on the text around them: without these.
    fn without_conditions(regex: &str) -> String {
        regex.replace("\\b", "").replace("(?:^|", "(?:").replace("|$)", ")")
    }

    #[test]
    fn a_regex_fits_only_where_its_rule_looks() {
        use proptest::strategy::ValueTree;
        let table = table::table().unwrap();
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for (rule, index) in table.rules.iter().zip(0u16..) {
            let Form::Pattern { regex, place, .. } = &rule.form else { continue };
            if *place == table::Place::Near {
                continue;
            }
            let texts =
                proptest::string::bytes_regex(&format!("(?-u){}", without_conditions(regex))).unwrap();
            let mut claimed = 0;
            for _ in 0..200 {
                let text = [b"\n", &*texts.new_tree(&mut runner).unwrap().current(), b"\n"].concat();
                let text = text.as_slice();
                // A name that is repeated may be without a keyword of the rule.
                let mut all = Scan::new(text);
                if rule.keywords.iter().any(|word| judge::contains(text, word)) {
                    for found in compiled(index, regex).captures_iter(text) {
                        all.claim(rule, index, value_in(&found));
                    }
                }
                let mut claims = crate::sanitize::secrets::matcher::scan(table, text).claims;
                claims.retain(|claim| claim.rule == index);
                let id = table.infos[usize::from(index)].id;
                assert_eq!(claims, all.claims, "{id}: {}", String::from_utf8_lossy(text));
                claimed += claims.len();
            }
            assert!(claimed > 20, "{}: {claimed}", table.infos[usize::from(index)].id);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn windows_find_what_the_whole_text_shows(text in texts()) {
            let table = table::table().unwrap();
            let found = findings(table, crate::sanitize::secrets::matcher::scan(table, text.as_bytes()).into_claims());
            prop_assert_eq!(found, found_by_whole_text(text.as_bytes()));
        }

        #[test]
        fn redacting_twice_changes_nothing(text in texts()) {
            if let Some(redacted) = redact(&text) {
                prop_assert_eq!(redact(&redacted.text), None, "from {}", redacted.text);
                let count: usize = redacted.hits.iter().map(|h| h.1).sum();
                prop_assert!(count >= find(text.as_bytes()).len());
            }
        }

        #[test]
        fn any_bytes_give_ordered_ranges(mut text in texts().prop_map(String::into_bytes), noise in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8)) {
            for (at, byte) in noise {
                if !text.is_empty() {
                    let at = at.index(text.len());
                    text[at] = byte;
                }
            }
            let found = find(&text);
            prop_assert!(found.iter().all(|f| f.start < f.end && f.end <= text.len()));
            prop_assert!(found.windows(2).all(|w| w[0].end <= w[1].start));
        }
    }
}

#[test]
fn a_listed_environment_gives_no_secret_away() {
    let text = "HOME=/home/ada\nDB_PASSWORD=correct-horse\nNODE_ENV=production\nAPI_TOKEN=abc-def-ghi-jkl-mno\nTOKENIZERS_PARALLELISM=false\nPORT=80\n";
    let out = redact(text).unwrap().text;
    assert!(!out.contains("horse") && !out.contains("abc-def"), "{out}");
    assert!(out.contains("NODE_ENV=production") && out.contains("PARALLELISM=false"), "{out}");
    let text = "declare -x A=\"1\"\ndeclare -x DB_PASSWORD=\"correct-horse\"\ndeclare -x B=\"2\"\n";
    assert!(!redact(text).unwrap().text.contains("horse"));
    // In prose, and alone, it may be an example.
    assert!(redact("Set this:\nDB_PASSWORD=correct-horse\nand start.\n").is_none());
}

#[test]
fn clouds_give_no_secret_away() {
    let redacted = |text: &str| redact(text).map(|r| r.text).unwrap_or_else(|| text.to_owned());
    let list = "items:\n- apiVersion: v1\n  data:\n    a: YWRtaW4=\n    b: |\n      Zm9v\n  kind: Secret\n  metadata:\n    name: x\n- apiVersion: v1\n  data:\n    a: stays\n  kind: ConfigMap\n";
    let out = redacted(list);
    assert!(
        !out.contains("YWRt") && !out.contains("Zm9v") && out.contains("a: stays") && out.contains("name: x"),
        "{out}"
    );
    let json = r#"{"items": [{"data": {"user": "YWRtaW4=", "url": ""}, "kind": "Secret", "metadata": {"annotations": {"last": "{\"data\":{\"user\":\"Zm9vYmFy\"},\"kind\":\"Secret\"}"}, "name": "x"}}, {"data": {"a": "stays"}, "kind": "ConfigMap"}]}"#;
    let out = redacted(json);
    assert!(
        !out.contains("YWRt")
            && !out.contains("Zm9v")
            && out.contains("stays")
            && out.contains("\"name\": \"x\""),
        "{out}"
    );
    let inspect = "\"Env\": [\n    \"POSTGRES_PASSWORD=pg8horse\",\n    \"PATH=/usr/bin\",\n    \"APP_SECRET=averylongwordindeed\"\n]";
    let out = redacted(inspect);
    assert!(
        !out.contains("pg8horse") && !out.contains("averylong") && out.contains("PATH=/usr/bin"),
        "{out}"
    );
    assert_eq!(
        redacted("args = [\"POSTGRES_PASSWORD=postgres\"]"),
        "args = [\"POSTGRES_PASSWORD=postgres\"]"
    );
    let dotenv = "# database\nDB_HOST=localhost\n\n# secret\nDB_PASSWORD=correcthorse\n\nPORT=80\n";
    let out = redacted(dotenv);
    assert!(
        !out.contains("correct") && out.contains("DB_HOST=localhost") && out.contains("PORT=80"),
        "{out}"
    );
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let sha1 = "3f7a9c21".repeat(5);
    let aws_id = format!("AKIAIOSFODNN7{}", "EXAMPLE");
    let aws_key = format!("wJalrXUtnFEMI/K7MDENG/bPxRfiCY{}", "EXAMPLEKEY");
    for text in [
        format!("      \"hashed_secret\": \"{sha1}\",\n      \"is_verified\": false,\n"),
        format!("{{\"type\": \"Secret Keyword\", \"hashed_secret\": \"{sha1}\"}}"),
        "System.Xml, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089\n".to_owned(),
        format!("AWS_ACCESS_KEY_ID={aws_id}\nAWS_SECRET_ACCESS_KEY={aws_key}\n"),
        "DATABASE_URL=postgres://postgres:postgres@localhost:5432/app\n".to_owned(),
        "url = \"mysql://root:root@127.0.0.1/test\"\n".to_owned(),
        "amqp://guest:guest@localhost\n".to_owned(),
        "  GROQ_API_KEY            - Groq API key\n  CEREBRAS_API_KEY        - Cerebras API key\n".to_owned(),
        "api_key_env = \"OPENAI_API_KEY\"\n".to_owned(),
        "password: changeme\npassword=<password>\ntoken: your-token-here\nPASSWORD=${DB_PASSWORD}\npassword=xxxxxx\n".to_owned(),
        "token = \"fake-token-for-tests-1a2b3c\"\n".to_owned(),
    ] {
        assert_eq!(redact(&text), None, "{text}");
    }
}

#[test]
fn what_is_only_near_a_default_still_goes() {
    for (text, value) in [
        ("postgres://postgres:postgres@db.example.com/app\n".to_owned(), ":postgres@"),
        (format!("postgres://app:{}@localhost/app\n", "h8Kq2".repeat(2)), "h8Kq2"),
        ("postgres://postgres:postgres@localhost.evil.example/app\n".to_owned(), ":postgres@"),
        (format!("AWS_ACCESS_KEY_ID=AKIA{}\n", "Z7Q2M4K9XW3T8BEX"), "Z7Q2M4K9XW3T8BEX"),
    ] {
        let new = redact(&text).map_or(text.clone(), |redacted| redacted.text);
        assert!(!new.contains(value), "{new}");
    }
}

#[test]
fn what_stands_below_a_token_at_the_end_of_a_long_line_stays() {
    let token = format!("ghp_{}", &"a1B2c3D4e5F6g7H8i9J0".repeat(2)[..36]);
    for below in ["step 1501 of the long work", "# a comment", "Last line"] {
        let text = format!("error: cannot reach the server with {token}\n{below}\nend\n");
        let expected = format!("error: cannot reach the server with [REDACTED:github-pat]\n{below}\nend\n");
        assert_eq!(redact(&text).unwrap().text, expected);
    }
}
