//! The passes over the Sapling circuits.

#![expect(
    clippy::print_stdout,
    reason = "the record is what this program is for"
)]

#[path = "../../cuzk-synth/benches/support/measure.rs"]
mod measure;

use cuzk_sapling::Circuit;

fn main() {
    for circuit in Circuit::ALL {
        let statement = circuit.statement(1);
        let instance = || statement.instance.clone();
        println!("{}", measure::measure(circuit.name(), instance));
    }
}
