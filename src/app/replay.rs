//! The page of a replay: a played debate, step by step.

use std::path::Path;

use super::context::AppContext;
use super::page::{
    AppPage, DebateStart, DebateToPlay, DebatesToCompare, MovesWithSavePath, PageTransition,
    ReplayAudience, ReplayPage, ReplaySource, ReplayStart,
};
use super::scene::{saved_debate_review_context, scene};
use super::{CommandFailure, Result};
use crate::tui::debate::{ReplayScreen, ReplayScreenChoice};
use crate::tui::scene::{DebateScreenContext, HintAndReviewInputs};
use debate_core::player::{Player, PlayerSpec};
use debate_core::protocol::{LogViewerRole, Round};
use debate_core::scenario::Instance;
use debate_host::plan::{DebatePlan, SaveStorageOptions, fits_recursion_and_prover_estimator};
use debate_host::record::{Save, SaveFileError, SavedDebateWithCursor};
use debate_solver::setup::LoadedScenario;
use debate_text::{DebateDescription, ViewerPerspective};

impl ReplayPage {
    /// Returns the replay of a parsed save, starting at round `from` if it is given.
    pub fn of_save(
        path: &Path,
        read: (Save, LoadedScenario, Instance),
        from: Option<u32>,
        audience: ReplayAudience,
        save_options: SaveStorageOptions,
    ) -> Self {
        Self {
            notice: read.0.verification_warning(),
            begin: from.map_or(ReplayStart::Step(0), ReplayStart::Round),
            save_options,
            source: ReplaySource::Save {
                path: path.to_owned(),
                read: Box::new(read),
                audience,
            },
        }
    }
}

/// Shows the replay of a debate and returns the transition that the user chose.
pub(super) fn show_replay(app: &mut AppContext, mut page: ReplayPage) -> Result<PageTransition> {
    let (plan, path, doubted, (at, watched)) = match &page.source {
        ReplaySource::Save {
            path,
            read,
            audience,
        } => {
            let (save, setup, instance) = &**read;
            let plan = DebatePlan::plan_of_saved_debate(&save.header, setup.clone(), instance)?;
            let scene = DebateScreenContext {
                reproduction: plan.reproduction_info(Some(path)),
                ..scene_of_save(app, save, &plan, instance, *audience)?
            };
            let history = save.history(instance)?;
            let path = Some(path.clone());
            let doubted = save.first_difference().is_some();
            let forfeit = save
                .forfeit()
                .map(|forfeit| format!("The debate was {forfeit}."));
            let notice = page.notice.take().or(forfeit);
            let shown = show(app, &scene, history, page.begin, notice, false)?;
            (plan, path, doubted, shown)
        }
        ReplaySource::Moves { plan, played } => {
            let instance = plan.instance();
            let scene = DebateScreenContext {
                tempo: app.tempo,
                replayed_from: plan.narration_perspective(),
                ..scene(&app.waker(), plan, &instance, played.path.as_deref())
            };
            let start = plan.protocol.start(&instance)?;
            let history = SavedDebateWithCursor::from_moves(start, &played.moves)?;
            let shown = show(app, &scene, history, page.begin, page.notice.take(), true)?;
            ((**plan).clone(), played.path.clone(), false, shown)
        }
    };
    page.begin = ReplayStart::Step(at);
    let next = match watched {
        ReplayScreenChoice::Done => return Ok(PageTransition::back_with_empty_report()),
        ReplayScreenChoice::Compare => AppPage::Compare(DebatesToCompare::Usual(Box::new(plan))),
        // A debate that continues from a save that does not verify would not verify either.
        ReplayScreenChoice::PlayOn(..) if doubted => {
            let notice = "A save that does not verify cannot be continued.";
            page.notice = Some(notice.to_owned());
            return Ok(PageTransition::Open(AppPage::Replay(Box::new(page))));
        }
        ReplayScreenChoice::PlayOn(_, moves) => {
            let played = MovesWithSavePath { moves, path };
            let save_options = page.save_options.clone();
            // In a debate without human players, the user picks a seat first.
            if plan.players.iter().any(PlayerSpec::is_human) {
                DebateToPlay::new(DebateStart::Branch(plan, played), save_options).into()
            } else {
                AppPage::Seat {
                    plan: Box::new(plan),
                    played: Some(played),
                    save_options,
                }
            }
        }
    };
    let below = AppPage::Replay(Box::new(page));
    Ok(PageTransition::OpenOver { next, below })
}

