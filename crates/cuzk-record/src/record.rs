use serde::{Deserialize, Serialize};

/// A result, and what is needed to get it again.
///
/// The fields of the result stand beside the others in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record<T> {
    /// What was measured, in a few words.
    pub what: String,
    /// The command.
    pub program: String,
    /// The version of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The commit that the program was built from.
    pub commit: String,
    /// Whether tracked files differed from the commit then; nothing where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<bool>,
    /// The compiler's version, where programs of others were built with it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// The day, as 2026-11-30.
    pub date: String,
    /// Where.
    pub machine: Machine,
    /// The load over one, five and fifteen minutes before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_before: Option<[f64; 3]>,
    /// The same after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_after: Option<[f64; 3]>,
    /// The result.
    #[serde(flatten)]
    pub result: T,
}

/// A machine; what is not known is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// Processors that the program may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// Threads of the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Bytes of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The CUDA device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// The version of the card's driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

impl Machine {
    /// A folder's name: the card and, without one, the processor with its cores.
    #[must_use]
    pub fn folder(&self) -> String {
        match (&self.gpu, &self.processor) {
            (Some(gpu), _) => words(gpu),
            (None, Some(processor)) => {
                format!("{}-{}-cores", words(processor), self.cores.unwrap_or(1))
            }
            (None, None) => "unknown".to_owned(),
        }
    }
}

/// The words that tell a model, joined by dashes.
fn words(model: &str) -> String {
    const NOISE: [&str; 5] = ["", "r", "tm", "cpu", "processor"];
    let words = model.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words = words.map(str::to_ascii_lowercase);
    let words: Vec<String> = words
        .filter(|word| !NOISE.contains(&word.as_str()))
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_fields_of_its_result_beside_its_own() {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        struct Found {
            median_ms: f64,
        }
        let record = Record {
            what: "a proof".to_owned(),
            program: "cuzk bench prove".to_owned(),
            version: Some("0.1.0".to_owned()),
            commit: "5d4c2d0".to_owned(),
            modified: Some(false),
            compiler: None,
            date: "2026-11-30".to_owned(),
            machine: Machine {
                gpu: Some("NVIDIA H200".to_owned()),
                ..Machine::default()
            },
            load_before: Some([0.5, 1.0, 1.5]),
            load_after: None,
            result: Found { median_ms: 20.5 },
        };
        let object = serde_json::to_value(&record).expect("writable");
        assert_eq!(object["median_ms"], 20.5);
        assert_eq!(object["machine"]["gpu"], "NVIDIA H200");
        let back: Record<Found> = serde_json::from_value(object).expect("readable");
        assert_eq!(back, record);
    }

    #[test]
    fn a_folder_is_named_after_the_card_or_the_processor() {
        let mut machine = Machine {
            processor: Some("Intel(R) Xeon(R) CPU".to_owned()),
            cores: Some(2),
            ..Machine::default()
        };
        assert_eq!(machine.folder(), "intel-xeon-2-cores");
        machine.gpu = Some("NVIDIA H200".to_owned());
        assert_eq!(machine.folder(), "nvidia-h200");
        assert_eq!(Machine::default().folder(), "unknown");
    }
}
