//! The server as a child process, with hosts that misbehave and with accidents.
//!
//! Run with `--serve` this binary is the child: the real server over a method table for tests. Otherwise
//! it runs the tests. Every message that the child writes is also parsed by `jsonrpc-core`.

// The lints spare `cfg(test)` code only, which a test with its own `main` is not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod client;
mod ending;
mod envelope;
mod framing;
mod host;
mod in_process;
mod lifecycle;
mod order;
mod pressure;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// Names each test once; a test that is left out is dead code, which fails the lints.
macro_rules! trials {
    ($($module:ident: $($test:ident)+;)+) => {
        vec![$($(Trial::test(concat!(stringify!($module), "::", stringify!($test)), || {
            $module::$test();
            Ok(())
        }),)+)+]
    };
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--serve") {
        return host::serve(arguments);
    }
    let trials = trials! {
        lifecycle:
            initialize_is_accepted_in_its_shortest_and_its_longest_form
            initialize_announces_the_server_and_nothing_of_an_editor
            initialize_with_a_bad_process_id_can_be_repeated
            requests_before_initialize_are_refused_and_notifications_dropped
            a_second_initialize_is_refused
            requests_after_shutdown_are_refused
            shutdown_is_answered_after_what_came_before_it
            methods_of_editors_are_refused_and_their_notifications_ignored
            notifications_sent_as_requests_and_the_reverse;
        ending:
            exit_ends_at_once_with_stdin_open
            exit_without_shutdown_is_code_1
            exit_does_not_wait_for_a_busy_handler
            exit_after_shutdown_answers_what_was_queued
            end_of_stdin_finishes_the_work
            end_of_stdin_is_code_0_before_initialize_and_after_shutdown
            the_host_named_in_initialize_is_watched
            the_host_named_on_the_command_line_is_watched
            a_host_that_never_was_ends_the_server
            a_closed_stdout_ends_the_server
            a_client_that_stops_reading_cannot_keep_the_server_alive;
        envelope:
            ids_are_echoed_verbatim
            ids_of_other_types_are_refused
            malformed_json_costs_one_error
            a_batch_costs_one_error
            what_is_no_request_costs_one_error
            unknown_methods_are_named
            unknown_notifications_and_stray_answers_are_ignored
            text_that_cannot_be_decoded_costs_one_error
            odd_but_valid_messages_pass
            null_results_are_kept
            errors_of_handlers_arrive_whole;
        framing:
            headers_may_be_spelled_in_any_case
            broken_headers_end_the_server_with_one_line
            a_stream_that_ends_inside_a_message_is_code_1
            an_oversized_message_is_skipped
            an_impossible_length_is_refused_without_memory
            a_message_split_into_bytes_is_read
            lines_are_a_framing
            lines_refuse_what_is_too_long
            a_message_of_100_megabytes_passes;
        order:
            a_session_runs_in_arrival_order
            notifications_keep_their_place_in_the_session
            sessions_run_side_by_side
            small_calls_pass_large_ones
            a_flood_without_a_session_holds_up_no_session
            a_busy_handler_delays_nobody_else
            a_cancel_is_answered_at_once
            a_cancel_is_answered_at_once_while_all_handlers_are_busy
            a_cancelled_request_in_the_queue_never_starts
            cancels_of_unknown_and_finished_requests_do_nothing
            cancels_tell_numbers_from_strings
            an_id_in_use_is_refused_and_free_again_after_the_answer
            a_panic_costs_one_error_and_shows_no_content
            many_panics_wedge_nothing;
        pressure:
            a_client_that_reads_late_gets_every_reply
            over_the_budget_requests_are_shed_and_each_is_answered_once
            replies_larger_than_requests_stay_bounded
            unread_errors_stop_the_reader_and_nothing_is_lost
            exit_works_while_stdout_is_full
            shed_requests_succeed_when_sent_again;
        in_process:
            the_table_answers_without_a_child
            a_panic_costs_one_error_there_too
            both_doors_say_the_same_bytes
            the_product_table_mounts;
    };
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
