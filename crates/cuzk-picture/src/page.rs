//! What every page has.

use cuzk_phase::Phase;

use crate::text::escaped;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d0d7de;--lane:#f2f4f7;--bad:#c62828;\
--a:#5b7fa6;--b:#c98a1b}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#14171a;--line:#3a4149;--lane:#20252a;\
--bad:#ff6b6b;--a:#86abd4;--b:#e6b450}}
*{box-sizing:border-box}
body{margin:0 auto;padding:12px;max-width:1200px;font:15px/1.4 system-ui,sans-serif;color:var(--ink);\
background:var(--paper);overflow-wrap:anywhere}
h1{font-size:20px;margin:0 0 4px}h2{font-size:17px;margin:24px 0 4px}
p{margin:4px 0}figure{margin:8px 0}figcaption{font-size:13px}
svg{display:block;width:100%;background:var(--lane)}
.axis{display:flex;justify-content:space-between;font-size:12px;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}
th,td{padding:3px 8px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
.part td:first-child{padding-left:28px}
.dot{display:inline-block;width:12px;height:12px;border-radius:2px;margin-right:6px;vertical-align:-1px}
.bad{color:var(--bad)}.gap{fill:var(--bad)}
.curve{fill:none;stroke:var(--a);stroke-width:2;vector-effect:non-scaling-stroke}
.curve.device{stroke:var(--b)}
.a{fill:var(--a)}.b{fill:var(--b)}.range{stroke:var(--ink);stroke-width:2;vector-effect:non-scaling-stroke}
.zero{stroke:var(--ink);stroke-width:1;vector-effect:non-scaling-stroke}
rect{stroke:var(--paper);stroke-width:.5;vector-effect:non-scaling-stroke}
";

/// A whole page.
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = escaped(title);
    let colours: String = Phase::ALL
        .iter()
        .map(|phase| {
            let colour = colour(*phase);
            format!(".{phase}{{fill:{colour};background:{colour}}}\n")
        })
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <title>{title}</title>\n<style>\n{STYLE}{colours}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Neighbours in the list of phases are far apart on the circle of hues.
fn colour(phase: Phase) -> String {
    let place = Phase::ALL.iter().position(|other| *other == phase);
    let hue = place.unwrap_or(0) * 137 % 360;
    let lightness = if place.unwrap_or(0) % 2 == 0 { 52 } else { 62 };
    format!("hsl({hue},55%,{lightness}%)")
}

/// A drawing a thousand wide, stretched to the page; it holds no text, which would be stretched
/// too.
pub(crate) fn drawing(what: &str, height: usize, content: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 1000 {height}\" style=\"height:{height}px\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">{content}</svg>",
        escaped(what)
    )
}

/// A drawing with its caption.
pub(crate) fn figure(caption: &str, height: usize, content: &str) -> String {
    format!(
        "<figure><figcaption>{}</figcaption>{}</figure>\n",
        escaped(caption),
        drawing(caption, height, content)
    )
}
