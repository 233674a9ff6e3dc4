//! How much memory the machine and the limits of this process leave.

/// So much is left for the debates under way: less, and no more are begun. An allocation that fails ends the program, and
/// every debate with it.
pub(super) const RESERVE: u64 = 256 << 20;

/// The bytes that this process can still take, as far as the system says.
#[cfg(target_os = "linux")]
pub(super) fn left() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    use std::fs::read_to_string;

    let of_kilobytes = |file: &str, name: &str| {
        let text = read_to_string(file).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(number << 10)
    };
    let limited = |resource, name| {
        let most = getrlimit(resource).current?;
        Some(most.saturating_sub(of_kilobytes("/proc/self/status", name)?))
    };
    let of_group = || {
        let number = |file: &str| {
            let text = read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?;
            text.trim().parse::<u64>().ok()
        };
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    };
    let found = [
        of_kilobytes("/proc/meminfo", "MemAvailable:"),
        limited(Resource::As, "VmSize:"),
        limited(Resource::Data, "VmData:"),
        of_group(),
    ];
    found.into_iter().flatten().min()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn left() -> Option<u64> {
    None
}
