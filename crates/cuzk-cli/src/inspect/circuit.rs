//! Circuits and witnesses.

use std::path::Path;

use cuzk::layers::r1cs::Value;
use serde_json::json;

use super::Finding;
use crate::{
    circuit_file::{read_r1cs, read_witness},
    failure::{Failure, REFUSED},
};

pub(super) fn r1cs(path: &Path) -> Result<Finding, Failure> {
    let file = read_r1cs(path).map_err(as_refusal)?;
    let (header, shape) = (file.header, file.shape);
    let terms = [shape.a(), shape.b(), shape.c()].map(|matrix| matrix.terms());
    let dense = [&shape.densities().a, &shape.densities().b].map(|bits| bits.count_ones());
    let text = format!(
        "  {} constraints, {} inputs with the constant one, {} auxiliary variables\n  \
         {} public outputs, {} public inputs, {} private inputs, {} labels\n  \
         terms of A, B, C: {}, {}, {}; variables in A, B: {}, {}\n",
        shape.num_constraints(),
        shape.num_inputs(),
        shape.num_aux(),
        header.public_outputs,
        header.public_inputs,
        header.private_inputs,
        header.labels,
        terms[0],
        terms[1],
        terms[2],
        dense[0],
        dense[1],
    );
    let object = json!({
        "constraints": shape.num_constraints(),
        "inputs": shape.num_inputs(),
        "aux": shape.num_aux(),
        "public_outputs": header.public_outputs,
        "public_inputs": header.public_inputs,
        "private_inputs": header.private_inputs,
        "labels": header.labels,
        "terms": { "a": terms[0], "b": terms[1], "c": terms[2] },
        "density": { "a": dense[0], "b": dense[1] },
    });
    Ok(Finding {
        kind: "circuit (.r1cs)",
        object,
        text,
    })
}

pub(super) fn witness(path: &Path) -> Result<Finding, Failure> {
    let values = read_witness(path).map_err(as_refusal)?.values;
    let mut counts = [0usize; 4];
    for &value in &values {
        let class = match Value::classify(value) {
            Value::Zero => 0,
            Value::One => 1,
            Value::Small(_) => 2,
            Value::Full(_) => 3,
        };
        counts[class] += 1;
    }
    let [zeros, ones, small, full] = counts;
    Ok(Finding {
        kind: "witness (.wtns)",
        object: json!({
            "values": values.len(),
            "zeros": zeros,
            "ones": ones,
            "below_2_64": small,
            "full": full,
        }),
        text: format!(
            "  {} values: {zeros} zeros, {ones} ones, {small} others below 2^64, {full} full\n",
            values.len()
        ),
    })
}

/// The file is there and its content is at fault.
fn as_refusal(failure: Failure) -> Failure {
    Failure {
        exit_code: REFUSED,
        ..failure
    }
}
