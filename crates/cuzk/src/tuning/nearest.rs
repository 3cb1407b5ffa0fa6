//! The valid word or number that is most like one that is not.

use std::ops::RangeInclusive;

/// The value that a word names, or the nearest word.
pub(super) fn pick<T: Copy>(choices: &[(&'static str, T)], word: &str) -> Result<T, String> {
    let named = choices.iter().find(|(name, _)| *name == word);
    named.map(|&(_, value)| value).ok_or_else(|| {
        let names = choices.iter().map(|&(name, _)| name);
        nearest_word(names, word).unwrap_or_default().to_owned()
    })
}

/// A number within a range, `None` for `auto`, or the nearest of these.
pub(super) fn number_or_auto(
    range: &RangeInclusive<usize>,
    word: &str,
) -> Result<Option<usize>, String> {
    if word == AUTO {
        return Ok(None);
    }
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AUTO.to_owned());
    }
    // What is too long for a number is too large, or too small.
    let number = match word.parse::<i128>() {
        Ok(number) => number,
        Err(_) if word.starts_with('-') => i128::MIN,
        Err(_) => i128::MAX,
    };
    match usize::try_from(number) {
        Ok(number) if range.contains(&number) => Ok(Some(number)),
        Ok(number) if number < *range.start() => Err(range.start().to_string()),
        Err(_) if number < 0 => Err(range.start().to_string()),
        _ => Err(range.end().to_string()),
    }
}

/// The word for a choice that is left to the program.
pub(super) const AUTO: &str = "auto";

/// The first of the names with the fewest changes of a letter to the word.
pub(super) fn nearest_word(
    names: impl Iterator<Item = &'static str>,
    word: &str,
) -> Option<&'static str> {
    names.min_by_key(|name| distance(name, word))
}

/// Letters to insert, to remove or to replace between two words.
///
/// # Source
/// The row-by-row form of `[WF74]`.
fn distance(name: &str, word: &str) -> usize {
    let mut row: Vec<usize> = (0..=name.chars().count()).collect();
    for (i, letter) in word.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in name.chars().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[name.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_letters() {
        for (a, b, expected) in [
            ("", "", 0),
            ("lanes", "lanes", 0),
            ("lanes", "lane", 1),
            ("lanes", "planes", 1),
            ("kitten", "sitting", 3),
            ("abc", "", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn numbers_out_of_range_become_its_ends_and_words_become_auto() {
        let parse = |word| number_or_auto(&(1..=20), word);
        assert_eq!(parse("auto"), Ok(None));
        assert_eq!(parse("20"), Ok(Some(20)));
        for (word, nearest) in [
            ("0", "1"),
            ("-3", "1"),
            ("21", "20"),
            ("99999999999999999999999999999999999999999999", "20"),
            ("-99999999999999999999999999999999999999999999", "1"),
            ("wide", "auto"),
            ("", "auto"),
            ("-", "auto"),
            ("1.5", "auto"),
        ] {
            assert_eq!(parse(word), Err(nearest.to_owned()), "{word}");
        }
    }
}
