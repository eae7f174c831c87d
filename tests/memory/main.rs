//! The memory that the process holds, counted by an allocator. Run with `--serve`, this binary is a server that also
//! reports how much it allocated.

// The lints spare `cfg(test)` code only, which a test with its own `main` is not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod frames;
mod heap;
mod sessions;

use std::process::ExitCode;
use std::sync::Mutex;

use heap::Heap;
use libtest_mimic::{Arguments, Trial};

#[global_allocator]
static HEAP: Heap = Heap::new();

/// Everything here counts the bytes of the process: one test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Names each test once; a test that is left out is dead code, which fails the lints.
macro_rules! trials {
    ($($module:ident: $($test:ident)+;)+) => {
        vec![$($(Trial::test(concat!(stringify!($module), "::", stringify!($test)), || {
            let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            $module::$test();
            Ok(())
        }),)+)+]
    };
}

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("--serve") {
        return frames::serve();
    }
    let trials = trials! {
        sessions:
            what_is_counted_is_what_small_entries_take
            what_is_counted_is_what_large_entries_take
            what_is_counted_is_what_repeated_results_take
            what_stays_of_a_call_is_little_and_in_few_blocks
            all_sessions_stay_below_the_bound
            one_session_stays_below_the_bound
            what_a_closed_session_held_is_free
            originals_count_too
            what_was_given_comes_again_when_room_is_made
            a_removed_temporary_folder_costs_the_copy_and_says_so
            an_original_that_cannot_be_stored_is_told;
        frames:
            a_large_request_takes_at_most_three_times_its_size_on_its_way_in
            a_large_answer_takes_at_most_three_times_its_size_on_its_way_out
            a_large_result_is_worked_on_in_bounded_room;
    };
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
