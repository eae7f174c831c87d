//! Documents hold the same values before and after; unclear ones are not changed.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

const COMMENTS: &[&str] = &["", "# why  not", "# = [ \"a", "#"];

fn toml_value() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..1000_u32).prop_map(|n| n.to_string()),
        Just("\"a  b # c \\\" d\"".to_owned()),
        Just("'x  = [ y'".to_owned()),
        Just("\"\"\"\nfirst  \n\n\n  second = [ 2   \"\"\n# none  \n\"\"\"".to_owned()),
        Just("'''\n  a   b  \n\n\n'''".to_owned()),
        Just("[ 1,   2 ,\n  3,\n\n ]".to_owned()),
        Just("[ # first  one\n    1, # one  two\n    # alone\n    2\n  ]".to_owned()),
        Just("{ a = 1 ,   b = \"x  ,  y\" , c = { d = [ ] } }".to_owned()),
        Just("1979-05-27 07:32:00".to_owned()),
        Just("\"\"".to_owned()),
    ]
}

fn yaml_value() -> impl Strategy<Value = String> {
    prop_oneof![
        (0..1000_u32).prop_map(|n| n.to_string()),
        Just("plain  words #not a comment".to_owned()),
        Just("\"a  b # c \\\" d\"   # behind".to_owned()),
        Just("'it''s  here'".to_owned()),
        Just("|\n    text  \n\n\n      deeper   \n".to_owned()),
        Just(">-\n    # no comment  \n    folded".to_owned()),
        Just("{ a: 1 ,   b:   \"x  ,  y\" , c: [ ] , d: 'e' }".to_owned()),
        Just("no-break\u{a0}".to_owned()),
        Just("[ one  two ,  3,   { a:  b } , http://a:1/ , null ]".to_owned()),
        Just("\n    - a\n    -   b: [ 1,  2 ]\n        c:   d".to_owned()),
        Just(String::new()),
    ]
}

fn json5_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0..1000_u32).prop_map(|n| n.to_string()),
        Just("'a  \"b // c'".to_owned()),
        Just("\"it's  \\\" /* here */\"".to_owned()),
        Just("true".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("null".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let comment =
            prop_oneof![Just(""), Just(" // why  \n"), Just("\n   // alone\n"), Just(" /* a  b */ ")];
        let items = proptest::collection::vec((inner.clone(), comment.clone()), 0..4);
        let members = proptest::collection::vec((inner, comment), 0..4);
        prop_oneof![
            items.prop_map(|items| {
                let items: Vec<String> = items.iter().map(|(v, c)| format!("\n    {v} ,{c}")).collect();
                format!("[ {}\n]", items.concat())
            }),
            members.prop_map(|members| {
                let each = members.iter().enumerate();
                let members: Vec<String> =
                    each.map(|(i, (v, c))| format!("{c}\n  key_{i} :  {v},")).collect();
                format!("{{{}\n}}", members.concat())
            }),
        ]
    })
}

fn toml(text: &str) -> ::toml::Table {
    ::toml::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn json5(text: &str) -> Value {
    ::json5::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The words of all comments, where each is after one of `starts`.
fn comments<'a>(text: &'a str, starts: &[&str]) -> Vec<&'a str> {
    let of_line =
        |line: &'a str| starts.iter().filter_map(|s| line.find(s)).min().map(|at| line[at..].trim_end());
    text.lines().filter_map(of_line).collect()
}

