//! Rules of the operator, which replace the built-in treatment of some outputs.
//!
//! Compiled from [`crate::config::rules`], the format in which operators write them. A rule is chosen by properties of a call and its text (`conditions`, found through `index`). It names the methods that
//! may process the text (`methods`), or has line stages (`stages`), or both. Like a reducer it returns spans over source
//! lines, and the pipeline's guard, gate and ledger check it in the same way. Its own words are only used if they are proven
//! (`claims`). `layers::rule_file` reads files of rules.

pub mod claims;
mod commands;
pub(crate) mod conditions;
mod error;
mod globs;
mod index;
pub mod methods;
mod regexes;
pub(crate) mod stages;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub use conditions::{Facts, Verdict, type_of};
pub use methods::Methods;
pub use regexes::MAX_COMPILED_BYTES;
pub use stages::LineOutcome;

use crate::config::rules::{RuleError, RuleSet, RuleSpec};
use crate::text::call::ToolCall;
use crate::text::ledger::{Ledger, Reduction};
use crate::text::reason::Reason;
use crate::text::source::Source;
use claims::ExitFacts;
use conditions::Conditions;
use index::Index;
use stages::{Staged, Stages};

/// A rule, parsed and validated.
#[derive(Debug)]
pub struct Rule {
    spec: Arc<RuleSpec>,
    when: Conditions,
    /// The methods that process the text after the stages.
    pub methods: Methods,
    stages: Option<Stages>,
}

impl Rule {
    fn new(spec: Arc<RuleSpec>) -> Result<Self, RuleError> {
        let when = Conditions::new(&spec.when)?;
        let stages = spec.stages.as_ref().map(Stages::new).transpose()?;
        let methods = match (&spec.pipeline, &stages) {
            (Some(names), _) => Methods::new(names)?,
            (None, Some(_)) => Methods::lossless(),
            // A rule that only disables another one may be empty.
            (None, None) if !spec.enabled => Methods::default(),
            (None, None) => {
                return Err(RuleError::new(
                    "pipeline",
                    "is absent and so are `stages`, allowed is either or both",
                ));
            }
        };
        if methods.passthrough && stages.is_some() {
            return Err(RuleError::new(
                "pipeline",
                "leaves the text as it is, so that no `stages` may stand beside it",
            ));
        }
        for (i, test) in spec.tests.iter().enumerate() {
            let says = test.fires.is_some()
                || test.expect.is_some()
                || !test.contains.is_empty()
                || !test.lacks.is_empty();
            if !says {
                let reason = "expects nothing, allowed are `fires`, `expect`, `contains`, `lacks`";
                return Err(RuleError::new(format!("tests[{i}]"), reason));
            }
        }
        Ok(Self { spec, when, methods, stages })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The step's name in the evidence.
    pub fn step(&self) -> String {
        format!("rule:{}", self.spec.name)
    }

    /// The rule as the operator wrote it.
    pub fn spec(&self) -> &RuleSpec {
        &self.spec
    }

    /// Whether it has line stages.
    pub fn has_stages(&self) -> bool {
        self.stages.is_some()
    }

    /// The smallest text, in bytes, that the rule applies to, if it sets its own limit. It overrides the policy's.
    pub fn least_bytes(&self) -> Option<usize> {
        self.when.min_bytes
    }

    /// Every condition with its verdict.
    pub fn explain(&self, facts: &Facts<'_>) -> Vec<Verdict> {
        self.when.explain(facts)
    }

    /// Applies the stages to the lines that are still kept, and says whether unproven words of the rule were left out.
    /// `failures` are not changed.
    pub fn reduce(
        &self,
        source: &Source<'_>,
        call: &ToolCall,
        ledger: &Ledger,
        failures: &[usize],
    ) -> (Result<Reduction, Reason>, bool) {
        let Some(staged) = self.staged(source, call, ledger, failures) else {
            return (Err(Reason::NothingToDo), false);
        };
        (staged.reduction(source, self.name()), staged.unproven)
    }

    /// The fate of each line in the stages.
    pub fn line_outcomes(
        &self,
        source: &Source<'_>,
        call: &ToolCall,
        failures: &[usize],
    ) -> Vec<LineOutcome> {
        self.staged(source, call, &Ledger::new(source), failures).map_or(Vec::new(), |staged| staged.outcomes)
    }

    fn staged(
        &self,
        source: &Source<'_>,
        call: &ToolCall,
        ledger: &Ledger,
        failures: &[usize],
    ) -> Option<Staged> {
        Some(self.stages.as_ref()?.run(source, ledger, failures, ExitFacts::of(call, source)))
    }

    /// Warnings for the operator: words that need a proof.
    pub fn warnings(&self) -> Vec<String> {
        let claims = self.stages.iter().flat_map(Stages::claims);
        claims
            .map(|(field, text)| {
                format!(
                    "{}.{field}: `{text}` tells of success; it is used only where the exit status is known to be 0, is that of \
                     the whole command, and no line reports a failure",
                    self.name()
                )
            })
            .collect()
    }
}

/// The rules of a policy, compiled. Cheap to copy.
#[derive(Debug, Clone)]
pub struct Rules(Arc<Set>);

#[derive(Debug, Default)]
struct Set {
    /// The rules as given, including disabled ones.
    given: Vec<Arc<Rule>>,
    /// The enabled rules in the order in which they are tried.
    ordered: Vec<Arc<Rule>>,
    index: Index,
    /// Smallest text, in bytes, that any of them applies to.
    least_bytes: usize,
}

impl Default for Rules {
    fn default() -> Self {
        static NONE: LazyLock<Arc<Set>> =
            LazyLock::new(|| Arc::new(Set { least_bytes: usize::MAX, ..Set::default() }));
        Self(Arc::clone(&NONE))
    }
}

/// Compiled rules by the digest of what they were made of; requests send the same rules again and again. The last
/// used are at the end.
static COMPILED: Mutex<Vec<([u8; 16], Rules)>> = Mutex::new(Vec::new());
/// Most lists of rules that are remembered.
const MAX_REMEMBERED: usize = 16;

fn remembered(digest: [u8; 16]) -> Option<Rules> {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let place = compiled.iter().rposition(|(known, _)| *known == digest)?;
    compiled[place..].rotate_left(1);
    compiled.last().map(|(_, rules)| rules.clone())
}

fn remember(digest: [u8; 16], rules: &Rules) {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if compiled.len() >= MAX_REMEMBERED {
        compiled.remove(0);
    }
    compiled.push((digest, rules.clone()));
}

impl Rules {
    /// Compiles the rules of a policy.
    ///
    /// # Errors
    ///
    /// A pattern, method, message or other field is not allowed.
    pub fn compile(given: &RuleSet) -> Result<Self, RuleError> {
        if given.is_empty() {
            return Ok(Self::default());
        }
        if let Some(rules) = remembered(given.digest()) {
            return Ok(rules);
        }
        let compiled = given.iter().enumerate().map(|(index, spec)| {
            let named = |error: RuleError| RuleError { index, rule: spec.name.clone(), ..error };
            Rule::new(Arc::clone(spec)).map(Arc::new).map_err(named)
        });
        let rules = Self::of(compiled.collect::<Result<_, _>>()?);
        remember(given.digest(), &rules);
        Ok(rules)
    }

