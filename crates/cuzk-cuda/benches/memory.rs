//! Planned and real memory and time of the device work of a proof, for several budgets.
//!
//! `memory [LOG_N,... [BUDGET_MIB,...]]`: a MiMC chain of 2^LOG_N rows and one of SHA-256 of about as
//! many, with made-up keys whose sums are compared between budgets; by default 2^18, 2^20 and 2^22
//! rows, and all of the card, then what the least plan takes by 4, 2, 1.5, 1.25 and 1. Prints a
//! JSON object a line.

use std::{error::Error, time::Instant};

use cuzk_backend::{Backend, Evaluate, KeyShape, Msm, Ntt, SharedBases, WitnessMsm, WitnessSplit};
use cuzk_cuda::{
    Cuda, MemoryPlan,
    plan::{Card, Witness},
};
use cuzk_curve::{Domain, G1, G1Affine, G1Projective, G2, G2Affine, G2Projective, SourceGroup};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_groth16::CircuitLayout;
use cuzk_r1cs::{Bitmap, PackedWitness, Shape};
use cuzk_synth::Circuit;
use cuzk_testkit::{MimcChain, Sha256Chain};
use group::{Curve as _, Group as _};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// A circuit with queries of points that repeat.
struct Case {
    name: &'static str,
    shape: Shape,
    witness: PackedWitness,
    key: KeyShape,
    aux: Bitmap,
    g1: SharedBases<G1>,
    g2: SharedBases<G2>,
}

/// So many of the points.
struct First<G: SourceGroup>(SharedBases<G>, usize);

impl<G: SourceGroup> AsRef<[G::Affine]> for First<G> {
    fn as_ref(&self) -> &[G::Affine] {
        &self.0[..self.1]
    }
}

fn repeated<G: SourceGroup>(n: usize) -> SharedBases<G> {
    const DISTINCT: usize = 4096;
    let mut sum = G::Projective::generator();
    let points: Vec<G::Affine> = (0..DISTINCT)
        .map(|_| {
            sum = sum.double() + G::Projective::generator();
            sum.to_affine()
        })
        .collect();
    let repeated: Vec<G::Affine> = points.iter().copied().cycle().take(n).collect();
    SharedBases::from(repeated)
}

impl Case {
    fn new(name: &'static str, circuit: impl Circuit + Copy) -> Outcome<Self> {
        let shape = cuzk_synth::shape(circuit)?;
        let key = CircuitLayout::of_shape(&shape)?.key_shape_of(&shape);
        let inputs = shape.num_inputs();
        let aux = (0..key.variables).map(|variable| variable >= inputs);
        Ok(Self {
            name,
            witness: cuzk_synth::witness(circuit)?,
            aux: aux.collect(),
            g1: repeated::<G1>(key.h.max(key.variables)),
            g2: repeated::<G2>(key.b),
            shape,
            key,
        })
    }

    fn query<G: SourceGroup>(all: &SharedBases<G>, n: usize) -> SharedBases<G> {
        SharedBases::new(First::<G>(all.clone(), n))
    }

