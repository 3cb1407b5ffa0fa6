//! The memory of a device for a key that is not there yet.

use cuzk::{
    ParameterFile,
    layers::{
        backend::{KeyShape, MatrixShape},
        cuda::{
            MemoryPlan,
            plan::{Card, PlanError, Witness},
        },
        device::DeviceInfo,
    },
};
use serde_json::{Value, json};

use crate::{
    args::{Common, Doctor},
    failure::{Failure, chain},
};

/// A plan for one device, or for a card that is assumed.
pub(super) struct Planned {
    card: String,
    outcome: Result<MemoryPlan, PlanError>,
}

/// Terms of a row that are assumed where only counts are known.
const TERMS: usize = 3;
/// Distinct coefficients that are assumed likewise.
const COEFFICIENTS: usize = 1000;
/// What an H200 has.
const H200_BYTES: usize = 141_000_000_000;

/// The counts of the key that was asked for, if one was.
pub(super) fn key_shape(doctor: &Doctor) -> Result<Option<KeyShape>, Failure> {
    if let Some(path) = &doctor.parameters {
        let file = ParameterFile::open(path).map_err(|error| {
            Failure::bad_input(format!("{}: {}", path.display(), chain(&error)))
        })?;
        let counts = file.layout().sections.each_ref();
        let [ic, h, l, a, b, _] = counts.map(|section| section.count as usize);
        return Ok(Some(assumed(h + 1, ic + l, [h, l, a, b])));
    }
    Ok(doctor.constraints.map(|constraints| {
        // A synthetic circuit has one input beside the constant, each with a row.
        let rows = constraints.0 + 2;
        let n = rows.next_power_of_two();
        assumed(rows, rows, [n - 1, rows - 2, rows, rows])
    }))
}

fn assumed(rows: usize, variables: usize, [h, l, a, b]: [usize; 4]) -> KeyShape {
    let matrix = MatrixShape {
        terms: TERMS * rows,
        coefficients: COEFFICIENTS,
    };
    KeyShape {
        log_n: rows.next_power_of_two().ilog2(),
        rows,
        variables,
        folded: false,
        matrices: [Some(matrix); 3],
        h,
        l,
        a,
        b,
    }
}

/// For a device with so many bytes free.
pub(super) fn on_device(
    shape: &KeyShape,
    common: &Common,
    info: &DeviceInfo,
    free_bytes: usize,
) -> Planned {
    let card = format!("device {}", info.index);
    plan(shape, common, card, &Card::of(info), free_bytes / 16 * 15)
}

/// For an H200, where there is no device to ask.
pub(super) fn on_an_h200(shape: &KeyShape, common: &Common) -> Planned {
    let card = "an H200, as no device is here".to_owned();
    plan(shape, common, card, &Card::h200(), H200_BYTES)
}

fn plan(
    shape: &KeyShape,
    common: &Common,
    card: String,
    figures: &Card,
    free_bytes: usize,
) -> Planned {
    let budget = common.tuning.memory_budget;
    let budget_bytes = budget.map_or(free_bytes, |budget| budget.min(free_bytes));
    Planned {
        card,
        outcome: MemoryPlan::new(shape, Witness::Any, figures, budget_bytes),
    }
}

impl Planned {
    pub(super) fn object(&self) -> Value {
        match &self.outcome {
            Ok(plan) => json!({ "card": self.card, "plan": plan }),
            Err(error) => json!({ "card": self.card, "why_not": chain(error) }),
        }
    }

    pub(super) fn text(&self) -> String {
        let text = match &self.outcome {
            Ok(plan) => plan.to_string(),
            Err(error) => chain(error),
        };
        format!(
            "plan of the key for {}, any witness, {TERMS} terms a row in each matrix\n{text}\n",
            self.card
        )
    }
}
