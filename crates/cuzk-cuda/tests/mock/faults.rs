//! Failures: the first call of every function and every eighth of all calls of a whole run fail in
//! turn; each gives an error or a right result, no leak, and the next run is as good as the first.
//!
//! The crates below let every single call fail; here a run takes a tenth of a second.

use cuzk_backend::{
    Backend, Evaluate, Keep, Msm, Ntt, Residence, SharedBases, Transform, WitnessMsm, WitnessSplit,
};
use cuzk_cuda::{Cuda, CudaError};
use cuzk_curve::{Domain, Fr, G1, G1Affine, G2, G2Affine};
use cuzk_device::{DeviceOptions, DeviceSelector};
use cuzk_r1cs::{Bitmap, CsrBuilder, WitnessBuilder};
use group::prime::PrimeCurveAffine;

/// Every method of the backend once.
fn whole_run() -> Result<(), CudaError> {
    let cuda = Cuda::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    let domain = Domain::new(3).expect("a small domain");

    let mut rows = CsrBuilder::new();
    for column in 0..5 {
        let row = &mut vec![(column, Fr::from(7))];
        rows.push_row(row).expect("columns fit");
    }
    let matrix = cuda.prepare_matrix(&rows.finish(16).expect("in range"))?;
    let mut builder = WitnessBuilder::new();
    builder.push_input(Fr::from(1));
    // Few of them are neither zero nor one, so that these are listed.
    for value in [0, 1, 5, 1 << 40].into_iter().chain([0; 11]) {
        builder.push_aux(Fr::from(value));
    }
    let witness = cuda.upload_witness(&builder.finish().expect("the first input is one"))?;
    let a = cuda.evaluate(&matrix, &witness, &domain)?;
    let a = cuda.transform(Transform::Forward, &domain, a.into_vector())?;
    let ones = cuda.upload(&[Fr::from(1); 8])?;
    let a = cuda.multiply_subtract_scale(a, &ones, &ones, Fr::from(3))?;
    let a = cuda.truncate(a, 5)?;
    assert_eq!(cuda.download(&a)?.len(), 5);

    let selection = (0..16).fold(Bitmap::zeros(16), |mut bits, i| {
        bits.set(i);
        bits
    });
    let selection = cuda.prepare_selection(&selection)?;
    let split = cuda.split(&witness, &selection)?;
    let points = SharedBases::<G1>::from(vec![G1Affine::generator(); 16]);
    let g1 = Msm::<G1>::prepare(&cuda, points.clone())?;
    let on_host = Keep {
        residence: Residence::Host,
        scratch_bytes: Some(1 << 16),
        ..Keep::default()
    };
    let streamed = Msm::<G1>::prepare_as(&cuda, points, on_host)?;
    let five = Msm::<G1>::prepare(&cuda, vec![G1Affine::generator(); 5].into())?;
    let g2 = SharedBases::<G2>::from(vec![G2Affine::generator(); 16]);
    let g2 = Msm::<G2>::prepare(&cuda, g2)?;
    let sums = [
        Msm::<G1>::msm(&cuda, &five, &a)?,
        WitnessMsm::<G1>::sum_ones(&cuda, &g1, &split)?,
        WitnessMsm::<G1>::msm_rest(&cuda, &g1, &split)?,
        WitnessMsm::<G1>::msm_rest(&cuda, &streamed, &split)?,
    ];
    let more = [
        WitnessMsm::<G2>::sum_ones(&cuda, &g2, &split)?,
        WitnessMsm::<G2>::msm_rest(&cuda, &g2, &split)?,
    ];
    let sums = sums.into_iter().map(|sum| sum.wait());
    let sums = sums.collect::<Result<Vec<_>, _>>()?;
    // The last one is never waited for, and is dropped quietly.
    let more = more.into_iter().take(1).map(|sum| sum.wait());
    let more = more.collect::<Result<Vec<_>, _>>()?;
    // Twice one, and 5 + 2^40.
    let rest = Fr::from(5 + (1 << 40));
    assert_eq!(sums[1], G1Affine::generator() * Fr::from(2));
    assert_eq!(sums[2], G1Affine::generator() * rest);
    assert_eq!(sums[3], G1Affine::generator() * (rest + Fr::from(2)));
    assert_eq!(more[0], G2Affine::generator() * Fr::from(2));
    Ok(())
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    const OUT_OF_MEMORY: i32 = 2;
    const ILLEGAL_ADDRESS: i32 = 700;
    let calls = {
        let session = crate::begin();
        whole_run().expect("nothing fails");
        assert_eq!(session.leaks(), Default::default());
        session.calls()
    };
    let is_first = |k: &usize| !calls[..*k].contains(&calls[*k]);
    let chosen: Vec<usize> = (0..calls.len())
        .filter(|k| k % 8 == 0 || is_first(k))
        .collect();
    let mut errors = 0;
    for &k in &chosen {
        let session = crate::begin();
        let code = if k % 2 == 0 {
            OUT_OF_MEMORY
        } else {
            ILLEGAL_ADDRESS
        };
        session.fail_any(u32::try_from(k).expect("small"), code);
        let outcome = whole_run();
        errors += usize::from(outcome.is_err());
        let calls = session.calls();
        // Where kernels take long to load, others help, with calls of their own in the first run.
        let Some(failed) = calls.get(k) else {
            assert!(outcome.is_ok(), "nothing failed: {outcome:?}");
            continue;
        };
        // A context that could not be made current is the one thing that keeps memory from going
        // back: whatever was to be freed then stays until the process ends.
        if failed != "cuCtxSetCurrent" && !closes(failed) {
            let leaks = session.leaks();
            assert_eq!(leaks, Default::default(), "{failed} at {k}: {outcome:?}");
        }
        session.mend();
        if k % 16 == 0 {
            whole_run().unwrap_or_else(|error| panic!("after {failed} at {k}: {error}"));
        }
    }
    assert!(
        errors > chosen.len() / 2,
        "{errors} errors of {}",
        chosen.len()
    );
}

/// Whether a call gives something back: where it fails, that is kept.
fn closes(call: &str) -> bool {
    ["Destroy", "Free", "Release", "Unload"]
        .iter()
        .any(|word| call.contains(word))
}
