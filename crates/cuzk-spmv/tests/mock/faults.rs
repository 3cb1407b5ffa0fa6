//! Every call of a whole run fails in turn: an error, no leak, and the next run is right.

use cuzk_curve::{Fr, FrLimbs};
use cuzk_device::{Device, DeviceError, DeviceOptions, DeviceSelector};
use cuzk_r1cs::{CsrMatrix, PackedWitness};
use cuzk_spmv::{SpmvEngine, SpmvError};

use crate::begin;
use crate::suite::{MIXES, definition, random_matrix, random_witness, rng};

/// Both ways to multiply, over two streams, and the expansion.
fn whole_run(matrix: &CsrMatrix, witness: &PackedWitness) -> Result<Vec<FrLimbs>, SpmvError> {
    let device = Device::open(&DeviceSelector::default(), &DeviceOptions::default())?;
    let (stream, other) = (device.new_stream()?, device.new_stream()?);
    let engine = SpmvEngine::open(&device)?;
    let prepared = engine.prepare(matrix, &stream)?;
    let uploaded = engine.upload_witness(witness, &stream)?;
    let mut out = engine.multiply(&prepared, &uploaded, 64, &other)?;
    engine.multiply_into(&prepared, &uploaded, &mut out)?;
    let expanded = engine.expand(&uploaded, &other)?;
    let mut values = out.download()?;
    values.extend(expanded.download()?);
    Ok(values)
}

#[test]
fn whichever_call_fails_the_error_says_so_and_nothing_leaks() {
    const CODES: [i32; 5] = [1, 719, 999, 226, 100];
    let rng = &mut rng(4);
    // Slices of one lane a row and of many, and a joined row.
    let matrix = random_matrix(rng, [0, 1, 3, 40, 1100], 1200, 5);
    let witness = random_witness(rng, 1200, MIXES[1]);
    let mut expected = definition(&matrix, &witness, 64);
    expected.extend(witness.unpack());
    let right = |values: &[FrLimbs]| {
        let scalars: &[Fr] = FrLimbs::scalars(values).expect("canonical");
        scalars == expected
    };
    let count = {
        let session = begin();
        let values = whole_run(&matrix, &witness).expect("nothing fails");
        assert!(right(&values));
        session.calls().len()
    };
    assert!(count > 100, "{count} calls");
    for k in 0..count {
        let session = begin();
        let code = CODES[k % CODES.len()];
        session.fail_any(u32::try_from(k).expect("small"), code);
        let outcome = whole_run(&matrix, &witness);
        let failed = session.calls()[k].clone();
        let closing = ["Destroy", "Free", "Release", "Unload"]
            .iter()
            .any(|word| failed.contains(word));
        let entering = failed == "cuCtxSetCurrent";
        match outcome {
            Ok(values) => {
                assert!(closing || entering, "{failed} at {k} failed unnoticed");
                assert!(right(&values), "{failed} at {k}");
            }
            Err(error) => {
                let SpmvError::Device(source) = &error else {
                    panic!("{failed} at {k}: {error}");
                };
                // Some failures have a kind of their own, without a code.
                match source.code() {
                    Some(got) => assert_eq!(got.raw, code, "{failed}: {source}"),
                    None => assert!(
                        matches!(source, DeviceError::NoDevice),
                        "{failed}: {source}"
                    ),
                }
            }
        }
        if !closing && !entering {
            assert_eq!(session.leaks(), Default::default(), "after {failed} at {k}");
        }
        session.mend();
        let again = whole_run(&matrix, &witness);
        assert!(
            right(&again.expect("nothing fails")),
            "after {failed} at {k}"
        );
    }
}
