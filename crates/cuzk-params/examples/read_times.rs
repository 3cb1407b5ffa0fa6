//! Times the reading of the real Sapling spend parameters with each kind of check.
//!
//! `cargo run --release -p cuzk-params --example read_times [THREADS] [REPEATS]`

use cuzk_params::{Check, ParameterFile, Parameters, ReadOptions, Trailing};
use std::{
    error::Error,
    io::Write,
    time::{Duration, Instant},
};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = std::env::args().skip(1);
    let threads: usize = arguments.next().map_or(Ok(0), |word| word.parse())?;
    let repeats: usize = arguments.next().map_or(Ok(5), |word| word.parse())?;
    let (spend, _) = wagyu_zcash_parameters::load_sapling_parameters();
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(&spend)?;
    let allowed = ReadOptions {
        trailing: Trailing::Allow,
        ..ReadOptions::default()
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    pool.install(|| {
        let digest = Parameters::from_bytes(&spend, &allowed)?.digest;
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{} bytes, {} threads, {digest}",
            spend.len(),
            pool.current_num_threads()
        )?;
        let pinned = ReadOptions {
            trailing: Trailing::Allow,
            ..ReadOptions::pinned(digest)
        };
        let full = ReadOptions {
            check: Check::Subgroup,
            ..allowed.clone()
        };
        for (name, options) in [("digest", pinned), ("curve", allowed), ("subgroup", full)] {
            let from_bytes = minimum(repeats, || Parameters::from_bytes(&spend, &options))?;
            let from_file = minimum(repeats, || ParameterFile::open(file.path())?.read(&options))?;
            let from_stream = minimum(repeats, || Parameters::from_reader(&spend[..], &options))?;
            writeln!(
                out,
                "{name:9} bytes {from_bytes:9.1?}  file {from_file:9.1?}  stream {from_stream:9.1?}"
            )?;
        }
        Ok(())
    })
}

fn minimum<T, E>(repeats: usize, work: impl Fn() -> Result<T, E>) -> Result<Duration, E> {
    let mut best = Duration::MAX;
    for _ in 0..repeats {
        let start = Instant::now();
        let value = work()?;
        best = best.min(start.elapsed());
        drop(value);
    }
    Ok(best)
}
