//! How a command fails: a message, what to do next, and the exit code.

use std::{error::Error as StdError, fmt::Write as _, path::Path};

/// Exit code: a proof, a witness or a file's content was refused.
pub(crate) const REFUSED: u8 = 1;
/// Exit code: bad usage, or input that cannot be read.
pub(crate) const BAD_INPUT: u8 = 2;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit_code: u8,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// Input that cannot be used.
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self {
            exit_code: BAD_INPUT,
            message: message.into(),
            hint: None,
        }
    }

    /// Something that was judged and found wrong.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self {
            exit_code: REFUSED,
            message: message.into(),
            hint: None,
        }
    }

    /// Adds what to do next.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says more about what failed.
    pub(crate) fn map_message(mut self, change: impl FnOnce(String) -> String) -> Self {
        self.message = change(self.message);
        self
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &dyn StdError) -> Self {
        Self::bad_input(format!(
            "{doing} {} failed: {}",
            path.display(),
            chain(error)
        ))
    }

    /// An error of the library, with the exit code its kind has.
    pub(crate) fn from_library(error: &cuzk::Error) -> Self {
        let message = chain(error);
        if error.is_refusal() {
            Self::refused(message)
        } else {
            Self::bad_input(message)
        }
    }
}

impl From<cuzk::Error> for Failure {
    fn from(error: cuzk::Error) -> Self {
        Self::from_library(&error)
    }
}

/// An error and its sources in one line.
pub(crate) fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        // Some errors print their source themselves.
        if !text.ends_with(&inner_text) {
            // Writing to a string cannot fail.
            let _ = write!(text, ": {inner_text}");
        }
        source = inner.source();
    }
    text
}
