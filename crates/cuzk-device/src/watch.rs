//! Times of a stream's work, in named parts, also of what other streams do for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::{Device, DeviceError, Event, Stream, Timing};

/// So much of an idle device's time may be called a part of the stretch after it.
const MOMENT: Duration = Duration::from_micros(20);

/// Events that note the time, used again and again: making one costs more than reaching it.
///
/// A clone shares them.
#[derive(Debug, Clone)]
pub struct Marks {
    device: Device,
    free: Arc<Mutex<Vec<Event>>>,
}

/// A point of a stream's work, whose time is known when the device has reached it.
#[derive(Debug)]
pub struct Mark {
    /// Until it is dropped.
    event: Option<Event>,
    /// On the host: when it was enqueued.
    asked: Instant,
    marks: Marks,
}

/// Measures what a stream does from its making until [`StreamWatch::stop`].
#[derive(Debug)]
pub struct StreamWatch {
    stream: Stream,
    start: Arc<Mark>,
    notes: Option<Arc<Notes>>,
}

/// A stretch of a stream's work.
#[derive(Debug)]
pub struct Watched {
    /// Where it began.
    pub start: Arc<Mark>,
    /// Where it ended.
    pub end: Arc<Mark>,
    /// What it was made of, where parts were asked for.
    pub parts: Vec<StreamPart>,
}

/// A named part of a stretch.
#[derive(Debug)]
pub struct StreamPart {
    /// What was done.
    pub name: &'static str,
    /// Which stream did it beside the watched one; nothing for that one itself.
    pub beside: Option<&'static str>,
    /// Where it began.
    pub start: Arc<Mark>,
    /// Where it ended.
    pub end: Arc<Mark>,
}

/// A part on another stream that has begun.
#[derive(Debug)]
#[must_use = "a part ends with `end`"]
pub struct PartBeside(Option<OpenPart>);

#[derive(Debug)]
struct OpenPart {
    notes: Arc<Notes>,
    stream: Stream,
    name: &'static str,
    beside: &'static str,
    start: Arc<Mark>,
}

/// What a stream knows of the times of its work.
#[derive(Debug, Default)]
pub(crate) struct Times {
    /// Where parts are noted, while somebody watches.
    notes: Mutex<Option<Arc<Notes>>>,
    /// The last mark, and how often the stream had been given work by then.
    last: Mutex<(u64, Weak<Mark>)>,
}

/// What whoever watches a stream is told.
#[derive(Debug)]
struct Notes {
    marks: Marks,
    so_far: Mutex<SoFar>,
}

#[derive(Debug)]
struct SoFar {
    parts: Vec<StreamPart>,
    /// The end of the stream's last part, or its start.
    last: Arc<Mark>,
}

impl Marks {
    /// None yet; they are made as they are needed.
    #[must_use]
    pub fn new(device: &Device) -> Self {
        Self {
            device: device.clone(),
            free: Arc::default(),
        }
    }

    /// Marks this point of a stream's work: by the last mark, where the stream was given nothing
    /// since. The device takes a few microseconds for each.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn mark(&self, stream: &Stream) -> Result<Arc<Mark>, DeviceError> {
        match last(stream) {
            Some(mark) => Ok(mark),
            None => self.new_mark(stream),
        }
    }

    /// Marks where a stream's next work begins: by the last mark, as [`Marks::mark`], if that was
    /// enqueued a moment before. From an older one the device may stand idle.
    fn mark_start(&self, stream: &Stream) -> Result<Arc<Mark>, DeviceError> {
        match last(stream) {
            Some(mark) if mark.asked.elapsed() < MOMENT => Ok(mark),
            _ => self.new_mark(stream),
        }
    }

    /// Marks this point of a stream's work anew.
    ///
    /// # Errors
    /// Where the driver refuses it.
    pub fn new_mark(&self, stream: &Stream) -> Result<Arc<Mark>, DeviceError> {
        // Work that another thread gives it meanwhile is none that the mark stands behind.
        let given = stream.given();
        let free = lock(&self.free).pop();
        let event = match free {
            Some(event) => event,
            None => self.device.new_event(Timing::Enabled)?,
        };
        stream.record(&event)?;
        let mark = Arc::new(Mark {
            event: Some(event),
            asked: Instant::now(),
            marks: self.clone(),
        });
        *lock(&stream.times().last) = (given, Arc::downgrade(&mark));
        Ok(mark)
    }
}

/// The last mark of a stream that was given nothing since.
fn last(stream: &Stream) -> Option<Arc<Mark>> {
    let (given, mark) = &*lock(&stream.times().last);
    (*given == stream.given()).then(|| mark.upgrade())?
}

