//! Numbers in the forms that tables have.

use anyhow::Context;

/// How a number is written.
///
/// - nothing: as it is, up to six digits;
/// - `%.2`: with two digits behind the point;
/// - `%3s`: with three digits that count;
/// - `%,`: whole, with a comma at every third digit;
/// - `/1000` or `*100` before: in another unit.
pub(super) struct Form {
    factor: f64,
    digits: Digits,
}

enum Digits {
    AsTheyAre,
    BehindThePoint(usize),
    ThatCount(usize),
    Thousands,
}

impl Form {
    pub(super) fn parse(words: &str) -> anyhow::Result<Self> {
        let mut form = Self {
            factor: 1.0,
            digits: Digits::AsTheyAre,
        };
        for word in words.split_whitespace() {
            let refused = || format!("expected /NUMBER, *NUMBER, %.N, %Ns or %, and got {word:?}");
            if let Some(divisor) = word.strip_prefix('/') {
                form.factor = 1.0 / divisor.parse::<f64>().with_context(refused)?;
            } else if let Some(factor) = word.strip_prefix('*') {
                form.factor = factor.parse().with_context(refused)?;
            } else if word == "%," {
                form.digits = Digits::Thousands;
            } else if let Some(behind) = word.strip_prefix("%.") {
                form.digits = Digits::BehindThePoint(behind.parse().with_context(refused)?);
            } else if let Some(count) = word.strip_prefix('%').and_then(|w| w.strip_suffix('s')) {
                form.digits = Digits::ThatCount(count.parse().with_context(refused)?);
            } else {
                anyhow::bail!(refused());
            }
        }
        Ok(form)
    }

    pub(super) fn write(&self, number: f64) -> anyhow::Result<String> {
        let number = number * self.factor;
        anyhow::ensure!(number.is_finite(), "{number} is no number for a table");
        Ok(match self.digits {
            Digits::AsTheyAre => {
                let text = format!("{number:.6}");
                let text = text.trim_end_matches('0').trim_end_matches('.');
                text.to_owned()
            }
            Digits::BehindThePoint(digits) => format!("{number:.digits$}"),
            Digits::ThatCount(digits) => that_count(number, digits),
            Digits::Thousands => thousands(number),
        })
    }
}

fn that_count(number: f64, digits: usize) -> String {
    // By the number as rounded: 9.99 with two digits is 10.
    let rounded: f64 = format!("{number:.*e}", digits.saturating_sub(1))
        .parse()
        .unwrap_or(number);
    let before = match rounded.abs() {
        0.0 => 1,
        size => size.log10().floor() as i64 + 1,
    };
    let behind = usize::try_from(digits as i64 - before).unwrap_or(0);
    format!("{rounded:.behind$}")
}

fn thousands(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    match number < 0.0 {
        true => format!("-{text}"),
        false => text,
    }
}
