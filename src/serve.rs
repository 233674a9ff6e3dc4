//! The server that other programs drive: debates over lines of JSON, each seat by a secret handle.
//!
//! The driving program owns the loop: it begins debates, gets the requests of the seats that it
//! plays, and replies. Each debate has a thread, so that a player who thinks long or a slow disk
//! stops nobody else; [`Server::run`] reads the lines and hands them on. What is said stands in
//! [`debate_lab::message`].

mod debate;
mod handles;
#[cfg(feature = "mcp")]
mod mcp;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use crate::app::Failure;
use crate::app::plan::{EngineOptions, SaveOptions};
use debate_core::protocol::Seat;
use debate_lab::message::{
    FromServer, LineRead, MAX_MESSAGE, NewDebate, PROTOCOL_VERSION, ReplyLine, ServerErrorKind,
    ToServer, line_of, read_line,
};
use debate_lab::setup::Limits;
use handles::KeptHandle;

#[cfg(feature = "mcp")]
pub use mcp::serve_mcp;

/// The most debates under way at once.
const MOST_DEBATES: usize = 4096;
/// The most orders that wait for one debate.
const MOST_ORDERS: usize = 64;

/// The options of `serve`.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The folder of saves.
    pub keeping: SaveOptions,
    /// Limits of scenarios.
    pub limits: Limits,
    /// Limits of programs that are started for a seat.
    pub engines: EngineOptions,
}

/// The output of messages: one line at a time, from any thread.
pub(crate) struct Outlet {
    out: Mutex<Box<dyn Write + Send>>,
    /// True if nobody reads any more.
    closed: AtomicBool,
}