impl Mark {
    /// Waits until the device has reached it.
    ///
    /// # Errors
    /// What the work before it met.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.event().synchronize()
    }

    /// The time on the device from another mark to this one, both reached.
    ///
    /// # Errors
    /// Where one is not reached.
    pub fn elapsed_since(&self, start: &Self) -> Result<Duration, DeviceError> {
        self.event().elapsed_since(start.event())
    }

    fn event(&self) -> &Event {
        let event = self.event.as_ref();
        event.expect("a mark has its event until it is dropped")
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        lock(&self.marks.free).extend(self.event.take());
    }
}

impl Stream {
    /// Measures the stream's work from here on, with its parts if these are asked for.
    ///
    /// Parts are told to whoever asked for them last.
    ///
    /// # Errors
    /// Where the driver refuses a mark.
    pub fn watch(&self, marks: &Marks, in_parts: bool) -> Result<StreamWatch, DeviceError> {
        let start = marks.mark_start(self)?;
        let notes = in_parts.then(|| {
            Arc::new(Notes {
                marks: marks.clone(),
                so_far: Mutex::new(SoFar {
                    parts: Vec::new(),
                    last: Arc::clone(&start),
                }),
            })
        });
        if let Some(notes) = &notes {
            *lock(&self.times().notes) = Some(Arc::clone(notes));
        }
        Ok(StreamWatch {
            stream: self.clone(),
            start,
            notes,
        })
    }

    /// Ends a part of the stream's work, which began where the one before ended; nothing where
    /// nobody watches.
    ///
    /// # Errors
    /// Where the driver refuses a mark.
    pub fn end_part(&self, name: &'static str) -> Result<(), DeviceError> {
        let Some(notes) = lock(&self.times().notes).clone() else {
            return Ok(());
        };
        let end = notes.marks.mark(self)?;
        let mut so_far = lock(&notes.so_far);
        let start = std::mem::replace(&mut so_far.last, Arc::clone(&end));
        so_far.parts.push(StreamPart {
            name,
            beside: None,
            start,
            end,
        });
        Ok(())
    }

    /// Begins a part of this stream's work that another one does, known as `beside`; nothing where
    /// nobody watches this one.
    ///
    /// # Errors
    /// Where the driver refuses a mark.
    pub fn part_beside(
        &self,
        other: &Self,
        beside: &'static str,
        name: &'static str,
    ) -> Result<PartBeside, DeviceError> {
        let Some(notes) = lock(&self.times().notes).clone() else {
            return Ok(PartBeside(None));
        };
        let start = notes.marks.mark_start(other)?;
        Ok(PartBeside(Some(OpenPart {
            notes,
            stream: other.clone(),
            name,
            beside,
            start,
        })))
    }
}

impl PartBeside {
    /// Ends the part with what the other stream was given by now.
    ///
    /// # Errors
    /// Where the driver refuses a mark.
    pub fn end(self) -> Result<(), DeviceError> {
        let Some(open) = self.0 else {
            return Ok(());
        };
        let part = StreamPart {
            name: open.name,
            beside: Some(open.beside),
            start: open.start,
            end: open.notes.marks.mark(&open.stream)?,
        };
        lock(&open.notes.so_far).parts.push(part);
        Ok(())
    }
}

impl StreamWatch {
    /// Ends the stretch with what the stream was given by now.
    ///
    /// # Errors
    /// Where the driver refuses a mark.
    pub fn stop(mut self) -> Result<Watched, DeviceError> {
        let end = self.start.marks.mark(&self.stream)?;
        let notes = self.forget();
        Ok(Watched {
            start: Arc::clone(&self.start),
            end,
            parts: notes.map_or_else(Vec::new, |notes| {
                std::mem::take(&mut lock(&notes.so_far).parts)
            }),
        })
    }

    /// Parts are not told any more.
    fn forget(&mut self) -> Option<Arc<Notes>> {
        let own = self.notes.take()?;
        let mut told = lock(&self.stream.times().notes);
        if told.as_ref().is_some_and(|notes| Arc::ptr_eq(notes, &own)) {
            *told = None;
        }
        Some(own)
    }
}

impl Drop for StreamWatch {
    fn drop(&mut self) {
        self.forget();
    }
}

impl Watched {
    /// Waits until the device has reached the end, and those of parts on other streams.
    ///
    /// # Errors
    /// What the work met.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.end.wait()?;
        let mut beside = self.parts.iter().filter(|part| part.beside.is_some());
        beside.try_for_each(|part| part.end.wait())
    }
}

/// What is behind a lock is whole also after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
