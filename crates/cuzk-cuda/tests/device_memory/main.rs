//! Memory of a real device: short of it, and flat. Each test has the card for itself, because some
//! take all of it.

#[path = "../shared/budgets.rs"]
mod budgets;
#[path = "../shared/counting.rs"]
mod counting;
#[path = "../shared/proofs.rs"]
#[expect(dead_code, reason = "the other tests' part of it")]
mod proofs;
#[path = "../shared/repeats.rs"]
mod repeats;

mod short;

use std::sync::{Mutex, MutexGuard, PoisonError};

use cuzk_cpu::Cpu;
use cuzk_testkit::{MimcChain, Sha256Chain};
use proofs::Case;

#[global_allocator]
static COUNTING: counting::Counting = counting::Counting;

/// The card, for one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static CARD: Mutex<()> = Mutex::new(());
    CARD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
#[ignore = "needs a CUDA device"]
fn two_hundred_proofs_hold_no_more_than_three() {
    let _card = alone();
    let cuda = budgets::within(None);
    let case = Case::of(&MimcChain::new(1, 5000));
    repeats::two_hundred_proofs_hold_no_more_than_three(&cuda, &case, &|| ());
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_plan_for_262144_rows_gives_the_proofs_of_the_cpu_and_holds_what_it_said() {
    let _card = alone();
    let rows = (1 << 18) - 16;
    let cases = [
        Case::of(&MimcChain::new(1, rows)),
        Case::of(&Sha256Chain::new(1, rows / 27_000)),
    ];
    for case in cases {
        let expected = case.proofs(&Cpu::default(), 2);
        let streamed = budgets::every_plan_proves(&case, &expected, &[5, 6, 8, 12, 20]);
        assert!(streamed >= 5, "{streamed}");
        budgets::too_little_is_refused(&case, &expected);
    }
}
