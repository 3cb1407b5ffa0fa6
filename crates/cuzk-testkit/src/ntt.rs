use cuzk_backend::{Backend, Ntt, Poly, ShapeError, Transform};
use cuzk_cpu::Naive;
use cuzk_curve::{Domain, Fr};
use ff::Field;

use crate::{mixed_scalars, rng, shape::assert_refused};

const TRANSFORMS: [Transform; 4] = [
    Transform::Forward,
    Transform::Inverse,
    Transform::CosetForward,
    Transform::CosetInverse,
];

/// Vectors go to the machine and come back, and are cut only where they are long enough.
///
/// # Panics
/// Where they do not.
pub fn vector_conformance<B: Backend>(backend: &B) {
    for len in [0, 1, 2, 7, 64, 65] {
        let host = mixed_scalars(&mut rng(len as u64), len);
        let vector = backend.upload(&host).expect("upload");
        assert_eq!(backend.len(&vector), len);
        assert_eq!(backend.download(&vector).expect("download"), host);
        let refused = backend.truncate(vector, len + 1);
        assert_refused(refused, len + 1, len, &"truncate");
        for keep in [0, len / 2, len] {
            let vector = backend.upload(&host).expect("upload");
            let cut = backend.truncate(vector, keep).expect("truncate");
            assert_eq!(backend.download(&cut).expect("download"), host[..keep]);
        }
    }
}

/// The four transforms equal those of the naive backend at each `2^log_n`, and undo each
/// other; other lengths are refused.
///
/// # Panics
/// Where they do not.
pub fn ntt_conformance<B: Ntt>(backend: &B, log_sizes: impl IntoIterator<Item = u32>) {
    for log_n in log_sizes {
        let domain = Domain::new(log_n).expect("a domain of the field");
        let seed = 1000 + u64::from(log_n);
        let input = mixed_scalars(&mut rng(seed), domain.n());
        for transform in TRANSFORMS {
            let out = run(backend, transform, &domain, &input);
            let expected = run(&Naive, transform, &domain, &input);
            assert_same(&out, &expected, &(transform, log_n, seed));
        }
        for fill in [Fr::ZERO, Fr::ONE, -Fr::ONE] {
            let input = vec![fill; domain.n()];
            let out = run(backend, Transform::CosetForward, &domain, &input);
            let back = run(backend, Transform::CosetInverse, &domain, &out);
            assert_same(&back, &input, &("there and back", log_n, fill));
        }
        typed_round_trip(backend, &domain, &input);
        for len in [domain.n() - 1, domain.n() + 1, 2 * domain.n()] {
            let refuse = |transform| {
                let vector = backend.upload(&vec![Fr::ONE; len]).expect("upload");
                let refused = backend.transform(transform, &domain, vector);
                assert_refused(refused, domain.n(), len, &transform);
            };
            TRANSFORMS.into_iter().for_each(refuse);
        }
    }
    multiply_subtract_scale(backend);
}

fn run<B: Ntt>(backend: &B, transform: Transform, domain: &Domain, input: &[Fr]) -> Vec<Fr> {
    let vector = backend.upload(input).expect("upload");
    let out = backend.transform(transform, domain, vector);
    backend
        .download(&out.expect("transform"))
        .expect("download")
}

/// Names the first difference: whole vectors would drown it.
pub(crate) fn assert_same(got: &[Fr], expected: &[Fr], context: &dyn std::fmt::Debug) {
    assert_eq!(got.len(), expected.len(), "{context:?}: length");
    let mut pairs = got.iter().zip(expected);
    if let Some(i) = pairs.position(|(got, expected)| got != expected) {
        panic!(
            "{context:?}: element {i} is {:?}, expected {:?}",
            got[i], expected[i]
        );
    }
}

fn typed_round_trip<B: Ntt>(backend: &B, domain: &Domain, input: &[Fr]) {
    let vector = backend.upload(input).expect("upload");
    let coefficients = Poly::new(backend, domain, vector).expect("as long as the domain");
    let values = backend.forward(coefficients).expect("forward");
    let coefficients = backend.inverse(values).expect("inverse");
    let values = backend.coset_forward(coefficients).expect("coset forward");
    let coefficients = backend.coset_inverse(values).expect("coset inverse");
    let back = backend.download(coefficients.vector()).expect("download");
    assert_same(&back, input, &("typed round trip", domain.log_n()));
}

fn multiply_subtract_scale<B: Ntt>(backend: &B) {
    for len in [0, 1, 2, 9, 100, 3000] {
        let [a, b, c] = [1, 2, 3].map(|seed| mixed_scalars(&mut rng(seed), len));
        let upload = |host: &[Fr]| backend.upload(host).expect("upload");
        let factor = -Fr::from(5);
        let out = backend.multiply_subtract_scale(upload(&a), &upload(&b), &upload(&c), factor);
        let expected: Result<_, ShapeError> =
            Naive.multiply_subtract_scale(a.clone(), &b, &c, factor);
        let out = backend.download(&out.expect("equal lengths"));
        let expected = expected.expect("equal lengths");
        assert_same(&out.expect("download"), &expected, &("a·b − c", len));
        let longer = upload(&vec![Fr::ONE; len + 1]);
        let refused = backend.multiply_subtract_scale(upload(&a), &longer, &upload(&c), factor);
        assert_refused(refused, len, len + 1, &"b");
        let refused = backend.multiply_subtract_scale(upload(&a), &upload(&b), &longer, factor);
        assert_refused(refused, len, len + 1, &"c");
    }
}
