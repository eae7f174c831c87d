//! Commands about the machine, its processes, files and connections: rows without anything unusual are counted; rows
//! about things that are in use, full, open to others or wrong are kept.

mod address;
mod certificate;
mod counters;
mod crontab;
mod curl;
mod environment;
mod filesystem;
mod kernel_settings;
mod lookup;
mod open_files;
mod package_list;
mod ping;
mod process;
mod profile;
mod records;
mod socket;
mod syscalls;
mod systemctl;

use super::Reducer;

/// The reducers of this family; of two equal claims the first one is used.
pub static REDUCERS: &[&dyn Reducer] = &[
    &process::PROCESSES,
    &filesystem::FILESYSTEMS,
    &socket::SOCKETS,
    &open_files::OPEN_FILES,
    &systemctl::SYSTEMCTL,
    &syscalls::SYSCALLS,
    &environment::Environment,
    &curl::CURL,
    &ping::Ping,
    &lookup::DIG,
    &lookup::TRACEROUTE,
    &certificate::CERTIFICATE,
    &counters::Counters,
    &kernel_settings::KernelSettings,
    &address::ADDRESSES,
    &address::PROCESSOR,
    &profile::PROFILE,
    &crontab::CRONTAB,
    &package_list::PackageList,
    &records::Records,
];
