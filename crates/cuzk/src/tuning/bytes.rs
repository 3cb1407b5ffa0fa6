//! Numbers of bytes as words.

use super::nearest::AUTO;

/// Units, the longest first; a number without one is of bytes.
const UNITS: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];

/// Bytes as a word: in the largest unit that divides them.
pub(super) fn bytes_word(bytes: Option<usize>) -> String {
    let Some(bytes) = bytes else {
        return AUTO.to_owned();
    };
    let whole = |&&(_, log): &&(&str, u32)| bytes > 0 && bytes % (1 << log) == 0;
    match UNITS.iter().find(whole) {
        Some((unit, log)) => format!("{}{unit}", bytes >> log),
        None => bytes.to_string(),
    }
}

/// The bytes that a word names, nothing for `auto`, or the nearest word.
pub(super) fn bytes_or_auto(word: &str) -> Result<Option<usize>, String> {
    if word == AUTO {
        return Ok(None);
    }
    let unit = UNITS
        .iter()
        .find_map(|(unit, log)| Some((word.strip_suffix(unit)?, *log)));
    let (digits, log) = unit.unwrap_or((word, 0));
    let digits = digits.trim_end();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AUTO.to_owned());
    }
    let bytes = digits.parse::<usize>().ok();
    match bytes.and_then(|number| number.checked_mul(1 << log)) {
        Some(0) => Err("1".to_owned()),
        Some(bytes) => Ok(Some(bytes)),
        None => Err(AUTO.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units_of_powers_of_1024_and_read_back() {
        for (word, bytes) in [
            ("auto", None),
            ("1", Some(1)),
            ("1000", Some(1000)),
            ("3KiB", Some(3 << 10)),
            ("256MiB", Some(256 << 20)),
            ("8GiB", Some(8 << 30)),
            ("2TiB", Some(2 << 40)),
        ] {
            assert_eq!(bytes_or_auto(word), Ok(bytes));
            assert_eq!(bytes_word(bytes), word);
        }
        assert_eq!(bytes_or_auto("8192 MiB"), Ok(Some(8 << 30)));
        assert_eq!(bytes_word(Some(8192 << 20)), "8GiB");
    }

    #[test]
    fn what_is_no_size_becomes_auto_and_nothing_becomes_one_byte() {
        for word in [
            "",
            "GiB",
            "8GB",
            "8 gib",
            "-1",
            "1.5GiB",
            "99999999999TiB",
            "8GiBs",
        ] {
            assert_eq!(bytes_or_auto(word), Err("auto".to_owned()), "{word}");
        }
        assert_eq!(bytes_or_auto("0GiB"), Err("1".to_owned()));
    }
}
