//! Limits: cut the output of the other steps to what the policy and a budget allow.
//!
//! A limit is in bytes (a *cap*) or in tokens (a *budget*). What does not fit is cut: the least important first,
//! failures last. Lines that are kept keep their headings.
//!
//! | file | does | when |
//! | --- | --- | --- |
//! | `cap_policy` | says which text is capped, to how many bytes, and what must stay | after the steps on a part |
//! | `cap`, `cap_headings`, `cap_outliers`, `cap_samples` | cuts a text to bytes: head, tail, failures, samples of the rest | when `cap_policy` says so |
//! | `shorten` | shortens one piece that takes more than its share | within a cap |
//! | `budget` | has the requested budget, and the steps that are tried to meet it | before each run |
//! | `share` | gives each of several texts its share of a budget | before they are cut |
//! | `fit_parts` | says which parts are cut to tokens, how far, and what the evidence says about it | after all parts |
//! | `fit` | cuts a text to tokens | when `fit_parts` says so |
//! | `pointer` | writes the line that replaces a text that is stored and not shown | with `fit_parts` |
//! | `rank` | says which failures come first, and which frames of a trace come with them | both cuts |
//! | `unit` | the pieces that a cut keeps or drops as a whole | both cuts |
//! | `headings`, `sections`, `hunks` | find the lines that a kept line depends on | both cuts |
//! | `notices` | finds the lines in which a tool before tersed says that it cut its output | the cut to bytes |
//! | `outliers`, `calls`, `columns`, `values`, `numbers`, `parts`, `versions`, `groups`, `records`, `slots`, `templates`, `short_sections`, `warnings`, `prints`, `programs` | find the lines that stand out, with what they depend on, which a cut keeps before others | both cuts |

pub mod budget;
mod calls;
pub mod cap;
mod cap_headings;
mod cap_outliers;
pub(super) mod cap_policy;
mod cap_samples;
mod columns;
mod divider;
pub(super) mod fit;
pub(super) mod fit_parts;
mod groups;
pub(crate) mod headings;
mod hunks;
mod notices;
mod numbers;
pub(super) mod outliers;
mod parts;
pub mod pointer;
mod prints;
mod programs;
mod rank;
pub(super) mod records;
mod sections;
pub mod share;
mod short_sections;
mod shorten;
mod slots;
mod templates;
mod unit;
mod values;
mod versions;
mod warnings;
