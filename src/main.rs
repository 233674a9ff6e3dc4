//! The program: installs the reports for unexpected errors and panics, and calls the library.

use std::process::ExitCode;

// With the allocator of musl `serve` and `equilibrium` take 1.2 and 1.3 times as long.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let hooks = color_eyre::config::HookBuilder::blank()
        .capture_span_trace_by_default(false)
        .display_env_section(false)
        .panic_section("This is a mistake in debate-tui; the debate so far is in its save.");
    // Without the hooks a panic is told less well, and that is all.
    let _ = hooks.install();
    debate_tui::cli::run()
}
