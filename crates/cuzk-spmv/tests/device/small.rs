//! Small enough for a sanitizer.

use crate::{open, suite};

#[test]
#[ignore = "needs a CUDA device"]
fn rows_of_every_length_are_the_definition() {
    suite::edges(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn small_sizes_are_the_definition() {
    suite::small_sizes(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_dictionary_beyond_16_bits_is_the_definition() {
    suite::wide_dictionary(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_witness_is_expanded_and_its_parts_are_there() {
    suite::expansion(&open());
}

#[test]
#[ignore = "needs a CUDA device"]
fn operands_may_be_on_other_streams_and_dropped_early() {
    suite::streams(&open());
}
