use super::*;

fn stages(log_n: u32) -> Vec<u32> {
    Plan::new(log_n).expect("within the field").stages
}

#[test]
fn the_plans_are_those_that_were_measured() {
    assert_eq!(stages(20), [6, 7, 7]);
    assert_eq!(stages(22), [7, 7, 8]);
    assert_eq!(stages(24), [8, 8, 8]);
    assert_eq!(stages(26), [8, 9, 9]);
    assert_eq!(stages(27), [9, 9, 9]);
    assert_eq!(stages(28), [7, 7, 7, 7]);
}

#[test]
fn one_tile_is_one_pass_and_one_element_needs_none() {
    assert_eq!(stages(0), []);
    assert_eq!(stages(1), [1]);
    assert_eq!(stages(10), [10]);
    assert_eq!(stages(11), [5, 6]);
}

#[test]
fn a_plan_is_printed() {
    let text = |log_n| Plan::new(log_n).expect("within the field").to_string();
    assert_eq!(text(0), "2^0 by no stage");
    assert_eq!(text(27), "2^27 by 9 + 9 + 9 stages");
}

#[test]
fn every_size_of_the_field_has_a_plan_and_no_other() {
    for log_n in 0..=Plan::MAX_STAGES {
        assert_eq!(Plan::new(log_n).expect("within the field").log_n(), log_n);
    }
    for log_n in [Plan::MAX_STAGES + 1, 64, u32::MAX] {
        let error = Plan::new(log_n).expect_err("beyond the field").to_string();
        let expected = format!("stages of a transform: expected at most 32, got {log_n}");
        assert_eq!(error, expected);
    }
}

#[test]
fn passes_of_the_caller_s_are_checked() {
    let refused = |stages: &[u32]| Plan::with_stages(stages).expect_err("refused").to_string();
    assert_eq!(
        refused(&[9, 0]),
        "stages of a pass: expected 1 to 10, got 0"
    );
    assert_eq!(refused(&[11]), "stages of a pass: expected 1 to 10, got 11");
    let long = "stages of a transform: expected at most 32, got 33";
    assert_eq!(refused(&[10, 10, 10, 3]), long);
    assert_eq!(Plan::with_stages(&[]).expect("one element").log_n(), 0);
    assert_eq!(Plan::with_stages(&[3, 10]).expect("fits").log_n(), 13);
}
