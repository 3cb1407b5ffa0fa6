//! A result as text.

use std::fmt::Write as _;

use cuzk_record::{
    AbResult, Ablation, Clock, Compared, Comparison, Effect, Interval, PhaseRow, StoppedBy, Verdict,
};

/// What is printed of a result.
pub(crate) fn text(result: &AbResult) -> String {
    let stopped = match result.stopped_by {
        StoppedBy::Width => "until the intervals were narrower than",
        StoppedBy::Budget => "until the budget ended, with an interval wider than",
    };
    let clock = match result.clock {
        Clock::Wall => "",
        Clock::Processor => "; times are processor times of all threads",
    };
    let mut text = format!(
        "{}, {} constraints, {} in a run{clock}\n{} runs of each in {:.1} s, {stopped} {:.1} %; \
         every proof verified\n",
        result.circuit,
        result.constraints,
        result.circuits,
        result.rounds,
        result.seconds,
        100.0 * result.width_asked,
    );
    for arm in &result.arms {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:3} {}; {}; made ready once, in {:.0} ms",
            arm.name,
            settings(&arm.settings),
            arm.device,
            arm.prepare_ms
        );
    }
    result
        .comparisons
        .iter()
        .for_each(|arm| text += &comparison(arm));
    text += &result.ablation.as_ref().map_or_else(String::new, ablation);
    for warning in &result.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

fn settings(written: &str) -> &str {
    match written {
        "" => "as every command",
        written => written,
    }
}

fn comparison(arm: &Comparison) -> String {
    let mut text = head(&format!("{} against a", arm.name), &arm.name);
    text += &line("total", &arm.total, None);
    let rows = |rows: &[PhaseRow]| -> String {
        let lines = rows
            .iter()
            .map(|row| line(&row.name, &row.found, row.share));
        lines.collect()
    };
    text += &rows(&arm.phases);
    if !arm.device_phases.is_empty() {
        text += &head("on the device", &arm.name);
        text += &rows(&arm.device_phases);
    }
    text
}

fn head(what: &str, name: &str) -> String {
    format!(
        "\n{what:14}  {:>9}  {:>9}  {:>7}  {:17}  {:>9}  {:>6}  verdict\n",
        "a ms",
        format!("{name} ms"),
        "ratio",
        "95 % interval",
        "more ms",
        "share",
    )
}

fn line(name: &str, found: &Compared, share: Option<f64>) -> String {
    let (ratio, interval) = match found.ratio {
        Some(Interval { low, value, high }) => {
            (format!("{value:.3}"), format!("{low:.3} to {high:.3}"))
        }
        None => (String::new(), String::new()),
    };
    let share = share.map_or_else(String::new, |share| format!("{:.0} %", 100.0 * share));
    let line = format!(
        "{name:14}  {:>9.2}  {:>9.2}  {ratio:>7}  {interval:17}  {:>+9.2}  {share:>6}  {}",
        found.a_median_ms,
        found.b_median_ms,
        found.difference_ms.value,
        found.verdict.name(),
    );
    format!("{}\n", line.trim_end())
}

fn ablation(found: &Ablation) -> String {
    let mut text = String::from("\neach switch alone, and all together, against a\n");
    let width = |effect: &Effect| effect.settings.chars().count();
    let width = found.alone.iter().map(width).max().unwrap_or(0).max(12);
    let mut say = |name: &str, difference: &Interval, rest: &str| {
        let Interval { low, value, high } = difference;
        let interval = format!("{low:+.2} to {high:+.2}");
        let row = format!("{name:width$}  {value:>+9.2} ms  {interval:20}  {rest}");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", row.trim_end());
    };
    for effect in found.alone.iter().map(Some).chain([None]) {
        let (name, effect) = match effect {
            Some(effect) => (effect.settings.as_str(), effect),
            None => ("together", &found.together),
        };
        let word = match effect.verdict {
            Verdict::Worse => "hurts",
            Verdict::Better => "helps",
            other => other.name(),
        };
        let mostly = match (&effect.mostly, effect.verdict) {
            (Some(phase), Verdict::Worse | Verdict::Better) => format!(", mostly in {phase}"),
            _ => String::new(),
        };
        say(name, &effect.difference_ms, &format!("{word}{mostly}"));
    }
    let word = match found.interaction {
        Verdict::NoDifference => "the effects add up",
        Verdict::TooFewRuns => "too few runs",
        Verdict::Worse => "together they take more than the sum of the effects",
        Verdict::Better => "together they take less than the sum of the effects",
    };
    say("interaction", &found.interaction_ms, word);
    text
}
