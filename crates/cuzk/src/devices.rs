use std::{fmt, str::FromStr};

use cuzk_device::{DeviceSelector, ParseSelectorError};

/// Which CUDA devices prove.
///
/// Written as `all`, or as indices and UUIDs separated by commas: `0`, `0,2`,
/// `GPU-1a2b,GPU-3c4d`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Devices {
    /// Every device that the driver sees.
    All,
    /// These, each once.
    These(Vec<DeviceSelector>),
}

impl Default for Devices {
    /// The first device.
    fn default() -> Self {
        DeviceSelector::default().into()
    }
}

impl From<DeviceSelector> for Devices {
    fn from(selector: DeviceSelector) -> Self {
        Self::These(vec![selector])
    }
}

impl FromStr for Devices {
    type Err = ParseSelectorError;

    fn from_str(text: &str) -> Result<Self, ParseSelectorError> {
        if text == "all" {
            return Ok(Self::All);
        }
        let selectors = text.split(',').map(|word| word.trim().parse());
        selectors.collect::<Result<_, _>>().map(Self::These)
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all devices"),
            Self::These(selectors) => {
                for (i, selector) in selectors.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{selector}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_all_or_a_list_and_junk_is_named() {
        let [zero, two] = [0, 2].map(DeviceSelector::Index);
        let uuid = DeviceSelector::Uuid("1a2b".to_owned());
        assert_eq!("all".parse(), Ok(Devices::All));
        assert_eq!("0".parse(), Ok(Devices::default()));
        assert_eq!("2".parse(), Ok(Devices::from(two.clone())));
        let list = Devices::These(vec![zero, uuid, two]);
        assert_eq!("0,GPU-1a2b, 2".parse(), Ok(list.clone()));
        assert_eq!(
            list.to_string(),
            "device 0, device with UUID 1a2b…, device 2"
        );
        for (text, junk) in [("", ""), ("0,", ""), ("0,all", "all"), ("1;2", "1;2")] {
            let refused = text.parse::<Devices>().expect_err(text);
            assert_eq!(refused.got, junk);
        }
    }
}