/// Shows the steps of a debate. Returns the step at which its next replay begins, and the user's choice.
/// `returns_to_end` is true if the replay was opened at the end of the same debate.
fn show<'a>(
    app: &mut AppContext,
    scene: &DebateScreenContext<'a>,
    history: SavedDebateWithCursor<'a>,
    begin: ReplayStart,
    notice: Option<String>,
    returns_to_end: bool,
) -> Result<(usize, ReplayScreenChoice)> {
    let begin = match begin {
        ReplayStart::Step(step) => step,
        ReplayStart::Round(round) => history
            .steps_before_round(Round::Number(round))
            .ok_or_else(|| {
                CommandFailure::from_input_error(format!("this debate has no round {round}"))
            })?,
    };
    let keys = app.keys();
    let mut replay = ReplayScreen::new(history, scene, &keys);
    replay.go_to_step(begin);
    replay.show_note(notice);
    if returns_to_end {
        replay.mark_return_to_debate_end();
    }
    let watched = app.show(&mut replay)?;
    let at = match &watched {
        ReplayScreenChoice::PlayOn(at, _) => *at,
        ReplayScreenChoice::Done | ReplayScreenChoice::Compare => begin,
    };
    Ok((at, watched))
}

/// Returns the facts about a saved debate that its screens show.
fn scene_of_save<'a>(
    app: &AppContext,
    save: &Save,
    plan: &DebatePlan,
    instance: &'a Instance,
    audience: ReplayAudience,
) -> Result<DebateScreenContext<'a>> {
    let header = &save.header;
    let setup = &plan.setup;
    let reader = viewer_of_save(save, setup, instance, audience)?;
    // The values of replies would reveal sealed replies.
    let open = reader == LogViewerRole::ALL;
    let case = open
        .then(|| saved_debate_review_context(plan, instance))
        .flatten();
    let values = case.map(|case| HintAndReviewInputs {
        case,
        seed: header.seed.clone(),
        hints: false,
        waker: app.waker(),
    });
    let played = scene(&app.waker(), plan, instance, None);
    Ok(DebateScreenContext {
        values,
        facts: DebateDescription {
            title: save.title_with_verification_warning(&played.facts.title),
            reader,
            blind: header.blind && !open,
            players: header.players.clone(),
            ..played.facts
        },
        save_notice: Some(String::new()),
        tempo: app.tempo,
        replayed_from: match audience {
            ReplayAudience::Players => plan.narration_perspective(),
            ReplayAudience::All | ReplayAudience::Seat(_) => ViewerPerspective::NEUTRAL,
        },
        comparable: open && fits_recursion_and_prover_estimator(setup),
        ..played
    })
}

/// Returns the viewer whose observations a replay of a save shows: the seat of `audience`, or a viewer of everything
/// for [`ReplayAudience::All`]. For [`ReplayAudience::Players`], everything is visible if the debate is over. An
/// unfinished debate is shown as its human players see it, so that they can still continue it.
pub fn viewer_of_save(
    save: &Save,
    setup: &LoadedScenario,
    instance: &Instance,
    audience: ReplayAudience,
) -> Result<LogViewerRole, SaveFileError> {
    match audience {
        ReplayAudience::All => return Ok(LogViewerRole::ALL),
        ReplayAudience::Seat(seat) => return Ok(LogViewerRole::new(seat, setup.judge_sees)),
        ReplayAudience::Players => {}
    }
    if save.stated_debate_end().is_some()
        || save
            .seat(
                instance,
                [Player::Outside, Player::Outside, Player::Outside],
            )?
            .turn()
            .is_none()
    {
        return Ok(LogViewerRole::ALL);
    }
    Ok(save.header.viewer_of_running_debate(setup.judge_sees))
}
