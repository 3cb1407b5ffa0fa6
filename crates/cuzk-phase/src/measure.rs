/// How much of a run is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Measure {
    /// Its time and that of the processors, as a whole.
    Off,
    /// Its phases, on the host and on devices.
    Phases,
    /// Phases, and on devices their parts.
    #[default]
    Full,
}
