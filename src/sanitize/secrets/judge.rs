//! Distinguishes secret values from look-alikes by entropy, byte classes, templates and randomness.
//!
//! Judges one candidate value at a time and never reads the text around it.

pub(super) use super::sets::{ByteSet, Sought, skip, skip_back};

use super::sets::byte_set;

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for &b in value {
        counts[b as usize] += 1;
    }
    let len = value.len() as f32;
    let part = |n: u32| {
        let p = n as f32 / len;
        -p * p.log2()
    };
    // Most bytes of a value occur a few times, so few logarithms are needed.
    let mut few = [0.0; 5];
    for (n, known) in (1..).zip(&mut few) {
        *known = part(n);
    }
    counts
        .iter()
        .filter(|&&n| n > 0)
        .map(|&n| few.get(n as usize - 1).copied().unwrap_or_else(|| part(n)))
        .sum()
}

/// Case-insensitive substring test; `needle` is lower case and short.
pub(super) fn contains(value: &[u8], needle: &str) -> bool {
    let Some(first) = needle.bytes().next() else { return true };
    let last = value.len().saturating_sub(needle.len() - 1);
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), &value[..last])
        .any(|at| value[at..at + needle.len()].eq_ignore_ascii_case(needle.as_bytes()))
}

/// Longest value in which template words count, in bytes; longer values are keys, which may contain any word by
/// chance.
const MAX_TEMPLATE_BYTES: usize = 64;

/// Strings that show that a value is a template.
const MARKS: Sought<16> = Sought::new([
    "${",
    "$(",
    "{{",
    "}}",
    "<%",
    "%s",
    "%(",
    "%{",
    "...",
    "***",
    "{}",
    "\\(",
    "process.env",
    "os.environ",
    "getenv",
    "import.meta",
]);

/// Words in placeholder values: a part of the value begins with one of them.
const WORDS: &[&str] = &[
    "your",
    "changeme",
    "change-me",
    "change_me",
    "replace",
    "placeholder",
    "redacted",
    "insert",
    "todo",
    "dummy",
    "here",
    "fake",
    "notreal",
    "not-real",
    "not_real",
];
const WORD_STARTS: ByteSet = ByteSet::first_of(WORDS);

/// Whether `value` refers to a value elsewhere: a variable, a template field, a mask.
pub(super) fn is_template(value: &[u8]) -> bool {
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return true };
    let set = byte_set(value);
    (first == b'<' && last == b'>')
        || (first == b'%' && last == b'%')
        // A tag of YAML.
        || value.strip_prefix(b"!!").is_some_and(|tag| tag.iter().all(u8::is_ascii_lowercase))
        || (first == b'{' && last == b'}')
        || (first == b'[' && last == b']')
        || (first == b'$'
            && value.get(1).is_some_and(|&b| b == b'_' || b.is_ascii_alphabetic())
            && value[1..].iter().all(|&b| is_word(b))
            // A password may begin with this sign too, but names of variables do not mix letters and digits in this way.
            && !is_made(&value[1..]))
        || value.contains(&0xE2) && value.windows(3).any(|w| w == "…".as_bytes() || w == "•".as_bytes())
        || MARKS.within(set).any(|mark| is_marked(value, mark))
        || (value.len() <= MAX_TEMPLATE_BYTES
            && (has_word(value) && !is_made(value) || is_crossed_out(value)))
        || mostly_one_byte(value)
        || is_documented(value)
}

/// Marks of templates that are so short that a password may contain them.
const SHORT_MARKS: &[&str] = &["$(", "%s", "%(", "%{", "\\(", "<%"];

/// Whether a mark makes a value a template. Inside random letters and digits, a short mark is part of the value.
fn is_marked(value: &[u8], mark: &str) -> bool {
    let Some(at) = memchr::memmem::find(value, mark.as_bytes()) else { return false };
    let behind = &value[at + mark.len()..];
    let is_inside = at > 0
        && value[at - 1].is_ascii_alphanumeric()
        && behind.first().is_some_and(u8::is_ascii_alphanumeric)
        && !behind.iter().any(|b| b")}>".contains(b));
    let is_short = SHORT_MARKS.contains(&mark);
    let is_alone = mark == "}}" && memchr::memmem::find(value, b"{{").is_none();
    let is_part = is_inside && is_short && (is_made(value) || is_signed_password(value))
        || is_alone && is_made(value)
        || (is_short || matches!(mark, "{}" | "...")) && is_random_with_signs(value);
    !is_part
}

