//! What the assembler says about each kernel, as a table: registers and bytes spilled.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::table::Kernel;

/// What one kernel needs on one architecture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Need {
    registers: u32,
    /// Stores and loads, of the kernel and of the functions that it calls.
    spilled_bytes: u32,
}

/// One row a kernel: registers on each architecture, and bytes spilled where there are any.
pub(crate) fn table(
    name: &str,
    bytes: usize,
    kernels: &[Kernel],
    trials: &[(&str, String)],
) -> String {
    let needs: Vec<BTreeMap<String, Need>> = trials.iter().map(|(_, log)| needs(log)).collect();
    let width = kernels.iter().map(|k| k.symbol.len()).max().unwrap_or(0);
    let mut out = format!(
        "{name}.ptx, {bytes} bytes; registers (+ bytes spilled) on\n{:width$}",
        ""
    );
    for (architecture, _) in trials {
        let _ = write!(out, " {:>9}", format!("sm_{architecture}"));
    }
    for kernel in kernels {
        let _ = write!(out, "\n{:width$}", kernel.symbol);
        for needs in &needs {
            let need = needs.get(&kernel.symbol).copied().unwrap_or_default();
            let spilled = match need.spilled_bytes {
                0 => String::new(),
                bytes => format!("+{bytes}"),
            };
            let _ = write!(out, " {:>9}", format!("{}{spilled}", need.registers));
        }
    }
    out
}

/// Reads the assembler's report: a kernel's own lines, then those of the functions it calls.
fn needs(log: &str) -> BTreeMap<String, Need> {
    let mut needs = BTreeMap::new();
    let mut symbol = String::new();
    for line in log.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            symbol = rest.split('\'').next().unwrap_or_default().to_owned();
        }
        let need: &mut Need = needs.entry(symbol.clone()).or_default();
        if let Some(registers) = number_before(line, " registers") {
            need.registers = registers;
        }
        need.spilled_bytes += number_before(line, " bytes spill stores").unwrap_or(0)
            + number_before(line, " bytes spill loads").unwrap_or(0);
    }
    needs
}

fn number_before(line: &str, words: &str) -> Option<u32> {
    let (before, _) = line.split_once(words)?;
    before.rsplit([' ', ',']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
ptxas info    : Compiling entry function 'cuzk_a' for 'sm_90'
ptxas info    : Function properties for cuzk_a
    0 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 148 registers, used 0 barriers
ptxas info    : Function properties for callee
    0 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'cuzk_b' for 'sm_90'
ptxas info    : Used 20 registers
";

    #[test]
    fn registers_and_spills_are_read_by_kernel() {
        let needs = needs(LOG);
        assert_eq!(
            needs["cuzk_a"],
            Need {
                registers: 148,
                spilled_bytes: 24
            }
        );
        assert_eq!(
            needs["cuzk_b"],
            Need {
                registers: 20,
                spilled_bytes: 0
            }
        );
    }
}
