//! `cargo xtask look-at PAGE…`: pages in a real browser, wide and narrow, in daylight and in the
//! dark. It needs Chromium: on Debian, the package `chromium`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, bail, ensure};

use crate::say;

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// A desk and a phone, in pixels.
const SCREENS: [(u32, u32); 2] = [(1280, 900), (390, 844)];
/// What Chromium calls them.
const SCHEMES: [(&str, &str); 2] = [("dark", "0"), ("light", "1")];
/// A page whose console says something: a look that misses it sees nothing.
const NOISY: &str = "<!DOCTYPE html><title>noisy</title><script>console.error('heard')</script>";
const BLANK: &str = "<!DOCTYPE html><title>blank</title>";

/// Takes the pictures, and fails for a page with a message on its console or without a picture.
pub(crate) fn run(root: &Path, pages: &[String]) -> anyhow::Result<ExitCode> {
    ensure!(
        !pages.is_empty(),
        "which pages? cuzk writes them with --html"
    );
    let folder = root.join("target/look-at");
    fs::create_dir_all(&folder).context("making target/look-at")?;
    let browser = Browser::find(&folder)?;
    let own = |name: &str, text: &str| -> anyhow::Result<PathBuf> {
        let page = folder.join(name);
        fs::write(&page, text).with_context(|| format!("writing {name}"))?;
        Ok(page)
    };
    let noisy = browser.look(&own("noisy.html", NOISY)?, SCREENS[0], SCHEMES[0])?;
    ensure!(
        noisy.console.contains("heard"),
        "this browser hides its console from us"
    );
    let blank = own("blank.html", BLANK)?;
    for page in pages {
        let page = fs::canonicalize(page).with_context(|| format!("looking for {page}"))?;
        for screen in SCREENS {
            for scheme in SCHEMES {
                let look = browser.look(&page, screen, scheme)?;
                ensure!(
                    look.console.is_empty(),
                    "{} says on its console: {}",
                    page.display(),
                    look.console
                );
                let nothing = browser.look(&blank, screen, scheme)?;
                ensure!(
                    look.size == screen && look.bytes > 2 * nothing.bytes,
                    "{} shows nothing: {} bytes of {:?}, a blank page has {}",
                    look.picture.display(),
                    look.bytes,
                    look.size,
                    nothing.bytes
                );
                say(look.picture.display());
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Browser {
    program: &'static str,
    folder: PathBuf,
}

/// What was seen of a page.
struct Look {
    picture: PathBuf,
    bytes: usize,
    size: (u32, u32),
    console: String,
}

impl Browser {
    fn find(folder: &Path) -> anyhow::Result<Self> {
        let starts = |program: &&&str| {
            let version = Command::new(**program).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        };
        match BROWSERS.iter().find(starts) {
            Some(program) => Ok(Self {
                program,
                folder: folder.to_owned(),
            }),
            None => bail!(
                "no browser: expected one of {}; on Debian, apt-get install chromium",
                BROWSERS.join(", ")
            ),
        }
    }

    fn look(
        &self,
        page: &Path,
        (width, height): (u32, u32),
        (scheme, number): (&str, &str),
    ) -> anyhow::Result<Look> {
        let stem = page.file_stem().context("a page has a name")?;
        let name = format!("{}-{width}-{scheme}.png", stem.to_string_lossy());
        let picture = self.folder.join(name);
        // What was there before is not what is seen now.
        let _ = fs::remove_file(&picture);
        let output = Command::new(self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
            ])
            .args(["--no-first-run", "--disable-background-networking"])
            .args([
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
            ])
            .arg(format!(
                "--user-data-dir={}",
                self.folder.join("profile").display()
            ))
            .arg("--enable-logging=stderr")
            .arg(format!("--blink-settings=preferredColorScheme={number}"))
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--screenshot={}", picture.display()))
            .arg(format!("file://{}", page.display()))
            .output()
            .with_context(|| format!("starting {}", self.program))?;
        let log = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{} failed: {log}", self.program);
        let console = log.lines().filter(|line| line.contains("CONSOLE"));
        let bytes = fs::read(&picture).with_context(|| format!("no picture: {log}"))?;
        Ok(Look {
            size: size(&bytes).context("a picture in PNG")?,
            bytes: bytes.len(),
            console: console.collect::<Vec<_>>().join("\n"),
            picture,
        })
    }
}

/// Width and height in the head of a PNG.
fn size(png: &[u8]) -> Option<(u32, u32)> {
    let rest = png.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let number = |at: usize| Some(u32::from_be_bytes(rest.get(at..at + 4)?.try_into().ok()?));
    Some((number(8)?, number(12)?))
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn the_size_stands_in_the_head() {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x03\x84";
        assert_eq!(size(head), Some((1280, 900)));
        assert_eq!(size(&head[..20]), None);
        assert_eq!(size(b"GIF89a"), None);
    }
}
