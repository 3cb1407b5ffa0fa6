//! The passes over the same circuit, by turns. One JSON object per circuit.

#![expect(
    clippy::print_stdout,
    reason = "the record is what this program is for"
)]

#[path = "../../cuzk-synth/benches/support/turns.rs"]
mod turns;

use std::hint::black_box;

use cuzk_sapling::Circuit as Sapling;
use cuzk_synth::{Capacity, Circuit, Counts, DirectOptions, check, direct, shape, witness};
use cuzk_testkit::{MimcChain, Sha256Chain};
use turns::by_turns;

const ROUNDS: usize = 9;

fn measure<C: Circuit>(name: &str, circuit: impl Fn() -> C) {
    let Counts {
        constraints,
        inputs,
        aux,
    } = check(circuit()).expect("the circuit is satisfied");
    let options = DirectOptions::default();
    let hinted = options.with_capacity(Capacity {
        constraints: constraints + inputs,
        aux,
    });
    let times = by_turns(
        ROUNDS,
        vec![
            (
                "witness".into(),
                Box::new(|| drop(black_box(witness(circuit())))),
            ),
            (
                "direct".into(),
                Box::new(|| drop(black_box(direct(circuit(), &options)))),
            ),
            (
                "direct_with_hints".into(),
                Box::new(|| drop(black_box(direct(circuit(), &hinted)))),
            ),
            (
                "shape".into(),
                Box::new(|| drop(black_box(shape(circuit())))),
            ),
            (
                "check".into(),
                Box::new(|| drop(black_box(check(circuit())))),
            ),
        ],
    );
    let min = |i: usize| times[i].min_ms;
    let passes: Vec<String> = times
        .iter()
        .map(|t| {
            format!(
                "\"{}\": {{\"min_ms\": {:.2}, \"median_ms\": {:.2}}}",
                t.name, t.min_ms, t.median_ms
            )
        })
        .collect();
    println!(
        "{{\"circuit\": \"{name}\", \"constraints\": {constraints}, \"inputs\": {inputs}, \
         \"aux\": {aux}, \"rounds\": {ROUNDS}, {}, \"direct_over_witness\": {:.2}, \
         \"hints_over_direct\": {:.2}}}",
        passes.join(", "),
        min(1) / min(0),
        min(2) / min(1)
    );
}

fn main() {
    for circuit in Sapling::ALL {
        let statement = circuit.statement(1);
        measure(circuit.name(), || statement.instance.clone());
    }
    let sha256 = Sha256Chain::new(1, 9);
    measure("sha256-chain", || &sha256);
    let mimc = MimcChain::new(1, 1 << 18);
    measure("mimc-chain", || &mimc);
}
