use cuzk_backend::{Evals, Ntt, Poly, Transform};
use cuzk_cpu::Naive;
use cuzk_curve::{Domain, Fr};
use ff::Field;

use crate::{mixed_scalars, ntt::assert_same, rng, shape::assert_refused};

/// Values of a, b and c on a domain with a·b = c everywhere, so that the quotient exists.
#[must_use]
pub fn satisfied_evaluations(seed: u64, n: usize) -> [Vec<Fr>; 3] {
    let [a, b] = [seed, seed + 1].map(|seed| mixed_scalars(&mut rng(seed), n));
    let c = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    [a, b, c]
}

/// The quotient equals that of the naive backend at each `2^log_n`, whether or not it is a
/// polynomial; of satisfied constraints, `h·Z = a·b − c` at a point outside of the domain, and
/// the top coefficient is zero.
///
/// # Panics
/// Where it does not.
pub fn quotient_conformance<B: Ntt>(backend: &B, log_sizes: impl IntoIterator<Item = u32>) {
    for log_n in log_sizes {
        let domain = Domain::new(log_n).expect("a domain of the field");
        let seed = 2000 + u64::from(log_n);
        let satisfied = satisfied_evaluations(seed, domain.n());
        let h = quotient(backend, &domain, &satisfied);
        assert_same(&h, &quotient(&Naive, &domain, &satisfied), &(log_n, seed));
        assert_eq!(h.last(), Some(&Fr::ZERO), "degree at 2^{log_n}");
        divides(&domain, &satisfied, &h);
        let mut broken = satisfied;
        broken[2][domain.n() / 2] += Fr::ONE;
        let h = quotient(backend, &domain, &broken);
        let expected = quotient(&Naive, &domain, &broken);
        assert_same(&h, &expected, &("unsatisfied", log_n, seed));
    }
    domains_must_agree(backend);
}

/// The product on the coset equals that of the naive backend at each `2^log_n`, and its
/// coefficients those of `h·(gⁿ − 1) + c`; domains must agree.
///
/// # Panics
/// Where they do not.
pub fn product_conformance<B: Ntt>(backend: &B, log_sizes: impl IntoIterator<Item = u32>) {
    for log_n in log_sizes {
        let domain = Domain::new(log_n).expect("a domain of the field");
        let values = satisfied_evaluations(3000 + u64::from(log_n), domain.n());
        let product = product(backend, &domain, &values);
        assert_same(&product, &self::product(&Naive, &domain, &values), &log_n);
        let [h, c] = [quotient(&Naive, &domain, &values), values[2].clone()];
        let c = Naive.inverse(poly(&Naive, &domain, &c)).expect("inverse");
        let coefficients = Naive.transform(Transform::CosetInverse, &domain, product);
        let vanishing = domain.vanishing_at(domain.coset_shift());
        let expected = h.iter().zip(c.vector()).map(|(h, c)| h * vanishing + c);
        let expected: Vec<Fr> = expected.collect();
        assert_same(&coefficients.expect("inverse"), &expected, &log_n);
    }
    let [small, large] = [3, 4].map(|log_n| Domain::new(log_n).expect("small"));
    let make = |domain: &Domain| poly(backend, domain, &vec![Fr::ONE; domain.n()]);
    let refused = backend.product_on_coset(make(&small), make(&large));
    assert_refused(refused.map(|_| ()), 8, 16, &"b");
}

fn product<B: Ntt>(backend: &B, domain: &Domain, abc: &[Vec<Fr>; 3]) -> Vec<Fr> {
    let [a, b] = [0, 1].map(|i| poly(backend, domain, &abc[i]));
    let product = backend.product_on_coset(a, b).expect("product");
    assert_eq!(product.domain(), domain);
    backend.download(product.vector()).expect("download")
}

fn poly<B: Ntt>(backend: &B, domain: &Domain, values: &[Fr]) -> Poly<B::Vector, Evals> {
    let vector = backend.upload(values).expect("upload");
    Poly::new(backend, domain, vector).expect("as long as the domain")
}

fn quotient<B: Ntt>(backend: &B, domain: &Domain, abc: &[Vec<Fr>; 3]) -> Vec<Fr> {
    let [a, b, c] = [0, 1, 2].map(|i| poly(backend, domain, &abc[i]));
    let h = backend.quotient(a, b, c).expect("quotient");
    assert_eq!(h.domain(), domain);
    backend.download(h.vector()).expect("download")
}

fn divides(domain: &Domain, abc: &[Vec<Fr>; 3], h: &[Fr]) {
    let tau = Fr::from(0x1234_5678_9abc_def1);
    let at = |coefficients: &[Fr]| {
        let horner = |sum: Fr, c: &Fr| sum * tau + c;
        coefficients.iter().rev().fold(Fr::ZERO, horner)
    };
    let [a, b, c] = abc.each_ref().map(|values| {
        let coefficients = Naive.inverse(poly(&Naive, domain, values));
        at(coefficients.expect("inverse").vector())
    });
    assert_eq!(at(h) * domain.vanishing_at(tau), a * b - c, "h·Z = a·b − c");
}

fn domains_must_agree<B: Ntt>(backend: &B) {
    let [small, large] = [3, 4].map(|log_n| Domain::new(log_n).expect("small"));
    let make = |domain: &Domain| poly(backend, domain, &vec![Fr::ONE; domain.n()]);
    let refused = backend.quotient(make(&small), make(&large), make(&small));
    assert_refused(refused.map(|_| ()), 8, 16, &"b");
    let refused = backend.quotient(make(&large), make(&large), make(&small));
    assert_refused(refused.map(|_| ()), 16, 8, &"c");
}
