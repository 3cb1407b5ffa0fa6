//! The one list of switches.

use std::{fmt, ops::RangeInclusive};

use cuzk_backend::{Ones, WitnessSchedule};
use cuzk_cpu::MsmPlan;
use cuzk_hostmem::HostMemory;
use cuzk_lanes::Lanes;
use cuzk_phase::Measure;

use super::{
    MsmMethod, Precompute, Quotient, Synthesis, Tuning, TuningError,
    bytes::{bytes_or_auto, bytes_word},
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
        values: WINDOW_BITS_VALUES,
        what: "bits of a window in all sums that have no width of their own; auto takes what the \
               plan of each sum predicts to be shortest",
        record: Some("benchmarks/record/amd-epyc-2-cores/2026-11-30-ab-window-bits.json"),
        read: |tuning| bits(tuning.window_bits.any),
        write: |tuning, word| read_bits(word).map(|bits| tuning.window_bits.any = bits),
    },
    Switch {
        name: "window-bits-h",
        values: WINDOW_BITS_VALUES,
        what: "the same in the sum over the H query, above window-bits",
        record: None,
        read: |tuning| bits(tuning.window_bits.h),
        write: |tuning, word| read_bits(word).map(|bits| tuning.window_bits.h = bits),
    },
    Switch {
        name: "window-bits-l",
        values: WINDOW_BITS_VALUES,
        what: "the same in the sum over the L query",
        record: None,
        read: |tuning| bits(tuning.window_bits.l),
        write: |tuning, word| read_bits(word).map(|bits| tuning.window_bits.l = bits),
    },
    Switch {
        name: "window-bits-a",
        values: WINDOW_BITS_VALUES,
        what: "the same in the sum over the A query",
        record: None,
        read: |tuning| bits(tuning.window_bits.a),
        write: |tuning, word| read_bits(word).map(|bits| tuning.window_bits.a = bits),
    },
    Switch {
        name: "window-bits-b-g1",
        values: WINDOW_BITS_VALUES,
        what: "the same in the sum over the B query in G1",
        record: None,
        read: |tuning| bits(tuning.window_bits.b_g1),
        write: |tuning, word| read_bits(word).map(|bits| tuning.window_bits.b_g1 = bits),
    },
    Switch {
        name: "window-bits-b-g2",
        values: WINDOW_BITS_VALUES,
        what: "the same in the sum over the B query in G2",
        record: None,
        read: |tuning| bits(tuning.window_bits.b_g2),
        write: |tuning, word| read_bits(word).map(|bits| tuning.window_bits.b_g2 = bits),
    },
    Switch {
        name: "ones",
        values: "trees or pippenger",
        what: "points whose variable is one by additions alone, after the witness was split, or \
               with all others by the bucket method",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-ab-switches.json"),
        read: |tuning| word(ONES, tuning.ones),
        write: |tuning, word| pick(ONES, word).map(|ones| tuning.ones = ones),
    },
    Switch {
        name: "parallel-b-g2",
        values: "off or on",
        what: "the CPU backend's sum over the B query in G2 after the others, or as a task beside \
               them",
        record: None,
        read: |tuning| word(OFF_ON, tuning.parallel_b_g2),
        write: |tuning, word| pick(OFF_ON, word).map(|on| tuning.parallel_b_g2 = on),
    },
    Switch {
        name: "msm-method",
        values: "auto, affine or xyzz",
        what: "a CUDA device's sums of buckets in pairs of affine points, or one point after the \
               other in XYZZ coordinates; auto takes what the plan of each sum predicts to be \
               shorter",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-bucket-sums.json"),
        read: |tuning| word(MSM_METHOD, tuning.msm_method),
        write: |tuning, word| pick(MSM_METHOD, word).map(|method| tuning.msm_method = method),
    },
    Switch {
        name: "precompute",
        values: "off, auto or 2 to 16",
        what: "multiples of each base of the H query, and of the L query with ones=pippenger, \
               that a CUDA device keeps at most; auto takes what is useful in a quarter of its \
               free memory",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-ab-switches.json"),
        read: |tuning| match tuning.precompute {
            Precompute::Off => OFF.to_owned(),
            Precompute::Auto => AUTO.to_owned(),
            Precompute::AtMost(tables) => tables.to_string(),
        },
        write: |tuning, word| {
            tuning.precompute = match word {
                OFF => Precompute::Off,
                word => match number_or_auto(&TABLES, word)? {
                    Some(tables) => Precompute::AtMost(tables as u32),
                    None => Precompute::Auto,
                },
            };
            Ok(())
        },
    },
    Switch {
        name: "streams",
        values: "1 or 2",
        what: "streams of a CUDA device that share the buckets of a sum of affine points",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-affine-trees.json"),
        read: |tuning| tuning.streams.to_string(),
        write: |tuning, word| pick(STREAMS, word).map(|streams| tuning.streams = streams),
    },
    Switch {
        name: "witness-sums",
        values: "beside, together or in-turn",
        what: "a CUDA device's sums over the L, A and B queries of a split witness: beside each \
               other and the quotient, beside each other after it, or one after the other; in-turn \
               where there is no memory for more",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-ab-witness-sums-20.json"),
        read: |tuning| word(WITNESS_SUMS, tuning.witness_sums),
        write: |tuning, word| pick(WITNESS_SUMS, word).map(|when| tuning.witness_sums = when),
    },
    Switch {
        name: "quotient",
        values: "seven or four",
        what: "transforms of a quotient: seven with the queries as they are, or four, and two \
               matrices of three, with queries that preparing a key derives",
        record: None,
        read: |tuning| word(QUOTIENT, tuning.quotient),
        write: |tuning, word| pick(QUOTIENT, word).map(|form| tuning.quotient = form),
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
        name: "inline-terms",
        values: "on or off",
        what: "whether a linear combination of a direct pass holds its first terms itself or has \
               memory for them; without synthesis=direct there are none",
        // The capacity that is compiled in: synthesis-linear-combination.json.
        record: Some("benchmarks/record/intel-xeon-2-cores/synthesis-linear-combination.json"),
        read: |tuning| word(OFF_ON, tuning.inline_terms),
        write: |tuning, word| pick(OFF_ON, word).map(|on| tuning.inline_terms = on),
    },
    Switch {
        name: "batch-size",
        values: "auto or 1 to 256",
        what: "the most circuits of a batch that are synthesized and proved together; auto takes \
               all",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-ab-batch-size.json"),
        read: |tuning| number(tuning.batch_size),
        write: |tuning, word| {
            number_or_auto(&BATCH_SIZE, word).map(|size| tuning.batch_size = size)
        },
    },
    Switch {
        name: "host-memory",
        values: "pageable, registered, staged or auto",
        what: "how parameters and witnesses come from host memory to a CUDA device: as they are, \
               registered, through registered buffers that several threads fill, or by what was \
               measured; what cannot be registered is copied as it is, with a warning",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-host-memory-auto.json"),
        read: |tuning| tuning.host_memory.to_string(),
        write: |tuning, word| pick(HOST_MEMORY, word).map(|memory| tuning.host_memory = memory),
    },
    Switch {
        name: "memory-budget",
        values: "auto or bytes, such as 8GiB",
        what: "the most that is held on a CUDA device; parts of a key that do not fit are brought \
               for every proof",
        record: None,
        read: |tuning| bytes_word(tuning.memory_budget),
        write: |tuning, word| bytes_or_auto(word).map(|bytes| tuning.memory_budget = bytes),
    },
    Switch {
        name: "measure",
        values: "off, phases or full",
        what: "how much of a run its report has: the total alone, its phases, or their parts on a \
               device too",
        record: Some("benchmarks/record/nvidia-h200/2026-11-30-ab-measure.json"),
        read: |tuning| word(MEASURE, tuning.measure),
        write: |tuning, word| pick(MEASURE, word).map(|measure| tuning.measure = measure),
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
const QUOTIENT: &[(&str, Quotient)] = &[("seven", Quotient::Seven), ("four", Quotient::Four)];
const WITNESS_SUMS: &[(&str, WitnessSchedule)] = &[
    ("beside", WitnessSchedule::Beside),
    ("together", WitnessSchedule::Together),
    ("in-turn", WitnessSchedule::InTurn),
];
const SYNTHESIS: &[(&str, Synthesis)] = &[
    ("compiled", Synthesis::Compiled),
    ("direct", Synthesis::Direct),
];
const OFF: &str = "off";
const OFF_ON: &[(&str, bool)] = &[(OFF, false), ("on", true)];
const MEASURE: &[(&str, Measure)] = &[
    (OFF, Measure::Off),
    ("phases", Measure::Phases),
    ("full", Measure::Full),
];
const ONES: &[(&str, Ones)] = &[("trees", Ones::Trees), ("pippenger", Ones::Pippenger)];
const MSM_METHOD: &[(&str, MsmMethod)] = &[
    (AUTO, MsmMethod::Auto),
    ("affine", MsmMethod::Affine),
    ("xyzz", MsmMethod::Xyzz),
];
const TABLES: RangeInclusive<usize> = 2..=16;
const STREAMS: &[(&str, u32)] = &[("1", 1), ("2", 2)];
const BATCH_SIZE: RangeInclusive<usize> = 1..=256;
const HOST_MEMORY: &[(&str, HostMemory)] = &[
    (HostMemory::Pageable.name(), HostMemory::Pageable),
    (HostMemory::Registered.name(), HostMemory::Registered),
    (HostMemory::Staged.name(), HostMemory::Staged),
    (HostMemory::Auto.name(), HostMemory::Auto),
];
const WINDOW_BITS_VALUES: &str = "auto or 2 to 20";
/// Two at least, as the plans on a device have.
const WINDOW_BITS: RangeInclusive<usize> = 2..=MsmPlan::MAX_WINDOW_BITS as usize;
const THREADS: RangeInclusive<usize> = 1..=ProverBuilder::MAX_THREADS;

fn word<T: PartialEq + Copy>(choices: &[(&'static str, T)], value: T) -> String {
    let named = choices.iter().find(|(_, choice)| *choice == value);
    named.map_or("", |&(name, _)| name).to_owned()
}

fn bits(value: Option<u32>) -> String {
    number(value.map(|bits| bits as usize))
}

fn read_bits(word: &str) -> Result<Option<u32>, String> {
    let bits = number_or_auto(&WINDOW_BITS, word)?;
    Ok(bits.and_then(|bits| u32::try_from(bits).ok()))
}

fn number(value: Option<usize>) -> String {
    value.map_or_else(|| AUTO.to_owned(), |number| number.to_string())
}
