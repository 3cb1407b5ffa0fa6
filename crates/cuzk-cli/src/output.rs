//! Standard output: one JSON object, or text.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use cuzk::Report;
use serde_json::{Map, Value, json};

use crate::{args::Common, failure::Failure};

/// Where results go.
pub(crate) struct Output {
    json: bool,
    printed: bool,
}

impl Output {
    pub(crate) fn new(common: &Common) -> Self {
        Self {
            json: common.json,
            printed: false,
        }
    }

    /// Whether a JSON object is wanted.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the result: the object, or the text.
    pub(crate) fn result(
        &mut self,
        object: impl FnOnce() -> Value,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        self.printed = true;
        let text = if self.json { pretty(&object()) } else { text() };
        match writeln!(io::stdout().lock(), "{}", text.trim_end()) {
            // Whoever closed the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Failure::bad_input(format!(
                "writing to standard output failed: {error}"
            ))),
            Ok(()) => Ok(()),
        }
    }

    /// Prints a failure and gives its exit code.
    pub(crate) fn fail(&mut self, failure: &Failure) -> ExitCode {
        // One object a run: a result that was printed has said what failed.
        if self.json && !self.printed {
            let object = json!({ "error": failure.message, "hint": failure.hint });
            let _ = writeln!(io::stdout().lock(), "{}", pretty(&object));
        }
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "error: {}", failure.message);
        if let Some(hint) = &failure.hint {
            let _ = writeln!(stderr, "  help: {hint}");
        }
        ExitCode::from(failure.exit_code)
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

/// The report's keys, to be joined with those of a command.
pub(crate) fn report_object(report: &Report) -> Map<String, Value> {
    match serde_json::to_value(report) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
