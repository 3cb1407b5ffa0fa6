//! Settings against each other as a page.

use cuzk_record::{AbResult, Ablation, Compared, Comparison, Effect, Interval, PhaseRow};

use crate::{
    page::{drawing, page},
    text::{escaped, line},
};

/// A phase's bars: a above b.
const HEIGHT: usize = 34;

/// Every arm against the first: whole runs and phases as bars of the medians, with the 95 %
/// interval of the difference on the lower bar's end.
#[must_use]
pub fn comparison_page(title: &str, result: &AbResult) -> String {
    let mut body = String::new();
    line(
        &mut body,
        format_args!(
            "<p>{}, {} constraints, {} in a run; {} runs of each in {:.1} s, every proof \
             verified</p>",
            escaped(&result.circuit),
            result.constraints,
            result.circuits,
            result.rounds,
            result.seconds
        ),
    );
    for arm in &result.arms {
        let settings = match arm.settings.as_str() {
            "" => "as every command",
            settings => settings,
        };
        line(
            &mut body,
            format_args!(
                "<p><b>{}</b> {}; {}</p>",
                escaped(&arm.name),
                escaped(settings),
                escaped(&arm.device)
            ),
        );
    }
    for warning in &result.warnings {
        let warning = escaped(warning);
        line(&mut body, format_args!("<p class=\"bad\">{warning}</p>"));
    }
    for comparison in &result.comparisons {
        body += &section(comparison);
    }
    if let Some(found) = &result.ablation {
        body += &ablation(found);
    }
    page(title, &body)
}

fn section(comparison: &Comparison) -> String {
    let mut text = format!(
        "<section>\n<h2>{} against a</h2>\n<p><span class=\"dot\" style=\"background:var(--a)\">\
         </span>a <span class=\"dot\" style=\"background:var(--b)\"></span>{0}; the line on the \
         lower bar is the 95 % interval of the difference</p>\n",
        escaped(&comparison.name)
    );
    text += &row("the whole run", &comparison.total, reach(&comparison.total));
    for (heading, rows) in [
        ("Phases, on the host", &comparison.phases),
        ("Phases, on the device", &comparison.device_phases),
    ] {
        if rows.is_empty() {
            continue;
        }
        line(&mut text, format_args!("<h2>{heading}</h2>"));
        let most = rows.iter().map(|row| reach(&row.found)).fold(0.0, f64::max);
        let draw = |phase: &PhaseRow| row(&phase.name, &phase.found, most);
        text += &rows.iter().map(draw).collect::<String>();
    }
    text + "</section>\n"
}

/// The longest that is drawn of it.
fn reach(found: &Compared) -> f64 {
    let interval_end = found.a_median_ms + found.difference_ms.high;
    found.a_median_ms.max(found.b_median_ms).max(interval_end)
}

fn row(name: &str, found: &Compared, most: f64) -> String {
    let ratio = found.ratio.map_or_else(String::new, |ratio| {
        format!(
            ", {:.3} times ({:.3} to {:.3})",
            ratio.value, ratio.low, ratio.high
        )
    });
    let caption = format!(
        "{name}: {:.2} and {:.2} ms{ratio}: {}",
        found.a_median_ms,
        found.b_median_ms,
        found.verdict.name()
    );
    let x = |ms: f64| place(ms, 0.0, most);
    let content = format!(
        "<rect class=\"a\" x=\"0\" y=\"3\" width=\"{:.2}\" height=\"13\" />\
         <rect class=\"b\" x=\"0\" y=\"18\" width=\"{:.2}\" height=\"13\" />{}",
        x(found.a_median_ms),
        x(found.b_median_ms),
        range(
            x(found.a_median_ms + found.difference_ms.low),
            x(found.a_median_ms + found.difference_ms.high),
            24.5
        )
    );
    figure(&caption, &content)
}

fn ablation(found: &Ablation) -> String {
    let mut text = String::from(
        "<section>\n<h2>Each switch alone, and all together</h2>\n<p>More or less time than with \
         none of them; the line is the 95 % interval, the mark in the middle is no \
         difference</p>\n",
    );
    let intervals = found.alone.iter().chain([&found.together]);
    let intervals = intervals.map(|effect| effect.difference_ms);
    let most = intervals
        .chain([found.interaction_ms])
        .map(|interval| interval.low.abs().max(interval.high.abs()))
        .fold(0.0, f64::max);
    for effect in &found.alone {
        text += &effect_row(&effect.settings, effect, most);
    }
    text += &effect_row("all together", &found.together, most);
    let interaction = format!(
        "what does not add up: {:+.2} ms: {}",
        found.interaction_ms.value,
        found.interaction.name()
    );
    text += &figure(&interaction, &around_zero(found.interaction_ms, most));
    text + "</section>\n"
}

fn effect_row(name: &str, effect: &Effect, most: f64) -> String {
    let mostly = effect
        .mostly
        .as_ref()
        .map_or_else(String::new, |phase| format!(", mostly {phase}"));
    let caption = format!(
        "{name}: {:+.2} ms: {}{mostly}",
        effect.difference_ms.value,
        effect.verdict.name()
    );
    figure(&caption, &around_zero(effect.difference_ms, most))
}

/// A bar from zero, which stands in the middle.
fn around_zero(interval: Interval, most: f64) -> String {
    let x = |ms: f64| place(ms, -most, most);
    let (from, to) = (x(interval.value.min(0.0)), x(interval.value.max(0.0)));
    format!(
        "<rect class=\"b\" x=\"{from:.2}\" y=\"8\" width=\"{:.2}\" height=\"18\" />{}\
         <line class=\"zero\" x1=\"500\" x2=\"500\" y1=\"0\" y2=\"{HEIGHT}\" />",
        to - from,
        range(x(interval.low), x(interval.high), 17.0)
    )
}

fn range(from: f64, to: f64, y: f64) -> String {
    format!("<line class=\"range\" x1=\"{from:.2}\" x2=\"{to:.2}\" y1=\"{y}\" y2=\"{y}\" />")
}

/// Where a number stands between two, of a thousand; what is no number stands at the start.
fn place(number: f64, low: f64, high: f64) -> f64 {
    let part = (number - low) / (high - low);
    match part.is_finite() {
        true => 1000.0 * part.clamp(0.0, 1.0),
        false => 0.0,
    }
}

fn figure(caption: &str, content: &str) -> String {
    format!(
        "<figure><figcaption>{}</figcaption>{}</figure>\n",
        escaped(caption),
        drawing(caption, HEIGHT, content)
    )
}
