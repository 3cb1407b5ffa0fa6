//! The passes over chains of SHA-256, in our own gadgets and in `bellpepper`'s, and of MiMC.

#![expect(
    clippy::print_stdout,
    reason = "the record is what this program is for"
)]

#[path = "../tests/it/foreign_sha256.rs"]
mod foreign_sha256;
#[path = "support/measure.rs"]
mod measure;

use cuzk_synth::Bellpepper;
use cuzk_testkit::{MimcChain, Sha256Chain};
use foreign_sha256::ForeignSha256;
use measure::measure;

fn main() {
    let sha256 = Sha256Chain::new(1, 9);
    println!("{}", measure("sha256-chain", || &sha256));
    let foreign = ForeignSha256::new(9);
    println!(
        "{}",
        measure("sha256-chain-bellpepper", || Bellpepper(foreign.clone()))
    );
    let mimc = MimcChain::new(1, 1 << 18);
    println!("{}", measure("mimc-chain", || &mimc));
}
