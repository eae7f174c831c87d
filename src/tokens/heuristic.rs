//! The counter without a vocabulary: an estimate of o200k from the shape of the text.
//!
//! It cuts the text as o200k does, so that digits, white space and newlines fall into the same groups, and prices
//! each piece by its kind and length. The prices are means over tool outputs (logs, code, listings, JSON), in
//! hundredths of a token. It reads no token table.

use super::{
    TokenCounter,
    class::{LOWER, MARK, NEWLINE, NUMBER, SPACE, UNCASED, UPPER},
    scan::class_at,
    split,
};

/// Counts by [`estimate`].
pub struct Heuristic;

impl TokenCounter for Heuristic {
    fn name(&self) -> &'static str {
        "heuristic"
    }

    fn count(&self, text: &str) -> usize {
        estimate(text)
    }
}

/// The approximate number of o200k tokens of `text`. An empty text costs nothing, any other at least one.
pub fn estimate(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut hundredths = 0;
    let mut start = 0;
    let mut after_number = false;
    while start < bytes.len() {
        let end = split::o200k(bytes, start);
        let piece = &bytes[start..end];
        hundredths += price(piece, after_number);
        after_number = piece[0].is_ascii_digit();
        start = end;
    }
    hundredths.div_ceil(100)
}

const TOKEN: usize = 100;

/// The prices of words of one to twelve letters; each further letter costs [`LETTER`].
type Words = [u16; 12];
const LETTER: usize = 25;

/// After a space: ` word`, ` Word`, ` WORD`.
const SPACED: [Words; 3] = [
    [100, 100, 103, 102, 104, 107, 112, 112, 120, 132, 135, 148],
    [100, 101, 101, 104, 106, 106, 119, 124, 135, 140, 157, 168],
    [100, 101, 114, 123, 146, 150, 152, 202, 240, 260, 290, 320],
];
/// At the start of a line, or directly after another word (`Word` in `oneWord`): `word`, `Word`, `WORD`.
const BARE: [Words; 3] = [
    [100, 104, 105, 106, 120, 122, 135, 140, 165, 185, 200, 230],
    [100, 103, 106, 109, 106, 106, 108, 114, 121, 132, 155, 150],
    [100, 100, 155, 130, 140, 180, 185, 270, 270, 280, 350, 370],
];
/// With a symbol before it: `.word`, `.Word`, `.WORD`.
const GLUED: [Words; 3] = [
    [101, 111, 126, 124, 134, 147, 158, 180, 195, 207, 233, 270],
    [109, 140, 134, 140, 146, 154, 162, 205, 205, 200, 223, 246],
    [109, 147, 170, 155, 188, 180, 185, 205, 270, 290, 330, 360],
];
/// Right after digits, as in a hash.
const HASHED: [Words; 3] = [
    [100, 100, 143, 190, 194, 200, 250, 260, 290, 300, 320, 340],
    [100, 125, 175, 150, 180, 200, 210, 220, 240, 260, 280, 300],
    [100, 105, 178, 250, 250, 250, 270, 290, 310, 330, 350, 370],
];

/// The price of one piece, never zero.
fn price(piece: &[u8], after_number: bool) -> usize {
    let first = piece[0];
    if !piece.is_ascii() {
        return wide(piece);
    }
    if first.is_ascii_digit() || piece.len() == 1 {
        return TOKEN;
    }
    let letters_from = usize::from(!first.is_ascii_alphabetic());
    if piece[letters_from..].first().is_some_and(u8::is_ascii_alphabetic) {
        let table = match first {
            b' ' => &SPACED,
            _ if letters_from == 1 => &GLUED,
            _ if after_number => &HASHED,
            _ => &BARE,
        };
        let price = word(&piece[letters_from..], table);
        return if letters_from == 0 { price } else { (price * prefix(first) / 100).max(TOKEN) };
    }
    // A space may lead symbols, but only one.
    if class_at(piece, 1).0 & (SPACE | NEWLINE) == 0 {
        return symbols(piece);
    }
    // Runs of one kind of white space have tokens of their own up to about eighty characters.
    TOKEN + piece.len() / 80 * TOKEN
}

fn word(letters: &[u8], table: &[Words; 3]) -> usize {
    let capital = letters[0].is_ascii_uppercase();
    let upper = capital && letters.get(1).is_some_and(u8::is_ascii_uppercase);
    let prices = &table[usize::from(capital) + usize::from(upper)];
    let listed = letters.len().min(prices.len());
    usize::from(prices[listed - 1]) + (letters.len() - listed) * LETTER
}

