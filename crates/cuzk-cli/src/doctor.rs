//! `cuzk doctor`: what this machine has to prove with.

mod plan;

use std::time::{Duration, Instant};

use cuzk::{
    Backend, DeviceOptions, DeviceSelector, Prover, Tuning,
    layers::{
        backend::KeyShape,
        device::{self, Device, DeviceError, DeviceInfo},
        hostmem::CopyRates,
    },
};
use serde_json::{Value, json};

use crate::{
    args::{Common, Doctor},
    failure::{Failure, chain},
    output::Output,
    run,
    waiting::Waiting,
};
use plan::Planned;

/// What is known of one device.
struct Checkup {
    info: DeviceInfo,
    outcome: Result<Health, String>,
}

/// A device that works.
struct Health {
    free_bytes: usize,
    /// Opening it, loading the kernels and a trial proof.
    trial: Duration,
    /// Nothing where there is no place for the bytes.
    copies: Option<Copies>,
}

/// What copies take.
struct Copies {
    /// Gigabytes a second to the device, from memory that is not registered.
    there: f64,
    /// The same from the device.
    back: f64,
    /// What copies cost by every strategy of host memory.
    rates: CopyRates,
}

/// The most bytes that are copied, from memory that is not registered.
const COPY_BYTES: usize = 256 << 20;

pub(crate) fn run(doctor: &Doctor, common: &Common, output: &mut Output) -> Result<(), Failure> {
    let shape = plan::key_shape(doctor)?;
    run::start_pool(common)?;
    let threads = rayon::current_num_threads();
    let arithmetic = common.tuning.lanes.resolve().name();
    let driver = device::driver_version().map(|version| version.to_string());
    let devices = {
        let _waiting = Waiting::for_work(common, "trying the devices");
        device::devices().map(|devices| devices.into_iter().map(check_up).collect::<Vec<_>>())
    };
    let unusable = |error: &DeviceError| chain(error);
    let plans = shape.map(|shape| plans(&shape, common, devices.as_deref().unwrap_or_default()));
    let plans = plans.unwrap_or_default();
    output.result(
        || {
            json!({
                "version": env!("CARGO_PKG_VERSION"),
                "threads": threads,
                "arithmetic": arithmetic,
                "cuda": driver.as_ref().ok(),
                "no_device": devices.as_ref().err().map(unusable),
                "devices": devices.iter().flatten().map(object).collect::<Vec<_>>(),
                "plans": plans.iter().map(Planned::object).collect::<Vec<_>>(),
                "tuning": switches(&common.tuning),
            })
        },
        || {
            let mut text = format!(
                "cuzk {}\nprocessor  {threads} threads, {arithmetic}\n",
                env!("CARGO_PKG_VERSION")
            );
            match (&driver, &devices) {
                (Ok(version), Ok(devices)) => {
                    text += &format!("driver     for CUDA {version}\n");
                    devices.iter().for_each(|checkup| text += &line(checkup));
                }
                (Err(error), _) | (_, Err(error)) => {
                    text += &format!("no device  {}\n", unusable(error));
                }
            }
            plans.iter().for_each(|plan| text += &plan.text());
            text + &format!(
                "switches, set by --set NAME=VALUE or --tuning FILE\n{}",
                common.tuning
            )
        },
    )
}

fn switches(tuning: &Tuning) -> Vec<Value> {
    let switches = Tuning::SWITCHES.iter();
    let switches = switches.map(|switch| {
        json!({
            "name": switch.name,
            "value": switch.value(tuning),
            "default": switch.default_value(),
            "values": switch.values,
            "what": switch.what,
            "record": switch.record,
        })
    });
    switches.collect()
}

fn check_up(info: DeviceInfo) -> Checkup {
    let selector = DeviceSelector::Index(info.index);
    Checkup {
        outcome: health(&selector),
        info,
    }
}

fn health(selector: &DeviceSelector) -> Result<Health, String> {
    let started = Instant::now();
    // What proves on it later is tried in the same way before it is trusted.
    let trial = Prover::builder()
        .backend(Backend::Cuda)
        .device(selector.clone(), DeviceOptions::default())
        .build();
    trial.map_err(|error| chain(&error))?;
    let trial = started.elapsed();
    copies(selector, trial).map_err(|error| chain(&error))
}

