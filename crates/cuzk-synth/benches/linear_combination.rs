//! How many terms a linear combination should hold before it allocates.
//!
//! Two mixes of constraints, with the sums in the shapes in which SHA-256 and Sapling gadgets
//! write them, are built and evaluated as the direct pass does; once with a new sum for each
//! side of a constraint and once with one sum that is cleared and used again. Prints one JSON
//! object per mix and way, with times as ratios to the capacity in use.

#![expect(
    clippy::print_stdout,
    reason = "the record is what this program is for"
)]

#[path = "support/turns.rs"]
mod turns;

use std::hint::black_box;
use std::mem;
use std::ops::{Add, Sub};

use cuzk_curve::Fr;
use cuzk_synth::{INLINE_TERMS, Index, LinearCombination, Variable};
use ff::Field;
use turns::{Alternative, by_turns};

const ROUNDS: usize = 25;
const ONE: Variable = Variable::ONE;

/// A linear combination of one or another capacity.
trait Sum:
    Default
    + Add<Variable, Output = Self>
    + Sub<Variable, Output = Self>
    + Add<(Fr, Variable), Output = Self>
{
    fn terms(&self) -> &[(Variable, Fr)];
    fn clear(&mut self);
}

impl<const N: usize> Sum for LinearCombination<N> {
    fn terms(&self) -> &[(Variable, Fr)] {
        self.terms()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

#[derive(Default)]
struct InVec(Vec<(Variable, Fr)>);

impl Add<Variable> for InVec {
    type Output = Self;

    #[inline]
    fn add(self, variable: Variable) -> Self {
        self + (Fr::ONE, variable)
    }
}

impl Sub<Variable> for InVec {
    type Output = Self;

    #[inline]
    fn sub(self, variable: Variable) -> Self {
        self + (-Fr::ONE, variable)
    }
}

impl Add<(Fr, Variable)> for InVec {
    type Output = Self;

    #[inline]
    fn add(mut self, (coefficient, variable): (Fr, Variable)) -> Self {
        self.0.push((variable, coefficient));
        self
    }
}

impl Sum for InVec {
    fn terms(&self) -> &[(Variable, Fr)] {
        &self.0
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    New,
    Cleared,
}

struct Evaluator<S> {
    aux: Vec<Fr>,
    out: Vec<Fr>,
    way: Way,
    spare: S,
}

impl<S: Sum> Evaluator<S> {
    #[inline]
    fn side(&mut self, build: impl FnOnce(S) -> S) {
        let mut sum = match self.way {
            Way::New => build(S::default()),
            Way::Cleared => build(mem::take(&mut self.spare)),
        };
        let mut value = Fr::ZERO;
        for &(variable, coefficient) in sum.terms() {
            let x = match variable.index() {
                Index::Input(_) => Fr::ONE,
                Index::Aux(i) => self.aux[i],
            };
            if x == Fr::ZERO {
                continue;
            }
            if coefficient == Fr::ONE {
                value += x;
            } else if x == Fr::ONE {
                value += coefficient;
            } else {
                value += coefficient * x;
            }
        }
        self.out.push(value);
        if self.way == Way::Cleared {
            sum.clear();
            self.spare = sum;
        }
    }

    #[inline]
    fn enforce(&mut self, a: impl FnOnce(S) -> S, b: impl FnOnce(S) -> S, c: impl FnOnce(S) -> S) {
        self.side(a);
        self.side(b);
        self.side(c);
    }

    fn boolean(&mut self, x: Variable) {
        self.enforce(|s| s + ONE - x, |s| s + x, |s| s);
    }

    /// As many constraints of each kind as a round of SHA-256 has.
    fn sha256_round(&mut self, v: &[Variable]) {
        for i in 0..32 {
            let [x, y, z, w] = [v[i], v[i + 32], v[i + 64], v[i + 96]];
            for _ in 0..2 {
                self.boolean(x);
            }
            for _ in 0..7 {
                self.enforce(|s| s + x + x, |s| s + y, |s| s + x + y - z);
            }
            self.enforce(|s| s + x, |s| s + y - z, |s| s + w - z);
            self.enforce(|s| s + x, |s| s + y, |s| s + z);
            self.enforce(|s| s + x, |s| s + y + z - w - w, |s| s + z - w);
        }
        for _ in 0..3 {
            let weigh = |s: S, bits: &[Variable]| {
                let mut weight = Fr::ONE;
                bits.iter().fold(s, |s, &bit| {
                    let s = s + (weight, bit);
                    weight = weight.double();
                    s
                })
            };
            self.enforce(
                |s| v.chunks(32).fold(s, weigh),
                |s| s + ONE,
                |s| weigh(s, &v[..35]),
            );
        }
    }

    /// Window lookups and additions of points, and now and then a packed value, as in a
    /// Pedersen hash.
    fn pedersen_window(&mut self, v: &[Variable], k: &[Fr]) {
        let [x, y, p, q, r, t] = [v[0], v[1], v[66], v[67], v[68], v[69]];
        self.boolean(x);
        self.enforce(|s| s + x, |s| s + y, |s| s + p);
        let lookup = |s: S| s + (k[0], ONE) + (k[1], x) + (k[2], y) + (k[3], p);
        self.enforce(lookup, |s| s + x, |s| s + q + (k[4], ONE));
        self.enforce(|s| s + (k[5], q) + q, |s| s + (k[6], p) + p, |s| s + r);
        self.enforce(|s| s + p, |s| s + r, |s| s + t);
        self.enforce(|s| s + ONE + t, |s| s + q, |s| s + r + t);
        self.enforce(|s| s + ONE - t, |s| s + r, |s| s + p - r + t);
        self.enforce(|s| s + (k[7], t), |s| s + q, |s| s + p);
    }

    fn packed(&mut self, v: &[Variable], k: &[Fr]) {
        let pack = |s: S| {
            v[..64]
                .iter()
                .zip(k.iter().cycle())
                .fold(s, |s, (&x, &k)| s + (k, x))
        };
        self.enforce(pack, |s| s + ONE, |s| s + v[66]);
    }
}

#[derive(Clone, Copy)]
enum Mix {
    Sha256,
    Pedersen,
}

fn run<S: Sum>(mix: Mix, way: Way, out: &mut Vec<Fr>) {
    out.clear();
    let full: Vec<Fr> = (2..10)
        .map(|k| Fr::from(k).invert().unwrap_or(Fr::ONE))
        .collect();
    let bits = (0..160).map(|i: u64| Fr::from(i * i / 7 % 2));
    let mut aux: Vec<Fr> = bits.collect();
    if matches!(mix, Mix::Pedersen) {
        aux[66..70].copy_from_slice(&full[..4]);
    }
    let variables: Vec<Variable> = (0..aux.len())
        .map(|i| Variable::new_unchecked(Index::Aux(i)))
        .collect();
    let mut evaluator: Evaluator<S> = Evaluator {
        aux,
        out: mem::take(out),
        way,
        spare: S::default(),
    };
    for round in 0..60 {
        match mix {
            Mix::Sha256 => evaluator.sha256_round(black_box(&variables)),
            Mix::Pedersen => {
                for _ in 0..50 {
                    evaluator.pedersen_window(black_box(&variables), &full);
                }
                if round % 4 == 0 {
                    evaluator.packed(&variables, &full);
                }
            }
        }
    }
    *out = black_box(evaluator.out);
}

type Run = fn(Mix, Way, &mut Vec<Fr>);

fn main() {
    for (mix, mix_name) in [(Mix::Sha256, "sha256"), (Mix::Pedersen, "pedersen")] {
        for (way, way_name) in [(Way::New, "new"), (Way::Cleared, "cleared")] {
            let runs: [(&str, Run); 6] = [
                ("1", run::<LinearCombination<1>>),
                ("2", run::<LinearCombination<2>>),
                ("3", run::<LinearCombination<3>>),
                ("4", run::<LinearCombination<4>>),
                ("8", run::<LinearCombination<8>>),
                ("vec", run::<InVec>),
            ];
            let alternatives = runs.map(|(name, run)| -> Alternative<'_> {
                let mut out = Vec::new();
                let go = move || (0..8).for_each(|_| run(mix, way, &mut out));
                (name.to_owned(), Box::new(go))
            });
            let times = by_turns(ROUNDS, alternatives.into());
            let in_use = INLINE_TERMS.to_string();
            let base = times
                .iter()
                .find(|t| t.name == in_use)
                .map_or(1.0, |t| t.min_ms);
            let ratios = |of: fn(&turns::Times) -> f64, base: f64| {
                let ratios = times
                    .iter()
                    .map(|t| format!("\"{}\": {:.2}", t.name, of(t) / base));
                ratios.collect::<Vec<_>>().join(", ")
            };
            let median = times
                .iter()
                .find(|t| t.name == in_use)
                .map_or(1.0, |t| t.median_ms);
            println!(
                "{{\"mix\": \"{mix_name}\", \"way\": \"{way_name}\", \"rounds\": {ROUNDS}, \
                 \"capacity_in_use\": {in_use}, \"min_ms_in_use\": {base:.2}, \
                 \"ratio_of_minima\": {{{}}}, \"ratio_of_medians\": {{{}}}}}",
                ratios(|t| t.min_ms, base),
                ratios(|t| t.median_ms, median),
            );
        }
    }
}
