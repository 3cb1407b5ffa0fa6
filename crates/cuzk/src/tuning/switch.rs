//! The one list of switches.

use std::{fmt, ops::RangeInclusive};

use cuzk_cpu::MsmPlan;
use cuzk_hostmem::HostMemory;
use cuzk_lanes::Lanes;

use super::{
    Synthesis, Tuning, TuningError,
    nearest::{AUTO, nearest_word, number_or_auto, pick},
};
use crate::ProverBuilder;

/// One optimisation that can be switched, by its name.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Switch {
    /// The name, as in `--set NAME=VALUE`.
    pub name: &'static str,
    /// The values that it takes.
    pub values: &'static str,
    /// What it changes.
    pub what: &'static str,
    /// The measurement that justifies the default, below the repository's root; none where
    /// nothing was recorded yet.
    pub record: Option<&'static str>,
    read: fn(&Tuning) -> String,
    /// Sets the value that a word names, or gives the nearest word.
    write: fn(&mut Tuning, &str) -> Result<(), String>,
}

impl Switch {
    /// The switch of a name.
    ///
    /// # Errors
    /// [`TuningError::UnknownSwitch`] with the name that is most like it.
    pub fn named(name: &str) -> Result<&'static Self, TuningError> {
        let found = SWITCHES.iter().find(|switch| switch.name == name);
        found.ok_or_else(|| TuningError::UnknownSwitch {
            got: name.to_owned(),
            nearest: nearest_word(SWITCHES.iter().map(|switch| switch.name), name)
                .unwrap_or_default(),
        })
    }

    /// The word for its value in a tuning.
    #[must_use]
    pub fn value(&self, tuning: &Tuning) -> String {
        (self.read)(tuning)
    }

    /// The word for its default.
    #[must_use]
    pub fn default_value(&self) -> String {
        self.value(&Tuning::default())
    }

    /// Sets it in a tuning to the value that a word names.
    ///
    /// # Errors
    /// [`TuningError::ImpossibleValue`] with the nearest value; nothing is set then.
    pub fn set(&self, tuning: &mut Tuning, value: &str) -> Result<(), TuningError> {
        (self.write)(tuning, value).map_err(|nearest| TuningError::ImpossibleValue {
            switch: self.name,
            expected: self.values,
            got: value.to_owned(),
            nearest,
        })
    }
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Switch")
            .field("name", &self.name)
            .field("values", &self.values)
            .field("what", &self.what)
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

/// The names of all switches, for an error message.
pub(super) fn joined_names() -> String {
    let names: Vec<_> = SWITCHES.iter().map(|switch| switch.name).collect();
    names.join(", ")
}

pub(super) const SWITCHES: &[Switch] = &[
    Switch {
        name: "lanes",
        values: "detect or portable",
        what: "field arithmetic of the CPU backend: eight lanes where the processor has them, or \
               one element at a time",
        record: Some("benchmarks/record/amd-epyc-2-cores/2026-11-30-ab-lanes.json"),
        read: |tuning| word(LANES, tuning.lanes),
        write: |tuning, word| pick(LANES, word).map(|lanes| tuning.lanes = lanes),
    },
    Switch {
        name: "window-bits",
        values: "auto or 1 to 20",
        what: "bits of a window in the CPU backend's sums; auto takes the width with the fewest \
               additions for each sum",
        record: Some("benchmarks/record/amd-epyc-2-cores/2026-11-30-ab-window-bits.json"),
        read: |tuning| number(tuning.window_bits.map(|bits| bits as usize)),
        write: |tuning, word| {
            let bits = number_or_auto(&WINDOW_BITS, word)?;
            tuning.window_bits = bits.and_then(|bits| u32::try_from(bits).ok());
            Ok(())
        },
    },
    Switch {
        name: "synthesis",
        values: "compiled or direct",
        what: "a, b and c by the matrices kept from compile, or from one pass that builds and \
               evaluates every linear combination",
        record: Some("benchmarks/record/amd-epyc-2-cores/2026-11-30-ab-synthesis.json"),
        read: |tuning| word(SYNTHESIS, tuning.synthesis),
        write: |tuning, word| pick(SYNTHESIS, word).map(|way| tuning.synthesis = way),
    },
    Switch {
        name: "capacity-hints",
        values: "off or on",
        what: "whether a direct pass reserves its vectors in advance; without synthesis=direct \
               there are none",
        // Hints save up to 27 % of a pass made alone (synthesis-passes.json), and a whole proof
        // takes the same time with and without them; vectors that many passes at once reserve are
        // all touched at once, which is why they are off.
        record: Some("benchmarks/record/amd-epyc-2-cores/2026-11-30-ab-capacity-hints.json"),
        read: |tuning| word(OFF_ON, tuning.capacity_hints),
        write: |tuning, word| pick(OFF_ON, word).map(|hints| tuning.capacity_hints = hints),
    },
    Switch {
        name: "host-memory",
        values: "pageable or registered",
        what: "how the memory of parameters from a file is held; registered with an open CUDA \
               device, pageable with a warning where there is none",
        // Decision 0004 has figures of one machine, and no record of them is kept.
        record: None,
        read: |tuning| tuning.host_memory.to_string(),
        write: |tuning, word| pick(HOST_MEMORY, word).map(|memory| tuning.host_memory = memory),
    },
    Switch {
        name: "threads",
        values: "auto or 1 to 1024",
        what: "threads of a pool of the prover's own; auto works in the pool of the caller",
        record: None,
        read: |tuning| number(tuning.threads),
        write: |tuning, word| {
            number_or_auto(&THREADS, word).map(|threads| tuning.threads = threads)
        },
    },
];

const LANES: &[(&str, Lanes)] = &[("detect", Lanes::Detect), ("portable", Lanes::Portable)];
const SYNTHESIS: &[(&str, Synthesis)] = &[
    ("compiled", Synthesis::Compiled),
    ("direct", Synthesis::Direct),
];
const OFF_ON: &[(&str, bool)] = &[("off", false), ("on", true)];
const HOST_MEMORY: &[(&str, HostMemory)] = &[
    (HostMemory::Pageable.name(), HostMemory::Pageable),
    (HostMemory::Registered.name(), HostMemory::Registered),
];
const WINDOW_BITS: RangeInclusive<usize> =
    MsmPlan::MIN_WINDOW_BITS as usize..=MsmPlan::MAX_WINDOW_BITS as usize;
const THREADS: RangeInclusive<usize> = 1..=ProverBuilder::MAX_THREADS;

fn word<T: PartialEq + Copy>(choices: &[(&'static str, T)], value: T) -> String {
    let named = choices.iter().find(|(_, choice)| *choice == value);
    named.map_or("", |&(name, _)| name).to_owned()
}

fn number(value: Option<usize>) -> String {
    value.map_or_else(|| AUTO.to_owned(), |number| number.to_string())
}
