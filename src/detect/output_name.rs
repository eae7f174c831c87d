//! The name of a command's output if the command prints one value: `DB_PASSWORD` for `printenv DB_PASSWORD`. The
//! rules for secrets judge the value with that name, because the value alone may not look like a secret.

use super::command::{CommandLine, Pipeline, Simple};
use super::read_command;
use crate::text::call::ToolCall;

/// The name for outputs that are a password or a token whatever they look like.
const SECRET: &str = "password";
/// Longest name, in bytes. Longer words are not names.
const MAX_NAME_BYTES: usize = 128;

/// Programs with the arguments that make them print a secret. The arguments may be anywhere.
const PRINT_SECRETS: &[(&str, &[&str])] = &[
    ("argocd", &["admin", "initial-password"]),
    ("aws", &["ecr", "get-login-password"]),
    ("aws", &["rds", "generate-db-auth-token"]),
    ("aws", &["secretsmanager", "get-secret-value"]),
    ("az", &["account", "get-access-token"]),
    ("az", &["keyvault", "secret", "show"]),
    ("az", &["storage", "account", "keys"]),
    ("bw", &["get", "password"]),
    ("bw", &["get", "totp"]),
    ("fly", &["auth", "token"]),
    ("flyctl", &["auth", "token"]),
    ("gcloud", &["auth", "print-access-token"]),
    ("gcloud", &["auth", "print-identity-token"]),
    ("gcloud", &["secrets", "versions", "access"]),
    ("gh", &["auth", "token"]),
    ("glab", &["auth", "token"]),
    ("gopass", &["show"]),
    ("heroku", &["auth:token"]),
    ("keyring", &["get"]),
    ("kubeadm", &["token", "create"]),
    ("kubectl", &["create", "token"]),
    ("lpass", &["show", "--password"]),
    ("oc", &["whoami", "-t"]),
    ("oc", &["whoami", "--show-token"]),
    ("pass", &["show"]),
    ("rbw", &["get"]),
    ("secret-tool", &["lookup"]),
    ("security", &["find-generic-password", "-w"]),
    ("security", &["find-internet-password", "-w"]),
    ("vault", &["print", "token"]),
];

/// Options whose value is the name, by program.
const NAME_OPTIONS: &[(&str, &[&str])] = &[
    ("aws", &["--name", "--query"]),
    ("kubectl", &["-o", "--output"]),
    ("oc", &["-o", "--output"]),
    ("op", &["--fields", "--field"]),
    ("sops", &["--extract"]),
    ("vault", &["-field", "--field"]),
];

/// Programs whose last word is the name if the words before it are these.
const LAST_WORD: &[(&str, &[&str])] = &[
    ("aws", &["configure", "get"]),
    ("chamber", &["read"]),
    ("consul", &["kv", "get"]),
    ("doppler", &["secrets", "get"]),
    ("etcdctl", &["get"]),
    ("git", &["config"]),
    ("infisical", &["secrets", "get"]),
    ("jq", &[]),
    ("npm", &["config", "get"]),
    ("op", &["read"]),
    ("printenv", &[]),
    ("pulumi", &["config", "get"]),
    ("pulumi", &["stack", "output"]),
    ("redis-cli", &[]),
    ("terraform", &["output"]),
    ("tofu", &["output"]),
    ("yq", &[]),
];

/// The name of the one value that the call's command prints, or `None`.
pub fn of(call: &ToolCall) -> Option<String> {
    of_command(&read_command(call, call.command.as_deref()?))
}

/// The same for a command line by itself.
pub fn of_command_line(command: &str) -> Option<String> {
    of_command(&CommandLine::parse(command))
}

fn of_command(command: &CommandLine) -> Option<String> {
    let mut shown = command.pipelines.iter().filter(|pipeline| pipeline.is_shown());
    let pipeline = shown.next()?;
    if shown.next().is_some() {
        return None;
    }
    of_pipeline(pipeline).filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES)
}

fn of_pipeline(pipeline: &Pipeline) -> Option<String> {
    let first = pipeline.first()?;
    let last = pipeline.last()?;
    // `… | jq -r .token`: the last program names the value.
    if pipeline.len() > 1 && matches!(last.program(), "jq" | "yq") {
        return by_last_word(last);
    }
    if PRINT_SECRETS.iter().any(|(program, words)| starts(first, program, words)) {
        return Some(SECRET.to_owned());
    }
    match first.program() {
        "echo" | "printf" => variable(first),
        "cat" | "head" | "tail" | "base64" => file(first),
        "grep" | "egrep" | "rg" if pipeline.len() > 1 => searched(first),
        _ => by_option(first).or_else(|| by_last_word(first)),
    }
}

