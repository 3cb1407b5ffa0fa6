//! Times the products of a circuit's matrices with its witness on a device, from files that
//! `cuzk-bench-filecoin write` made, and checks every product against the CPU's.
//!
//! The bound is the time in which device memory can move what a product must move: the matrix and
//! the packed witness once in, the result once out, at the rate of a copy that is measured here.
//! Before each sample other memory is written, so that no operand is left in the cache.

use std::{fs, path::PathBuf, time::Duration, time::Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use cuzk_backend::Evaluate;
use cuzk_cpu::Cpu;
use cuzk_curve::{Domain, Fr, FrLimbs};
use cuzk_device::{Device, DeviceBuf, DeviceOptions, DeviceSelector, Event, Stream, Timing};
use cuzk_measure::{median, minimum};
use cuzk_r1cs::{CsrMatrix, PackedWitness, Shape};
use cuzk_spmv::{DeviceMatrix, DeviceWitness, SpmvEngine};
use serde::Serialize;

#[derive(Debug, Parser)]
#[command(name = "cuzk-bench-spmv", about, version)]
struct Arguments {
    /// A shape, as bytes.
    shape: PathBuf,
    /// A witness of it, as bytes.
    witness: PathBuf,
    /// Counted samples, after two that are not.
    #[arg(long, default_value_t = 31)]
    runs: usize,
    /// The device, by index or UUID.
    #[arg(long, default_value = "0")]
    device: DeviceSelector,
}

/// One product, or another step.
#[derive(Debug, Serialize)]
struct Row {
    what: &'static str,
    median_us: f64,
    min_us: f64,
    /// Bytes that device memory has to move.
    bytes: usize,
    bound_us: f64,
    /// The bound over the median.
    of_bound: f64,
}

#[derive(Debug, Serialize)]
struct MatrixCounts {
    terms: usize,
    places: usize,
    bytes: usize,
}

#[derive(Debug, Serialize)]
struct Record {
    device: String,
    rows: usize,
    variables: usize,
    full: usize,
    small: usize,
    places_of_result: usize,
    packed_bytes: usize,
    matrices: Vec<MatrixCounts>,
    copy_tb_s: f64,
    upload_ms: f64,
    steps: Vec<Row>,
}

/// What a sample writes over the cache: many times its size.
const OVERWRITTEN_BYTES: usize = 1 << 31;

struct Bench {
    engine: SpmvEngine,
    stream: Stream,
    over: DeviceBuf<u64>,
    runs: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let read = |path: &PathBuf| fs::read(path).with_context(|| path.display().to_string());
    let shape = Shape::from_bytes(&read(&arguments.shape)?)?;
    let witness = PackedWitness::from_bytes(&read(&arguments.witness)?)?;
    let device = Device::open(&arguments.device, &DeviceOptions::default())?;
    let stream = device.new_stream()?;
    let mut bench = Bench {
        engine: SpmvEngine::open(&device)?,
        over: stream.alloc_zeroed(OVERWRITTEN_BYTES / 8)?,
        stream,
        runs: arguments.runs,
    };
    let record = bench.run(&shape, &witness)?;
    println!("{}", serde_json::to_string_pretty(&record)?);
    Ok(())
}

impl Bench {
    fn run(&mut self, shape: &Shape, witness: &PackedWitness) -> Result<Record> {
        let copy_tb_s = self.copy_rate()?;
        let (uploaded, upload) = self.upload(witness)?;
        let domain = Domain::for_len(shape.num_rows())?;
        let sources = [("A", shape.a()), ("B", shape.b()), ("C", shape.c())];
        let mut matrices = Vec::new();
        for (name, matrix) in sources {
            let start = Instant::now();
            matrices.push(self.engine.prepare(matrix, &self.stream)?);
            let seconds = start.elapsed().as_secs_f64();
            eprintln!("{name} prepared in {seconds:.2} s");
        }
        let mut out = self.stream.alloc::<FrLimbs>(domain.n())?;
        for ((name, source), matrix) in sources.into_iter().zip(&matrices) {
            self.check(source, matrix, witness, &uploaded, &domain, &mut out)
                .with_context(|| format!("the product of {name}"))?;
        }
        let mut steps = self.products(&matrices, &uploaded, &mut out, copy_tb_s)?;
        steps.push(self.expansion(&uploaded, copy_tb_s)?);
        Ok(Record {
            device: self.engine.device().info().name.clone(),
            rows: shape.num_rows(),
            variables: witness.len(),
            full: uploaded.num_full(),
            small: uploaded.num_small(),
            places_of_result: domain.n(),
            packed_bytes: witness.bytes(),
            matrices: matrices
                .iter()
                .map(|matrix| MatrixCounts {
                    terms: matrix.terms(),
                    places: matrix.places(),
                    bytes: matrix.bytes(),
                })
                .collect(),
            copy_tb_s,
            upload_ms: upload.as_secs_f64() * 1e3,
            steps,
        })
    }

    fn event(&self) -> Result<Event> {
        Ok(self.stream.device().new_event(Timing::Enabled)?)
    }

    /// The device's time between two marks.
    fn between(start: &Event, end: &Event) -> Result<f64> {
        Ok(end.elapsed_since(start)?.as_secs_f64() * 1e6)
    }

    /// Bytes read and written in a second by a copy on the device, in 10^12.
    fn copy_rate(&mut self) -> Result<f64> {
        let half = self.over.len() / 2;
        let mut to = self.stream.alloc::<u64>(half)?;
        let from = self.over.as_slice().part(0..half)?;
        let (start, end) = (self.event()?, self.event()?);
        let mut times = Vec::new();
        for _ in 0..self.runs + 2 {
            self.stream.record(&start)?;
            to.as_mut_slice().copy_from_device(&self.stream, from)?;
            self.stream.record(&end)?;
            end.synchronize()?;
            times.push(Self::between(&start, &end)?);
        }
        Ok(16.0 * half as f64 / median(times.into_iter().skip(2)) / 1e6)
    }

    /// The witness, and the host's time from its packed form to the end of the upload.
    fn upload(&self, witness: &PackedWitness) -> Result<(DeviceWitness, Duration)> {
        let mut times = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            let uploaded = self.engine.upload_witness(witness, &self.stream)?;
            times.push(start.elapsed());
            drop(uploaded);
        }
        times.sort();
        let uploaded = self.engine.upload_witness(witness, &self.stream)?;
        Ok((uploaded, times[times.len() / 2]))
    }

    fn check(
        &self,
        source: &CsrMatrix,
        matrix: &DeviceMatrix,
        witness: &PackedWitness,
        uploaded: &DeviceWitness,
        domain: &Domain,
        out: &mut DeviceBuf<FrLimbs>,
    ) -> Result<()> {
        let cpu = Cpu::default();
        let known = cpu.evaluate(
            &cpu.prepare_matrix(source)?,
            &cpu.upload_witness(witness)?,
            domain,
        )?;
        self.engine.multiply_into(matrix, uploaded, out)?;
        let got = out.download()?;
        let got: &[Fr] = FrLimbs::scalars(&got)?;
        let known: &[Fr] = known.vector();
        let differs = got.iter().zip(known).position(|(got, known)| got != known);
        ensure!(differs.is_none(), "row {differs:?} differs");
        ensure!(got.len() == known.len(), "another length");
        Ok(())
    }

    /// The products one after the other, as a proof makes them, each by itself in time.
    fn products(
        &mut self,
        matrices: &[DeviceMatrix],
        witness: &DeviceWitness,
        out: &mut DeviceBuf<FrLimbs>,
        copy_tb_s: f64,
    ) -> Result<Vec<Row>> {
        let marks: Vec<Event> = (0..=matrices.len())
            .map(|_| self.event())
            .collect::<Result<_>>()?;
        let mut times = vec![Vec::new(); matrices.len()];
        for _ in 0..self.runs + 2 {
            // Takes longer than to enqueue what follows, so that the device never waits for it.
            self.over.as_mut_slice().zero(&self.stream)?;
            self.stream.record(&marks[0])?;
            for (matrix, mark) in matrices.iter().zip(&marks[1..]) {
                self.engine.multiply_into(matrix, witness, out)?;
                self.stream.record(mark)?;
            }
            self.stream.synchronize()?;
            for (times, marks) in times.iter_mut().zip(marks.windows(2)) {
                times.push(Self::between(&marks[0], &marks[1])?);
            }
        }
        let gathered = 8 * witness.classes().len() + 32 * witness.values().len();
        let names = ["A w", "B w", "C w"];
        let rows = names.into_iter().zip(matrices).zip(times);
        Ok(rows
            .map(|((what, matrix), times)| {
                let bytes = matrix.bytes() + gathered + 32 * out.len();
                row(what, &times[2..], bytes, copy_tb_s)
            })
            .collect())
    }

    fn expansion(&mut self, witness: &DeviceWitness, copy_tb_s: f64) -> Result<Row> {
        let (start, end) = (self.event()?, self.event()?);
        let mut times = Vec::new();
        for _ in 0..self.runs + 2 {
            self.over.as_mut_slice().zero(&self.stream)?;
            self.stream.record(&start)?;
            let expanded = self.engine.expand(witness, &self.stream)?;
            self.stream.record(&end)?;
            drop(expanded);
            self.stream.synchronize()?;
            times.push(Self::between(&start, &end)?);
        }
        let read = 16 * witness.classes().len() + 32 * witness.values().len();
        Ok(row(
            "expand w",
            &times[2..],
            read + 32 * witness.len(),
            copy_tb_s,
        ))
    }
}

fn row(what: &'static str, times: &[f64], bytes: usize, copy_tb_s: f64) -> Row {
    let bound_us = bytes as f64 / copy_tb_s / 1e6;
    let median_us = median(times.iter().copied());
    Row {
        what,
        median_us,
        min_us: minimum(times.iter().copied()),
        bytes,
        bound_us,
        of_bound: bound_us / median_us,
    }
}