/// Whether letters of both cases and digits alternate as often as in generated values, and more often than in
/// examples that people write.
fn is_made(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
    count(u8::is_ascii_digit) > 1
        && count(u8::is_ascii_uppercase) > 1
        && count(u8::is_ascii_lowercase) > 1
        && oddity(value) > 0
}

/// Whether `value` is an example from documentation: the keys in the documentation of AWS, which a random value
/// equals once in many billions, or the default key of Azurite.
fn is_documented(value: &[u8]) -> bool {
    let is_capital = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit();
    let is_id = value.len() == 20 && value.ends_with(b"EXAMPLE") && value.iter().all(is_capital);
    let is_of_emulator = value.starts_with(b"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1");
    is_id || is_of_emulator || (value.len() == 40 && value.ends_with(b"EXAMPLEKEY"))
}

/// Whether `password` is a default password, or one that people use for tests.
pub(super) fn is_default(user: &[u8], password: &[u8]) -> bool {
    const DEFAULTS: &[&str] = &[
        "postgres",
        "postgresql",
        "mysql",
        "mariadb",
        "mongo",
        "mongodb",
        "redis",
        "root",
        "admin",
        "guest",
        "user",
        "test",
        "secret",
        "example",
        "changeme",
        "minio",
        "minioadmin",
        "rabbitmq",
        "rabbit",
        "sa",
        "neo4j",
        "elastic",
        "toor",
        "docker",
        "dev",
        "develop",
        "local",
        "1234",
        "12345",
        "123456",
        "password1",
        "password123",
        "admin123",
        "postgres123",
        "root123",
        "test123",
    ];
    !password.is_empty()
        && (password.eq_ignore_ascii_case(user)
            || DEFAULTS.iter().any(|word| password.eq_ignore_ascii_case(word.as_bytes())))
}

/// `OPENAI_API_KEY`: the name of a variable instead of a value.
pub(super) fn is_variable(value: &[u8]) -> bool {
    value.contains(&b'_')
        && value[0].is_ascii_uppercase()
        && value.iter().all(|b| b.is_ascii_uppercase() || *b == b'_')
}

/// Whether a part of `value` begins with one of `WORDS`.
fn has_word(value: &[u8]) -> bool {
    let mut before = b' ';
    value.iter().enumerate().any(|(at, &b)| {
        let is_start = !std::mem::replace(&mut before, b).is_ascii_alphanumeric();
        is_start && WORD_STARTS.has(b) && WORDS.iter().any(|word| starts_with(&value[at..], word))
    })
}