/// The price factor of words with this symbol before them, in hundredths of the table's price.
fn prefix(symbol: u8) -> usize {
    match symbol {
        b' ' | b'\t' => 98,
        b'.' | b'_' => 83,
        b'(' => 90,
        b'"' | b'=' => 105,
        b'-' => 110,
        b'/' => 114,
        _ => 135,
    }
}

/// Punctuation: a run of one character is cheap, a mixture costs by its length. Short runs have
/// tokens with the space before and the newline after, long ones do not.
fn symbols(piece: &[u8]) -> usize {
    /// A mixture of one to five characters.
    const MIXED: [usize; 5] = [100, 106, 116, 155, 200];
    let spaced = piece[0] == b' ';
    let body = piece[usize::from(spaced)..].trim_ascii_end();
    let joined = usize::from(spaced) + usize::from(body.len() + usize::from(spaced) < piece.len());
    let changes = body.windows(2).filter(|pair| pair[0] != pair[1]).count();
    if changes == 0 {
        return if body.len() <= 4 { TOKEN } else { 170 + joined * 50 };
    }
    let listed = MIXED[body.len().min(MIXED.len()) - 1];
    let more = changes.saturating_sub(MIXED.len() - 1) * 30;
    listed + more + if body.len() < 4 { 0 } else { joined * 40 }
}

