use std::{borrow::Borrow, ops::Deref, sync::Arc};

/// A value that is shared, or borrowed from whoever waits for the work.
pub(crate) enum Held<'a, T> {
    Shared(Arc<T>),
    Borrowed(&'a T),
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::Shared(value) => value,
            Self::Borrowed(value) => value,
        }
    }
}

impl<T> Borrow<T> for Held<'_, T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T> Clone for Held<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Self::Shared(value) => Self::Shared(Arc::clone(value)),
            Self::Borrowed(value) => Self::Borrowed(value),
        }
    }
}
