//! `cargo xtask constants`: the constants of the device code, from the one parameter of the curve.
//!
//! Everything follows from x = -0xd201000000010000, the coefficient b = 4 and the generators: the
//! moduli r = x^4 - x^2 + 1 and p = (x - 1)^2 r / 3 + x, and from a modulus its Montgomery
//! constants, its limbs of 30 bits and the number of division steps that inversion needs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use num_bigint::BigUint;

/// The absolute value of the curve parameter x, which is negative.
const CURVE_PARAMETER: u64 = 0xd201_0000_0001_0000;
const B: u32 = 4;
/// The exponent of two in r - 1.
const TWO_ADICITY: u32 = 32;
const FR_GENERATOR: u32 = 7;

const G1_X: &str = "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
const G1_Y: &str = "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1";
const G2_X: [&str; 2] = [
    "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8",
    "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e",
];
const G2_Y: [&str; 2] = [
    "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801",
    "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be",
];

/// The path of the written header, from the root of the repository.
pub(crate) fn header_path(root: &Path) -> PathBuf {
    root.join("cuda-kernels/include/cuzk/field/constants.cuh")
}

/// Writes the header.
pub(crate) fn write(root: &Path) -> anyhow::Result<()> {
    let path = header_path(root);
    std::fs::write(&path, header()?).with_context(|| format!("writing {}", path.display()))
}

/// The text of the header.
pub(crate) fn header() -> anyhow::Result<String> {
    let x = BigUint::from(CURVE_PARAMETER);
    let r = x.pow(4) - x.pow(2) + 1u32;
    let p = (&x + 1u32).pow(2) * &r / 3u32 - &x;
    let fr = Field::new("Fr", "scalar", r);
    let fp = Field::new("Fp", "base", p);

    let mut out = String::from(
        "// Written by `cargo xtask constants` from the parameter of the curve; not to be edited.\n\
         //\n\
         // A constant of several limbs is a function of the limb's number, lowest first: with a number\n\
         // known at compile time it becomes an immediate operand. Elements are in Montgomery form.\n\
         #pragma once\n\n\
         #include \"cuzk/config.cuh\"\n\n\
         namespace cuzk::field {\n",
    );
    let odd_order = (&fr.modulus - 1u32) >> TWO_ADICITY;
    let root = BigUint::from(FR_GENERATOR).modpow(&odd_order, &fr.modulus);
    let mut fr_rows = fr.rows();
    fr_rows.push(fr.element(
        "generator",
        "a generator of the multiplicative group",
        FR_GENERATOR,
    ));
    fr_rows.push(fr.element("root_of_unity", "of order 2^TWO_ADICITY", root));
    let two_adicity = format!("    static constexpr int TWO_ADICITY = {TWO_ADICITY};\n");
    fr.write_struct(&mut out, &two_adicity, &fr_rows)?;
    fp.write_struct(&mut out, "", &fp.rows())?;
    out.push_str("} // namespace cuzk::field\n\nnamespace cuzk::curve {\n");

    let point = |name, text: &str| -> anyhow::Result<Row> {
        let value =
            BigUint::parse_bytes(text.as_bytes(), 16).context("a coordinate is hexadecimal")?;
        Ok(fp.element(name, "", value))
    };
    let g1 = [
        fp.element("b", "y^2 = x^3 + b", B),
        point("generator_x", G1_X)?,
        point("generator_y", G1_Y)?,
    ];
    write_rows(&mut out, "G1", "", &g1)?;
    let g2 = [
        fp.element("b_c0", "y^2 = x^3 + b, and b = b_c0 + b_c1 u", B),
        fp.element("b_c1", "", B),
        point("generator_x_c0", G2_X[0])?,
        point("generator_x_c1", G2_X[1])?,
        point("generator_y_c0", G2_Y[0])?,
        point("generator_y_c1", G2_Y[1])?,
    ];
    write_rows(&mut out, "G2", "", &g2)?;
    out.push_str("} // namespace cuzk::curve\n");
    Ok(out)
}

/// A constant of several limbs.
struct Row {
    name: &'static str,
    comment: &'static str,
    limbs: Vec<u32>,
}

struct Field {
    name: &'static str,
    kind: &'static str,
    modulus: BigUint,
    limbs: usize,
}

impl Field {
    fn new(name: &'static str, kind: &'static str, modulus: BigUint) -> Self {
        let limbs = usize::try_from(modulus.bits().div_ceil(64) * 2).expect("a short number");
        Self {
            name,
            kind,
            modulus,
            limbs,
        }
    }

    /// 2^(32 limbs), the Montgomery radix.
    fn radix(&self) -> BigUint {
        BigUint::from(1u32) << (32 * self.limbs)
    }

