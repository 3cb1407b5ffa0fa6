use std::hint::black_box;

/// Overwrites values that nobody may learn and that are no longer needed.
///
/// What the compiler spilled to the stack on the way is out of reach.
pub fn wipe<T: Copy + Default>(values: &mut [T]) {
    values.fill(T::default());
    // The write would be dead without a reader.
    black_box(values);
}
