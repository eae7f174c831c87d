//! A file that is read again after an edit: one line refers to the part of its outline that an earlier result shows.

use serde_json::{Value, json};
use tersed::engine::Engine;

use crate::common::call;

/// A function of a file; `body` is a line of it that differs.
fn function(n: usize, body: &str) -> String {
    format!(
        "export function room{n}(width, height) {{\n  const sides = [width, height, {n}];\n  {body}\n  \
         const shape = sides.map((side) => side * {n});\n  return shape.reduce((area, side) => area + side, {n});\n}}\n\n"
    )
}

/// A file of more than 12 KiB, in which the function `edited` has another text.
fn file(edited: Option<usize>) -> String {
    let body = |n| if edited == Some(n) { "log(\"room of the guests\");" } else { "check(sides);" };
    (0..90).map(|n| function(n, body(n))).collect()
}

struct World {
    engine: Engine,
    sent: usize,
}

impl World {
    fn new() -> Self {
        Self { engine: Engine::default(), sent: 0 }
    }

    fn result(&mut self, tool: &str, arguments: Value, content: &str) -> Value {
        self.sent += 1;
        let result = json!({ "toolCallId": format!("c{}", self.sent), "tool": tool, "arguments": arguments, "content": content });
        let params = json!({ "sessionId": "s", "result": result });
        let answer = call(&self.engine, "toolResult/compress", &params);
        assert_eq!(call(&self.engine, "toolResult/compress", &params)["content"], answer["content"]);
        answer
    }

    fn read(&mut self, content: &str) -> Value {
        self.result("read_file", json!({ "path": "src/rooms.js" }), content)
    }

    fn edit(&mut self, n: usize) {
        let arguments = json!({
            "path": "src/rooms.js",
            "old_string": function(n, "check(sides);"),
            "new_string": function(n, "log(\"room of the guests\");"),
        });
        self.result("edit_file", arguments, "The file was edited.");
    }
}

fn text(answer: &Value) -> &str {
    answer["content"].as_str().unwrap()
}

fn outlines(answer: &Value) -> Vec<&str> {
    text(answer).lines().filter(|line| line.contains(", same_outline: as ")).collect()
}

#[test]
fn a_read_after_an_edit_names_the_outline_that_was_shown() {
    let mut world = World::new();
    let first = world.read(&file(None));
    assert!(text(&first).matches(": omitted ").count() > 60, "{}", text(&first));
    assert!(outlines(&first).is_empty());
    world.edit(40);
    let second = world.read(&file(Some(40)));
    let found = outlines(&second);
    assert!(!found.is_empty(), "{}", text(&second));
    assert!(found[0].contains("as in c1 (read_file); src/rooms.js, 2 results ago]"), "{found:?}");
    assert!(text(&second).contains("log(\"room of the guests\");"));
    assert!(text(&second).len() * 3 < text(&first).len(), "{}", text(&second));
    // The declaration to which the lines after a reference belong stays.
    let lines: Vec<&str> = text(&second).lines().collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.contains("same_outline")) {
        let next =
            lines[at + 1..].iter().find(|line| line.starts_with("export function") || line.starts_with("  "));
        assert!(next.is_none_or(|line| line.starts_with("export function")), "{}", text(&second));
    }
    // The evidence names the result that shows the outline.
    let omissions = second["evidence"]["omissions"].as_array().unwrap();
    let omission = omissions.iter().find(|omission| omission["reason"] == "same_outline").unwrap();
    assert_eq!(omission["shownBy"]["toolCallId"], "c1");
    assert_eq!(omission["lines"], omission["shownBy"]["lines"]);
}

#[test]
fn who_asks_again_gets_the_outline_or_the_text() {
    let mut world = World::new();
    world.read(&file(None));
    world.edit(40);
    assert!(!outlines(&world.read(&file(Some(40)))).is_empty());
    world.edit(41);
    let file = (0..90).map(|n| {
        function(n, if n == 40 || n == 41 { "log(\"room of the guests\");" } else { "check(sides);" })
    });
    let third = world.read(&file.collect::<String>());
    assert!(outlines(&third).is_empty(), "{}", text(&third));
    assert!(text(&third).contains("function room7("));
}

#[test]
fn an_outline_with_other_gaps_is_shown() {
    let mut world = World::new();
    world.read(&file(None));
    // Each function has one more line: the gaps are longer.
    let other = file(None).replace("  check(sides);\n", "  check(sides);\n  note(sides);\n");
    let second = world.read(&other);
    assert!(outlines(&second).is_empty() && text(&second).contains("function room80("), "{}", text(&second));
}
