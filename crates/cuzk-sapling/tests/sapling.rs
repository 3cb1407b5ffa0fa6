//! The real circuits, statements and parameter files are what the tables say.

#[path = "../../cuzk-synth/tests/it/recording.rs"]
mod recording;

use cuzk_r1cs::{CsrMatrix, Shape};
use cuzk_sapling::{Circuit, TRANSCRIPT_BYTES};
use cuzk_synth::{check, shape, witness};
use sha2::{Digest, Sha256};

fn blank_shape(circuit: Circuit) -> Shape {
    shape(circuit.blank()).expect("the shape pass needs no value")
}

#[test]
fn circuits_have_their_known_sizes() {
    let facts = |circuit| {
        let shape = blank_shape(circuit);
        let (a, b) = (&shape.densities().a, &shape.densities().b);
        let inputs = shape.num_inputs();
        (
            [shape.num_constraints(), inputs, shape.num_aux()],
            [shape.a(), shape.b(), shape.c()].map(CsrMatrix::terms),
            [
                a.count_ones_below(inputs),
                a.count_ones(),
                b.count_ones_below(inputs),
                b.count_ones(),
            ],
        )
    };
    assert_eq!(
        facts(Circuit::Output),
        (
            [7_827, 6, 7_821],
            [14_986, 8_522, 12_269],
            [6, 6_298, 1, 4_850]
        )
    );
    assert_eq!(
        facts(Circuit::Spend),
        (
            [98_777, 8, 98_638],
            [258_359, 99_918, 205_741],
            [8, 85_390, 1, 61_300]
        )
    );
}

#[test]
fn statements_are_valid_and_come_to_the_public_inputs_computed_apart() {
    for circuit in Circuit::ALL {
        for seed in 0..2 {
            let statement = circuit.statement(seed);
            let counts = check(statement.instance.clone()).expect("a valid statement");
            let witness = witness(statement.instance).expect("all values are there");
            assert_eq!(counts.inputs + counts.aux, witness.len());
            assert_eq!(witness.public_inputs(), statement.public_inputs);
        }
    }
}

#[test]
fn passes_agree_with_a_plain_recording() {
    use bellman::Circuit as _;
    for circuit in Circuit::ALL {
        let instance = circuit.statement(3).instance;
        let mut recording = recording::Recording::new();
        let recorded = instance.clone().synthesize(&mut recording);
        recorded.expect("the recording succeeds");
        recording.assert_passes(&instance);
        recording.assert_shape(&blank_shape(circuit));
    }
}

#[test]
fn the_seed_decides_the_statement() {
    let inputs = |seed| Circuit::Output.statement(seed).public_inputs;
    assert_eq!(inputs(5), inputs(5));
    assert_ne!(inputs(5), inputs(6));
}

#[test]
fn the_shape_is_the_same_with_and_without_values() {
    for circuit in Circuit::ALL {
        let filled = shape(circuit.statement(9).instance).expect("synthesis succeeds");
        assert_eq!(filled, blank_shape(circuit));
    }
}

#[test]
fn a_blank_instance_has_no_witness() {
    let missing = witness(Circuit::Output.blank());
    assert!(matches!(
        missing,
        Err(cuzk_synth::SynthesisError::AssignmentMissing)
    ));
}

#[test]
fn parameter_files_have_the_published_digests() {
    let published = [
        (
            Circuit::Output,
            "657e3d38dbb5cb5e7dd2970e8b03d69b4787dd907285b5a7f0790dcc8072f60b\
             f593b32cc2d1c030e00ff5ae64bf84c5c3beb84ddc841d48264b4a171744d028",
        ),
        (
            Circuit::Spend,
            "8270785a1a0d0bc77196f000ee6d221c9c9894f55307bd9357c3f0105d31ca63\
             991ab91324160d8f53e2bbd3c2633a6eb8bdf5205d822e7f3f73edac51b2b70c",
        ),
    ];
    for (circuit, digest) in published {
        let bytes = circuit.parameters_bytes();
        assert_eq!(blake2b_simd::blake2b(&bytes).to_hex().as_str(), digest);
        let sections = Sha256::digest(&bytes[..bytes.len() - TRANSCRIPT_BYTES]);
        assert_eq!(circuit.parameters_digest().0, sections.as_slice());
    }
}

#[test]
fn names_are_read_back() {
    for circuit in Circuit::ALL {
        assert_eq!(circuit.to_string().parse(), Ok(circuit));
    }
    assert!("sapling".parse::<Circuit>().is_err());
}
