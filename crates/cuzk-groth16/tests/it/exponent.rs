//! A circuit worked by hand: with a known trapdoor every point of the key and of the proof is
//! a known multiple of the generator, computed here from the circuit's three rows.
//!
//! The circuit has the public input y, the auxiliary variables x and z, and
//!
//! ```text
//! row 0:  x · x = z
//! row 1:  (z + 2·1) · (x) = y            that is, y = x³ + 2x
//! row 2:  1 · 0 = 0                      the row of the constant one
//! row 3:  y · 0 = 0                      the row of y
//! ```
//!
//! on the domain of order 4.

use std::sync::Arc;

use cuzk_cpu::{Cpu, Naive};
use cuzk_curve::{Fr, G1Affine, G1Projective, G2Projective};
use cuzk_groth16::{Blinding, ProvingKey, SetupError, Trapdoor, prove, verify, with_trapdoor};
use cuzk_params::Parameters;
use cuzk_phase::Timeline;
use cuzk_r1cs::Shape;
use cuzk_synth::{Circuit, ConstraintSystem, SynthesisError};
use ff::{Field, PrimeField};
use group::{Curve, Group};

struct Cubic {
    x: Fr,
}

impl Circuit for Cubic {
    fn synthesize<CS: ConstraintSystem>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let Self { x } = self;
        let x_var = cs.alloc(|| "x", || Ok(x))?;
        let z = cs.alloc(|| "z", || Ok(x.square()))?;
        // Allocated after the auxiliary variables, and still before them in the key.
        let y = cs.alloc_input(|| "y", || Ok(x.square() * x + x.double()))?;
        cs.enforce(|| "square", |s| s + x_var, |s| s + x_var, |s| s + z);
        cs.enforce(
            || "cubic",
            |s| s + z + (Fr::from(2), CS::one()),
            |s| s + x_var,
            |s| s + y,
        );
        Ok(())
    }
}

struct Secrets {
    alpha: Fr,
    beta: Fr,
    gamma: Fr,
    delta: Fr,
    tau: Fr,
}

const X: u64 = 5;

fn secrets() -> Secrets {
    Secrets {
        alpha: Fr::from(1001),
        beta: Fr::from(2002),
        gamma: Fr::from(3003),
        delta: Fr::from(4004),
        tau: Fr::from(5005),
    }
}

impl Secrets {
    fn trapdoor(&self) -> Trapdoor {
        Trapdoor::new(self.alpha, self.beta, self.gamma, self.delta, self.tau)
            .expect("nothing is zero")
    }

    fn vanishing(&self) -> Fr {
        self.tau.pow_vartime([4]) - Fr::ONE
    }

    /// The four Lagrange polynomials at τ, as products of differences.
    fn lagrange(&self) -> [Fr; 4] {
        let omega = Fr::ROOT_OF_UNITY.pow_vartime([1 << 30]);
        let roots = [0, 1, 2, 3].map(|i| omega.pow_vartime([i]));
        [0, 1, 2, 3].map(|i| {
            let others = roots.iter().enumerate().filter(|(j, _)| *j != i);
            others.fold(Fr::ONE, |product, (_, root)| {
                product * (self.tau - root) * (roots[i] - root).invert().expect("distinct")
            })
        })
    }

    /// u, v and w at τ for the variables 1, y, x, z.
    fn columns(&self) -> [[Fr; 3]; 4] {
        let [l0, l1, l2, l3] = self.lagrange();
        let zero = Fr::ZERO;
        [
            [l1.double() + l2, zero, zero],
            [l3, zero, l1],
            [l0, l0 + l1, zero],
            [l1, zero, l0],
        ]
    }

    fn mixed(&self, [u, v, w]: [Fr; 3]) -> Fr {
        self.beta * u + self.alpha * v + w
    }
}

fn g1(exponents: &[Fr]) -> Vec<G1Affine> {
    let multiple = |e: &Fr| (G1Projective::generator() * e).to_affine();
    exponents.iter().map(multiple).collect()
}

fn shape() -> Arc<Shape> {
    Arc::new(cuzk_synth::shape(Cubic { x: Fr::ZERO }).expect("the circuit is sound"))
}

fn parameters(secrets: &Secrets) -> Parameters {
    with_trapdoor(
        &Cpu::default(),
        &shape(),
        &secrets.trapdoor(),
        &Timeline::start(),
        |_| {},
    )
    .expect("the shape is sound")
}