/// A plan for each device that works, or for an H200.
fn plans(shape: &KeyShape, common: &Common, devices: &[Checkup]) -> Vec<Planned> {
    let usable = devices.iter().filter_map(|checkup| {
        let health = checkup.outcome.as_ref().ok()?;
        let (info, free_bytes) = (&checkup.info, health.free_bytes);
        Some(plan::on_device(shape, common, info, free_bytes))
    });
    let plans: Vec<_> = usable.collect();
    if plans.is_empty() {
        return vec![plan::on_an_h200(shape, common)];
    }
    plans
}

fn copies(selector: &DeviceSelector, trial: Duration) -> Result<Health, DeviceError> {
    let device = Device::open(selector, &DeviceOptions::default())?;
    let free_bytes = device.memory()?.free_bytes;
    let copies = match rates(&device, COPY_BYTES.min(free_bytes / 4)) {
        // Somebody else took the memory: that says nothing against the device.
        Err(DeviceError::OutOfMemory { .. } | DeviceError::OverBudget { .. }) => None,
        rates => Some(rates?),
    };
    Ok(Health {
        free_bytes,
        trial,
        copies,
    })
}

fn rates(device: &Device, bytes: usize) -> Result<Copies, DeviceError> {
    let stream = device.new_stream()?;
    let host = vec![1u8; bytes];
    // Once before it counts, so that the memory is there.
    drop(stream.upload(&host)?);
    let started = Instant::now();
    let mut there = stream.upload(&host)?;
    let to_device = started.elapsed();
    let rates = there.as_mut_slice().measure_copies(&stream, &host)?;
    let mut back = host;
    let started = Instant::now();
    there.as_slice().copy_to_host(&stream, &mut back)?;
    let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e9;
    Ok(Copies {
        there: rate(to_device),
        back: rate(started.elapsed()),
        rates,
    })
}

fn object(checkup: &Checkup) -> Value {
    let info = &checkup.info;
    let health = checkup.outcome.as_ref();
    let copies = health.ok().and_then(|health| health.copies.as_ref());
    json!({
        "index": info.index,
        "name": info.name,
        "uuid": info.uuid,
        "bus_id": info.bus_id,
        "compute_capability": format!("{}.{}", info.architecture.0, info.architecture.1),
        "multiprocessors": info.multiprocessors,
        "memory_bytes": info.memory_bytes,
        "free_bytes": health.ok().map(|health| health.free_bytes),
        "usable": health.is_ok(),
        "why_not": health.err(),
        "trial_ms": health.ok().map(|health| health.trial.as_secs_f64() * 1e3),
        "to_device_gb_s": copies.map(|copies| copies.there),
        "copies": copies.map(|copies| copy_costs(&copies.rates)),
        "to_host_gb_s": copies.map(|copies| copies.back),
    })
}

fn copy_costs(rates: &CopyRates) -> Value {
    let registered = rates.registered.as_ref();
    let ms_per_gib = |time: Duration| time.as_secs_f64() * 1e3;
    json!({
        "pageable_gb_s": rates.pageable.gigabytes_per_second(),
        "registered_gb_s": registered.map(|cost| cost.copy.gigabytes_per_second()),
        "register_ms_per_gib": registered.map(|cost| ms_per_gib(cost.lock.per_gib)),
        "release_ms_per_gib": registered.map(|cost| ms_per_gib(cost.unlock.per_gib)),
        "staged_gb_s": rates.staged.as_ref().map(|cost| cost.gigabytes_per_second()),
    })
}

fn line(checkup: &Checkup) -> String {
    let info = &checkup.info;
    let head = format!(
        "device {}   {}, {}, compute capability {}.{}, {:.1} GiB\n",
        info.index,
        info.name,
        info.uuid,
        info.architecture.0,
        info.architecture.1,
        info.memory_bytes as f64 / f64::from(1 << 30),
    );
    let rest = match &checkup.outcome {
        Ok(health) => format!(
            "           usable: {:.1} GiB free, ready with a trial proof in {:.0} ms, {}\n",
            health.free_bytes as f64 / f64::from(1 << 30),
            health.trial.as_secs_f64() * 1e3,
            match &health.copies {
                Some(Copies { there, back, rates }) => format!(
                    "copies {there:.1} GB/s there and {back:.1} GB/s back from memory that is not \
                     registered\n           host memory {rates}"
                ),
                None => "no place to try copies".to_owned(),
            },
        ),
        Err(why) => format!("           not usable: {why}\n"),
    };
    head + &rest
}
