//! Debates by tool calls, for clients of the Model Context Protocol. No debate stays open between two calls: a call
//! with the handle of a seat finds the debate, continues the debate from its save, and closes the save.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::debate::{
    RequestContentFlags, ServedDebateError, outcome_report, play_until_external, submit_reply,
};
use super::start::{
    FinishedDebateFromSave, StoredSeatHandle, log_removed_incomplete_line, plan_requested_debate,
    random_handle, store_handles,
};
use super::{MessageRefusalKind, ServeOptions};
use crate::debate::Debate;
use crate::message::play::DebateOutcomeReport;
use crate::message::{
    DebateOverrides, DebateStartRequest, ScenarioSource, SeatHandles, SeatMessageBuilder, SeatName,
    SeatReplyMessage, SeatRequest, SeatViewMessage, read_reply,
};
use crate::plan::{DebatePlan, OpenedDebate};
use crate::record::{Forfeit, ReplyCost, Save};
use debate_core::budget::ComputationBudget;
use debate_core::{Exact, Instance, Rules as _, Seat, SeatedDebate};
use debate_solver::setup::{self, LoadedScenario};
use debate_text::{NamedTexts, prepared_reply_bits};

/// The description of a tool that a client can call: its name, its purpose and the schema of its arguments.
pub struct ToolDescription {
    pub name: &'static str,
    pub about: &'static str,
    /// The JSON Schema of the tool's arguments.
    pub arguments: Map<String, Value>,
}

/// The arguments of `start`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StartArgs {
    /// The name of the scenario, as listed by `list_scenarios`.
    scenario: String,
    /// The seats that you play: prover, opponent, judge.
    seats: Vec<SeatName>,
    #[serde(flatten)]
    choices: DebateOverrides,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct HandleArgs {
    /// The handle of a seat, which `start` returned.
    debate: String,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ReplyArgs {
    /// The handle of a seat, which `start` returned.
    debate: String,
    /// The number of the request.
    id: u64,
    /// A reply that matches `legal`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::message::ReplyMessage"))]
    reply: Value,
    /// A note on the reply, which is stored in the save.
    note: Option<String>,
    /// The cost of the reply, as the caller reports it.
    cost: Option<ReplyCost>,
}

/// A scenario that can be debated.
#[derive(Serialize)]
struct ListedScenario {
    name: String,
    title: String,
    protocol: &'static str,
    /// The seats whose players the scenario's rules ask.
    seats: Vec<&'static str>,
}

/// The state of a debate from the view of one seat.
#[derive(Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum SeatState {
    /// The seat of this handle has a pending request.
    Asked(Box<SeatRequest>),
    /// This seat has no pending request, because the debate waits for the reply of another seat.
    Waiting {
        view: Box<SeatViewMessage>,
    },
    Over,
}

#[derive(Serialize)]
struct Outcome {
    /// The seat's payoff, as a fraction; null for a judge.
    reward: Option<String>,
    outcome: DebateOutcomeReport,
}

/// A debate that a tool call has opened from its save, for the duration of the call.
struct OpenDebate<'o, 'a> {
    plan: &'o DebatePlan,
    instance: &'a Instance,
    seat: Seat,
    with_text: bool,
}

/// The tools that play debates whose saves are in one folder.
pub struct McpDebateTools {
    options: ServeOptions,
    /// Lock that is held during a tool call, because two calls may be about the same debate.
    calls: Mutex<()>,
}

impl McpDebateTools {
    pub fn new(options: ServeOptions) -> Self {
        Self {
            options,
            calls: Mutex::default(),
        }
    }

