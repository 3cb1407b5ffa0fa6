//! `cuzk inspect`: what files hold.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use cuzk::{Proof, Prover};
use serde_json::{Value, json};

use crate::{
    args::{Common, Inspect},
    failure::Failure,
    output::Output,
    run,
};

mod circuit;
mod parameters;
mod proof;

/// What one file holds.
pub(crate) struct Finding {
    pub(crate) kind: &'static str,
    pub(crate) object: Value,
    pub(crate) text: String,
}

/// The kinds of file that can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    R1cs,
    Witness,
    Proof,
    VerifyingKey,
    Parameters,
}

pub(crate) fn run(args: &Inspect, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let prover = run::prover(common)?;
    let mut objects = Vec::new();
    let mut texts = Vec::new();
    let mut worst: Option<Failure> = None;
    for path in &args.files {
        match inspect(path, args, common, &prover) {
            Ok(finding) => {
                texts.push(format!(
                    "{}: {}\n{}",
                    path.display(),
                    finding.kind,
                    finding.text
                ));
                objects.push(with_file(path, finding.kind, finding.object));
            }
            Err(failure) => {
                // The worst comes last, as the failure of the command.
                texts.push(format!(
                    "{}: unusable\n  {}\n",
                    path.display(),
                    failure.message
                ));
                objects.push(with_file(
                    path,
                    "unusable",
                    json!({ "error": failure.message }),
                ));
                worst = Some(match worst {
                    Some(worse) if worse.exit_code >= failure.exit_code => worse,
                    _ => failure,
                });
            }
        }
    }
    if args.files.len() > 1 || worst.is_none() || output.is_json() {
        let files = json!({ "files": objects, "good": worst.is_none() });
        output.result(|| files, || texts.join("\n"))?;
    }
    worst.map_or(Ok(()), Err)
}

fn with_file(path: &Path, kind: &str, mut object: Value) -> Value {
    object["file"] = path.display().to_string().into();
    object["kind"] = kind.into();
    object
}

fn inspect(
    path: &Path,
    args: &Inspect,
    common: &Common,
    prover: &Prover,
) -> Result<Finding, Failure> {
    match kind(path)? {
        Kind::R1cs => circuit::r1cs(path),
        Kind::Witness => circuit::witness(path),
        Kind::Proof => proof::inspect(path),
        Kind::VerifyingKey => parameters::verifying_key(path),
        Kind::Parameters => parameters::inspect(path, args, common, prover),
    }
}

/// Tells a file's kind by its first bytes and its length.
fn kind(path: &Path) -> Result<Kind, Failure> {
    // A pipe would wait for its other end, and cannot be looked at twice.
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(
            Failure::bad_input(format!("{} is no regular file", path.display()))
                .with_hint("copy it into a file first"),
        );
    }
    let look = || -> std::io::Result<(u64, Vec<u8>, Option<u32>)> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut head = Vec::new();
        file.by_ref().take(16).read_to_end(&mut head)?;
        let mut count = [0; 4];
        file.seek(SeekFrom::Start(VK_HEAD_BYTES))?;
        let count = match file.read_exact(&mut count) {
            Ok(()) => Some(u32::from_be_bytes(count)),
            Err(_) => None,
        };
        Ok((length, head, count))
    };
    let (length, head, count) = look().map_err(|error| Failure::file("reading", path, &error))?;
    let trimmed = head.trim_ascii_start();
    if head.starts_with(b"r1cs") {
        return Ok(Kind::R1cs);
    }
    if head.starts_with(b"wtns") {
        return Ok(Kind::Witness);
    }
    let is_digits = !head.is_empty() && head.iter().all(u8::is_ascii_hexdigit);
    if length == Proof::BYTES as u64 || trimmed.starts_with(b"{") || is_digits {
        return Ok(Kind::Proof);
    }
    let vk_bytes = count.map(|n| VK_HEAD_BYTES + 4 + 96 * u64::from(n));
    match vk_bytes {
        Some(bytes) if bytes == length => Ok(Kind::VerifyingKey),
        Some(_) => Ok(Kind::Parameters),
        None => Err(Failure::refused(format!(
            "{} is nothing that is known here: expected parameters, a verifying key, .r1cs, \
             .wtns or a proof, got {length} bytes",
            path.display()
        ))),
    }
}

/// Bytes of a verifying key before its counted section.
const VK_HEAD_BYTES: u64 = 864;