    /// -1 / modulus mod 2^bits.
    fn negated_inverse(&self, bits: u32) -> u32 {
        let two_power = BigUint::from(1u32) << bits;
        // The units modulo 2^bits form a group of order 2^(bits - 1).
        let inverse = self
            .modulus
            .modpow(&((&two_power >> 1u32) - 1u32), &two_power);
        let digits = (two_power - inverse).to_u32_digits();
        digits.first().copied().unwrap_or(0)
    }

    fn element(&self, name: &'static str, comment: &'static str, value: impl Into<BigUint>) -> Row {
        let limbs = words(
            &(value.into() * self.radix() % &self.modulus),
            32,
            self.limbs,
        );
        Row {
            name,
            comment,
            limbs,
        }
    }

    /// The limbs of 30 bits that hold numbers between -32 and 32 moduli.
    fn limbs30(&self) -> usize {
        usize::try_from((self.modulus.bits() + 6).div_ceil(30)).expect("a short number")
    }

    /// Batches of 30 division steps that bring any number below the modulus to zero: the bound
    /// of [safegcd-bounds] for steps with half-integer delta.
    fn divstep_batches(&self) -> u64 {
        ((45_907 * self.modulus.bits() + 26_313) / 19_929).div_ceil(30)
    }

    fn rows(&self) -> Vec<Row> {
        let r = self.radix();
        vec![
            Row {
                name: "modulus",
                comment: "",
                limbs: words(&self.modulus, 32, self.limbs),
            },
            self.element("one", "R", 1u32),
            self.element("r2", "R^2", r.clone()),
            self.element("r3", "R^3", r.pow(2)),
            Row {
                name: "modulus30",
                comment: "limbs of 30 bits",
                limbs: words(&self.modulus, 30, self.limbs30()),
            },
        ]
    }

    fn write_struct(&self, out: &mut String, more: &str, rows: &[Row]) -> anyhow::Result<()> {
        writeln!(
            out,
            "// The {} field: {} bits.",
            self.kind,
            self.modulus.bits()
        )?;
        let numbers = format!(
            "    static constexpr int LIMBS = {};\n    static constexpr int SPARE_BITS = {};\n    \
             static constexpr int LIMBS30 = {};\n    static constexpr int DIVSTEP_BATCHES = {};\n    \
             static constexpr u32 NEG_INV32 = {:#010x}; // -1 / p mod 2^32\n    \
             static constexpr u32 NEG_INV30 = {:#010x}; // -1 / p mod 2^30\n",
            self.limbs,
            32 * self.limbs as u64 - self.modulus.bits(),
            self.limbs30(),
            self.divstep_batches(),
            self.negated_inverse(32),
            self.negated_inverse(30),
        );
        write_rows(out, self.name, &(numbers + more), rows)
    }
}

fn write_rows(out: &mut String, name: &str, head: &str, rows: &[Row]) -> anyhow::Result<()> {
    writeln!(out, "struct {name}Params {{\n{head}")?;
    for Row {
        name,
        comment,
        limbs,
    } in rows
    {
        ensure!(!limbs.is_empty(), "{name} has no limbs");
        if !comment.is_empty() {
            writeln!(out, "    // {comment}")?;
        }
        writeln!(
            out,
            "    static CUZK_HOST_DEVICE constexpr u32 {name}(int i) {{"
        )?;
        writeln!(out, "        constexpr u32 WORDS[{}] = {{", limbs.len())?;
        for line in limbs.chunks(6) {
            let line: Vec<String> = line.iter().map(|limb| format!("{limb:#010x}")).collect();
            writeln!(out, "            {},", line.join(", "))?;
        }
        writeln!(out, "        }};\n        return WORDS[i];\n    }}")?;
    }
    writeln!(out, "}};")?;
    Ok(())
}

/// `count` words of `bits` bits, lowest first.
fn words(value: &BigUint, bits: u32, count: usize) -> Vec<u32> {
    let mask = (BigUint::from(1u32) << bits) - 1u32;
    (0..count)
        .map(|i| {
            let word = (value >> (bits as usize * i)) & &mask;
            word.to_u32_digits().first().copied().unwrap_or(0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_header_is_the_one_that_would_be_written() {
        let path = header_path(&crate::repository::root());
        let committed = std::fs::read_to_string(path).expect("the header is committed");
        assert!(
            committed == header().expect("it can be written"),
            "run `cargo xtask constants`"
        );
    }

    #[test]
    fn the_moduli_have_the_known_lengths_and_inverses() {
        let text = header().expect("it can be written");
        assert!(text.contains("base field: 381 bits") && text.contains("scalar field: 255 bits"));
        // -1/p mod 2^32 as every implementation of the curve has it.
        assert!(text.contains("NEG_INV32 = 0xfffcfffd") && text.contains("NEG_INV32 = 0xffffffff"));
    }
}