/// Whether a text begins with `word`, in any case; `word` is lower case.
fn starts_with(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether `value` contains `xxxx`, in any case.
fn is_crossed_out(value: &[u8]) -> bool {
    let mut run = 0;
    value.iter().any(|b| {
        run = if b.eq_ignore_ascii_case(&b'x') { run + 1 } else { 0 };
        run == 4
    })
}

fn mostly_one_byte(value: &[u8]) -> bool {
    let Some(&first) = value.first() else { return true };
    let last = value[value.len() - 1];
    let same = |byte| value.iter().filter(|&&b| b == byte).count() * 4 > value.len() * 3;
    same(first) || same(last)
}

/// `0x5555556a2c0`: where a debugger found the string after it.
pub(super) fn is_address(bytes: &[u8]) -> bool {
    bytes.len() <= 18
        && bytes.strip_prefix(b"0x").is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Whether `value` refers to something: a path, an address, a resource name, a digest with its algorithm.
pub(super) fn is_reference(value: &[u8]) -> bool {
    const STARTS: &[&str] = &[
        "./",
        "../",
        "~/",
        "arn:",
        "file:",
        "env:",
        "vault:",
        "ref+",
        "sha1-",
        "sha256",
        "sha384-",
        "sha512",
        "md5:",
        "data:",
        "projects/",
        "op://",
    ];
    const FIRST: ByteSet = ByteSet::first_of(STARTS);
    let refers = match value.first() {
        Some(b'/') => is_path(value),
        Some(b'#' | b'@') => !is_chosen_behind_sign(&value[1..]),
        _ => false,
    };
    refers
        || value.first().is_some_and(|&b| FIRST.has(b))
            && STARTS.iter().any(|start| {
                value.len() >= start.len() && value[..start.len()].eq_ignore_ascii_case(start.as_bytes())
            })
        || value.contains(&b':') && value.windows(3).any(|w| w == b"://")
        || value.len() > 2 && value[0].is_ascii_alphabetic() && &value[1..3] == b":\\"
}

/// Whether a value that begins with `/` is a path. One in 64 base64 keys also begins with `/`.
fn is_path(value: &[u8]) -> bool {
    let rest = &value[1..];
    let is_coded = rest.iter().all(|&b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    // A key has its full length; the parts of a path have names.
    let is_key = value.len() >= 24
        && is_coded
        && value.len().is_multiple_of(4)
        && (value.ends_with(b"=") || rest.contains(&b'+') || !rest.contains(&b'/'));
    // In a path, not every part has letters of both cases and digits.
    let is_mixed = |part: &[u8]| {
        part.iter().any(u8::is_ascii_uppercase)
            && part.iter().any(u8::is_ascii_lowercase)
            && part.iter().any(u8::is_ascii_digit)
    };
    let is_key = is_key || is_coded && value.len() >= 16 && rest.split(|b| *b == b'/').all(is_mixed);
    // A regular expression between slashes also has these characters.
    let is_signed = rest.iter().any(|b| b"!^<>|;()[]*=?".contains(b))
        && !rest.starts_with(b"^")
        && !rest.contains(&b'\\');
    let is_made =
        is_made(rest) && (is_signed && !rest.ends_with(b"/") || !rest.iter().any(|b| b"/.".contains(b)));
    !(is_key && oddity(rest) > 2 || is_made)
}

/// Whether the text after `#` or `@` is a chosen password, and not a colour, selector, annotation or scope name.
fn is_chosen_behind_sign(rest: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| rest.iter().any(is);
    let digits = rest.iter().filter(|b| b.is_ascii_digit()).count();
    let is_mixed = has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && (digits > 1 || digits > 0 && oddity(rest) > 0);
    let is_signed = digits > 0 && rest.iter().any(|&b| SPECIAL.has(b));
    let is_path = rest.iter().any(|b| b"/.".contains(b)) && !rest.iter().any(|b| b"!^<>;|".contains(b));
    if is_made(rest) && !is_path || is_random_with_signs(rest) {
        return !b"{[(".contains(&rest[0]);
    }
    (is_mixed || is_signed)
        && !rest.iter().any(|b| b"/.(){}[]:,;<> ".contains(b))
        && !rest.iter().all(u8::is_ascii_hexdigit)
        && !["pass", "pwd", "param", "value", "token", "secret"].iter().any(|word| contains(rest, word))
}

/// How doubtful a candidate is before its value is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// A vendor's prefix, or the vendor's name and the right length.
    Little,
    /// A name that means a secret.
    Some,
    /// A name that merely contains such a word.
    Strong,
}

/// Whether a value looks random, as generated by a program or typed in a hurry.
///
/// Names, words with a number after them, versions, dates and dotted paths are not random. The test counts places where a
/// letter follows a digit or the case alternates, which are rare in names.
pub(super) fn is_random(value: &[u8], doubt: Doubt) -> bool {
    let n = value.len();
    if n < if doubt == Doubt::Strong { 20 } else { 10 } || is_uuid(value) || value.contains(&b' ') {
        return false;
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    if letters == 0 {
        return false;
    }
    if digits == 0 && n < 24 {
        return doubt != Doubt::Strong && is_gibberish(value);
    }
    if (digits + letters) * 4 < n * 3 {
        return is_random_with_signs(value);
    }
    let floor = match n {
        0..16 => 2.9,
        16..24 => 3.1,
        // With sixteen digits, repetitions are frequent by chance.
        _ if value.iter().all(u8::is_ascii_hexdigit) => 3.0,
        _ => 3.3,
    };
    let least = match doubt {
        Doubt::Little => 1,
        Doubt::Some => 2.max(n / 16),
        Doubt::Strong => 3.max(n / 12),
    };
    oddity(value) >= least && entropy(value) >= floor
        || digits == 0 && doubt != Doubt::Strong && is_alternating(value)
        || is_random_with_signs(value)
}

/// Whether a long run of letters changes its case more often than words do.
fn is_alternating(value: &[u8]) -> bool {
    /// Fewest letters of such a run. A choice.
    const MIN_LETTERS: usize = 32;
    let changes = value.windows(2).filter(|two| two[0].is_ascii_lowercase() != two[1].is_ascii_lowercase());
    value.len() >= MIN_LETTERS
        && value.iter().all(u8::is_ascii_alphabetic)
        && changes.count() * 3 > value.len()
}

/// For each letter, the letters that often follow it in English words and in names of programs, as bits. These 299
/// pairs are 95 % of all pairs in about 40,000 words of documentation and source code.
const COMMON_PAIRS: [u32; 26] = [
    0x1febd6f, 0x1164911, 0x01edd9d, 0x016493d, 0x1effd7f, 0x01e4931, 0x0166991, 0x11a4111, 0x2aefc7f,
    0x0004011, 0x0044111, 0x13c493d, 0x014d913, 0x13ced7d, 0x07efd7f, 0x11ec995, 0x0100000, 0x13efd7f,
    0x15dfdb5, 0x15ed9bd, 0x00eb97f, 0x0004111, 0x0066191, 0x0088114, 0x004a801, 0x0000010,
];

/// Whether the letters of a value look random, unlike those of any language: 1 pair of adjacent letters in 3 is
/// rare. This is so for 91 to 97 % of values of random letters, for 81 % of those with digits among the letters,
/// and for 4 in 1,000 of 22,902 names of at least 12 letters in source code.
pub(super) fn is_gibberish(value: &[u8]) -> bool {
    /// Fewest bytes, and fewest rare pairs: with a digit and without. A choice.
    const MIN_BYTES: usize = 12;
    const MIN_RARE: (usize, usize) = (3, 4);
    if !(MIN_BYTES..=MAX_TEMPLATE_BYTES * 2).contains(&value.len()) || !value.iter().all(u8::is_ascii_graphic)
    {
        return false;
    }
    let letter = |b: u8| usize::from(b.to_ascii_lowercase() - b'a');
    let (mut pairs, mut rare) = (0, 0);
    for two in value.windows(2).filter(|two| two.iter().all(u8::is_ascii_alphabetic)) {
        pairs += 1;
        rare += usize::from(COMMON_PAIRS[letter(two[0])] >> letter(two[1]) & 1 == 0);
    }
    let least = if value.iter().any(u8::is_ascii_digit) { MIN_RARE.0 } else { MIN_RARE.1 };
    // A part of the alphabet is an example, not a secret.
    rare >= least && rare * 3 >= pairs && !contains(value, "abcdef")
}

/// Whether a person chose a value with letters of both cases, two digits or more, and signs between them that no
/// name, path or code has: `Violet589?rJkW`.
pub(super) fn is_signed_password(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
    let is_between = |at: usize| at > 0 && value[at - 1].is_ascii_alphanumeric();
    let is_sign = |b: u8| b"!?%&*#^~+@$".contains(&b);
    let signs = (0..value.len().saturating_sub(1)).filter(|at| is_sign(value[*at]) && is_between(*at));
    (10..=MAX_TEMPLATE_BYTES).contains(&value.len())
        && count(u8::is_ascii_digit) > 1
        && count(u8::is_ascii_lowercase) > 1
        && count(u8::is_ascii_uppercase) > 1
        && value.iter().all(|b| b.is_ascii_alphanumeric() || is_sign(*b) || matches!(b, b'_' | b'-' | b'.'))
        && value.first().is_some_and(u8::is_ascii_alphanumeric)
        && signs.count() > 0
}

/// Whether a value of many signs is random, like the keys that frameworks generate:
/// `8$w@k3(7n!x_q2&z^m0p5=jr#t+6yv9h*4bu1-cg)se%fl`.
///
/// Patterns, queries and code have many signs too; their letters are in words, or in ranges.
pub(super) fn is_random_with_signs(value: &[u8]) -> bool {
    /// Fewest bytes, kinds of signs, and entropy. A choice: patterns have as few.
    const MIN_BYTES: usize = 20;
    const MIN_KINDS: u32 = 4;
    const MIN_ENTROPY: f32 = 3.8;
    /// Longest run of letters; a longer one is a word. A choice.
    const MAX_RUN: usize = 5;
    const PATTERN: Sought<8> = Sought::new(["a-z", "A-Z", "0-9", "\\d", "\\w", "(?", "[^", ".*"]);
    if value.len() < MIN_BYTES
        || value.len() > MAX_TEMPLATE_BYTES * 2
        || !value.iter().all(u8::is_ascii_graphic)
    {
        return false;
    }
    // Django marks its generated keys with this prefix.
    let value = value.strip_prefix(b"django-insecure-").unwrap_or(value);
    let set = byte_set(value);
    let rare = byte_set(b"!@#$%^&*()+~{}[]<>;|") & set;
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let runs = value.split(|b| !b.is_ascii_alphabetic());
    let in_words: usize = runs.map(<[u8]>::len).filter(|len| *len > MAX_RUN).sum();
    rare.count_ones() >= MIN_KINDS
        && set & byte_set(b"\"'`") == 0
        && digits > 1
        && letters * 4 >= value.len()
        && in_words * 2 <= letters
        && entropy(value) >= MIN_ENTROPY
        && !PATTERN.is_in(value)
}

/// The highest oddity of a name without digits: `OutOfMemoryError` has two.
pub(super) const MAX_ODDITY_OF_NAMES: usize = 2;

/// Number of digit-to-letter steps and of letters in alternating case.
pub(super) fn oddity(value: &[u8]) -> usize {
    let (mut odd, mut last, mut alternating) = (0, Class::Other, 0);
    for &b in value {
        let class = CLASSES[usize::from(b)];
        let is_letter = matches!(class, Class::Lower | Class::Upper);
        odd += usize::from(last == Class::Digit && is_letter);
        // Consecutive letters of alternating case.
        alternating = match last {
            _ if !is_letter => 0,
            Class::Lower | Class::Upper if last != class => alternating + 1,
            _ => 1,
        };
        // `aBcD`: parts of camel case are longer.
        odd += usize::from(alternating >= 4);
        last = class;
    }
    odd
}

/// The class of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Digit,
    Lower,
    Upper,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut b = 0;
    while b < 128 {
        classes[b] = match b as u8 {
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            _ => Class::Other,
        };
        b += 1;
    }
    classes
};

/// Whether a person would choose this as a password; plain words do not qualify.
pub(super) fn is_password(value: &[u8]) -> bool {
    let n = value.len();
    if !(6..=256).contains(&n) || is_uuid(value) {
        return false;
    }
    let (mut digits, mut lower, mut upper, mut special, mut other) = (0, 0, 0, 0, 0);
    for b in value {
        match CLASSES[usize::from(*b)] {
            Class::Digit => digits += 1,
            Class::Lower => lower += 1,
            Class::Upper => upper += 1,
            Class::Other if !b.is_ascii() => other += 1,
            Class::Other if !b.is_ascii_graphic() => return false,
            Class::Other => special += usize::from(SPECIAL.has(*b)),
        }
    }
    if digits == n {
        return true;
    }
    // A value that is mostly in a script other than Latin is a label.
    if other * 2 > n {
        return false;
    }
    // Code without brackets does not have several special characters between letters of both cases.
    let is_signed = n >= 12
        && special > 2
        && lower > 2
        && upper > 2
        && !value.iter().any(|b| b"()[]{}<>/\\,;:\"'`|".contains(b))
        && oddity(value) + special > 3;
    let opens_code = OPENS_CODE.has(value[0]) && digits == 0 && !is_signed;
    lower + upper > 0 && !opens_code && (digits > 0 || (special > 0 && lower > 0 && upper > 0 && n >= 8))
}

/// Special characters that people use in passwords.
const SPECIAL: ByteSet = ByteSet::parse("!@#$%^&*~+=?");
/// Characters with which code begins.
const OPENS_CODE: ByteSet = ByteSet::parse("#.^/%{<([$@:*&\\|?!=+-");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_as_in_no_language() {
        for value in ["qsRRZlPoQjoP", "lmaqypojvphyryho", "2PBTwGKfcRmz", "XN_bz=/2JDYqWB+L", "vvtrpvvwwxbk"]
        {
            assert!(is_gibberish(value.as_bytes()), "{value}");
        }
        for value in [
            "getAccessTokenForUser",
            "production-cluster",
            "EXPECTED_IDENTIFIER",
            "correcthorsebattery",
            "kubernetes.io/tls",
            "Benutzeranmeldung",
            "abcdefghijklmnopqrstuvwxyz",
            "short",
        ] {
            assert!(!is_gibberish(value.as_bytes()), "{value}");
        }
    }
}