    /// Returns the list of tools that a client can call.
    pub fn callable_tools() -> [ToolDescription; 6] {
        // A test checks that the file can be read and has an entry for each tool.
        let mut arguments: BTreeMap<String, Map<String, Value>> =
            serde_json::from_str(ARGUMENTS).unwrap_or_default();
        NAMES.map(|name| ToolDescription {
            name,
            about: ABOUT.get(name).map_or("", String::as_str),
            arguments: arguments.remove(name).unwrap_or_default(),
        })
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// If the call fails; the error is the reason as text.
    pub fn call_tool(&self, name: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        let _alone = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let arguments = Value::Object(arguments);
        let done = match name {
            "list_scenarios" => Ok(json!({ "scenarios": self.scenarios()? })),
            "start" => {
                let started = self.start(read(arguments)?);
                Ok(json!({ "debates": started.map_err(|refused| refused.why)? }))
            }
            "view" => written(&self.view(&read::<HandleArgs>(arguments)?.debate)?),
            "reply" => written(&self.reply(read(arguments)?)?),
            "result" => written(&self.result(&read::<HandleArgs>(arguments)?.debate)?),
            "replay" => {
                let debate = read::<HandleArgs>(arguments)?.debate;
                let view = self.of_finished(&debate, |debate, seating, _| {
                    debate.view_builder().current_view_for_own_seat(seating)
                })?;
                Ok(json!({ "view": view }))
            }
            _ => return Err(format!("no tool has the name {name:?}")),
        };
        done.map_err(|error| error.to_string())
    }

    fn scenarios(&self) -> Result<Vec<ListedScenario>, String> {
        let ServeOptions {
            limits, scenarios, ..
        } = &self.options;
        let own = setup::bundled_names().map(|name| {
            let setup = LoadedScenario::load_bundled_scenario(name, limits);
            Ok((name.to_owned(), setup.map_err(|error| error.to_string())?))
        });
        let others = scenarios
            .named_scenarios_in_folders(limits)
            .into_iter()
            .map(Ok);
        let listed = own.chain(others).map(|named: Result<_, String>| {
            let (name, setup) = named?;
            let instance = setup.instance(0);
            let protocol = &setup.protocol;
            let asked = |seat: &Seat| protocol.protocol_parameters().asks(*seat, &instance);
            let seats = Seat::PLAYERS.into_iter().filter(asked);
            Ok(ListedScenario {
                name,
                protocol: protocol.kind().protocol_name(),
                seats: seats.map(Seat::name_in_flags_and_json).collect(),
                title: setup.title.clone(),
            })
        });
        listed.collect()
    }

    fn start(&self, args: StartArgs) -> Result<SeatHandles, ServedDebateError> {
        let new = DebateStartRequest {
            scenario: ScenarioSource::Name(args.scenario),
            seats: args.seats,
            choices: args.choices,
            ..DebateStartRequest::default()
        };
        let plan = plan_requested_debate(&new, &self.options)?;
        let mut handles = [None, None, None];
        for seat in new.seats.iter().copied().map(Seat::from) {
            handles[seat.seat_index()].get_or_insert_with(random_handle);
        }
        let instance = plan.instance();
        let mut debate = plan.start(&instance, &self.options.save_options)?;
        debate.defer_disk_sync_to_end();
        store_handles(&debate, &handles, RequestContentFlags::ALL)?;
        play_until_external(&mut debate)?;
        Ok(SeatHandles::new(handles))
    }

    /// Finds the debate of a handle. Calls `over` with it if its save records the end of the debate. Otherwise
    /// continues the debate and calls `go_on` with it.
    fn with<T>(
        &self,
        handle: &str,
        go_on: impl for<'a> FnOnce(&OpenDebate<'_, 'a>, &mut Debate<'a>) -> Result<T, String>,
        over: impl FnOnce(
            &OpenDebate<'_, '_>,
            &SeatedDebate<'_, Exact>,
            Option<Forfeit>,
        ) -> Result<T, String>,
    ) -> Result<T, String> {
        let save_options = &self.options.save_options;
        let folder = save_options
            .saves_folder()
            .map_err(|error| error.to_string())?;
        let kept = StoredSeatHandle::read_stored_seat_handle(&folder, handle).ok_or(
            "no debate in the folder of saves has this handle; use one that `start` returned",
        )?;
        let path = folder.join(&kept.save);
        let save = Save::read_save(&path).map_err(|error| error.to_string())?;
        if save.stated_debate_end().is_none() {
            let done = self.go_on(&path, &kept, go_on);
            return done.map_err(|refused| refused.why);
        }
        let why = |refused: ServedDebateError| refused.why;
        let finished =
            FinishedDebateFromSave::from_finished_save(save, &self.options.limits).map_err(why)?;
        let debate = OpenDebate::of(&kept, &finished.plan, &finished.instance);
        let seating = finished.replayed_state_and_players().map_err(why)?;
        over(&debate, &seating, finished.forfeit())
    }

