//! The program: installs the reports for unexpected errors and panics, and calls the library.

use std::process::ExitCode;

// With musl's own allocator, `serve` takes 1.2 times and `equilibrium` 1.3 times as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let hooks = color_eyre::config::HookBuilder::blank()
        .capture_span_trace_by_default(false)
        .display_env_section(false)
        .panic_section("This error is a mistake in the program debate-tui. If the debate has a save, the save contains the debate up to here.");
    // If this fails, only the report of a panic is less readable.
    let _ = hooks.install();
    survive_file_limit();
    debate_tui::cli::run()
}

/// Replaces the default action of SIGXFSZ, which ends the program if a file reaches the limit of `ulimit -f`. The write
/// then fails with an error, and the command reports it.
#[cfg(unix)]
fn survive_file_limit() {
    // Registration fails only for signals that cannot be caught. Started programs get the default action back.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn survive_file_limit() {}
