//! Parameters and verifying keys.

use std::{fs, path::Path};

use cuzk::{
    Check, ParameterFile, ParamsError, Prover, ReadOptions, Timeline, Trailing, VerifyingKey,
};
use serde_json::json;

use super::Finding;
use crate::{
    args::{Common, Inspect},
    failure::{Failure, chain},
    waiting::Waiting,
};

pub(super) fn verifying_key(path: &Path) -> Result<Finding, Failure> {
    let bytes = fs::read(path).map_err(|error| Failure::file("reading", path, &error))?;
    let key = VerifyingKey::from_bytes(&bytes).map_err(|error| refused(path, &error))?;
    Ok(Finding {
        kind: "verifying key",
        object: json!({ "public_inputs": key.inputs(), "bytes": bytes.len() }),
        text: format!(
            "  {} public inputs; every point is in the subgroup\n",
            key.inputs()
        ),
    })
}

pub(super) fn inspect(
    path: &Path,
    args: &Inspect,
    common: &Common,
    prover: &Prover,
) -> Result<Finding, Failure> {
    let layout = ParameterFile::open(path)
        .map_err(|error| refused(path, &error))?
        .layout()
        .clone();
    let options = ReadOptions {
        check: args.check.into(),
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    };
    let checked = match options.check {
        Check::Digest => "not checked",
        Check::Subgroup => "in the subgroup",
        _ => "on the curve",
    };
    // Without a digest to compare with, the layout alone is looked at.
    let digest = match options.check {
        Check::Digest => None,
        _ => {
            let _waiting = Waiting::for_work(common, "checking points");
            match prover.load(path, &options, &Timeline::start()) {
                Ok(loaded) => Some(loaded.digest),
                Err(cuzk::Error::Params(error)) => return Err(refused(path, &error)),
                Err(error) => return Err(error.into()),
            }
        }
    };
    let mut text = String::new();
    for section in &layout.sections {
        text += &format!(
            "  {:6} {:>11} points {:>13} bytes at {}\n",
            section.section.to_string(),
            section.count,
            section.bytes,
            section.offset
        );
    }
    let trailing = layout.trailing_bytes.unwrap_or(0);
    text += &format!(
        "  {} bytes of parameters, {trailing} bytes after them\n  points: {checked}\n",
        layout.parameter_bytes
    );
    if let Some(digest) = digest {
        text += &format!("  sha256 {digest}\n");
    }
    let object = json!({
        "sections": layout.sections,
        "parameter_bytes": layout.parameter_bytes,
        "trailing_bytes": trailing,
        "points": checked,
        "digest": digest.map(|digest| digest.to_string()),
    });
    Ok(Finding {
        kind: "parameters",
        object,
        text,
    })
}

/// A file that cannot be opened or read, or that memory does not hold, is bad input; anything
/// else is the content's fault.
fn refused(path: &Path, error: &ParamsError) -> Failure {
    use ParamsError::{Memory, NotAFile, Open, Read};
    let named = format!("{}: {}", path.display(), chain(error));
    match error {
        Open { .. } | NotAFile { .. } => Failure::bad_input(chain(error)),
        Read { .. } | Memory { .. } => Failure::bad_input(named),
        _ => Failure::refused(named),
    }
}

#[cfg(test)]
mod tests {
    use cuzk::layers::{hostmem::AllocError, params::Section};

    use super::*;
    use crate::failure::{BAD_INPUT, REFUSED};

    #[test]
    fn the_content_alone_is_refused() {
        let section = Section::H;
        let (bytes, offset) = (1 << 40, 0);
        let memory = ParamsError::Memory {
            section,
            source: AllocError::Refused { bytes },
        };
        let read = ParamsError::Read {
            section,
            offset,
            source: std::io::Error::other("a bad disk"),
        };
        let cut = ParamsError::Truncated {
            section,
            offset,
            expected: 2,
            got: 1,
        };
        for (error, code) in [(memory, BAD_INPUT), (read, BAD_INPUT), (cut, REFUSED)] {
            let failure = refused(Path::new("c.params"), &error);
            assert_eq!(failure.exit_code, code, "{error:?}");
            assert!(failure.message.starts_with("c.params: "));
        }
    }
}
