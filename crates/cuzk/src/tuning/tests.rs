use cuzk_backend::{Ones, WindowBits, WitnessSchedule};
use cuzk_hostmem::HostMemory;
use cuzk_lanes::Lanes;
use cuzk_phase::Measure;

use super::{MsmMethod, Precompute, Quotient, Synthesis, Tuning, TuningError};
use crate::{Error, Prover};

/// Every field away from its default.
fn changed() -> Tuning {
    Tuning::new()
        .with_lanes(Lanes::Portable)
        .with_window_bits(WindowBits {
            any: Some(7),
            h: Some(8),
            l: Some(9),
            a: Some(10),
            b_g1: Some(11),
            b_g2: Some(12),
        })
        .with_ones(Ones::Pippenger)
        .with_parallel_b_g2(true)
        .with_msm_method(MsmMethod::Xyzz)
        .with_precompute(Precompute::AtMost(3))
        .with_streams(1)
        .with_witness_sums(WitnessSchedule::Together)
        .with_inline_terms(false)
        .with_batch_size(Some(5))
        .with_quotient(Quotient::Four)
        .with_synthesis(Synthesis::Direct)
        .with_capacity_hints(true)
        .with_host_memory(HostMemory::Registered)
        .with_memory_budget(Some(8 << 30))
        .with_measure(Measure::Phases)
        .with_threads(Some(3))
}

#[test]
fn every_field_has_a_switch_that_reads_and_writes_it() {
    // A field without a switch would keep its default here, and the two would differ.
    let mut written = Tuning::new();
    for switch in Tuning::SWITCHES {
        let value = switch.value(&changed());
        assert_ne!(value, switch.default_value(), "{}", switch.name);
        written
            .set_pair(&format!("{}={value}", switch.name))
            .expect("its own word");
        assert_eq!(switch.value(&written), value);
    }
    assert_eq!(written, changed());
    for switch in Tuning::SWITCHES {
        written
            .set(switch.name, &switch.default_value())
            .expect("its default");
    }
    assert_eq!(written, Tuning::new());
}

#[test]
fn a_file_and_the_table_hold_every_switch_and_the_file_reads_back() {
    for tuning in [Tuning::new(), changed()] {
        let file = tuning.to_toml();
        assert_eq!(Tuning::from_toml(&file), Ok(tuning), "{file}");
        let table = tuning.to_string();
        for switch in Tuning::SWITCHES {
            assert!(file.contains(&format!("\n{} = ", switch.name)), "{file}");
            for text in [switch.name, switch.values, switch.what] {
                assert!(table.contains(text), "{text} is missing from {table}");
            }
            let value = format!("  {} ", switch.value(&tuning));
            assert!(table.contains(&value), "{value} is missing from {table}");
        }
    }
}

#[test]
fn records_that_justify_a_default_are_files() {
    for switch in Tuning::SWITCHES {
        if let Some(record) = switch.record {
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            assert!(root.join(record).is_file(), "{}: {record}", switch.name);
        }
    }
}

#[test]
fn a_file_sets_what_it_names_and_takes_numbers_and_truth_values() {
    let mut tuning = changed();
    let file = "window-bits = 9\ncapacity-hints = false\nlanes = \"detect\"";
    tuning.apply_toml(file).expect("sound");
    let expected = changed()
        .with_window_bits(WindowBits {
            any: Some(9),
            ..changed().window_bits
        })
        .with_capacity_hints(false)
        .with_lanes(Lanes::Detect);
    assert_eq!(tuning, expected);
    assert_eq!(Tuning::from_toml(""), Ok(Tuning::new()));
}

#[test]
fn a_file_with_a_fault_sets_nothing() {
    let refused = [
        ("threads = 2\nlane = \"detect\"", "the nearest is lanes"),
        ("threads = 2\nwindow-bits = 21", "the nearest is 20"),
        ("threads = 2\nwindow-bits = [1]", "expected auto or 2 to 20"),
        ("threads = 2\nthreads = 3", "not a file of switches"),
        ("threads 2", "not a file of switches"),
        ("[tuning]\nthreads = 2", "unknown switch \"tuning\""),
    ];
    for (file, expected) in refused {
        let mut tuning = Tuning::new();
        let error = tuning.apply_toml(file).expect_err(file).to_string();
        assert!(error.contains(expected), "{file}: {error}");
        assert_eq!(tuning, Tuning::new(), "{file}");
    }
}

#[test]
fn unknown_names_and_impossible_values_name_the_nearest() {
    let mut tuning = Tuning::new();
    let refused = |tuning: &mut Tuning, pair: &str| tuning.set_pair(pair).expect_err(pair);
    assert_eq!(
        refused(&mut tuning, "hostmemory=pageable"),
        TuningError::UnknownSwitch {
            got: "hostmemory".to_owned(),
            nearest: "host-memory",
        }
    );
    assert_eq!(
        refused(&mut tuning, "lanes=portble").to_string(),
        "impossible value of lanes: expected detect or portable, got \"portble\"; the nearest is \
         portable"
    );
    for (pair, nearest) in [
        ("window-bits=1", "2"),
        ("window-bits-h=21", "20"),
        ("ones=tree", "trees"),
        ("parallel-b-g2=yes", "off"),
        ("msm-method=xyz", "xyzz"),
        ("precompute=1", "2"),
        ("precompute=17", "16"),
        ("precompute=on", "auto"),
        ("streams=3", "1"),
        ("inline-terms=of", "off"),
        ("batch-size=0", "1"),
        ("batch-size=257", "256"),
        ("window-bits=64", "20"),
        ("window-bits=wide", "auto"),
        ("synthesis=compile", "compiled"),
        ("capacity-hints=yes", "off"),
        ("host-memory=register", "registered"),
        ("threads=100000", "1024"),
        ("threads=0", "1"),
    ] {
        match refused(&mut tuning, pair) {
            TuningError::ImpossibleValue { nearest: got, .. } => assert_eq!(got, nearest, "{pair}"),
            other => panic!("{pair}: {other:?}"),
        }
    }
    let no_pair = TuningError::NotAPair {
        got: "lanes".to_owned(),
    };
    assert_eq!(refused(&mut tuning, "lanes"), no_pair);
    assert_eq!(tuning, Tuning::new());
}

#[test]
fn a_field_that_no_word_names_is_refused_when_the_prover_is_made() {
    for bits in [0, 1, 21, u32::MAX] {
        let tuning = Tuning::new().with_window_bits(Some(bits));
        let refused = Prover::builder().tuning(tuning).build();
        let error = refused.expect_err("no such width");
        assert!(
            matches!(
                error,
                Error::Tuning(TuningError::ImpossibleValue {
                    switch: "window-bits",
                    ..
                })
            ),
            "{error:?}"
        );
    }
}

#[test]
fn what_is_given_to_the_builder_stands_above_the_tuning_in_either_order() {
    let tuning = Tuning::new().with_threads(Some(2));
    let builders = [
        Prover::builder().threads(1).tuning(tuning),
        Prover::builder().tuning(tuning).threads(1),
    ];
    for builder in builders {
        let prover = builder.build().expect("one thread");
        assert_eq!(prover.tuning().threads, Some(1));
    }
    let prover = Prover::builder().tuning(tuning).build().expect("two");
    assert_eq!(*prover.tuning(), tuning);
    let prover = Prover::builder().threads(0).tuning(tuning).build();
    assert_eq!(prover.expect("the caller's pool").tuning().threads, None);
}
