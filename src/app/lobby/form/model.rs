//! The form as the screen asks for it: fields, and what turning and writing them changes.

use crate::tui::menu::{Field, FormModel};
use debate_core::number::{Exact, Number as _, short};
use debate_core::player::Spec;
use debate_core::protocol::{ParameterKind, Round, Rules as _};
use debate_core::text::safe;
use debate_lab::plan::{Reproduction, seed};
use debate_lab::registry;
use debate_lab::setup::Limits;

use super::{DRAWN, Lobby, LobbyField, PEOPLE, next};

impl FormModel for Lobby<'_> {
    fn title(&self) -> String {
        format!("Players and rules: {}", self.plan.setup.title)
    }

    fn fields(&self) -> Vec<Field> {
        let one_world = self.plan.setup.decomposition.worlds().len() == 1;
        let field = |at: LobbyField| Field {
            label: self.label(at),
            value: self.value(at),
            about: self.about(at),
            has_choices: match at {
                LobbyField::Instance => !one_world,
                LobbyField::Rules => self.rules.len() > 1,
                LobbyField::Parameter(name) => self.turned(name, 1).is_some(),
                _ => true,
            },
            is_writable: match at {
                LobbyField::You | LobbyField::Rules | LobbyField::Hints | LobbyField::Blind => {
                    false
                }
                LobbyField::Parameter(name) => {
                    let parameter = self.parameter(name);
                    parameter.is_some_and(|one| one.kind != ParameterKind::Choice)
                }
                LobbyField::Player(_) | LobbyField::Instance | LobbyField::Seed => true,
            },
        };
        self.all_fields().into_iter().map(field).collect()
    }

    fn turn(&mut self, field: usize, by: isize) -> Result<(), String> {
        let Some(at) = self.field_at(field) else {
            return Ok(());
        };
        match at {
            LobbyField::You => {
                let people = self.people();
                let mut now = PEOPLE.iter().position(|seats| **seats == people[..]);
                // Where nobody else can play in a seat the people there stay.
                for _ in PEOPLE {
                    let next = next(now, PEOPLE.len(), by);
                    self.seat_people(PEOPLE[next]);
                    if self.people() == PEOPLE[next] {
                        break;
                    }
                    now = Some(next);
                }
            }
            LobbyField::Player(seat) => {
                let choices = self.choices(seat);
                let own = self.plan.players[seat.index()].to_string();
                let name = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
                let now = choices.iter().position(|choice| *choice == own);
                // A player with arguments of its own stands where its kind does.
                let alike = || choices.iter().position(|choice| name(choice) == name(&own));
                let next = next(now.or_else(alike), choices.len(), by);
                let spec = Spec::parse(&choices[next]).map_err(|error| error.to_string())?;
                self.sit(seat, spec);
            }
            LobbyField::Rules => {
                let now = self
                    .rules
                    .iter()
                    .position(|rules| *rules == self.plan.protocol);
                let next = next(now, self.rules.len(), by);
                let rules = self.rules[next].clone();
                return self.set_rules(rules);
            }
            LobbyField::Parameter(name) => {
                if let Some(protocol) = self.turned(name, by) {
                    return self.set_rules(protocol);
                }
            }
            LobbyField::Instance => {
                let count = self.plan.setup.decomposition.worlds().len();
                // Place 0 is the drawn one.
                let now = self.plan.fixed_world.then_some(self.plan.world + 1);
                let next = next(now.or(Some(0)), count + 1, by);
                self.plan.fixed_world = next > 0;
                self.plan.world = next.saturating_sub(1);
                self.draw_world();
            }
            LobbyField::Seed => {
                self.plan.seed = debate_core::chance::Seed::random(&mut rand::rng());
                self.draw_world();
            }
            LobbyField::Hints => self.plan.hints = !self.plan.hints && !self.plan.blind,
            LobbyField::Blind => {
                self.plan.blind = !self.plan.blind;
                self.plan.hints &= !self.plan.blind;
            }
        }
        Ok(())
    }

    fn write(&mut self, field: usize, text: &str) -> Result<(), String> {
        match self.field_at(field) {
            Some(LobbyField::Player(seat)) => {
                let spec = Spec::parse(text).map_err(|error| error.to_string())?;
                let admitted = self.plan.engines.admit(&spec);
                admitted.map_err(|failure| failure.to_string())?;
                if !spec.is_human() {
                    self.plan
                        .setup
                        .load_player_file(&spec, &Limits::default())
                        .map_err(|error| error.to_string())?;
                    let kind = self.plan.protocol.kind();
                    registry::<Exact>()
                        .check(&spec, seat, kind)
                        .map_err(|error| error.to_string())?;
                }
                self.sit(seat, spec);
            }
            Some(LobbyField::Parameter(name)) => {
                let mut protocol = self.plan.protocol.clone();
                protocol.change(name, |one| one.write(text)).transpose()?;
                return self.set_rules(protocol);
            }
            Some(LobbyField::Instance) if text.is_empty() || text == DRAWN => {
                self.plan.fixed_world = false;
                self.draw_world();
            }
            Some(LobbyField::Instance) => {
                let named = self.plan.setup.instance_named(text);
                self.plan.world = named.map_err(|error| error.to_string())?;
                self.plan.fixed_world = true;
            }
            Some(LobbyField::Seed) => {
                self.plan.seed = seed(Some(text)).map_err(|error| error.to_string())?;
                self.draw_world();
            }
            _ => {}
        }
        Ok(())
    }

    fn notes(&self) -> Vec<(String, String)> {
        let instance = self.plan.setup.instance(self.plan.world);
        let claim = safe(&instance.text(instance.root())).into_owned();
        let mut notes = vec![("The claim".to_owned(), claim)];
        if let Some(ratio) = self.plan.protocol.reward_ratio() {
            let rounds = match self.plan.protocol.start::<Exact>(&instance) {
                Ok(state) => state.schedule(),
                Err(_) => Vec::new(),
            };
            let weights: Vec<String> = rounds
                .iter()
                .map(|(round, weight)| {
                    let name = match round {
                        Round::Initial => "first estimate".to_owned(),
                        Round::Number(k) => format!("round {k}"),
                    };
                    format!("{name} {}", short(weight.to_float(), 2))
                })
                .collect();
            notes.push((
                "Weights".to_owned(),
                format!("r = {ratio}; {}.", weights.join(", ")),
            ));
        }
        if let Some(stability) = &self.stability {
            notes.push(("Stability".to_owned(), stability.clone()));
        }
        let changed = self.changed();
        if !changed.is_empty() {
            notes.push((
                "Changed from the scenario".to_owned(),
                format!("{}.", changed.join("; ")),
            ));
        }
        notes
    }

    fn reproduction(&self) -> Option<Reproduction> {
        // The form shows all settings to the person at the keyboard, so nothing in it is secret.
        Some(Reproduction {
            tells_secrets: false,
            ..self.plan.reproduction(None)
        })
    }

    fn check(&self) -> Result<(), String> {
        let instance = self.plan.setup.instance(self.plan.world);
        let start = self.plan.protocol.start::<Exact>(&instance);
        start.map(drop).map_err(|error| error.to_string())
    }

    fn help(&self) -> [String; 2] {
        let form = "Each line is a part of the debate to come. {choice-before} and {choice-after} go \
                    through what the marked one can be, {write} types into it, and {accept} \
                    begins the debate as it stands here.";
        [form.to_owned(), self.plan.setup.about.clone()]
    }
}
