use std::fmt::Debug;

/// Asserts that a call was refused with a message that names both lengths.
pub(crate) fn assert_refused<T, E: std::error::Error>(
    result: Result<T, E>,
    expected: usize,
    got: usize,
    context: &dyn Debug,
) {
    let Err(error) = result else {
        panic!("{context:?}: {got} was accepted for {expected}");
    };
    let message = error.to_string();
    let wanted = format!("expected {expected}, got {got}");
    assert!(message.contains(&wanted), "{context:?}: {message}");
}
