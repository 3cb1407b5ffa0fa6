/// Which arithmetic a caller asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lanes {
    /// Eight lanes of AVX-512 IFMA where the processor has them, the portable twin elsewhere.
    #[default]
    Detect,
    /// The portable twin, whatever the processor has.
    Portable,
}

impl Lanes {
    /// The choice, settled for the processor that runs.
    #[must_use]
    pub fn resolve(self) -> Arithmetic {
        match self {
            Self::Detect => detect(),
            Self::Portable => Arithmetic::Portable,
        }
    }
}

/// The arithmetic in use, settled once and passed by value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// One element at a time, on `blst`'s scalar arithmetic.
    Portable,
    /// Eight elements at a time, on AVX-512 IFMA.
    Ifma(Ifma),
}

impl Arithmetic {
    /// The name a report prints.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Ifma(_) => "avx512-ifma",
        }
    }
}

/// Proof that the processor has AVX-512 F, DQ, BW, VL, IFMA and VBMI: only [`Lanes::resolve`] makes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ifma(());

#[cfg(target_arch = "x86_64")]
fn detect() -> Arithmetic {
    let has_all = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512ifma")
        && is_x86_feature_detected!("avx512vbmi");
    if has_all {
        Arithmetic::Ifma(Ifma(()))
    } else {
        Arithmetic::Portable
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Arithmetic {
    Arithmetic::Portable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_who_asks_for_the_portable_twin_gets_it() {
        assert_eq!(Lanes::Portable.resolve(), Arithmetic::Portable);
    }

    #[test]
    fn detection_gives_the_same_answer_every_time() {
        assert_eq!(Lanes::Detect.resolve(), Lanes::Detect.resolve());
        assert_eq!(Lanes::default(), Lanes::Detect);
    }
}
