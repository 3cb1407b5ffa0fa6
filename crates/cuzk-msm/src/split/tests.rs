use super::*;
use crate::twin::host_device;

#[test]
fn counts_of_more_than_is_selected_are_refused() {
    let (_session, device) = host_device();
    let stream = device.new_stream().expect("a stream");
    let splitter = WitnessSplitter::new(&device).expect("kernels");
    let mut bits = Bitmap::zeros(70);
    [1, 2, 69].into_iter().for_each(|bit| bits.set(bit));
    let selection = DeviceSelection::upload(&stream, &bits).expect("memory");
    let classes = stream.alloc_zeroed::<u64>(2).expect("memory");
    let split = |ones, rest| {
        let (low, high) = (classes.as_slice(), classes.as_slice());
        let counts = SplitCounts { ones, rest };
        splitter.split(&stream, low, high, &selection, counts)
    };
    assert!(split(2, 1).is_ok());
    for (ones, rest) in [(4, 0), (0, 4), (2, 2), (usize::MAX, 1)] {
        let error = split(ones, rest).expect_err("three are selected");
        assert!(
            matches!(error, DeviceError::Length { expected: 3, .. }),
            "{error}"
        );
    }
    let short = stream.alloc_zeroed::<u64>(1).expect("memory");
    let (low, high) = (short.as_slice(), classes.as_slice());
    let counts = SplitCounts { ones: 1, rest: 1 };
    let error = splitter.split(&stream, low, high, &selection, counts);
    let error = error.expect_err("a word too few");
    assert!(
        matches!(
            error,
            DeviceError::Length {
                expected: 2,
                got: 1,
                ..
            }
        ),
        "{error}"
    );
}
