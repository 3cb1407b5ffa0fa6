//! What a check has to say about one place in the repository.

use std::fmt;

/// Whether a finding fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    Error,
    Note,
}

/// One thing to mend or to note: `path:line: rule: what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    advice: String,
    severity: Severity,
}

impl Finding {
    /// A finding that fails the run.
    pub(crate) fn error(
        path: impl Into<String>,
        line: usize,
        rule: &'static str,
        advice: impl Into<String>,
    ) -> Self {
        let (path, advice) = (path.into(), advice.into());
        Self {
            path,
            line,
            rule,
            advice,
            severity: Severity::Error,
        }
    }

    /// A finding that is printed and fails nothing.
    pub(crate) fn note(
        path: impl Into<String>,
        line: usize,
        rule: &'static str,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(path, line, rule, advice)
        }
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Path and line, by which findings are sorted.
    pub(crate) fn place(&self) -> (&str, usize) {
        (&self.path, self.line)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let note = if self.is_error() { "" } else { "note: " };
        write!(
            f,
            "{}:{}: {}: {note}{}",
            self.path, self.line, self.rule, self.advice
        )
    }
}
