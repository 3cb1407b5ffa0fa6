//! Pools that are larger than the work, smaller than the machine, busy, or shared.

use cuzk_backend::{Ntt, Poly, Transform};
use cuzk_cpu::{Cpu, CpuError};
use cuzk_curve::{Domain, Fr};
use cuzk_testkit::{mixed_scalars, rng, satisfied_evaluations};
use rayon::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a pool")
}

/// The results of every kind of work at 2^0 to 2^8.
fn everything(cpu: &Cpu) -> Vec<Vec<Fr>> {
    let sizes = (0..=8).map(|log_n| Domain::new(log_n).expect("small"));
    sizes
        .flat_map(|domain| {
            let x = mixed_scalars(&mut rng(9), domain.n());
            let x = cpu.transform(Transform::CosetInverse, &domain, x);
            let poly = |v| Poly::new(cpu, &domain, v).expect("as long");
            let [a, b, c] = satisfied_evaluations(10, domain.n()).map(poly);
            let h = cpu.quotient(a, b, c).expect("quotient");
            [x.expect("transform"), h.into_vector()]
        })
        .collect()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let expected = pool(1).install(|| everything(&Cpu::default()));
    for threads in [2, 3, 64, 256] {
        let got = pool(threads).install(|| everything(&Cpu::default()));
        assert!(got == expected, "{threads} threads");
    }
}

#[test]
fn work_inside_a_job_of_a_small_pool_finishes() {
    for threads in [1, 2] {
        let cpu = Cpu::default();
        let results = std::sync::Mutex::new(Vec::new());
        pool(threads).scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|_| {
                    let nested = rayon::join(|| everything(&cpu), || everything(&cpu));
                    results.lock().expect("no panic").push(nested);
                });
            }
        });
        let results = results.into_inner().expect("no panic");
        assert_eq!(results.len(), 4);
        assert!(results.iter().all(|r| *r == results[0] && r.0 == r.1));
    }
}

#[test]
fn one_backend_serves_many_threads_at_once() {
    let cpu = Cpu::default();
    let expected = everything(&cpu);
    let fresh = Cpu::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(|| everything(&fresh))).collect();
        for worker in workers {
            assert!(worker.join().expect("no panic") == expected);
        }
    });
}

#[test]
fn an_error_leaves_the_backend_as_it_was() {
    let cpu = Cpu::default();
    let domain = Domain::new(7).expect("small");
    let refused = cpu.transform(Transform::Forward, &domain, vec![Fr::from(1); 127]);
    let Err(CpuError::Shape(shape)) = refused else {
        panic!("127 values are not 128");
    };
    assert_eq!((shape.expected, shape.got), (128, 127));
    assert!(everything(&cpu) == everything(&Cpu::default()));
}