    fn of(given: Vec<Arc<Rule>>) -> Self {
        let mut ordered: Vec<Arc<Rule>> = given.iter().filter(|rule| rule.spec.enabled).cloned().collect();
        ordered.sort_by_key(|rule| std::cmp::Reverse(rule.spec.priority));
        let index = Index::new(ordered.iter().map(|rule| &**rule));
        let least_bytes = ordered.iter().filter_map(|rule| rule.least_bytes()).min().unwrap_or(usize::MAX);
        Self(Arc::new(Set { given, ordered, index, least_bytes }))
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.given.is_empty()
    }

    /// The rules as given.
    pub fn given(&self) -> impl Iterator<Item = &Rule> {
        self.0.given.iter().map(|rule| &**rule)
    }

    /// The enabled rules in the order in which they are tried.
    pub fn ordered(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.0.ordered.iter()
    }

    /// Smallest text, in bytes, that a rule with its own limit applies to.
    pub fn least_bytes(&self) -> usize {
        self.0.least_bytes
    }

    /// The first rule that matches.
    pub fn choose(&self, facts: &Facts<'_>) -> Option<Arc<Rule>> {
        if self.0.ordered.is_empty() {
            return None;
        }
        let mut candidates = self.0.index.candidates(facts).into_iter();
        candidates.find_map(|place| {
            let rule = self.0.ordered.get(place as usize)?;
            rule.when.hold(facts).then(|| Arc::clone(rule))
        })
    }

    /// Warnings about all rules.
    pub fn warnings(&self) -> Vec<String> {
        self.given().flat_map(Rule::warnings).collect()
    }
}

/// Warnings about the rules of a policy.
pub fn warnings(given: &RuleSet) -> Vec<String> {
    Rules::compile(given).map(|rules| rules.warnings()).unwrap_or_default()
}