/// Whether a program runs with these words among its arguments, in this order.
fn starts(simple: &Simple, program: &str, words: &[&str]) -> bool {
    let mut rest = simple.argv.iter().skip(1);
    simple.program() == program && words.iter().all(|word| rest.any(|argument| argument == word))
}

fn by_option(simple: &Simple) -> Option<String> {
    let (_, options) = NAME_OPTIONS.iter().find(|(program, _)| *program == simple.program())?;
    let mut words = simple.argv.iter().skip(1);
    while let Some(word) = words.next() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        if options.contains(&flag) {
            let value = value.or_else(|| words.next().cloned())?;
            let name = last_name(&value);
            if matches!(name, "" | "Value" | "value" | "SecretString") {
                continue;
            }
            return Some(name.to_owned());
        }
    }
    None
}

fn by_last_word(simple: &Simple) -> Option<String> {
    let fits = |(program, words): &&(&str, &[&str])| starts(simple, program, words);
    LAST_WORD.iter().find(fits)?;
    let mut words = simple.argv.iter().skip(1).filter(|word| !word.starts_with('-'));
    // The filter of these programs comes before the files.
    let word = if matches!(simple.program(), "jq" | "yq") {
        words.find(|word| word.starts_with('.') || word.starts_with('['))
    } else {
        words.next_back()
    };
    Some(last_name(word?).to_owned())
}

/// The one variable that `echo "$NAME"` and `printf '%s\n' "${NAME}"` print.
fn variable(simple: &Simple) -> Option<String> {
    let mut names = simple.argv.iter().skip(1).filter_map(|word| word.strip_prefix('$'));
    let name = names.next()?.trim_start_matches('{').trim_end_matches('}');
    names.next().is_none().then(|| last_name(name).to_owned())
}

/// The file that holds the value, without its ending: `/run/secrets/db_password`, `~/.vault-token`.
fn file(simple: &Simple) -> Option<String> {
    let mut words = simple.argv.iter().skip(1).filter(|word| !word.starts_with('-'));
    let path = words.next()?;
    if words.next().is_some() {
        return None;
    }
    let name = super::viewed::name(path).trim_start_matches('.');
    Some(name.trim_end_matches(".txt").to_owned())
}

/// The name that `grep DB_PASSWORD .env | cut -d= -f2` searches for.
fn searched(simple: &Simple) -> Option<String> {
    let pattern = simple.argv.iter().skip(1).find(|word| !word.starts_with('-'))?;
    Some(last_name(pattern.trim_start_matches('^').trim_end_matches('=')).to_owned())
}

/// The last name of a path in data or files: `password` of `.data.password`, `secret/db/password`, `["db"]["password"]`,
/// `jsonpath={.data.password}`.
fn last_name(path: &str) -> &str {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let end = path.trim_end_matches(|c: char| !is_part(c));
    let start = end.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    // The character before may be longer than a byte.
    end.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_says_what_its_one_value_is() {
        for (command, name) in [
            ("vault kv get -field=password secret/prod/db", Some("password")),
            ("vault read -field token auth/x", Some("token")),
            ("printenv STRIPE_API_KEY", Some("STRIPE_API_KEY")),
            ("echo $DB_PASSWORD", Some("DB_PASSWORD")),
            ("printf '%s\\n' \"${DB_PASSWORD}\"", Some("DB_PASSWORD")),
            ("terraform output -raw db_password", Some("db_password")),
            ("kubectl get secret db -o jsonpath='{.data.password}' | base64 -d", Some("password")),
            ("gh auth token", Some("password")),
            (
                "aws ssm get-parameter --name /prod/db/password --with-decryption --query Parameter.Value --output text",
                Some("password"),
            ),
            ("aws configure get aws_secret_access_key", Some("aws_secret_access_key")),
            ("op read 'op://vault/item/password'", Some("password")),
            ("cat /run/secrets/db_password", Some("db_password")),
            ("cat ~/.vault-token", Some("vault-token")),
            ("cat config.json | jq -r '.auth.token'", Some("token")),
            ("jq -r .db.password config.json", Some("password")),
            ("grep ^DB_PASSWORD= .env | cut -d= -f2", Some("DB_PASSWORD")),
            ("redis-cli GET user:7:password", Some("password")),
            ("sops -d --extract '[\"db\"][\"password\"]' s.yaml", Some("password")),
            ("sudo pass show mail", Some("password")),
            ("argocd admin initial-password -n argocd", Some("password")),
            ("vault print token", Some("password")),
            ("argocd app list", None),
            ("git rev-parse HEAD", None),
            ("echo $A $B", None),
            ("vault kv get -field=password a; ls", None),
        ] {
            assert_eq!(of_command(&CommandLine::parse(command)).as_deref(), name, "{command}");
        }
    }
}