#[test]
fn every_point_of_the_key_is_the_multiple_worked_out_by_hand() {
    let secrets = secrets();
    let key = parameters(&secrets);
    let [one, y, x, z] = secrets.columns();
    let by = |divisor: Fr, columns: [Fr; 3]| {
        secrets.mixed(columns) * divisor.invert().expect("not zero")
    };
    let g2 = |e: Fr| (G2Projective::generator() * e).to_affine();

    assert_eq!(
        vec![key.vk.alpha_g1, key.vk.beta_g1, key.vk.delta_g1],
        g1(&[secrets.alpha, secrets.beta, secrets.delta])
    );
    assert_eq!(key.vk.beta_g2, g2(secrets.beta));
    assert_eq!(key.vk.gamma_g2, g2(secrets.gamma));
    assert_eq!(key.vk.delta_g2, g2(secrets.delta));
    assert_eq!(
        key.vk.ic,
        g1(&[by(secrets.gamma, one), by(secrets.gamma, y)])
    );
    assert_eq!(
        key.l.points(),
        g1(&[by(secrets.delta, x), by(secrets.delta, z)])
    );
    assert_eq!(key.a.points(), g1(&[one[0], y[0], x[0], z[0]]));
    // Only x stands on the B side.
    assert_eq!(key.b_g1.points(), g1(&[x[1]]));
    assert_eq!(key.b_g2.points(), [g2(x[1])]);
    let quotient = secrets.vanishing() * secrets.delta.invert().expect("not zero");
    let tau = secrets.tau;
    assert_eq!(
        key.h.points(),
        g1(&[quotient, quotient * tau, quotient * tau.square()])
    );
}

#[test]
fn every_point_of_the_proof_is_the_multiple_worked_out_by_hand() {
    let secrets = secrets();
    let parameters = parameters(&secrets);
    let x = Fr::from(X);
    let (r, s) = (Fr::from(77), Fr::from(88));
    let key = ProvingKey::prepare(&Naive, shape(), &parameters).expect("the key fits");
    let witness = cuzk_synth::witness(Cubic { x }).expect("values are known");
    let timeline = Timeline::start();
    let proof = prove(&Naive, &key, &witness, &Blinding::fixed(r, s), &timeline)
        .expect("the witness is right");

    let values = [Fr::ONE, x.square() * x + x.double(), x, x.square()];
    let columns = secrets.columns();
    let at_tau = |side: usize| -> Fr {
        let terms = values.iter().zip(&columns);
        terms.map(|(value, column)| *value * column[side]).sum()
    };
    let (u, v, w) = (at_tau(0), at_tau(1), at_tau(2));
    let aux: Fr = (2..4).map(|i| values[i] * secrets.mixed(columns[i])).sum();
    let delta = secrets.delta;
    let a = secrets.alpha + u + r * delta;
    let b = secrets.beta + v + s * delta;
    // h(τ)·Z(τ) = u·v − w needs no quotient in the exponent.
    let c = (aux + u * v - w) * delta.invert().expect("not zero") + s * a + r * b - r * s * delta;
    assert_eq!(vec![*proof.a(), *proof.c()], g1(&[a, c]));
    assert_eq!(*proof.b(), (G2Projective::generator() * b).to_affine());
    assert_eq!(
        verify(key.verifying_key(), &proof, &[Fr::from(135)]),
        Ok(())
    );
}

#[test]
fn a_trapdoor_that_proves_nothing_is_refused() {
    let one = Fr::ONE;
    let refused = |values: [Fr; 5]| {
        let [alpha, beta, gamma, delta, tau] = values;
        let error = Trapdoor::new(alpha, beta, gamma, delta, tau).expect_err("degenerate");
        error.to_string()
    };
    for (position, name) in ["alpha", "beta", "gamma", "delta"].into_iter().enumerate() {
        let mut values = [one; 5];
        values[position] = Fr::ZERO;
        assert_eq!(
            refused(values),
            format!("trapdoor value {name} is degenerate: expected not zero")
        );
    }
    let in_domain = Fr::ROOT_OF_UNITY.pow_vartime([1 << 30]);
    let trapdoor = Trapdoor::new(one, one, one, one, in_domain).expect("no domain yet");
    assert!(matches!(
        with_trapdoor(
            &Cpu::default(),
            &shape(),
            &trapdoor,
            &Timeline::start(),
            |_| {}
        ),
        Err(SetupError::Trapdoor { what: "tau", .. })
    ));
}