    /// Prepares the key, runs some proofs' work, and prints what it took; gives the sums.
    fn run(&self, budget_bytes: Option<usize>) -> Outcome<(Vec<G1Affine>, G2Affine)> {
        const PROOFS: usize = 10;
        let options = DeviceOptions {
            budget_bytes,
            ..DeviceOptions::default()
        };
        let cuda = Cuda::open(&DeviceSelector::default(), &options)?;
        let device = cuda.cuda_device().clone();
        let free_before = device.memory()?.free_bytes;
        let key = &self.key;
        let started = Instant::now();
        let plan = cuda.memory_plan(key)?;
        let planned = started.elapsed();
        let keep = cuda.plan_key(key)?;
        let started = Instant::now();
        let g1 = |n, keep| Msm::<G1>::prepare_as(&cuda, Self::query(&self.g1, n), keep);
        let (h, l) = (g1(key.h, keep.h)?, g1(key.l, keep.l)?);
        let (a, b_g1) = (g1(key.a, keep.a)?, g1(key.b, keep.b_g1)?);
        let b_g2 = Msm::<G2>::prepare_as(&cuda, Self::query(&self.g2, key.b), keep.b_g2)?;
        let matrices = [self.shape.a(), self.shape.b(), self.shape.c()];
        let matrices = matrices.map(|matrix| cuda.prepare_matrix(matrix));
        let densities = self.shape.densities();
        let selections = [&self.aux, &densities.a, &densities.b];
        let selections = selections.map(|bits| cuda.prepare_selection(bits));
        let prepared = started.elapsed();
        let domain = Domain::for_len(self.shape.num_rows())?;
        let proof = || -> Outcome<(Vec<G1Projective>, G2Projective)> {
            let w = cuda.upload_witness(&self.witness)?;
            let mut values = Vec::new();
            for matrix in &matrices {
                let matrix = matrix.as_ref().map_err(ToString::to_string)?;
                values.push(cuda.evaluate(matrix, &w, &domain)?);
            }
            let (c, b, a_values) = (values.pop(), values.pop(), values.pop());
            let three = "three matrices";
            let quotient =
                cuda.quotient(a_values.expect(three), b.expect(three), c.expect(three))?;
            let scalars = cuda.truncate(quotient.into_vector(), domain.n() - 1)?;
            let mut sums = vec![Msm::<G1>::msm(&cuda, &h, &scalars)?];
            drop(scalars);
            let mut splits = Vec::new();
            for selection in &selections {
                let selection = selection.as_ref().map_err(ToString::to_string)?;
                splits.push(cuda.split(&w, selection)?);
            }
            for (bases, split) in [&l, &a, &b_g1].into_iter().zip(&splits) {
                sums.push(WitnessMsm::<G1>::sum_ones(&cuda, bases, split)?);
            }
            let ones = WitnessMsm::<G2>::sum_ones(&cuda, &b_g2, &splits[2])?;
            for (bases, split) in [&l, &a, &b_g1].into_iter().zip(&splits) {
                sums.push(WitnessMsm::<G1>::msm_rest(&cuda, bases, split)?);
            }
            let rest = WitnessMsm::<G2>::msm_rest(&cuda, &b_g2, &splits[2])?;
            let sums: Result<Vec<_>, _> = sums.into_iter().map(|sum| sum.wait()).collect();
            let sums = sums?;
            let both = (1..4).map(|i| sums[i] + sums[i + 3]);
            let all = std::iter::once(sums[0]).chain(both).collect();
            Ok((all, ones.wait()? + rest.wait()?))
        };
        let mut times = Vec::new();
        let mut last = None;
        for _ in 0..PROOFS {
            let started = Instant::now();
            last = Some(proof()?);
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        let first_ms = times.remove(0);
        times.sort_by(f64::total_cmp);
        let memory = device.memory()?;
        self.print(
            &plan,
            budget_bytes,
            &[
                ("planning_ms", planned.as_secs_f64() * 1e3),
                ("preparing_ms", prepared.as_secs_f64() * 1e3),
                ("first_ms", first_ms),
                ("median_ms", times[times.len() / 2]),
                ("predicted_ms", plan.predicted_ms),
                ("planned_mib", mebibytes(plan.peak_bytes)),
                ("peak_mib", mebibytes(memory.peak_bytes)),
                (
                    "taken_mib",
                    mebibytes(free_before.saturating_sub(memory.free_bytes)),
                ),
                ("key_mib", mebibytes(memory.used_bytes)),
            ],
        );
        let (g1, g2) = last.expect("some proofs");
        Ok((
            g1.iter().map(|sum| sum.to_affine()).collect(),
            g2.to_affine(),
        ))
    }

    /// One budget after the other, with sums that are to be the same.
    fn run_within(&self, budgets: &[usize]) {
        let mut expected = None;
        for &budget in budgets {
            match self.run((budget > 0).then_some(budget << 20)) {
                Ok(sums) => {
                    let expected = expected.get_or_insert_with(|| sums.clone());
                    out(&format!("{{\"equal_sums\": {}}}", *expected == sums));
                }
                Err(error) => out(&format!(
                    "{{\"budget_mib\": {budget}, \"error\": \"{error}\"}}"
                )),
            }
        }
    }

    fn print(&self, plan: &MemoryPlan, budget_bytes: Option<usize>, figures: &[(&str, f64)]) {
        let mut object = serde_json::json!({
            "circuit": self.name,
            "rows": self.shape.num_rows(),
            "budget_mib": budget_bytes.map(|bytes| bytes >> 20),
            "streamed": plan.queries.iter().filter(|query| !query.resident)
                .map(|query| query.name).collect::<Vec<_>>(),
            "twiddles_stay": plan.twiddles_stay,
            "within": plan.peak_bytes as f64 >= figures[6].1 * f64::from(1 << 20),
        });
        for (name, figure) in figures {
            object[*name] = serde_json::json!((figure * 10.0).round() / 10.0);
        }
        out(&object.to_string());
    }
}

fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

#[expect(clippy::print_stdout, reason = "a program")]
fn out(line: &str) {
    println!("{line}");
}

fn numbers<T: std::str::FromStr>(words: &str) -> Result<Vec<T>, T::Err> {
    words.split(',').map(str::parse).collect()
}

/// All of the card, then parts of the smallest budget, in MiB; 0 is no budget.
fn default_budgets(key: &KeyShape) -> Outcome<Vec<usize>> {
    let cuda = Cuda::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    let card = Card::of(cuda.cuda_device().info());
    let least = MemoryPlan::least_budget(key, Witness::Any, &card)?;
    let quarters = [16, 8, 6, 5, 4].map(|quarters| (least / 4 * quarters).div_ceil(1 << 20));
    Ok(std::iter::once(0).chain(quarters).collect())
}

fn main() -> Outcome<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"));
    let sizes: Vec<u32> = numbers(&arguments.next().unwrap_or("18,20,22".to_owned()))?;
    let budgets: Option<Vec<usize>> = arguments.next().map(|words| numbers(&words)).transpose()?;
    for log_n in sizes {
        let rows = (1usize << log_n) - 16;
        let cases = [
            Case::new("mimc", &MimcChain::new(1, rows))?,
            Case::new("sha256", &Sha256Chain::new(1, (rows / 27_000).max(1)))?,
        ];
        for case in &cases {
            let budgets = match &budgets {
                Some(budgets) => budgets.clone(),
                None => default_budgets(&case.key)?,
            };
            case.run_within(&budgets);
        }
    }
    Ok(())
}
