//! Tests of the layers: what they decode, the mapping back, and the work that they do.

use super::*;
use crate::sanitize::secrets::{find, redact};

/// Secrets are put together here, so that none is in this file.
fn token() -> String {
    ["gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"].concat()
}

#[test]
fn the_coded_stretch_goes_and_the_rest_stays() {
    let token = token();
    let percent: String = token.bytes().map(|b| format!("%{b:02X}")).collect();
    let shown = |text: String| redact(&text).map_or(text, |r| r.text);
    assert_eq!(shown(format!("q=1&t={percent}&x=2")), "q=1&t=[REDACTED:github-pat]&x=2");
    let escaped: String = token.bytes().map(|b| format!("\\u{b:04x}")).collect();
    assert_eq!(shown(format!("{{\"a\": \"{escaped}\"}}")), "{\"a\": \"[REDACTED:github-pat]\"}");
    let cut = token.replacen("16C7", "16\u{1b}[1mC7", 1);
    assert_eq!(shown(format!("<{cut}>\n")), "<[REDACTED:github-pat]>\n");
    let coded = ::base64::Engine::encode(&::base64::prelude::BASE64_STANDARD, format!("a: {token}\n..."));
    assert_eq!(shown(format!("data: {coded}\nend\n")), "data: [REDACTED:github-pat]\nend\n");
    let joined = format!("x = \"{}\" +\n  \"{}\"\n", &token[..12], &token[12..]);
    assert_eq!(shown(joined), "x = \"[REDACTED:github-pat]\"\n");
}

#[test]
fn a_line_behind_a_value_stays() {
    let fixed = ["aws_secret_access_key = ", "jyiA4uoRgnatmUdjAWtG", "SU8po+799NksnRH9ucAS"].concat();
    let hex = ["PRIVATE_KEY=0x4c0883a69102937d6231471b", "5dbb6204fe5129617082792ae468d01a3f362318"].concat();
    let token = "TOKEN=Zq7pLm2Xw9kT4v".to_owned();
    let full = ["NEXTAUTH_SECRET=", "Zq7pLm2Xw9kT4vAq7pLm2Xw9kT4v9Bq7pLm2Xw9kT4v8Cq7p"].concat();
    let key = [
        "-----BEGIN RSA PRIVATE",
        " KEY-----\nMIIEpAIBAAKCAQEA7bq5Xw3kPz9mQv2RtLcY8nHdJsUeVfGiWkBoZxNpMrTqAyCh",
    ]
    .concat();
    for line in [fixed, hex, token, full, key] {
        for behind in [
            "FAILED",
            "error",
            "Killed",
            "ENOSPC",
            "404",
            "main.rs",
            "e3b0c442",
            "OutOfMemoryError",
            "v1.2.3",
            "target/debug/deps/app-1a2b3c4d5e6f7a8b",
            "2d711642b726b04401627ca9fbac32f5c8530fb1",
            "550e8400-e29b-41d4-a716-446655440000",
        ] {
            let text = format!("first\n{line}\n{behind}\nnext line is here\n");
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert!(out.contains("[REDACTED:"), "{out}");
            assert!(out.ends_with(&format!("]\n{behind}\nnext line is here\n")), "{behind} {out}");
        }
    }
    let example = ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY\nbb\n"].concat();
    assert_eq!(redact(&example), None);
}

#[test]
fn a_value_that_is_wrapped_goes_as_a_whole() {
    let value = [
        "github_pat_",
        "11ABCDEFG0aZ3kXw9vQm2T_",
        "7hYq1Lp4Rs8NbVc5Dj6Fg0KxWzE2tUo9Ia3MyPl7Hr4SeBn5QvJd6Gf8Cw",
    ]
    .concat();
    let lead = "the token of the account is this: ";
    let first = 80 - lead.len();
    let text = format!("{lead}{}\n{}\nnext\n", &value[..first], &value[first..]);
    let out = redact(&text).map(|redacted| redacted.text).unwrap_or_default();
    assert_eq!(out, format!("{lead}[REDACTED:github-fine-grained-pat]\nnext\n"));
}