    fn go_on<T>(
        &self,
        path: &Path,
        kept: &StoredSeatHandle,
        go_on: impl for<'a> FnOnce(&OpenDebate<'_, 'a>, &mut Debate<'a>) -> Result<T, String>,
    ) -> Result<T, ServedDebateError> {
        let OpenedDebate {
            plan,
            instance,
            file,
        } = OpenedDebate::open_save(path, self.options.engines.clone())?;
        log_removed_incomplete_line(&file);
        let players = plan.build_players(&instance, ComputationBudget::default())?;
        let mut running = file.debate(&instance, players)?;
        running.defer_disk_sync_to_end();
        let mut running = running.with_engines(plan.start_engines(&instance)?);
        // The debate may have been left before the other players moved.
        play_until_external(&mut running)?;
        let debate = OpenDebate::of(kept, &plan, &instance);
        let done = go_on(&debate, &mut running)
            .map_err(|why| ServedDebateError::new(MessageRefusalKind::BadRequest, why))?;
        play_until_external(&mut running)?;
        running.notify_engines_of_end();
        Ok(done)
    }

    fn view(&self, handle: &str) -> Result<SeatState, String> {
        let over = |_: &OpenDebate<'_, '_>, _: &SeatedDebate<'_, Exact>, _| Ok(SeatState::Over);
        self.with(
            handle,
            |debate, running| Ok(debate.state(running.state_and_players())),
            over,
        )
    }

    fn reply(&self, args: ReplyArgs) -> Result<SeatState, String> {
        let handle = args.debate.clone();
        let id = args.id;
        let reply = args.reply.clone();
        let line = SeatReplyMessage {
            debate: String::new(),
            id: args.id,
            reply: args.reply,
            note: args.note,
            cost: args.cost,
        };
        self.with(
            &handle,
            |debate, running| {
                let pending = debate
                    .view_builder()
                    .pending_or_next_request_number(running.state_and_players());
                if id < pending {
                    return debate.same_again(running.state_and_players(), id, &reply);
                }
                if running
                    .state_and_players()
                    .awaited_seat_of_user_or_driving_program()
                    != Some(debate.seat)
                    || id > pending
                {
                    return Err(format!("the debate has not asked request {id} yet"));
                }
                let given = submit_reply(running, &line, 0).map_err(|error| error.to_string())?;
                given.map_err(|why| format!("not legal: {why}"))
            },
            |debate, seating, _| debate.same_again(seating, id, &reply),
        )?;
        // Other players may have moved since.
        self.view(&handle)
    }

    fn result(&self, handle: &str) -> Result<Outcome, String> {
        self.of_finished(handle, |debate, seating, forfeit| {
            debate.outcome(seating, forfeit.as_ref())
        })
    }

    /// Calls `send` on the finished debate of a handle, and returns the result of `send`. Returns an error if the
    /// debate is not over.
    fn of_finished<T>(
        &self,
        handle: &str,
        send: fn(&OpenDebate<'_, '_>, &SeatedDebate<'_, Exact>, Option<Forfeit>) -> T,
    ) -> Result<T, String> {
        self.with(
            handle,
            |debate, running| match running.state_and_players().turn() {
                None => Ok(send(debate, running.state_and_players(), None)),
                Some(_) => Err(NOT_OVER.to_owned()),
            },
            |debate, seating, forfeit| Ok(send(debate, seating, forfeit)),
        )
    }
}

const NOT_OVER: &str = "the debate is not over yet";

impl<'o, 'a> OpenDebate<'o, 'a> {
    fn of(kept: &StoredSeatHandle, plan: &'o DebatePlan, instance: &'a Instance) -> Self {
        Self {
            plan,
            instance,
            seat: kept.seat.into(),
            with_text: kept.parts.text,
        }
    }

