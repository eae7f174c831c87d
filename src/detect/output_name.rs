//! The name of a command's output if the command prints one value: `DB_PASSWORD` for `printenv DB_PASSWORD`. The
//! rules for secrets judge the value with that name, because the value alone may not look like a secret.

use super::command::{CommandLine, Pipeline, Simple};
use super::read_command;
use crate::text::call::ToolCall;

/// The name for outputs that are a password or a token whatever they look like.
const SECRET: &str = "password";
/// The name for outputs that are a secret if they look random.
const GENERIC_SECRET_NAME: &str = "secret";
/// Longest name, in bytes. Longer words are not names.
const MAX_NAME_BYTES: usize = 128;

/// Programs with the arguments that make them print a secret. The arguments may be anywhere.
const PRINT_SECRETS: &[(&str, &[&str])] = &[
    ("argocd", &["admin", "initial-password"]),
    ("aws", &["ecr", "get-login-password"]),
    ("aws", &["rds", "generate-db-auth-token"]),
    ("aws", &["secretsmanager", "get-secret-value"]),
    ("az", &["acr", "credential", "show"]),
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
    ("kubectl", &["-o", "--output", "--template"]),
    ("oc", &["-o", "--output", "--template"]),
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
    ("heroku", &["config:get"]),
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

/// Programs at the end of a pipeline that select nothing: they decode or pass on.
const PASSING: &[&str] = &["base64", "base32", "tr", "cat", "head", "tail", "xargs", "tee"];

/// How a script reads a variable of the environment. The name follows, perhaps in quotation marks.
const READ_VARIABLE: &[&str] = &[
    "environ[",
    "environ.get(",
    "getenv(",
    "process.env.",
    "process.env[",
    "ENV[",
    "ENV.fetch(",
    "$ENV{",
    "env.get(",
];

/// The folder in which containers get their secrets, each in a file of its own.
const SECRETS_FOLDERS: &[&str] = &["/run/secrets/", "/var/run/secrets/"];

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
    // `… | jq -r .token | base64 -d`: the last program that selects a value names it.
    let last = pipeline.iter().rev().find(|simple| !PASSING.contains(&simple.program())).unwrap_or(first);
    if pipeline.len() > 1 && matches!(last.program(), "jq" | "yq") {
        return by_last_word(last);
    }
    if PRINT_SECRETS.iter().any(|(program, words)| starts(first, program, words)) {
        return Some(SECRET.to_owned());
    }
    // `env | grep API_SECRET | cut -d= -f2`: what a later program searches for is nearer to the output.
    let is_within = |at: usize| at + 1 < pipeline.len();
    let later = pipeline.iter().enumerate().skip(1).rev().find_map(|(at, simple)| match simple.program() {
        "awk" | "gawk" | "mawk" | "sed" => selected(simple),
        "grep" | "egrep" | "rg" if is_within(at) => searched(simple),
        _ => None,
    });
    later.or_else(|| of_first(first, is_within(0)))
}

