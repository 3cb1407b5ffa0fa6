use serde_json::json;

use super::{number::Form, *};

fn records() -> Records {
    let record = json!({
        "circuit": "chain",
        "constraints": 1_048_000,
        "rows": [
            { "id": "G1 2^20", "ms": 78.25, "ratio": 3.84 },
            { "id": "G1 2^22", "ms": 1660.0, "ratio": 12.0 },
        ],
    });
    Records::of(vec![("h200/day.json", record)])
}

const DOCUMENT: &str = "\
Before.

<!-- records
d = h200/day.json
small = h200/day.json#/rows[id=G1 2^20]
| circuit | constraints | s | ratio |
| --- | --- | --- | --- |
| {d/circuit} | {d/constraints %,} | {small/ms /1000 %2s} | {d/rows/1/ratio %.1} × |
-->
old
<!-- end of records -->
After.
";

#[test]
fn a_table_is_its_template_with_the_records_numbers_and_stays_so() {
    let made = tables(DOCUMENT, &mut records()).expect("sound");
    let row = "\n-->\n| circuit | constraints | s | ratio |\n| --- | --- | --- | --- |\n\
               | chain | 1,048,000 | 0.078 | 12.0 × |\n<!-- end of records -->\nAfter.\n";
    assert!(made.ends_with(row), "{made}");
    assert!(made.starts_with("Before.\n\n<!-- records\nd = h200"));
    assert_eq!(tables(&made, &mut records()).expect("sound"), made);
}

#[test]
fn what_is_not_there_is_named() {
    let refused = [
        (
            "{d/constraints %,}",
            "{e/constraints}",
            "no record is named \"e\"",
        ),
        (
            "{d/constraints %,}",
            "{d/nothing}",
            "\"nothing\" is not there",
        ),
        ("{d/constraints %,}", "{d/circuit %,}", "expected a number"),
        ("{d/constraints %,}", "{d/constraints fast}", "got \"fast\""),
        ("{d/constraints %,}", "{d/constraints", "a place has no end"),
        ("{small/ms", "{d/rows[id=G1 2^21]/ms", "no entry has"),
        (
            "d = h200/day.json",
            "d : h200",
            "expected a row or name = record",
        ),
        ("day.json", "night.json", "reading the record"),
        ("-->\n", "", "has no end"),
        ("<!-- end of records -->", "", "has no end"),
        ("<!-- records\n", "", "ends no table"),
    ];
    for (from, to, expected) in refused {
        let document = DOCUMENT.replace(from, to);
        let error = tables(&document, &mut records()).expect_err(expected);
        let error = format!("{error:#}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn numbers_are_written_in_the_form_asked_for() {
    let write = |form: &str, number: f64| {
        let form = Form::parse(form).expect("a form");
        form.write(number).expect("finite")
    };
    for (form, number, expected) in [
        ("", 20.0, "20"),
        ("", 0.25, "0.25"),
        ("%.2", 1.005_1, "1.01"),
        ("/1000 %.1", 2049.0, "2.0"),
        ("*100 %.0", 0.655, "66"),
        ("%2s", 0.0782, "0.078"),
        ("%2s", 9.99, "10"),
        ("%3s", 1660.0, "1660"),
        ("%2s", 0.0, "0.0"),
        ("%,", 7827.0, "7,827"),
        ("%,", 999.0, "999"),
        ("%,", -1_000_000.0, "-1,000,000"),
    ] {
        assert_eq!(write(form, number), expected, "{form} {number}");
    }
    assert!(Form::parse("/x").is_err() && Form::parse("%").is_err());
    assert!(Form::parse("/0").expect("a form").write(1.0).is_err());
}
