//! Times as numbers of milliseconds.

use serde::Serializer;
use std::time::Duration;

pub(super) fn milliseconds<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64() * 1e3)
}

pub(super) fn optional_milliseconds<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match duration {
        Some(duration) => milliseconds(duration, serializer),
        None => serializer.serialize_none(),
    }
}