#[test]
fn whatever_no_terminal_shows_cuts_no_value() {
    let token =
        ["xapp-1-A7KD92JF8QZ-45190283", "74651-cb1402*8d512c9791e558e0a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4"];
    for cut in [
        "\u{34f}",
        "\u{fe0f}",
        "\u{e0041}",
        "\u{9b}1m",
        "\0",
        "\u{7f}",
        "\u{b}",
        "\u{200b}",
        "\u{115f}",
        "\u{3164}",
        "\u{180b}",
        "\u{e0100}",
        "\u{61c}",
        "\u{ffa0}",
        "\u{206a}",
        "\u{1d173}",
        "\u{1bca0}\u{13438}",
        "\u{600}",
        "\u{6dd}\u{200b}",
        "\u{70f}\u{891}\u{8e2}",
        "\u{110bd}\u{110cd}",
        "\u{1}",
        "\u{84}",
    ] {
        let text = format!("see {} there", token.concat().replace('*', cut));
        let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
        assert_eq!(out, "see [REDACTED:slack-app-token] there", "{cut:?}");
    }
}

#[test]
fn a_manifest_in_a_string_leaves_the_json_whole() {
    let data = "kind: Secret\\ndata:\\n  password: cHdvbUhGd1ViYlly";
    for text in [
        format!("{{\"a\": \"{data}\\\\\", \"b\": 2}}"),
        format!("{{\"log\": \"\\\"{data}\\\" applied\", \"b\": 2}}"),
        format!("{{\"{data}\": 1, \"b\": \"keep me\"}}"),
        format!("{{\"cmd\": \"echo '{data}' | kubectl apply -f -\", \"b\": 3}}"),
    ] {
        let out = redact(&text).unwrap().text;
        assert_eq!(out, text.replace("cHdvbUhGd1ViYlly", "[REDACTED:kubernetes-secret]"));
    }
    let key = "MIIEpAIBAAKCAQEA7bq5Xw3kPz9mQv2RtLcY8nHdJsUeVfGiWkBoZxNpMrTqAyCh";
    let begin = ["-----BEGIN OPENSSH PRIVATE", " KEY-----"].concat();
    let end = ["-----END OPENSSH PRIVATE", " KEY-----"].concat();
    for text in [
        format!("{{\"a\": \"see {begin}\\n{key}\\u001b[1m\\n{key}\\n{end} there\"}}"),
        format!("{{\"a\": \"{begin}\\n\\u001b[1m{key}\\u001b[0m\"}}"),
        format!("{{\"a\": \"{begin}\\u001b[1m{key}\\n\"}}"),
    ] {
        let out = redact(&text).unwrap().text;
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        assert!(!out.contains(key), "{out}");
    }
}

#[test]
fn a_text_without_triggers_gives_no_view() {
    let text = "A line of text.\nAnother one: with a colon, and words.\n".repeat(50);
    assert_eq!(work(text.as_bytes()), 0);
    // Encoded text that is not near a keyword of a rule.
    let text = "x = \"a\\n\\tb\" % c;\n12: <b>bold</b> &amp; more\nthe tokens, tokenize(a)\n--- PASS: a\n"
        .repeat(50);
    assert_eq!(work(text.as_bytes()), 0);
}

#[test]
fn units_that_are_long_and_close_are_undone_once() {
    let token = token();
    for len in [20, 200, 250, 256, 300, 480] {
        for piece in [8, 3, 1] {
            let tag = format!("<span class=\"{}\">", "c".repeat(len));
            let pieces: Vec<&str> =
                token.as_bytes().chunks(piece).map(|p| std::str::from_utf8(p).unwrap()).collect();
            let text = format!("<p>first</p>\n{}\nlast", pieces.join(&tag));
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert_eq!(out, "<p>first</p>\n[REDACTED:github-pat]\nlast", "{len} {piece}");
        }
        let words = format!("a<b class=\"{}\">b</b>", "c".repeat(len)).repeat(40);
        assert_eq!(redact(&words), None);
    }
}

