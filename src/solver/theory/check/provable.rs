//! Provability by whoever knows as much as is asked for.

use super::{FlawDistribution, ProvableBy};
use crate::expectation::{NumberFormat, ReportNumber};
use crate::setup::Setup;
use crate::theory::provability::{ProvableShare, by_blocks, by_trying};
use debate_core::player::Knowledge;
use debate_core::protocol::Seat;

/// The share of μ that can be proved by a prover who knows what the setup says of her.
pub(super) fn provable_by(setup: &Setup, form: NumberFormat) -> Option<ProvableBy> {
    let place = Seat::Prover.index();
    let (knows, queries) = (setup.knows[place].as_ref(), setup.queries[place]);
    let decomposition = &setup.decomposition;
    if decomposition.as_open().is_some() || !decomposition.has_claims() {
        return None;
    }
    let (knows, share) = match knows {
        None if queries == 0 => return None,
        None => match by_trying(decomposition.as_ref(), queries) {
            Some(share) => ("instance".to_owned(), share),
            None => return by(setup, &Knowledge::Nothing, queries, form),
        },
        Some(knows) => return by(setup, knows, queries, form),
    };
    let found = provable(knows, queries, &share, form);
    Some(ProvableBy {
        distribution: FlawDistribution::EvenPlaces,
        ..found
    })
}

fn by(setup: &Setup, knows: &Knowledge, queries: u32, form: NumberFormat) -> Option<ProvableBy> {
    let blocks = knows.blocks(setup.decomposition.as_ref()).ok()?;
    let share = by_blocks(&setup.decomposition, &blocks, queries)?;
    Some(provable(knows.to_string(), queries, &share, form))
}

fn provable(knows: String, queries: u32, share: &ProvableShare, form: NumberFormat) -> ProvableBy {
    ProvableBy {
        knows,
        queries,
        distribution: FlawDistribution::Mu,
        low: ReportNumber::new(&share.low, form),
        high: ReportNumber::new(&share.high, form),
    }
}
