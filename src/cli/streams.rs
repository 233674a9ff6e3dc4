//! The standard streams and environment variables of a run: those of the process, or those of a captured run.
//!
//! A captured run happens on one thread. Threads that a command starts for itself print nothing, except for engines and
//! progress bars, which belong to runs of a process.

use std::cell::{Cell, RefCell};
use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal as _, Read, Write};
use std::rc::Rc;

/// The surroundings of a captured run, and what it has printed.
struct Capture {
    input: CapturedInput,
    variables: Vec<(&'static str, OsString)>,
    out: Vec<u8>,
    err: Vec<u8>,
}

thread_local! {
    /// The captured run of this thread; `None` if the run is that of the process.
    static CAPTURE: RefCell<Option<Capture>> = const { RefCell::new(None) };
}

/// Runs `work` with `input` as its standard input and `variables` as its environment. Returns its result, its output and
/// its error output.
pub(super) fn capture<T>(
    input: &str,
    variables: Vec<(&'static str, OsString)>,
    work: impl FnOnce() -> T,
) -> (T, Vec<u8>, Vec<u8>) {
    let capture = Capture {
        input: CapturedInput {
            text: input.as_bytes().into(),
            position: Rc::default(),
        },
        variables,
        out: Vec::new(),
        err: Vec::new(),
    };
    CAPTURE.replace(Some(capture));
    let restore = Restore;
    let result = work();
    let (out, err) = CAPTURE
        .take()
        .map_or_else(Default::default, |capture| (capture.out, capture.err));
    drop(restore);
    (result, out, err)
}

/// Ends the capture, also if the work panics.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        CAPTURE.take();
    }
}

/// True if the run on this thread is captured. It then neither handles signals nor ends the process.
pub(super) fn is_captured() -> bool {
    CAPTURE.with_borrow(Option::is_some)
}

pub(super) fn stdout() -> Box<dyn Write> {
    if is_captured() {
        return Box::new(CapturedOutput(|capture| &mut capture.out));
    }
    Box::new(io::stdout())
}

pub(super) fn stderr() -> Box<dyn Write> {
    if is_captured() {
        return Box::new(CapturedOutput(|capture| &mut capture.err));
    }
    Box::new(io::stderr())
}

pub(super) fn stdin() -> Box<dyn BufRead> {
    let captured = CAPTURE.with_borrow(|capture| Some(capture.as_ref()?.input.clone()));
    match captured {
        Some(input) => Box::new(input),
        None => Box::new(io::stdin().lock()),
    }
}

pub(super) fn stdout_is_terminal() -> bool {
    !is_captured() && io::stdout().is_terminal()
}

pub(super) fn stderr_is_terminal() -> bool {
    !is_captured() && io::stderr().is_terminal()
}

pub(super) fn stdin_is_terminal() -> bool {
    !is_captured() && io::stdin().is_terminal()
}

/// The value of an environment variable; `None` if it is unset or empty.
pub(super) fn variable(name: &str) -> Option<OsString> {
    let captured = CAPTURE.with_borrow(|capture| {
        let variables = &capture.as_ref()?.variables;
        let found = variables.iter().find(|(known, _)| *known == name);
        Some(found.map(|(_, value)| value.clone()))
    });
    let value = captured.unwrap_or_else(|| env::var_os(name));
    value.filter(|value| !value.is_empty())
}

/// A stream of a captured run.
struct CapturedOutput(fn(&mut Capture) -> &mut Vec<u8>);

impl Write for CapturedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        CAPTURE.with_borrow_mut(|capture| {
            let capture = capture.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            (self.0)(capture).extend_from_slice(bytes);
            Ok(bytes.len())
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The standard input of a captured run. Clones share their position.
#[derive(Clone)]
struct CapturedInput {
    text: Rc<[u8]>,
    position: Rc<Cell<usize>>,
}

impl Read for CapturedInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for CapturedInput {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.text.get(self.position.get()..).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.position.set(self.position.get() + count);
    }
}