/// Bytes that all layers decode of a text, at all depths.
fn work(text: &[u8]) -> usize {
    let table = crate::sanitize::secrets::table::table().unwrap();
    let limit = text.len().saturating_mul(WORK_PER_BYTE).max(MIN_WORK_BYTES);
    let mut work = limit;
    search(table, text, ALL, &mut work);
    limit - work
}

#[test]
fn work_is_bounded_by_the_bytes() {
    let triggers = [
        "%41",
        "\\u0041",
        "\\n",
        "&amp;",
        "&#x41;",
        "<span>",
        "<span ",
        "=41",
        "=3D",
        "=\n",
        "\u{1b}[0m",
        "a\u{8}a",
        "\u{200b}",
        "12: a\n",
        "a.b-1-",
        "+a\n",
        "QUFBQUFBQUFBQUFBQUFBQUFB",
        "00000000: 4141 4141  AAAA\n",
        "0x41, ",
        "'a', ",
        "password,a\n",
        "| password | a |\n",
        "\" + \"",
        "\\\n",
        ": >-\n",
        "2026-03-01 12:00:00 INFO ",
        "gh\u{70}_ab cd ",
        "[",
        "- ",
        "<tr><th>password</th>",
        "<td>password</td><td>a</td></tr>",
        "password: Some(\"a1b2c3\") ",
        "[\"password\"]=>\n  string(1) \"a\"\n",
        "{\"value\":\"a\",\"name\":\"password\"},",
        "- value: a\n  name: password\n",
        "gh\u{70}_aB1c\n",
        "password=\"aB1c\n",
        "aB1c\",\"",
        "pass\u{1b}[3C\u{1b}[2Dword=a",
        "[('password', 'a')",
        "password=>",
        "\"\"password\"\": \"\"a\"\"",
    ];
    for trigger in triggers {
        let small = work(trigger.repeat((16 << 10) / trigger.len()).as_bytes());
        let large = work(trigger.repeat((64 << 10) / trigger.len()).as_bytes());
        assert!(large <= WORK_PER_BYTE * (64 << 10), "{trigger:?}: {large}");
        assert!(large <= 5 * small + MIN_WORK_BYTES, "{trigger:?}: {small} {large}");
        for other in triggers {
            let both = [trigger, other].concat();
            let text = both.repeat((1 << 10) / both.len());
            let found = find(text.as_bytes());
            assert!(found.iter().all(|f| f.end <= text.len()), "{both:?}");
        }
    }
}

#[test]
fn a_view_leads_back_to_all_bytes_of_a_unit() {
    let mut view = View::default();
    let text = b"ab%41%42cd";
    view.copy(text, 0..2);
    view.stand(b"A", 2..5);
    view.stand(b"B", 5..8);
    view.copy(text, 8..10);
    assert_eq!(view.bytes(), b"abABcd");
    assert_eq!(view.source(&(1..3)), 1..5);
    assert_eq!(view.source(&(3..6)), 5..10);
    assert_eq!(view.source(&(4..5)), 8..9);
}

#[test]
fn blanks_that_are_no_ascii_cut_no_token() {
    let (first, last) = ("q7Wm2XvT9zLk4R", "nB8cYt6PdS1fHjA3eG");
    for blank in ["\u{a0}", "\u{2003}", "\u{3000}", "\u{202f}", "\u{85}", "\u{2028}", "\u{c}"] {
        for (before, behind) in
            [("Authorization: Bearer ", "\n"), ("password=", "\n"), ("{\"api_key\": \"", "\"}\n")]
        {
            let text = format!("{before}{first}{blank}{last}{behind}");
            let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
            assert!(out.starts_with(before) && out.ends_with(behind), "{out:?}");
            assert!(!out.contains(first) && !out.contains(last), "{out:?}");
        }
        // Between words they are blanks.
        let text = format!(
            "Authorization: Bearer {first}{last}{blank}is long\npassword:{blank}none of version{blank}2.0beta\n"
        );
        let out = redact(&text).unwrap().text;
        assert!(out.contains(&format!("]{blank}is long\n")) && out.ends_with("2.0beta\n"), "{out:?}");
    }
}

