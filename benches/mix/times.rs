//! The CPU time that processes took.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

/// CPU time that `gzip -6` takes for some bytes.
pub fn gzip(bytes: &[u8]) -> Duration {
    let mut gzip = Command::new("gzip");
    gzip.args(["-6", "-c"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = gzip.spawn().unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    // It keeps its times until somebody waits for it.
    let stat = format!("/proc/{}/stat", child.id());
    while !std::fs::read_to_string(&stat).unwrap().contains(") Z ") {
        std::thread::sleep(Duration::from_millis(1));
    }
    let took = cpu(child.id());
    child.wait().unwrap();
    took
}

/// CPU time of all threads of a process that have not ended.
pub fn cpu(process: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of_thread = |thread: std::fs::DirEntry| -> u64 {
        let times = std::fs::read_to_string(thread.path().join("schedstat")).unwrap();
        times.split(' ').next().unwrap().parse().unwrap()
    };
    Duration::from_nanos(threads.map(|thread| of_thread(thread.unwrap())).sum())
}
