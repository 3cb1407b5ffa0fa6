//! Scalars as text: `0x` and big-endian hexadecimal digits, or decimal digits.

use cuzk::{Fr, layers::curve::decode_scalar, layers::curve::encode_scalar};

use crate::output::hex;

/// The scalar as `0x` and 64 hexadecimal digits, most significant first.
pub(crate) fn to_text(scalar: &Fr) -> String {
    let mut bytes = encode_scalar(scalar);
    bytes.reverse();
    format!("0x{}", hex(&bytes))
}

/// A scalar from text.
///
/// # Errors
/// What is wrong with the text, for a message.
pub(crate) fn from_text(text: &str) -> Result<Fr, String> {
    let text = text.trim();
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    if digits.is_empty() {
        return Err(format!("public input {text:?} has no digits"));
    }
    let mut little_endian = [0u8; 32];
    for digit in digits.chars() {
        let digit = digit.to_digit(radix).ok_or_else(|| {
            format!("public input {text:?} is malformed: expected decimal digits or 0x and hexadecimal ones")
        })?;
        multiply_add(&mut little_endian, radix, digit).ok_or_else(|| too_large(text))?;
    }
    decode_scalar(&little_endian).map_err(|_| too_large(text))
}

fn too_large(text: &str) -> String {
    format!("public input {text} is too large: expected a value below the group order")
}

/// `value = value · radix + digit`, or `None` where it does not fit.
fn multiply_add(value: &mut [u8; 32], radix: u32, digit: u32) -> Option<()> {
    let mut carry = digit;
    for byte in value.iter_mut() {
        let sum = u32::from(*byte) * radix + carry;
        *byte = (sum & 0xff) as u8;
        carry = sum >> 8;
    }
    (carry == 0).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_notations_give_the_same_scalar() {
        assert_eq!(from_text("255"), Ok(Fr::from(255)));
        assert_eq!(from_text("0xff"), Ok(Fr::from(255)));
        assert_eq!(from_text(" 0 "), Ok(Fr::from(0)));
        let scalar = -Fr::from(77);
        assert_eq!(from_text(&to_text(&scalar)), Ok(scalar));
    }

    #[test]
    fn the_group_order_and_beyond_are_refused() {
        let order = "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
        assert!(from_text(order).is_err());
        let decimal =
            "52435875175126190479447740508185965837690552500527637822603658699938581184513";
        assert!(from_text(decimal).is_err());
        assert!(from_text(&"9".repeat(100)).is_err());
        for malformed in ["", "0x", "12a", "0xg", "-1", "1.0"] {
            assert!(from_text(malformed).is_err(), "{malformed:?}");
        }
    }
}