#[test]
fn a_key_of_digits_over_lines_and_escapes_and_accents_goes() {
    let key = ["19b8f89a50f8a8e9bb8bdb5eba456bf9", "2d5d98065e5751f75143a5f61debc2674"].concat();
    let key = format!("{key}{}", &key[..63]);
    for width in [20, 30, 44] {
        let lines = wrapped(&format!("SECRET_KEY={key}"), width);
        let out = redact(&format!("{lines}\nnext: 1\n")).map(|redacted| redacted.text).unwrap_or_default();
        assert!(out.ends_with("]\nnext: 1\n") && out.matches('\n').count() == 2, "{width}: {out}");
    }
    // A list of digests is not a key.
    let digests = format!("secret: {}\n{}\n{}\n", &key[..32], &key[32..64], &key[64..96]);
    let out = redact(&digests).map_or(digests.clone(), |redacted| redacted.text);
    assert!(out.contains(&key[32..64]) && out.contains(&key[64..96]), "{out}");
    let token = token();
    let (a, b) = token.split_at(20);
    let escaped: String = token.bytes().map(|b| format!("%u{b:04x}")).collect();
    for text in [format!("a {a}\u{301}{b} c\n"), format!("a={escaped}\n"), format!("set X={a}^\n{b}\n")] {
        let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
        assert!(!out.contains(b) && !out.contains(&escaped[60..90]), "{out}");
    }
}

/// Lines of `width` bytes.
fn wrapped(text: &str, width: usize) -> String {
    let lines: Vec<String> =
        text.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    lines.join("\n")
}

#[test]
fn fields_of_their_own_are_pairs() {
    let value = ["Zq7p", "Lm2Xw9"].concat();
    for text in [
        "<table><tr><td>id</td><td>password</td></tr>\n<tr><td>1</td><td><code>*</code></td></tr></table>",
        "<tr><th>id</th><th class=\"b\">password</th></tr>\n<tr><td>1</td><td>a</td></tr>\n<tr><td>2</td><td>*</td></tr>",
        "<tr><th>password</th><td>*</td></tr>",
        "<dl><dt>password</dt>\n<dd>*</dd></dl>",
        "<key>password</key>\n<string>*</string>",
        "Config { password: Some(\"*\"), id: 1 }",
        "Config { password: Some(SecretString(\"*\")), id: 1 }",
        " [\"password\"]=>\n  string(10) \"*\"\n",
        "{id = 1, password = 0x5555 \"*\"}",
        " Password: (string) (len=10) \"*\",",
        "[{\"value\":\"*\",\"name\":\"password\"}]",
        "- value: *\n  name: password\n",
        "{\"password\"=>\"*\"}",
        "Array\n(\n    [password] => *\n)\n",
        "[('id', 1), ('password', '*')]",
        "7,\"{\"\"password\"\": \"\"*\"\"}\",3",
        "<add key=\"password\" value=\"*\" />",
        "HEAD~1:conf/app.env:2:password=*",
    ] {
        let text = text.replace('*', &value);
        let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
        assert!(!out.contains(&value) && out.matches("[REDACTED:").count() == 1, "{out}");
    }
    for text in [
        "<tr><th>password</th></tr><tr><td>string</td></tr></table><tr><td>oauth2x</td></tr>",
        "<tr><td>a</td></tr><tr><td>password</td></tr><tr><td>oauth2x</td></tr>",
        "password: getenv(\"DB_PASSWORD_2\")",
        "let password = hash(\"sha256\");",
        "{\"value\":\"a1b2c3d4\",\"kind\":\"password\"}",
    ] {
        assert_eq!(redact(text), None, "{text}");
    }
}

#[test]
fn a_value_that_the_cursor_writes_out_of_order_goes() {
    let token = token();
    let (a, rest) = token.split_at(9);
    let (b, c) = rest.split_at(4);
    for text in [
        format!("see {a}\u{1b}[4C{c}\u{1b}[{}D{b}\n", b.len() + c.len()),
        format!("see \u{1b}[{}C{c}\u{1b}[5G{a}{b}\n", a.len() + b.len()),
    ] {
        let out = redact(&text).map_or_else(|| text.clone(), |redacted| redacted.text);
        assert!(out.contains("[REDACTED:") && ![a, b, c].iter().any(|part| out.contains(part)), "{out}");
    }
}

