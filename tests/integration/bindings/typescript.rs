//! Prints the model as TypeScript: interfaces, and one method per method of the protocol.

use std::fmt::Write as _;

use super::model::{Definition, Model, Shape, Type};

const TYPES_HEAD: &str = "\
/**
 * Types of the protocol, version 1.
 *
 * Generated from the schema of the protocol; not to be edited. Members that a server may add later are
 * absent here and are to be ignored.
 */
";

/// The module of types.
pub fn types(model: &Model) -> String {
    let mut out = String::from(TYPES_HEAD);
    for definition in &model.types {
        out.push('\n');
        out.push_str(&doc("", &definition.about));
        out.push_str(&self::definition(definition));
    }
    out
}

fn definition(definition: &Definition) -> String {
    let Definition { name, shape, .. } = definition;
    match shape {
        Shape::Names(names, open) => {
            let mut out = format!("export type {name} =");
            for name in names {
                write!(out, "\n  | \"{name}\"").unwrap();
            }
            out + if *open { "\n  | (string & {});\n" } else { ";\n" }
        }
        Shape::Alias(of) => format!("export type {name} = {};\n", self::of(of)),
        Shape::Object(fields) => {
            let mut out = format!("export interface {name} {{\n");
            for field in fields {
                let (mark, absent) = if field.required { ("", "") } else { ("?", " | undefined") };
                out.push_str(&doc("  ", &field.about));
                writeln!(out, "  {}{mark}: {}{absent};", field.name, self::of(&field.of)).unwrap();
            }
            out + "}\n"
        }
    }
}

/// A JSDoc comment, wrapped at 100 columns.
fn doc(indent: &str, text: &str) -> String {
    let text = text.replace("*/", "*\\/");
    if indent.len() + text.len() + 7 <= 100 {
        return format!("{indent}/** {text} */\n");
    }
    let mut out = format!("{indent}/**\n{indent} *");
    let mut width = indent.len() + 2;
    for word in text.split(' ') {
        if width + 1 + word.len() > 100 {
            write!(out, "\n{indent} *").unwrap();
            width = indent.len() + 2;
        }
        write!(out, " {word}").unwrap();
        width += 1 + word.len();
    }
    out + &format!("\n{indent} */\n")
}

fn of(of_: &Type) -> String {
    match of_ {
        Type::Any => "unknown".into(),
        Type::Null => "null".into(),
        Type::String => "string".into(),
        Type::Integer | Type::Number => "number".into(),
        Type::Boolean => "boolean".into(),
        Type::Object => "object".into(),
        Type::Literal(names) => names.iter().map(|n| format!("\"{n}\"")).collect::<Vec<_>>().join(" | "),
        Type::Named(name) => name.clone(),
        Type::List(item) => match of(item) {
            item if item.contains(' ') => format!("({item})[]"),
            item => format!("{item}[]"),
        },
        Type::Tuple(item, size) => format!("[{}]", vec![of(item); *size].join(", ")),
        Type::Map(item) => format!("Record<string, {}>", of(item)),
        Type::Union(parts) => parts.iter().map(of).collect::<Vec<_>>().join(" | "),
    }
}

/// The module of methods: their types in one table, and a base class of the client.
pub fn methods(model: &Model) -> String {
    let mut out = String::from(
        "/**\n * One method for each method of the protocol, version 1.\n *\n \
         * Generated from the schema of the protocol; not to be edited.\n */\n\n\
         import type * as protocol from \"./protocol.js\";\n\n\
         /** Parameters and result of every request, by its name. */\nexport interface Requests {\n",
    );
    for method in &model.methods {
        if let Some(result) = &method.result {
            out.push_str(&doc("  ", &method.about));
            writeln!(
                out,
                "  \"{}\": {{ params: protocol.{}; result: protocol.{result} }};",
                method.name, method.params
            )
            .unwrap();
        }
    }
    out.push_str(
        "}\n\n/** Parameters of every notification, by its name. */\nexport interface Notifications {\n",
    );
    for method in model.methods.iter().filter(|m| m.result.is_none()) {
        out.push_str(&doc("  ", &method.about));
        writeln!(out, "  \"{}\": {{ params: protocol.{} }};", method.name, method.params).unwrap();
    }
    out.push_str(METHODS_CLASS);
    for method in &model.methods {
        let name = camel(&method.name);
        out.push('\n');
        out.push_str(&doc("  ", &method.about));
        match &method.result {
            Some(result) => write!(
                out,
                "  {name}(params: protocol.{}, options?: RequestOptions): Promise<protocol.{result}> {{\n    \
                 return this.request(\"{}\", params, options);\n  }}\n",
                method.params, method.name
            )
            .unwrap(),
            None => write!(
                out,
                "  {name}(params: protocol.{}): Promise<void> {{\n    \
                 return this.notify(\"{}\", params);\n  }}\n",
                method.params, method.name
            )
            .unwrap(),
        }
    }
    out + "}\n"
}

const METHODS_CLASS: &str = "}

/** What may be said of one request. */
export interface RequestOptions {
  /** Milliseconds after which the request is cancelled; the client's own setting where absent. */
  timeout?: number | undefined;
  /** Cancels the request when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** The methods of the protocol. */
export abstract class Methods {
  /** Calls any request of the protocol. */
  abstract request<M extends keyof Requests>(
    method: M,
    params: Requests[M][\"params\"],
    options?: RequestOptions,
  ): Promise<Requests[M][\"result\"]>;

  /** Sends any notification of the protocol. */
  abstract notify<M extends keyof Notifications>(
    method: M,
    params: Notifications[M][\"params\"],
  ): Promise<void>;
";

/// `toolResult/compressBatch` as `toolResultCompressBatch`.
fn camel(name: &str) -> String {
    let (head, tail) = name.split_once('/').unwrap();
    format!("{head}{}{}", tail[..1].to_ascii_uppercase(), &tail[1..])
}
