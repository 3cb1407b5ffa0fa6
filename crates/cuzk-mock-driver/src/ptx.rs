//! The names in a module's text: entry points with the size of their parameters, and constants.

/// What the stand-in reads from PTX.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    /// Symbol, bytes of the parameter, threads of a block.
    pub(crate) entries: Vec<(String, usize, u32)>,
    /// Symbol and value of each visible 32-bit constant.
    pub(crate) constants: Vec<(String, u32)>,
}

impl Text {
    /// Reads the text; `None` where it is no PTX at all.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        text.contains(".version").then_some(())?;
        let mut found = Self::default();
        for line in text.lines() {
            if let Some((_, rest)) = line.split_once(".entry ") {
                let symbol = rest.split(['(', ' ']).next()?.to_owned();
                found.entries.push((symbol, 0, 1024));
            }
            if let Some(entry) = found.entries.last_mut() {
                if let Some((_, rest)) = line.split_once("_param_0[")
                    && line.starts_with('\t')
                    && line.contains(".align 8 .b8 cuzk_")
                {
                    entry.1 = rest.split(']').next()?.parse().unwrap_or(entry.1);
                }
                if let Some((_, rest)) = line.split_once(".maxntid ") {
                    entry.2 = rest.split([',', ' ']).next()?.parse().ok()?;
                }
            }
            if let Some(rest) = line.strip_prefix(".visible .const .align 4 .u32 ") {
                let (symbol, value) = rest.trim_end_matches(';').split_once(" = ")?;
                found
                    .constants
                    .push((symbol.to_owned(), value.parse().ok()?));
            }
        }
        Some(found)
    }
}