proptest! {
    #[test]
    fn toml_says_the_same(
        lines in proptest::collection::vec((toml_value(), 0..4usize, 0..4usize, 0..COMMENTS.len(), 0..4usize), 1..9)
    ) {
        let mut text = String::new();
        for (i, (value, indent, pad, comment, blank)) in lines.iter().enumerate() {
            let (indent, pad) = (" ".repeat(*indent), " ".repeat(*pad));
            let comment = COMMENTS[*comment];
            if i % 3 == 2 {
                text += &format!("{indent}[ table{i} . \"a  b\" ]{pad}{comment}\n");
            }
            text += &format!("{indent}key{i}{pad} ={pad}{value}{pad} {comment}\n{}", "\n".repeat(*blank));
        }
        let out = super::toml::rewritten(&text).unwrap();
        prop_assert_eq!(toml(&out), toml(&text), "{}\n{}", text, out);
        prop_assert_eq!(comments(&out, &["# why", "# = [", "# one", "# first", "# alone"]),
            comments(&text, &["# why", "# = [", "# one", "# first", "# alone"]));
        prop_assert_eq!(super::toml::rewritten(&out).unwrap(), out);
    }

    #[test]
    fn yaml_says_the_same(
        lines in proptest::collection::vec((yaml_value(), 1..4usize, 0..3usize, 0..4usize), 3..9)
    ) {
        let mut text = "---\nname: x\n".to_owned();
        for (i, (value, pad, trail, blank)) in lines.iter().enumerate() {
            let is_scalar = value.starts_with(['|', '>']);
            let (pad, trail) = (" ".repeat(*pad), " ".repeat(if is_scalar { 0 } else { *trail }));
            text += &format!("key{i}:{pad}{value}{trail}\n");
            text += &"\n".repeat(*blank);
        }
        let out = super::yaml::rewritten(&text).unwrap();
        prop_assert_eq!(yaml(&out), yaml(&text), "{}\n{}", text, out);
        prop_assert_eq!(comments(&out, &["# behind"]), comments(&text, &["# behind"]));
        prop_assert_eq!(super::yaml::rewritten(&format!("{out}\n")).unwrap(), out);
    }

    #[test]
    fn json5_says_the_same(value in json5_value()) {
        let is_document = value.starts_with(['[', '{']);
        let out = super::json5::rewritten(&value);
        prop_assert_eq!(out.is_some(), is_document, "{}", value);
        if let Some(out) = out {
            prop_assert_eq!(json5(&out), json5(&value), "{}\n{}", value, out);
            let of = |text: &str| ["// why", "// alone", "/* a  b */"].map(|c| text.matches(c).count());
            prop_assert_eq!(of(&out), of(&value));
            prop_assert_eq!(super::json5::rewritten(&out).unwrap(), out);
        }
    }
}

#[test]
fn documents_in_less() {
    for (text, expected) in [
        (
            "[a]\n    x   = 1\n    long = [\n      1,\n      2,\n    ]   # both\n\n\n\n[b]\n",
            "[a]\nx = 1\nlong = [1,2,] # both\n\n[b]",
        ),
        (
            "a:   { b:  1 ,  c: [ 1,  2 ] }  \n\n\nd: 1\ne: |\n  x  \n\n\n",
            "a:   {b: 1,c: [1,2]}\n\nd: 1\ne: |\n  x  \n\n",
        ),
        ("{\n  a: 1, // why\n  'b': [\n    x,\n  ],\n}\n", "{a:1, // why\n'b':[x,],}"),
    ] {
        assert_eq!(rewritten(text).as_deref(), Some(expected));
    }
}

#[test]
fn what_is_in_doubt_stays() {
    for text in [
        // Scalars over several lines, anchors, tags, other text.
        "a: 1\nb: some\n  more   \nc: 2\n",
        "a: 1\nb: \"x  \n  y\"\nc: 2\n",
        "a: &x [ 1,  2 ]\nb: 2\nc: 3\n",
        "a: !t  x\nb: 2\nc: 3  \n",
        "a: 1\nb: { c:  1,\n  d: 2 }\ne: 3\n",
        "Some words:  and more\nthen: prose  \nand: prose\n",
        "{ a:  1 } trailing  {}",
        "{ a  b }",
        "const x = {\n  a:  1\n}",
        "{ f(x):  1 }",
        "[ 1,  (2) ]",
    ] {
        assert_eq!(rewritten(text), None, "{text}");
    }
}