    fn view_builder(&self) -> SeatMessageBuilder<'_> {
        self.plan.view_builder(self.instance, self.seat)
    }

    fn state(&self, seating: &SeatedDebate<'_, Exact>) -> SeatState {
        if seating.turn().is_none() {
            return SeatState::Over;
        }
        let view_builder = self.view_builder();
        match view_builder.pending_request(seating, self.with_text) {
            Some(act) => SeatState::Asked(Box::new(act)),
            None => SeatState::Waiting {
                view: Box::new(view_builder.current_view_for_own_seat(seating)),
            },
        }
    }

    /// Checks that a repeated reply equals the one that was given to this request before.
    fn same_again(
        &self,
        seating: &SeatedDebate<'_, Exact>,
        id: u64,
        reply: &Value,
    ) -> Result<(), String> {
        let own = |(_, made): &(usize, &debate_core::player::Move<Exact>)| made.seat == self.seat;
        let position = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
        let mut moves = seating.moves().iter().enumerate().filter(own);
        let none = || format!("no request has the number {id}");
        let (at, made) = position
            .and_then(|position| moves.nth(position))
            .ok_or_else(none)?;
        let mut past = seating.timeline().copy_with_cursor_at_start();
        past.seek_cursor_after_moves(at)
            .map_err(|illegal| illegal.to_string())?;
        let turn = past.state().request().ok_or_else(none)?;
        let again = read_reply(reply, &turn.request, || {
            prepared_reply_bits(seating, &turn.request)
        });
        let same = again.as_ref() == Ok(&made.reply);
        let other = || format!("request {id} was already answered, with a different reply");
        same.then_some(()).ok_or_else(other)
    }

    fn outcome(&self, seating: &SeatedDebate<'_, Exact>, forfeit: Option<&Forfeit>) -> Outcome {
        Outcome {
            reward: self.view_builder().debater_payoff_so_far(seating),
            outcome: outcome_report(seating, self.plan, self.instance, forfeit),
        }
    }
}

/// The names of the tools.
const NAMES: [&str; 6] = [
    "list_scenarios",
    "start",
    "view",
    "reply",
    "result",
    "replay",
];

/// The JSON Schema of the arguments of each tool. A test generates this file from the argument types.
const ARGUMENTS: &str = include_str!("tools.json");

/// A description of each tool that a client of the Model Context Protocol can call.
static ABOUT: NamedTexts = NamedTexts::new(include_str!("tools.ron"));

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, String> {
    serde_json::from_value(arguments).map_err(|error| error.to_string())
}

fn written(value: &impl Serialize) -> serde_json::Result<Value> {
    serde_json::to_value(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_description() {
        let mut names = NAMES;
        names.sort_unstable();
        assert_eq!(ABOUT.text_names(), names);
    }

    #[test]
    fn every_tool_has_the_schema_of_its_arguments() {
        for tool in McpDebateTools::callable_tools() {
            assert_eq!(tool.arguments["type"], "object", "{}", tool.name);
        }
    }

    /// `UPDATE=1` rewrites the file.
    #[cfg(feature = "schema")]
    #[test]
    fn schemas_of_arguments_follow_from_the_types() {
        use schemars::{JsonSchema, schema_for};

        #[derive(JsonSchema)]
        struct NoArgs {}

        fn arguments<T: JsonSchema>() -> Value {
            schema_for!(T).to_value()
        }
        let schemas = json!({
            "list_scenarios": arguments::<NoArgs>(),
            "start": arguments::<StartArgs>(),
            "view": arguments::<HandleArgs>(),
            "reply": arguments::<ReplyArgs>(),
            "result": arguments::<HandleArgs>(),
            "replay": arguments::<HandleArgs>(),
        });
        let text = serde_json::to_string_pretty(&schemas).unwrap() + "\n";
        if std::env::var_os("UPDATE").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/serve/tools.json");
            std::fs::write(file, &text).unwrap();
        } else {
            assert_eq!(text, ARGUMENTS, "UPDATE=1 cargo test rewrites the file");
        }
    }
}
