//! The threads of another process, with the event that each blocked thread waits for.
//!
//! Linux describes each thread in `/proc`. Only an event can wake a thread that waits without a time limit. A process
//! whose threads all wait that way has finished its work, so tests need not guess a duration.

use std::fs;
use std::path::Path;

/// The numbers of the system calls in which threads of the program wait.
struct Calls {
    futex: u64,
    poll: Option<u64>,
    ppoll: u64,
    epoll_wait: Option<u64>,
    epoll_pwait: u64,
    write: u64,
    /// Calls that have no time limit.
    unlimited: [u64; 4],
}

/// `read`, `recvfrom`, `recvmsg` and `wait4` are the calls without a time limit.
const CALLS: Calls = if cfg!(target_arch = "x86_64") {
    Calls {
        futex: 202,
        poll: Some(7),
        ppoll: 271,
        epoll_wait: Some(232),
        epoll_pwait: 281,
        write: 1,
        unlimited: [0, 45, 47, 61],
    }
} else {
    // The numbers on the newer architectures of Linux, such as aarch64 and riscv64.
    Calls {
        futex: 98,
        poll: None,
        ppoll: 73,
        epoll_wait: None,
        epoll_pwait: 22,
        write: 64,
        unlimited: [63, 207, 212, 260],
    }
};

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The thread runs, or will run again after some time.
    Active,
    /// The thread waits for an event, without a time limit.
    Waiting,
    /// The thread waits until another process reads its output.
    Writing,
}

/// A snapshot of a thread. Each time a thread blocks, its number of switches grows. Two equal snapshots of a thread
/// that is not active therefore prove that it did not run in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub name: String,
    pub state: State,
    id: String,
    switches: u64,
}

/// The threads of a process; empty if it has ended and its parent knows.
pub fn threads(process: u32) -> Vec<Thread> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    let folders = tasks.flatten().map(|task| task.path());
    let mut threads: Vec<Thread> = folders.filter_map(|folder| thread(&folder)).collect();
    threads.sort_by(|one, other| one.id.cmp(&other.id));
    threads
}

/// Returns true if the threads with these names wait for events at the same moment, and `also` is true at that moment.
pub fn wait_for_events(
    process: u32,
    is_meant: impl Fn(&str) -> bool,
    also: impl FnOnce() -> bool,
) -> bool {
    let look = || -> Vec<Thread> {
        let threads = threads(process).into_iter();
        threads.filter(|it| is_meant(&it.name)).collect()
    };
    let before = look();
    let are_waiting = before.iter().all(|it| it.state == State::Waiting);
    !before.is_empty() && are_waiting && also() && look() == before
}

fn thread(folder: &Path) -> Option<Thread> {
    // The call is read first: the number of switches that follows belongs to it or to a later call.
    let call = fs::read_to_string(folder.join("syscall")).unwrap_or_default();
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let field = |name: &str| {
        let mut lines = status.lines();
        let value = lines.find_map(|line| line.strip_prefix(name));
        value.map_or("", str::trim)
    };
    let count = |name: &str| field(name).parse::<u64>().unwrap_or(0);
    let state = match field("State:").chars().next() {
        Some('S') => state_in(&call),
        _ => State::Active,
    };
    Some(Thread {
        name: field("Name:").to_owned(),
        state,
        id: folder.file_name()?.to_string_lossy().into_owned(),
        switches: count("voluntary_ctxt_switches:") + count("nonvoluntary_ctxt_switches:"),
    })
}

/// The state of a thread that sleeps in a system call, which is described as its number and its arguments.
fn state_in(call: &str) -> State {
    let mut words = call.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<u64>().ok());
    let arguments: Vec<u64> = words
        .map_while(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok())
        .collect();
    let (Some(number), [_, second, third, fourth, ..]) = (number, &arguments[..]) else {
        return State::Active;
    };
    // A negative 32-bit time means no time limit.
    let is_negative = |time: u64| time & 0x8000_0000 != 0;
    let has_no_limit = if number == CALLS.futex {
        // FUTEX_WAIT or FUTEX_WAIT_BITSET, with a null pointer to the time.
        matches!(second & 0x7f, 0 | 9) && *fourth == 0
    } else if number == CALLS.ppoll {
        *third == 0
    } else if Some(number) == CALLS.poll {
        is_negative(*third)
    } else if Some(number) == CALLS.epoll_wait || number == CALLS.epoll_pwait {
        is_negative(*fourth)
    } else if number == CALLS.write {
        return State::Writing;
    } else {
        CALLS.unlimited.contains(&number)
    };
    if has_no_limit {
        State::Waiting
    } else {
        State::Active
    }
}
