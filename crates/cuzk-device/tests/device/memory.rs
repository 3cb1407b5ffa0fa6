//! More memory than a device has, in turn and at once; a sanitizer takes a refusal for an error.

use cuzk_device::DeviceError;

use crate::open;

/// Each opening of the device has a pool of its own, and their sum is twice what is free.
#[test]
#[ignore = "needs a CUDA device"]
fn memory_comes_back_when_buffers_are_dropped() {
    let devices = [(); 5].map(|()| open());
    let before = devices[0].memory().expect("the driver says");
    let bytes = before.free_bytes / 5 * 2;
    for device in &devices {
        let stream = device.new_stream().expect("a stream");
        for _ in 0..5 {
            let buffer = stream
                .alloc::<u8>(bytes)
                .expect("the one before is dropped");
            assert_eq!(buffer.len(), bytes);
        }
        device.trim().expect("nothing failed");
        let after = device.memory().expect("the driver says");
        assert_eq!((after.used_bytes, after.peak_bytes), (0, bytes));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn more_than_the_device_has_is_refused_with_numbers_and_later_work_goes_on() {
    let device = open();
    let stream = device.new_stream().expect("a stream");
    let error = stream
        .alloc::<u8>(1 << 46)
        .expect_err("no device has 64 TiB");
    assert!(matches!(error, DeviceError::OutOfMemory { .. }), "{error}");
    let values = [7u32; 1000];
    let buffer = stream.upload(&values).expect("small memory is there");
    assert_eq!(buffer.download().expect("a copy"), values);
}
