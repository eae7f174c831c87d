//! Shares of a budget: how much each of several texts may take if all of them together take too much.
//!
//! Water-filling: smaller texts stay whole, larger ones are cut to one common size. This module does not know what a
//! token is.

/// What one text takes and needs, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenDemand {
    /// The tokens that it takes now.
    pub tokens: usize,
    /// The tokens that its failure lines and totals take, including the marker of a cut.
    pub required_tokens: usize,
}

/// How much each text gets; the sum is at most `total`.
///
/// There are three rounds: first up to half of an even share for each text, so that no small text is cut for a large
/// one; then what failures and totals need; then all that the texts take. Within a round all texts get the same, up
/// to what they want. Tokens that cannot be divided evenly go to the later texts.
pub fn shares(demands: &[TokenDemand], total: usize) -> Vec<usize> {
    let mut given = vec![0; demands.len()];
    let mut left = total;
    let even = total / (2 * demands.len().max(1));
    let wants: [&dyn Fn(&TokenDemand) -> usize; 3] =
        [&|demand| demand.tokens.min(even), &|demand| demand.required_tokens.min(demand.tokens), &|demand| {
            demand.tokens
        }];
    for want in wants {
        let wanted: Vec<usize> = demands.iter().map(want).collect();
        raise_level(&mut given, &wanted, &mut left);
    }
    given
}

/// One round of water-filling: raises all texts to the highest common size that `left` allows, none above its wish.
fn raise_level(given: &mut [usize], wanted: &[usize], left: &mut usize) {
    let raised = |given: &[usize], level: usize| -> usize {
        given.iter().zip(wanted).map(|(&has, &wants)| wants.min(level).saturating_sub(has)).sum()
    };
    let (mut low, mut high) = (0, wanted.iter().copied().max().unwrap_or(0));
    while low < high {
        let level = low + (high - low).div_ceil(2);
        match raised(given, level) <= *left {
            true => low = level,
            false => high = level - 1,
        }
    }
    *left -= raised(given, low);
    for (has, &wants) in given.iter_mut().zip(wanted) {
        *has = (*has).max(wants.min(low));
    }
    // Fewer tokens than texts are left: of equal texts, the later ones get one more.
    for (has, &wants) in given.iter_mut().zip(wanted).rev() {
        if *left > 0 && *has == low && wants > low {
            *has += 1;
            *left -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(takes: &[usize], total: usize) -> Vec<usize> {
        let demands: Vec<TokenDemand> =
            takes.iter().map(|&takes| TokenDemand { tokens: takes, required_tokens: 0 }).collect();
        shares(&demands, total)
    }

    #[test]
    fn the_largest_gives_first() {
        assert_eq!(of(&[100, 5000, 30], 1000), [100, 870, 30]);
        assert_eq!(of(&[5000, 100, 4000], 1000), [450, 100, 450]);
        assert_eq!(of(&[10, 20], 100), [10, 20]);
        assert_eq!(of(&[], 100), [0; 0]);
    }

    #[test]
    fn of_equals_the_lower_index_is_cut_first() {
        assert_eq!(of(&[50, 50, 50], 100), [33, 33, 34]);
        assert_eq!(of(&[50, 50, 50], 101), [33, 34, 34]);
    }

    #[test]
    fn failures_come_before_the_level_and_small_texts_before_both() {
        let demands = [
            TokenDemand { tokens: 5000, required_tokens: 900 },
            TokenDemand { tokens: 4000, required_tokens: 0 },
            TokenDemand { tokens: 40, required_tokens: 0 },
        ];
        assert_eq!(shares(&demands, 1000), [794, 166, 40]);
        let demands = [
            TokenDemand { tokens: 5000, required_tokens: 600 },
            TokenDemand { tokens: 4000, required_tokens: 0 },
            TokenDemand { tokens: 40, required_tokens: 0 },
        ];
        assert_eq!(shares(&demands, 1000), [600, 360, 40]);
    }

    #[test]
    fn nothing_is_given_twice_and_all_that_is_wanted_is_given() {
        let mut seed = 7_u64;
        let mut next = |limit: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % limit
        };
        for _ in 0..2000 {
            let demands: Vec<TokenDemand> = (0..1 + next(9))
                .map(|_| TokenDemand { tokens: next(3000), required_tokens: next(900) })
                .collect();
            let total = next(6000);
            let given = shares(&demands, total);
            let takes: usize = demands.iter().map(|c| c.tokens).sum();
            assert_eq!(given.iter().sum::<usize>(), total.min(takes), "{demands:?} {total} {given:?}");
            assert!(given.iter().zip(&demands).all(|(given, demand)| *given <= demand.tokens));
            let mut turned = demands.clone();
            turned.reverse();
            let mut back = shares(&turned, total);
            back.reverse();
            // Apart from tokens that cannot be divided evenly, the order does not matter.
            assert!(given.iter().zip(&back).all(|(a, b)| a.abs_diff(*b) <= 3), "{given:?} {back:?}");
        }
    }
}
