//! The `tersed` binary: reads the command line and calls one function.

fn main() -> std::process::ExitCode {
    tersed::cli::run()
}