/// The name that the first program gives; `has_more` says that another program reads its output.
fn of_first(first: &Simple, has_more: bool) -> Option<String> {
    match first.program() {
        "echo" | "printf" => variable(first),
        "cat" | "head" | "tail" | "base64" => file(first),
        "grep" | "egrep" | "rg" if has_more => searched(first),
        "awk" | "gawk" | "mawk" | "sed" => selected(first),
        "python" | "python3" | "node" | "deno" | "bun" | "ruby" | "perl" | "php" => in_script(first),
        "aws" if first.argv.iter().any(|word| word == "--with-decryption") => Some(
            by_option(first)
                .filter(|name| is_telling(name))
                .unwrap_or_else(|| GENERIC_SECRET_NAME.to_owned()),
        ),
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
            // `{{.data.password|base64decode}}`: the name is before the function.
            let is_template = value.contains("{{");
            let name = last_name(value.split('|').next().filter(|_| is_template).unwrap_or(&value));
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
    let word = match simple.program() {
        "jq" | "yq" => words.find(|word| word.starts_with('.') || word.starts_with('[')),
        "heroku" => words.nth(1),
        _ => words.next_back(),
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
    let name = super::viewed::name(path).trim_start_matches('.').trim_end_matches(".txt");
    let is_secret = |folder: &str| path.strip_prefix(folder).is_some_and(|rest| !rest.contains('/'));
    Some(match SECRETS_FOLDERS.iter().any(|folder| is_secret(folder)) && !is_telling(name) {
        true => SECRET.to_owned(),
        false => name.to_owned(),
    })
}

/// Whether a name alone shows that its value is a secret.
fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["pass", "secret", "token", "key"].iter().any(|word| name.contains(word))
}

/// The name that the pattern of `awk '/DB_PASSWORD/{print $2}'` or `sed -n 's/^DB_PASSWORD=//p'` has: its longest word.
fn selected(simple: &Simple) -> Option<String> {
    /// Shorter words, in bytes, are parts of patterns.
    const MIN_WORD_BYTES: usize = 3;
    let scripts = simple.argv.iter().skip(1).filter(|word| !word.starts_with('-'));
    let script = scripts.into_iter().find(|word| word.contains(['/', '"']))?;
    let mark = if script.contains('/') { '/' } else { '"' };
    let pattern = script.split(mark).nth(1)?;
    let words = pattern.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    words.max_by_key(|word| word.len()).filter(|word| word.len() >= MIN_WORD_BYTES).map(str::to_owned)
}

/// The one variable of the environment that a script in the arguments reads: `python3 -c "…os.environ['API_SECRET']"`.
fn in_script(simple: &Simple) -> Option<String> {
    /// Most places in a script that are examined.
    const MAX_PLACES: usize = 16;
    let is_flag = |word: &String| word.starts_with('-') && word.ends_with(['c', 'e', 'p', 'E', 'r']);
    if !simple.argv.iter().any(|word| is_flag(word) || word == "eval" || word == "--print") {
        return None;
    }
    let reads =
        simple.argv.iter().skip(1).flat_map(|word| READ_VARIABLE.iter().map(move |read| (word, *read)));
    let mut names = reads.flat_map(|(script, read)| {
        script.match_indices(read).take(MAX_PLACES).map(move |(at, _)| {
            let rest = script[at + read.len()..].trim_start_matches(['\'', '"', '\\', ' ']);
            rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
        })
    });
    let name = names.next()?;
    names.all(|other| other == name).then(|| name.to_owned())
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
            ("python3 -c \"import os; print(os.environ['API_SECRET'])\"", Some("API_SECRET")),
            ("node -p process.env.API_SECRET", Some("API_SECRET")),
            ("node -r dotenv/config -p process.env.API_SECRET", Some("API_SECRET")),
            ("ruby -e 'puts ENV[\"API_SECRET\"]'", Some("API_SECRET")),
            ("perl -e 'print $ENV{API_SECRET}'", Some("API_SECRET")),
            ("awk -F= '/DB_PASSWORD/{print $2}' .env", Some("DB_PASSWORD")),
            ("awk -F= '$1==\"DB_PASSWORD\"{print $2}' .env", Some("DB_PASSWORD")),
            ("sed -n 's/^DB_PASSWORD=//p' .env", Some("DB_PASSWORD")),
            ("kubectl get secret db -o json | jq -r '.data.password' | base64 -d", Some("password")),
            ("kubectl get secret db -o go-template='{{.data.password|base64decode}}'", Some("password")),
            ("kubectl get secret db --template='{{.data.token | base64decode}}'", Some("token")),
            ("heroku config:get SECRET_KEY_BASE -a web", Some("SECRET_KEY_BASE")),
            ("cat /run/secrets/db", Some("password")),
            ("az acr credential show -n reg --query 'passwords[0].value' -o tsv", Some("password")),
            ("python3 -c \"print(1)\"", None),
            ("python3 -c \"import os; print(os.environ['A'], os.environ['B'])\"", None),
            ("awk '{print $1}' a.txt", None),
            ("cat /run/secrets/app/config", Some("config")),
            ("env | grep API_SECRET | cut -d= -f2", Some("API_SECRET")),
            ("cat .env | grep API_SECRET | sed 's/.*=//'", Some("API_SECRET")),
            ("cat .env | awk -F= '/API_SECRET/{print $2}'", Some("API_SECRET")),
            ("printenv DB_PASSWORD | sed 's/\"//g'", Some("DB_PASSWORD")),
            ("aws ssm get-parameter --name /prod/dsn --with-decryption --output text", Some("secret")),
            ("cat a.txt | grep password", Some("a")),
            ("argocd app list", None),
            ("git rev-parse HEAD", None),
            ("echo $A $B", None),
            ("vault kv get -field=password a; ls", None),
        ] {
            assert_eq!(of_command(&CommandLine::parse(command)).as_deref(), name, "{command}");
        }
    }
}
