#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// Tells cargo that the build script's result depends on the script alone.
#[expect(
    clippy::print_stdout,
    reason = "a build script speaks to cargo on its output"
)]
pub fn include_cuda() {
    println!("cargo:rerun-if-changed=build.rs");
}