impl Outlet {
    fn tell(&self, message: &FromServer) {
        // Every message is made of texts and numbers, which JSON can write.
        let Ok(line) = line_of(message) else {
            return;
        };
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        if written.is_err() {
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    fn refuse(&self, kind: ServerErrorKind, why: impl Into<String>, debate: Option<&str>) {
        self.tell(&FromServer::Error {
            kind,
            why: why.into(),
            debate: debate.map(str::to_owned),
            id: None,
        });
    }
}

/// Something for a debate to do.
enum Order {
    Reply(Seat, Box<ReplyLine>),
    /// Puts the pending request of this seat once more.
    Again(Seat),
    /// Somebody takes this seat up again by its handle.
    Join(Seat, String),
    Leave,
}

/// A debate under way.
struct Running {
    orders: SyncSender<Order>,
    /// The file name of its save, once there is one.
    save: Arc<OnceLock<String>>,
    /// True once it takes no more orders.
    closed: Arc<Mutex<bool>>,
    thread: JoinHandle<()>,
}

impl Running {
    /// Gives it something to do; `Err` where it takes no more.
    fn order(&self, order: Order) -> Result<(), ServerErrorKind> {
        // Held while it is sent, so that nothing is sent that nobody reads.
        let closed = self.closed.lock().unwrap_or_else(PoisonError::into_inner);
        if *closed {
            return Err(ServerErrorKind::Over);
        }
        self.orders.try_send(order).map_err(|unsent| match unsent {
            TrySendError::Full(_) => ServerErrorKind::Busy,
            TrySendError::Disconnected(_) => ServerErrorKind::Over,
        })
    }
}

/// A seat that a handle stands for.
struct HeldSeat {
    /// The number of the debate.
    debate: u64,
    seat: Seat,
}

/// Serves debates.
pub struct Server {
    options: ServeOptions,
    outlet: Arc<Outlet>,
    begun: u64,
    running: HashMap<u64, Running>,
    held: HashMap<String, HeldSeat>,
}

impl Server {
    /// A server that says what it says to `out`.
    pub fn new(options: ServeOptions, out: Box<dyn Write + Send>) -> Self {
        Self {
            options,
            outlet: Arc::new(Outlet {
                out: Mutex::new(out),
                closed: AtomicBool::new(false),
            }),
            begun: 0,
            running: HashMap::new(),
            held: HashMap::new(),
        }
    }

    /// Does what the lines ask for until there are no more; then waits for the debates to take the
    /// replies that were given.
    ///
    /// # Errors
    /// If the lines cannot be read, or no thread can be started.
    pub fn run(mut self, input: &mut impl BufRead) -> Result<(), Failure> {
        self.outlet.tell(&FromServer::Hello {
            protocol_version: PROTOCOL_VERSION,
            app: concat!("debate-tui ", env!("CARGO_PKG_VERSION")),
        });
        let mut buffer = Vec::new();
        while !self.outlet.closed.load(Ordering::Relaxed) {
            match read_line(input, &mut buffer, MAX_MESSAGE)? {
                LineRead::End => break,
                LineRead::TooLong => {
                    let why = format!("a line has more than {} MiB", MAX_MESSAGE >> 20);
                    self.outlet.refuse(ServerErrorKind::TooLong, why, None);
                    continue;
                }
                LineRead::Line => {}
            }
            if buffer.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice(&buffer) {
                Ok(ToServer::Bye) => break,
                Ok(message) => self.obey(message)?,
                Err(error) => {
                    let why = error.to_string();
                    self.outlet.refuse(ServerErrorKind::BadJson, why, None);
                }
            }
        }
        for (_, running) in self.running {
            drop(running.orders);
            // It has told what there was to tell.
            let _ = running.thread.join();
        }
        Ok(())
    }

    fn obey(&mut self, message: ToServer) -> Result<(), Failure> {
        match message {
            ToServer::New(new) => self.begin(*new),
            ToServer::Reply(line) => {
                let debate = line.debate.clone();
                self.hand_on(&debate, |seat| Order::Reply(seat, line));
                Ok(())
            }
            ToServer::Resume { debate } => self.resume(debate),
            ToServer::Leave { debate } => {
                self.hand_on(&debate, |_| Order::Leave);
                Ok(())
            }
            ToServer::Ping => {
                self.outlet.tell(&FromServer::Pong);
                Ok(())
            }
            ToServer::Bye => Ok(()),
        }
    }

    fn begin(&mut self, new: NewDebate) -> Result<(), Failure> {
        let mut handles = [None, None, None];
        for seat in new.seats.iter().copied().map(Seat::from) {
            handles[seat.index()].get_or_insert_with(handles::random);
        }
        let id = new.id.clone();
        let options = self.options.clone();
        self.start(handles.clone(), id, move |table| {
            debate::begin(&new, &options, table);
        })
    }

    /// Starts the thread of a debate with these handles.
    fn start(
        &mut self,
        handles: [Option<String>; 3],
        id: Option<String>,
        work: impl FnOnce(debate::Table) + Send + 'static,
    ) -> Result<(), Failure> {
        self.forget_ended();
        if self.running.len() >= MOST_DEBATES {
            self.outlet.tell(&FromServer::Error {
                kind: ServerErrorKind::Busy,
                why: format!("{MOST_DEBATES} debates are under way; end one first"),
                debate: None,
                id,
            });
            return Ok(());
        }
        let (orders, received): (_, Receiver<Order>) = sync_channel(MOST_ORDERS);
        let (save, closed) = (Arc::new(OnceLock::new()), Arc::default());
        let debate = self.begun;
        self.begun += 1;
        for (seat, handle) in Seat::PLAYERS.into_iter().zip(&handles) {
            if let Some(handle) = handle {
                self.held.insert(handle.clone(), HeldSeat { debate, seat });
            }
        }
        let table = debate::Table {
            outlet: Arc::clone(&self.outlet),
            orders: received,
            handles,
            id,
            save: Arc::clone(&save),
            closed: Arc::clone(&closed),
        };
        let thread = thread::Builder::new().name("debate".to_owned());
        let thread = thread.spawn(move || work(table))?;
        self.running.insert(
            debate,
            Running {
                orders,
                save,
                closed,
                thread,
            },
        );
        Ok(())
    }

    /// Gives a debate something to do; says so where there is no such debate.
    fn hand_on(&self, handle: &str, order: impl FnOnce(Seat) -> Order) {
        let held = self.held.get(handle);
        let running = held.and_then(|held| Some((held.seat, self.running.get(&held.debate)?)));
        let Some((seat, running)) = running else {
            let why = "no debate under way has this handle; `resume` takes up one that was kept";
            self.outlet
                .refuse(ServerErrorKind::UnknownDebate, why, Some(handle));
            return;
        };
        let refused = match running.order(order(seat)) {
            Ok(()) => return,
            Err(refused) => refused,
        };
        let why = match refused {
            ServerErrorKind::Busy => {
                format!("{MOST_ORDERS} messages wait for this debate already")
            }
            _ => "the debate is over".to_owned(),
        };
        self.outlet.refuse(refused, why, Some(handle));
    }

    fn resume(&mut self, handle: String) -> Result<(), Failure> {
        self.forget_ended();
        let held = self.held.get(&handle);
        let running = held.and_then(|held| Some((held.seat, self.running.get(&held.debate)?)));
        let again = running.map(|(seat, running)| running.order(Order::Again(seat)));
        // Of one that is over the save tells the end.
        if again == Some(Ok(())) {
            return Ok(());
        }
        let folder = self.options.keeping.folder()?;
        let Some(kept) = KeptHandle::find(&folder, &handle) else {
            let why = "no debate in the folder of saves has this handle";
            self.outlet
                .refuse(ServerErrorKind::UnknownDebate, why, Some(&handle));
            return Ok(());
        };
        let seat = Seat::from(kept.seat);
        // Another seat's player may have taken it up already.
        let same = |running: &&Running| running.save.get() == Some(&kept.save);
        let there = self.running.iter().find(|(_, running)| same(running));
        if let Some((debate, running)) = there {
            let debate = *debate;
            let joined = running.order(Order::Join(seat, handle.clone()));
            if joined.is_ok() {
                self.held.insert(handle, HeldSeat { debate, seat });
                return Ok(());
            }
        }
        let mut handles = [None, None, None];
        handles[seat.index()] = Some(handle);
        let options = self.options.clone();
        self.start(handles, None, move |table| {
            debate::resume(&folder, &kept, &options, table);
        })
    }

    /// Forgets debates that are over, and their handles.
    fn forget_ended(&mut self) {
        self.running
            .retain(|_, running| !running.thread.is_finished());
        let running = &self.running;
        self.held
            .retain(|_, held| running.contains_key(&held.debate));
    }
}

/// The file name of a path.
fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.to_owned())
}
