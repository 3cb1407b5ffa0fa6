//! Proofs as text and as files.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use cuzk::{Compiled, Fr, Proof, Proved, Report};
use serde_json::{Value, json};

use crate::{
    failure::{Failure, chain},
    new_file::NewFile,
    output::{hex, report_object},
    scalar_text,
};

/// A verified proof with all that is printed about it.
pub(crate) struct ProofText {
    circuit: String,
    constraints: usize,
    inputs: usize,
    aux: usize,
    proof: String,
    public_inputs: Vec<String>,
    report: Report,
}

impl ProofText {
    pub(crate) fn new(
        circuit: &str,
        compiled: &Compiled,
        proved: &Proved,
        report: &Report,
    ) -> Self {
        let shape = compiled.shape();
        Self {
            circuit: circuit.to_owned(),
            constraints: shape.num_constraints(),
            inputs: shape.num_inputs(),
            aux: shape.num_aux(),
            proof: hex(&proved.proof.to_bytes()),
            public_inputs: proved
                .public_inputs
                .iter()
                .map(scalar_text::to_text)
                .collect(),
            report: report.clone(),
        }
    }

    /// The object that `--json` prints.
    pub(crate) fn object(&self) -> Value {
        let mut object = json!({
            "circuit": self.circuit,
            "constraints": self.constraints,
            "inputs": self.inputs,
            "aux": self.aux,
            // A proof that does not verify is never returned.
            "verified": true,
            "proof": self.proof,
            "public_inputs": self.public_inputs,
        });
        if let Some(object) = object.as_object_mut() {
            object.extend(report_object(&self.report));
        }
        object
    }

    /// The text that is printed without `--json`.
    pub(crate) fn summary(&self) -> String {
        let Self {
            circuit,
            constraints,
            inputs,
            aux,
            proof,
            public_inputs,
            report,
        } = self;
        let public_inputs = match public_inputs.is_empty() {
            true => "none".to_owned(),
            false => public_inputs.join("\n               "),
        };
        format!(
            "{circuit}: {constraints} constraints, {inputs} inputs, {aux} auxiliary variables\n\n\
             {report}\nproof          {proof}\npublic inputs  {public_inputs}\n\
             The proof verifies."
        )
    }

    /// Writes the object to a file.
    pub(crate) fn write(&self, mut file: NewFile) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(&self.object()).map_err(io::Error::from);
        file.fill(|file| file.write_all((text? + "\n").as_bytes()))?;
        file.put()
    }
}

/// The longest proof file that is read; two hundred thousand public inputs fit.
const MAX_BYTES: u64 = 16 << 20;

/// A proof read from a file, with its public inputs where the file has them.
#[derive(Debug)]
pub(crate) struct ProofFile {
    pub(crate) proof: Proof,
    pub(crate) public_inputs: Option<Vec<Fr>>,
}

impl ProofFile {
    /// Reads JSON as `prove` writes it, 192 bytes, or their hexadecimal digits.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| Failure::file("reading", path, &error))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(Failure::bad_input(format!(
                "{} is no proof: expected at most {MAX_BYTES} bytes, got more",
                path.display()
            )));
        }
        Self::from_bytes(&bytes, path)
    }

    /// As [`ProofFile::read`], from the file's bytes.
    pub(crate) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, Failure> {
        if bytes.len() == Proof::BYTES {
            return Ok(Self {
                proof: decode(bytes, path)?,
                public_inputs: None,
            });
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|_| unknown(path))?
            .trim();
        if !text.starts_with('{') {
            let proof = unhex(text).ok_or_else(|| unknown(path))?;
            return Ok(Self {
                proof: decode(&proof, path)?,
                public_inputs: None,
            });
        }
        let object: Value =
            serde_json::from_str(text).map_err(|error| Failure::file("reading", path, &error))?;
        let proof = object["proof"].as_str().and_then(unhex).ok_or_else(|| {
            Failure::bad_input(format!(
                "{} has no \"proof\" of hexadecimal digits",
                path.display()
            ))
        })?;
        Ok(Self {
            proof: decode(&proof, path)?,
            public_inputs: public_inputs(&object["public_inputs"], path)?,
        })
    }
}

fn public_inputs(value: &Value, path: &Path) -> Result<Option<Vec<Fr>>, Failure> {
    let malformed = || {
        Failure::bad_input(format!(
            "\"public_inputs\" of {} is not a list of strings",
            path.display()
        ))
    };
    if value.is_null() {
        return Ok(None);
    }
    let list = value.as_array().ok_or_else(malformed)?;
    let scalar = |item: &Value| {
        let text = item.as_str().ok_or_else(malformed)?;
        scalar_text::from_text(text).map_err(Failure::bad_input)
    };
    list.iter().map(scalar).collect::<Result<_, _>>().map(Some)
}

fn decode(bytes: &[u8], path: &Path) -> Result<Proof, Failure> {
    Proof::from_bytes(bytes).map_err(|error| {
        Failure::refused(format!("{} is no proof: {}", path.display(), chain(&error)))
    })
}

fn unknown(path: &Path) -> Failure {
    Failure::bad_input(format!(
        "{} is not a proof: expected JSON, {} bytes or their hexadecimal digits",
        path.display(),
        Proof::BYTES
    ))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).map(|digit| digit as u8))
        .collect();
    let digits = digits.filter(|digits| !digits.is_empty() && digits.len() % 2 == 0)?;
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}
