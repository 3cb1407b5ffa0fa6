//! Where bytes go.

/// A place on a device to which host memory is copied, and the order in which it is.
///
/// The methods may be called from several threads at once.
pub trait CopyTarget: Sync {
    /// What a copy can meet.
    type Error: Send;
    /// A point in the order of the copies.
    type Mark: Send;

    /// Enqueues a copy of `from` to the bytes from `offset` on.
    ///
    /// # Errors
    /// Bytes beyond the place, or the device's reason.
    ///
    /// # Safety
    /// `from` stays where and as it is until a later mark was waited for, or the copies were
    /// finished.
    unsafe fn copy(&self, offset: usize, from: &[u8]) -> Result<(), Self::Error>;

    /// Marks what was enqueued so far.
    ///
    /// # Errors
    /// The device's reason.
    fn mark(&self) -> Result<Self::Mark, Self::Error>;

    /// Waits for what was enqueued before a mark.
    ///
    /// # Errors
    /// What those copies met.
    fn wait(&self, mark: Self::Mark) -> Result<(), Self::Error>;

    /// Waits for everything that was enqueued.
    ///
    /// # Errors
    /// What the copies met.
    fn finish(&self) -> Result<(), Self::Error>;
}
