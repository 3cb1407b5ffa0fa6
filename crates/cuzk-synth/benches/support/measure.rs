//! The passes over one circuit, by turns, as one JSON object.

use std::hint::black_box;

use cuzk_synth::{Capacity, Circuit, Counts, DirectOptions, check, direct, shape, witness};

#[path = "turns.rs"]
mod turns;

const ROUNDS: usize = 11;

fn run<'a>(name: &str, run: impl FnMut() + 'a) -> turns::Alternative<'a> {
    (name.to_owned(), Box::new(run))
}

pub(crate) fn measure<C: Circuit>(name: &str, circuit: impl Fn() -> C) -> String {
    let counts = check(circuit()).expect("the circuit is satisfied");
    let Counts {
        constraints,
        inputs,
        aux,
    } = counts;
    let plain = DirectOptions::default();
    let hinted = plain.with_capacity(Capacity {
        constraints: constraints + inputs,
        aux,
    });
    let times = turns::by_turns(
        ROUNDS,
        vec![
            run("witness", || drop(black_box(witness(circuit())))),
            run("direct", || drop(black_box(direct(circuit(), &plain)))),
            run("hinted", || drop(black_box(direct(circuit(), &hinted)))),
            run("shape", || drop(black_box(shape(circuit())))),
            run("check", || drop(black_box(check(circuit())))),
        ],
    );
    let passes = times.iter().map(|t| {
        let (pass, min, median) = (&t.name, t.min_ms, t.median_ms);
        format!("\"{pass}_ms\": {{\"min\": {min:.2}, \"median\": {median:.2}}}")
    });
    let passes: Vec<String> = passes.collect();
    format!(
        "{{\"circuit\": \"{name}\", \"constraints\": {constraints}, \"inputs\": {inputs}, \
         \"aux\": {aux}, \"rounds\": {ROUNDS}, {}, \"direct_over_witness\": {:.2}, \
         \"hinted_over_direct\": {:.2}}}",
        passes.join(", "),
        times[1].min_ms / times[0].min_ms,
        times[2].min_ms / times[1].min_ms
    )
}
