use std::fmt;
use std::str::FromStr;

/// One device among those that the driver sees.
///
/// Written as an index, `0`, or as a UUID, `GPU-1a2b3c4d-…` or `MIG-1a2b3c4d-…`, of which the
/// beginning is enough if only one device has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceSelector {
    /// By its place in the driver's order.
    Index(u32),
    /// By the hexadecimal digits with which its UUID begins, in lower case, without dashes.
    Uuid(String),
}

impl Default for DeviceSelector {
    fn default() -> Self {
        Self::Index(0)
    }
}

/// A word that names no device.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown device {got:?}, expected an index, GPU-… or MIG-…")]
pub struct ParseSelectorError {
    /// The word as it was given.
    pub got: String,
}

impl FromStr for DeviceSelector {
    type Err = ParseSelectorError;

    fn from_str(text: &str) -> Result<Self, ParseSelectorError> {
        let refuse = || ParseSelectorError {
            got: text.to_owned(),
        };
        let Some(uuid) = text
            .strip_prefix("GPU-")
            .or_else(|| text.strip_prefix("MIG-"))
        else {
            return text.parse().map(Self::Index).map_err(|_| refuse());
        };
        let digits: String = uuid.chars().filter(|c| *c != '-').collect();
        let is_hex = digits.chars().all(|c| c.is_ascii_hexdigit());
        if digits.is_empty() || digits.len() > 32 || !is_hex {
            return Err(refuse());
        }
        Ok(Self::Uuid(digits.to_ascii_lowercase()))
    }
}

impl fmt::Display for DeviceSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Index(index) => write!(f, "device {index}"),
            Self::Uuid(digits) => write!(f, "device with UUID {digits}…"),
        }
    }
}

/// The usual text of a UUID: 8-4-4-4-12 digits.
pub(crate) fn uuid_text(bytes: [u8; 16]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    format!("GPU-{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_or_the_beginning_of_a_uuid_selects() {
        assert_eq!("3".parse(), Ok(DeviceSelector::Index(3)));
        let uuid = DeviceSelector::Uuid("1a2b3c4d5e".to_owned());
        assert_eq!("GPU-1A2b3c4d-5e".parse(), Ok(uuid.clone()));
        assert_eq!("MIG-1a2b3c4d-5e".parse(), Ok(uuid));
        let long = "0".repeat(33);
        for junk in [
            "",
            "-1",
            "GPU-",
            "GPU-xyz",
            "gpu-12",
            "1a2b",
            "MIG-GPU-12/1/0",
            &long,
        ] {
            let text = format!("GPU-{long}");
            let text = if junk == long { &text } else { junk };
            assert!(text.parse::<DeviceSelector>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_uuid_is_written_as_the_driver_s_tools_write_it() {
        let text = uuid_text([
            0x1a, 0x2b, 0x3c, 0x4d, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
        ]);
        assert_eq!(text, "GPU-1a2b3c4d-0506-0708-090a-0b0c0d0e0f10");
    }
}