/// A piece with characters beyond ASCII, priced by character: the vocabulary covers scripts to different degrees.
fn wide(piece: &[u8]) -> usize {
    let mut at = 0;
    let mut hundredths = 0;
    let mut previous: &[u8] = &[];
    while at < piece.len() {
        let (class, len) = class_at(piece, at);
        let character = &piece[at..at + len];
        let letter = class & (UPPER | LOWER | UNCASED | MARK) != 0;
        hundredths += match (character[0], len) {
            _ if character == previous && !letter => 30,
            (_, 1) if class & (SPACE | NUMBER) != 0 => 5,
            (_, 1) => 25,
            // Greek and Hebrew; then Latin, Cyrillic, Arabic.
            (0xcd..=0xcf | 0xd6..=0xd7, 2) if letter => 40,
            (_, 2) if letter => 29,
            (_, 2) => 90,
            // Kana, Han, Hangul; then Thai, Devanagari and their neighbours.
            (0xe3, _) if letter => 75,
            (0xe4..=0xe9, _) if letter => 65,
            (0xea..=0xed, _) if letter => 60,
            (_, 3) if letter => 38,
            (_, 3) => 130,
            _ => 200,
        };
        previous = character;
        at += len;
    }
    hundredths.max(TOKEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Tokenizer, counter};

    fn ratio(text: &str) -> f64 {
        estimate(text) as f64 / counter(Tokenizer::O200k).count(text) as f64
    }

    #[test]
    fn nothing_costs_nothing_and_anything_costs_something() {
        assert_eq!(estimate(""), 0);
        for text in ["a", " ", "\n", ".", "\0", "\u{301}", "\u{4e2d}", "\u{1f600}", "\u{10ffff}"] {
            assert!(estimate(text) >= 1, "{text:?}");
        }
    }

    /// Bytes divided by four would price these from a half to three times too high or too low.
    #[test]
    fn scripts_are_not_underpriced() {
        for (name, text) in [
            (
                "zh",
                "构建失败：找不到模块“配置”。请检查依赖是否已经安装，然后重新运行测试。服务器在启动时读取环境变量，如果没有设置端口号，就使用默认值。日志文件保存在当前目录下，每天凌晨自动清理一次。",
            ),
            (
                "ja",
                "ビルドに失敗しました。設定ファイルが見つかりません。依存関係がインストールされているか確認してから、もう一度テストを実行してください。サーバーは起動時に環境変数を読み込み、ポート番号が指定されていない場合は既定値を使います。",
            ),
            (
                "ko",
                "빌드에 실패했습니다. 설정 파일을 찾을 수 없습니다. 의존성이 설치되어 있는지 확인한 다음 테스트를 다시 실행하십시오. 서버는 시작할 때 환경 변수를 읽고 포트 번호가 없으면 기본값을 사용합니다.",
            ),
            (
                "ru",
                "Сборка завершилась с ошибкой: модуль конфигурации не найден. Проверьте, установлены ли зависимости, и запустите тесты ещё раз. Сервер читает переменные окружения при запуске и использует порт по умолчанию.",
            ),
            (
                "el",
                "Η κατασκευή απέτυχε: δεν βρέθηκε το αρχείο ρυθμίσεων. Ελέγξτε αν έχουν εγκατασταθεί οι εξαρτήσεις και εκτελέστε ξανά τις δοκιμές. Ο διακομιστής διαβάζει τις μεταβλητές περιβάλλοντος κατά την εκκίνηση.",
            ),
            (
                "de",
                "Der Build ist fehlgeschlagen: Die Konfigurationsdatei wurde nicht gefunden. Prüfen Sie, ob die Abhängigkeiten installiert sind, und führen Sie die Tests erneut aus. Für größere Änderungen müssen Übersetzungen geprüft werden.",
            ),
            (
                "fr",
                "La compilation a échoué : le fichier de configuration est introuvable. Vérifiez que les dépendances sont installées, puis relancez les tests. Le serveur lit les variables d’environnement au démarrage et utilise le port par défaut.",
            ),
            (
                "vi",
                "Quá trình biên dịch thất bại: không tìm thấy tệp cấu hình. Hãy kiểm tra xem các thư viện phụ thuộc đã được cài đặt chưa rồi chạy lại kiểm thử. Máy chủ đọc các biến môi trường khi khởi động.",
            ),
            (
                "ar",
                "فشل البناء: لم يتم العثور على ملف الإعدادات. تحقق من تثبيت التبعيات ثم أعد تشغيل الاختبارات. يقرأ الخادم متغيرات البيئة عند بدء التشغيل ويستخدم المنفذ الافتراضي.",
            ),
            (
                "he",
                "הבנייה נכשלה: קובץ ההגדרות לא נמצא. בדקו שהתלויות מותקנות והריצו שוב את הבדיקות. השרת קורא את משתני הסביבה בזמן ההפעלה ומשתמש ביציאת ברירת המחדל.",
            ),
            (
                "hi",
                "निर्माण विफल हुआ: विन्यास फ़ाइल नहीं मिली। जाँचें कि निर्भरताएँ स्थापित हैं और फिर से परीक्षण चलाएँ। सर्वर शुरू होते समय पर्यावरण चर पढ़ता है।",
            ),
            (
                "th",
                "การสร้างล้มเหลว ไม่พบไฟล์การตั้งค่า โปรดตรวจสอบว่าได้ติดตั้งส่วนที่ต้องใช้แล้ว จากนั้นรันการทดสอบอีกครั้ง เซิร์ฟเวอร์จะอ่านตัวแปรสภาพแวดล้อมเมื่อเริ่มต้น",
            ),
            (
                "emoji",
                "✅ tests passed 🎉🎉 ❌ failed 😀😂🤔 👩‍👩‍👧‍👦 🏳️‍🌈 ⚠️ warning 🚀 deploy 🔥🔥 👍🏽 🇩🇪🇫🇷 📦 build ✨ done ➜ next → arrow • bullet … dots",
            ),
            (
                "box",
                "┌──────────┬────────┐ │ name     │ size   │ ├──────────┼────────┤ │ README   │ 12 KB  │ └──────────┴────────┘ ━━━━━━━━━━ 48% ████████░░░░ ⠋⠙⠹⠸ ╭─╮ ╰─╯",
            ),
        ] {
            let ratio = ratio(text);
            assert!((0.85..1.30).contains(&ratio), "{name}: {ratio}");
        }
    }

    #[test]
    fn code_is_close() {
        for text in [
            include_str!("split.rs"),
            include_str!("merge.rs"),
            include_str!("../../Cargo.toml"),
            include_str!("../../LICENSE"),
        ] {
            let ratio = ratio(text);
            assert!((0.9..1.1).contains(&ratio), "{ratio} for {:?}", &text[..40]);
        }
    }

    #[test]
    fn a_word_of_any_length_in_any_place_has_a_price() {
        for before in ["", " ", ".", "1", "\t", "\u{e9}"] {
            for len in 1..40 {
                for letter in ["a", "A"] {
                    let shorter = estimate(&format!("{before}{}", letter.repeat(len)).repeat(50));
                    let longer = estimate(&format!("{before}{}", letter.repeat(len + 14)).repeat(50));
                    assert!(shorter < longer, "{before:?} {letter} {len}");
                }
            }
        }
    }
}
