//! Lists the devices that the driver sees; fails where there is none.

use std::process::ExitCode;

use cuzk_device::{devices, driver_version};

#[expect(clippy::print_stdout, reason = "it is a program for the terminal")]
fn main() -> ExitCode {
    let found = devices().and_then(|devices| Ok((driver_version()?, devices)));
    match found {
        Ok((driver, devices)) => {
            println!("driver for CUDA {driver}");
            for device in devices {
                let (major, minor) = device.architecture;
                println!(
                    "device {}: {} ({}), compute capability {major}.{minor}, {} MiB",
                    device.index,
                    device.name,
                    device.uuid,
                    device.memory_bytes >> 20
                );
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            let mut text = error.to_string();
            let mut cause = std::error::Error::source(&error);
            while let Some(error) = cause {
                text.push_str(&format!(": {error}"));
                cause = error.source();
            }
            eprintln!("devices: {text}");
            ExitCode::FAILURE
        }
    }
}
