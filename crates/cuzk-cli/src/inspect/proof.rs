//! Proofs.

use std::path::Path;

use serde_json::json;

use super::Finding;
use crate::{failure::Failure, proof_file::ProofFile, scalar_text};

pub(super) fn inspect(path: &Path) -> Result<Finding, Failure> {
    let file = ProofFile::read(path)?;
    let inputs: Option<Vec<String>> = file
        .public_inputs
        .map(|inputs| inputs.iter().map(scalar_text::to_text).collect());
    let text = match &inputs {
        None => "  three points of the subgroups; no public inputs in the file\n".to_owned(),
        Some(inputs) => format!(
            "  three points of the subgroups; {} public inputs\n",
            inputs.len()
        ),
    };
    Ok(Finding {
        kind: "proof",
        object: json!({ "public_inputs": inputs }),
        text,
    })
}
