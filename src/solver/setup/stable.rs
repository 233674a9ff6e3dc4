//! `StableProblem(copies | auto)`: how many independent pieces of evidence stand for each subclaim.

use std::sync::Arc;

use super::Evidence;
use super::file::{CopyCount, RonEvidence};
use super::limits::LimitFlag;
use super::read::{Result, ScenarioReader};
use debate_core::protocol::Protocol;
use debate_core::scenario::stability::{MAX_CLAIMS, copies_for_supports, survey};
use debate_core::scenario::{Decomposition, Oracle, Path, StableProblem};

/// A decomposition made stable.
pub(super) fn stable(
    reader: &ScenarioReader<'_>,
    of: Arc<dyn Decomposition>,
    copies: CopyCount,
    protocol: &Protocol,
) -> Result<StableProblem> {
    let at = Path::field("decomposition");
    StableProblem::check(of.as_ref(), &at).map_err(|flaw| reader.flaw(&flaw))?;
    reader.depth(of.size(0).depth, &at)?;
    let copies_at = at.then("copies");
    let copies = match copies {
        CopyCount::Number(copies) => copies,
        CopyCount::Auto => least(reader, &of, protocol, &copies_at)?,
    };
    let widths = (0..of.worlds().len()).map(|world| of.size(world).width);
    let width = widths.max().unwrap_or(0) as usize;
    reader.width(width.saturating_mul(copies as usize), || copies_at.clone())?;
    let most = reader.limits.claims;
    if of.levels(&of.root(0), 0, most).is_none() {
        let what = format!("there are more than {most} claims to find evidence for");
        return Err(reader
            .source
            .too_large(reader.limits, LimitFlag::Claims, &at, &what));
    }
    StableProblem::build(of, copies, &copies_at).map_err(|flaw| reader.flaw(&flaw))
}

/// How pieces of evidence err together.
pub(super) fn evidence(
    reader: &ScenarioReader<'_>,
    written: Option<&RonEvidence<'_>>,
    decomposition: &dyn Decomposition,
) -> Result<Evidence> {
    let at = || Path::field("evidence");
    match written {
        Some(_) if decomposition.as_stable().is_none() => reader.flawed(
            &at(),
            "this says how several pieces of evidence err together, and there is one for each claim \
             here; take `decomposition: Stable(5)`, or leave `evidence` out",
        ),
        None | Some(RonEvidence::Independent) => Ok(Evidence::Independent),
        Some(RonEvidence::SharedCause(p)) => {
            Ok(Evidence::SharedCause(reader.probability(p, at)?))
        }
    }
}

/// The least number of copies with which every support is stable under this protocol, found by
/// exact search.
fn least(
    reader: &ScenarioReader<'_>,
    of: &Arc<dyn Decomposition>,
    protocol: &Protocol,
    at: &Path,
) -> Result<u32> {
    let Some((epsilon, rho)) = protocol.conditions().epsilon_and_rho() else {
        return reader.flawed(
            at,
            "`auto` searches with the ε and ρ of ProverEstimator, and this protocol has none; \
             write a number of copies, such as `Stable(5)`",
        );
    };
    let survey = survey(of, &Oracle::Truth, (epsilon, rho), MAX_CLAIMS);
    if survey.undecided {
        return reader.flawed(
            at,
            "some claims cannot be decided here, so `auto` cannot search; write a number of \
             copies, such as `Stable(5)`",
        );
    }
    if !survey.complete {
        return reader.flawed(
            at,
            format_args!(
                "there are more than {MAX_CLAIMS} claims, too many for `auto` to search; write a \
                 number of copies, such as `Stable(5)`"
            ),
        );
    }
    let copies = copies_for_supports(&survey.supports, epsilon, &survey.allowed);
    let Some(copies) = copies.and_then(|copies| u32::try_from(copies).ok()) else {
        return reader.flawed(
            at,
            "no number of copies that `auto` tries is enough; take a smaller ε or a greater ρ",
        );
    };
    Ok(copies)
}