/// Chosen and random values; put together here, so that none is in this file.
fn values() -> [String; 2] {
    [["Harbor743", "*8G5U"].concat(), ["kZHGrUmnoss", "k74cFnfhVl3rCMKDnHzCHjhTwyMKi"].concat()]
}

fn shown(text: &str) -> String {
    redact(text).map_or_else(|| text.to_owned(), |redacted| redacted.text)
}

/// Asserts that the value is removed from every text, in which `NAME` stands for the name of a secret, `*` for the
/// value and `§` for the sign of bold text.
fn all_go(texts: &[&str]) {
    let mut wrong = Vec::new();
    for (value, name) in values().iter().zip(["DB_PASSWORD", "API_TOKEN"]) {
        for text in texts {
            let out = shown(&text.replace("NAME", name).replace('*', value).replace('§', "**"));
            let is_shown = (0..value.len() - 5).any(|at| out.contains(&value[at..at + 6]));
            if is_shown {
                wrong.push(format!("{text:?}: {out:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_member_beside_the_one_that_names_it_goes() {
    all_go(&[
        "[{\"name\":\"NAME\",\"slotSetting\":false,\"value\":\"*\"}]\n",
        "[{\"value\":\"*\",\"type\":\"plain\",\"name\":\"NAME\"}]\n",
        "{\"Name\": \"/prod/NAME\", \"Type\": \"SecureString\", \"Value\": \"*\"}\n",
        "- key: NAME\n  scope: all\n  value: *\n",
        "<meta name=\"NAME\" content=\"*\">\n",
        "<input value=\"*\" type=\"text\" id=\"NAME\">\n",
        "<add key=\"NAME\" value=\"*\" />\n",
        "{\"Item\": {\"NAME\": {\"S\": \"*\"}}}\n",
        "{\"key\": \"NAME\", \"val\": \"*\"}\n",
        "  + environment {\n      + name  = \"NAME\"\n      + value = \"*\"\n    }\n",
        "      ~ \"NAME\" = \"old1\" -> \"*\"\n",
        "variable \"NAME\" {\n  type = string\n  default = \"*\"\n}\n",
        "form-data; name=\"NAME\"\r\n\r\n*\r\n--b1--\r\n",
        "NAME=[-*-]{+x+}\n",
        "<NAME><![CDATA[*]]></NAME>\n",
    ]);
}

#[test]
fn a_value_behind_a_name_in_code_goes() {
    all_go(&[
        "#define NAME \"*\"\n",
        "const x = process.env.NAME || \"*\";\n",
        "const x = process.env.NAME ?? '*';\n",
        "s:8:\"NAME\";s:14:\"*\";\n",
        "  [\"NAME\":\"Cfg\":private]=>\n  string(14) \"*\"\n",
        "NAME: Some(\n    \"*\",\n)\n",
        "[{user,\"ada\"},{NAME,\"*\"}].\n",
        "{:host \"h\", :NAME \"*\"}\n",
        "((\"NAME\" . \"*\"))\n",
        "$NAME\n[1] \"*\"\n",
        "1.1 [0 1:1] \"HSET\" \"cfg\" \"NAME\" \"*\"\n",
        "> SET app:NAME \"*\"\nOK\n",
        "aws configure set NAME * --profile p\n",
        "echo \"*\" | wrangler secret put NAME\n",
        "NAME: &a \"*\"\n",
        "NAME: !!str '*'\n",
        "NAME：*\n",
    ]);
    let [chosen, _] = values();
    assert!(!shown(&format!("ds.setPassword(\"{chosen}\");\n")).contains("743"));
}

#[test]
fn a_value_below_its_label_goes() {
    all_go(&[
        "$ printenv NAME\n*\n",
        ">>> settings.NAME\n'*'\n",
        "(Pdb) p NAME\n'*'\n",
        "> GET app:NAME\n\"*\"\n",
        "NAME:\n    *\nnext: 1\n",
        "Your new NAME:\n\n    *\n\nStore it.\n",
        "/prod/db/NAME\n*\n",
        "§NAME:§ *\n",
        "- §NAME§: `*`\n",
        "NAME ........... *\n",
        "::set-output name=NAME::*\n",
    ]);
    for text in [
        "password\nusername2\nemail\n",
        "src/token\nsrc/Token2.rs\n",
        "secret:\n  name: Secret2Name\n",
        "The password:\nmust have 8 characters\n",
        "[\"token\", \"secret2\"]\n",
        "{\"name\": \"token\", \"type\": \"string\", \"value\": \"The token2 of it\"}\n",
        "expect(password).toBe(\"abc12345\");\n",
    ] {
        assert_eq!(redact(text), None, "{text}");
    }
}

#[test]
fn what_stands_at_the_start_of_lines_is_found_behind_prefixes() {
    let text = "name,NAME\nada,*\n";
    let pair = "[\n {\"name\": \"NAME\",\n  \"value\": \"*\"}\n]\n";
    let block = "NAME: |\n  *\nnext: 1\n";
    let with = |text: &str, front: &str, back: &str| {
        text.lines().map(|line| format!("{front}{line}{back}\n")).collect::<String>()
    };
    let mut texts = Vec::new();
    for text in [text, pair, block] {
        for (front, back) in [
            ("app-1  | ", ""),
            ("[pod/a-1/app] ", ""),
            ("# ", ""),
            ("// ", ""),
            ("│ ", " │"),
            ("", "$"),
            ("src/a.conf:12:", ""),
        ] {
            texts.push(with(text, front, back));
        }
    }
    texts.push("{\"stdout\": \"name,NAME\\nada,*\\n\"}\n".to_owned());
    texts.push("b'name,NAME\\nada,*\\n'\n".to_owned());
    all_go(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn an_array_that_spells_the_value_of_a_name_goes_and_json_stays_json() {
    for value in values() {
        let numbers = |between: &str| value.bytes().map(|b| b.to_string()).collect::<Vec<_>>().join(between);
        let name = if value.len() < 20 { "password" } else { "apiToken" };
        for text in [
            format!("{{\"{name}\": {{\"type\": \"Buffer\", \"data\": [{}]}}}}\n", numbers(", ")),
            format!("{{\"{name}\": [{}]}}\n", numbers(",")),
        ] {
            let out = shown(&text);
            assert!(out.contains("REDACTED"), "{out}");
            assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        }
        let hex = value.bytes().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
        let letters = value.chars().map(|c| format!("'{c}'")).collect::<Vec<_>>().join(", ");
        for text in [
            format!("const {name} = [{}];\n", numbers(", ")),
            format!("{{Host:h {name}:[{}]}}\n", numbers(" ")),
            format!("{{ {name}: <Buffer {hex}> }}\n"),
            format!("{name} = [{letters}]\n"),
        ] {
            assert!(shown(&text).contains("REDACTED"), "{text}");
        }
    }
    let sizes = "{\"tokens\": [12, 14, 99, 100, 101, 32, 33, 34, 35, 36, 64, 65]}\n";
    assert_eq!(redact(sizes), None);
}

#[test]
fn lines_that_are_no_tables_of_secrets_stay() {
    for text in [
        "NAME           TYPE     DATA   AGE\ndb-password    Opaque   1      3d\n",
        "NAME           TYPE                       DATA   AGE\nadmin-secret   kubernetes.io/basic-auth   2      3d\n",
        "a.csv:12:name,type,required\na.csv:13:password,string,true\na.csv:14:token,string,false\n",
        "syn keyword\tservice\tpasswd\nsyn keyword\tservice\t802-11-iapp\nsyn keyword\tservice\t9pfs\n",
    ] {
        assert_eq!(redact(text), None, "{text}");
    }
    let word = "Kx9mQ2vLw7z";
    for text in [
        "name,password\nada,Kx9m\"Q2vLw7z\n",
        "name,password\nada,*\n",
        "web | user | password |\nweb | ada  | * |\n",
    ] {
        let out = redact(&text.replace('*', word)).map(|redacted| redacted.text).unwrap_or_default();
        assert!(!out.contains("Q2vLw7z") && out.contains("[REDACTED:"), "{out}");
    }
}
