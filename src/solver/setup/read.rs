//! Converts a parsed scenario file into a checked [`LoadedScenario`]: first the general fields, then the problem by the
//! code for its type.

use std::collections::HashMap;
use std::sync::Arc;

use ron::value::RawValue;
use serde::Deserialize;

use super::circuit::{CircuitInFile, GeneratedCircuit};
use super::error::{
    ScenarioError, ScenarioLimitFlag, ScenarioLimits, ScenarioSourceText, ScenarioTextSource,
};
use super::machine::MachineProblemInFile;
use super::plan::ComputationPlanInFile;
use super::primality::PrimalityProblemInFile;
use super::qbf::QbfInFile;
use super::reader::{
    FileLoader, ProblemInFile, RequestedDecomposition, Result, ScenarioReader, ron_options,
};
use super::scenario::{
    EvidenceErrorDependence, LoadedScenario, default_protocol, world_draw_range_ends,
};
use super::texts::{
    INSTANCE, SOLUTION, ScenarioTitleAndBriefings, TextBySeat, fill_in_instance_name,
};
use super::written::{
    DecompositionInFile, EvidenceCount, KnowledgeInFile, MapEntries, OracleInFile,
    ScenarioPlayersField, SeatInFile, StableDecompositionInFile,
};
use super::{argument, locator};
use debate_core::player::{KnowledgePartition, PlayerSpec};
use debate_core::protocol::{Protocol, ProtocolError, Seat};
use debate_core::scenario::stability::{MAX_CLAIMS, copies_for_supports, survey};
use debate_core::scenario::written::Probability;
use debate_core::scenario::{
    ArgumentProblemSpec, ComputationTranscriptDecomposition, DebateQuestionSpec, Decomposition,
    JudgeSees, KnownBlocks, OpponentEvidenceVisibility, Oracle, ScenarioValuePath, StableProblem,
};
use debate_core::text::strip_byte_order_mark;

/// The fields of a scenario file, parsed but not checked.
#[derive(Deserialize)]
#[serde(rename = "Scenario", deny_unknown_fields)]
pub(super) struct ScenarioFile<'f> {
    pub(super) format: u32,
    pub(super) title: String,
    #[serde(default)]
    pub(super) about: String,
    #[serde(default)]
    pub(super) briefing: MapEntries<String, SeatInFile>,
    pub(super) cannot_win: Option<SeatInFile>,
    #[serde(default)]
    pub(super) debrief: String,
    #[serde(borrow)]
    pub(super) problem: UncheckedProblem<'f>,
    #[serde(borrow)]
    pub(super) instance: Option<&'f RawValue>,
    #[serde(borrow)]
    pub(super) decomposition: Option<&'f RawValue>,
    pub(super) oracle: Option<OracleInFile>,
    pub(super) evidence: Option<EvidenceErrorDependence>,
    #[serde(borrow)]
    pub(super) protocol: Option<&'f RawValue>,
    #[serde(default)]
    pub(super) players: ScenarioPlayersField,
    pub(super) sit: Option<SeatInFile>,
    #[serde(default)]
    pub(super) judge_sees: JudgeSees,
    #[serde(default)]
    pub(super) opponent_sees: OpponentEvidenceVisibility,
    #[serde(default)]
    pub(super) knows: MapEntries<KnowledgeInFile, SeatInFile>,
    #[serde(default)]
    pub(super) queries: MapEntries<u32, SeatInFile>,
    #[serde(default)]
    pub(super) tags: MapEntries<String>,
}

/// The value of the field `problem` in a scenario file.
// Error messages contain the names that `rename` gives: "there is no problem `Argumnt`".
#[derive(Deserialize)]
#[serde(rename = "problem")]
pub(super) enum UncheckedProblem<'f> {
    Argument(ArgumentProblemSpec),
    Primality(#[serde(borrow)] PrimalityProblemInFile<'f>),
    Qbf(QbfInFile),
    Question(DebateQuestionSpec),
    Machine(MachineProblemInFile),
    Circuit(#[serde(borrow)] CircuitInFile<'f>),
    Parity(u32),
    MajorityOf(u32),
    Adder(u32),
    Multiplier(u32),
    Plan(#[serde(borrow)] ComputationPlanInFile<'f>),
}

/// The only format so far.
const FORMAT: u32 = 1;

/// Returns the title, the description and the rules from the text of a scenario file, without reading the problem.
/// `None` if the title is missing, or the title or the rules are invalid.
pub(super) fn title_about_and_rules(text: &str) -> Option<(String, String, Protocol)> {
    let [title, about, protocol, instance] =
        locator::top_level_fields(text, ["title", "about", "protocol", "instance"]);
    let own = instance_name(instance);
    let read = |raw: &str| -> Option<String> {
        let text: String = ron_options().from_str(raw).ok()?;
        Some(fill_in_instance_name(&text, own))
    };
    let protocol = match protocol {
        None => default_protocol(),
        Some(text) => Protocol::parse(text).ok()?,
    };
    Some((
        read(title?)?,
        about.and_then(read).unwrap_or_default(),
        protocol,
    ))
}

/// Returns the title from the text of a scenario file, with the name of `instance` filled in. Without `instance`, fills
/// in the file's own instance. `None` if the text has no valid title.
pub fn scenario_title(text: &str, instance: Option<&str>) -> Option<String> {
    let [title, own] = locator::top_level_fields(text, ["title", "instance"]);
    let title: String = ron_options().from_str(title?).ok()?;
    Some(fill_in_instance_name(
        &title,
        instance.unwrap_or_else(|| instance_name(own)),
    ))
}

/// Returns the name in the source text of the field `instance`. Removes the quotes; a name that is a number has none.
fn instance_name(raw: Option<&str>) -> &str {
    raw.map_or("", |raw| raw.trim().trim_matches('"'))
}

/// Reads and checks a scenario file. It may refer to other files, which `files` provides.
pub(super) fn setup(
    text: &str,
    origin: ScenarioTextSource,
    limits: &ScenarioLimits,
    files: FileLoader<'_>,
) -> Result<LoadedScenario> {
    let text = strip_byte_order_mark(text);
    let reader = ScenarioReader {
        source: ScenarioSourceText {
            text,
            origin: &origin,
            limits,
        },
        files,
    };
    let file = parsed(&reader)?;
    let mut setup = reader.checked(file)?;
    setup.files = reader.files.into_loaded_files();
    setup.source = text.into();
    setup.origin = origin;
    Ok(setup)
}

/// Returns the source texts of the fields `problem` and `decomposition` of a scenario file; `None` if it has no
/// problem. The second text is empty if the file omits this field.
pub(super) fn problem_and_decomposition_texts(scenario_text: &str) -> Option<[&str; 2]> {
    let [problem, method] = locator::top_level_fields(scenario_text, ["problem", "decomposition"]);
    Some([problem?, method.unwrap_or_default()])
}

/// Builds the decomposition of a scenario file that refers to no other file.
pub(super) fn build_decomposition(
    text: &str,
    origin: &ScenarioTextSource,
) -> Result<Arc<dyn Decomposition>> {
    let reader = ScenarioReader {
        source: ScenarioSourceText {
            text,
            origin,
            limits: &ScenarioLimits::default(),
        },
        files: FileLoader::loader_of_given_files(&[]),
    };
    let file = parsed(&reader)?;
    let protocol = reader.protocol(file.protocol)?;
    let method = reader.method(file.decomposition)?;
    let (_, decomposition) = reader.decomposed(file.problem, method, &protocol)?;
    Ok(decomposition)
}

/// Parses the file.
fn parsed<'f>(reader: &ScenarioReader<'f>) -> Result<ScenarioFile<'f>> {
    let text = reader.source.text;
    reader.source.check_file_size(text.len())?;
    let file: ScenarioFile<'f> = ron_options()
        .from_str(text)
        .map_err(|error| reader.unparsed_file(&error))?;
    if file.format == FORMAT {
        Ok(file)
    } else {
        Err(reader.other_format())
    }
}

impl ScenarioReader<'_> {
    fn other_format(&self) -> ScenarioError {
        self.scenario_error_in_value(&ScenarioValuePath::path_of_top_level_field("format").error_at_path(format_args!(
            "this program reads only format {FORMAT}; use a program that reads this file's format, \
             or write `format: {FORMAT}`"
        )))
    }

    /// Returns the error for a file that could not be parsed. Checks the format version first, because a later version
    /// has unknown fields.
    fn unparsed_file(&self, error: &ron::error::SpannedError) -> ScenarioError {
        #[derive(Deserialize)]
        #[serde(rename = "Scenario")]
        struct Format {
            format: u32,
        }
        match ron_options().from_str::<Format>(self.source.text) {
            Ok(Format { format }) if format != FORMAT => self.other_format(),
            _ => self.parse_error(self.source.text, error),
        }
    }

    fn checked(&self, file: ScenarioFile<'_>) -> Result<LoadedScenario> {
        self.check_one_line_text(&file.title, || {
            ScenarioValuePath::path_of_top_level_field("title")
        })?;
        let about = self.checked_prose(file.about, || {
            ScenarioValuePath::path_of_top_level_field("about")
        })?;
        let briefing = self.briefing(file.briefing)?;
        let cannot_win = self.cannot_win(file.cannot_win, &briefing)?;
        let debrief = self.checked_prose(file.debrief, || {
            ScenarioValuePath::path_of_top_level_field("debrief")
        })?;
        self.check_unique_keys(&file.tags.0, || {
            ScenarioValuePath::path_of_top_level_field("tags")
        })?;
        for (tag, text) in &file.tags.0 {
            self.check_one_line_text(text, || {
                ScenarioValuePath::path_of_top_level_field("tags").then_map_entry(tag)
            })?;
        }
        let players = self.players(file.players)?;
        let protocol = self.protocol(file.protocol)?;
        let method = self.method(file.decomposition)?;
        let (problem, decomposition) = self.decomposed(file.problem, method, &protocol)?;
        let problem_files = self.files.loaded_file_count();
        self.tables(&players)?;
        self.source
            .check_number_limits(&protocol, decomposition.as_ref())?;
        let oracle = self.oracle(file.oracle, problem, decomposition.as_ref())?;
        let evidence = evidence(self, file.evidence, decomposition.as_ref())?;
        let mut setup = LoadedScenario {
            templates: ScenarioTitleAndBriefings {
                title: file.title,
                about,
                briefing,
                debrief,
            },
            title: String::new(),
            about: String::new(),
            briefing: TextBySeat::default(),
            cannot_win,
            debrief: String::new(),
            problem,
            draw_limits: world_draw_range_ends(decomposition.as_ref()),
            decomposition,
            oracle,
            evidence,
            requested_world: None,
            protocol,
            players,
            sit: file.sit.map(Seat::from),
            judge_sees: file.judge_sees,
            opponent_sees: file.opponent_sees,
            knows: [const { None }; 3],
            queries: [0; 3],
            known_blocks: KnownBlocks::default(),
            tags: file.tags.0.into_iter().collect(),
            source: Arc::default(),
            files: Vec::new(),
            problem_files,
            origin: self.source.origin.clone(),
        };
        setup.requested_world = self.requested_world(file.instance, &setup)?;
        self.fill_texts(&mut setup)?;
        self.knowledge(&mut setup, file.knows, file.queries)?;
        setup
            .protocol
            .check_fits_problem(setup.decomposition.as_ref())
            .map_err(|misfit| {
                self.scenario_error_in_value(
                    &ScenarioValuePath::path_of_top_level_field("protocol").error_at_path(misfit),
                )
            })?;
        Ok(setup)
    }

    /// Fills the placeholders in the scenario's texts for the scenario's own instance.
    fn fill_texts(&self, setup: &mut LoadedScenario) -> Result<()> {
        let templates = &setup.templates;
        let world = setup.requested_world.unwrap_or(0);
        let mut texts = templates
            .scenario_texts_shown_before_end()
            .chain([("debrief", &*templates.debrief)]);
        if setup.requested_world.is_none()
            && setup.decomposition.worlds().len() > 1
            && let Some((field, _)) = texts.find(|(_, text)| text.contains(INSTANCE))
        {
            return self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field(field),
                "{instance} in a text needs the scenario's own instance, whose name is shown in lists; add \
                 `instance`",
            );
        }
        let mut shown = templates.scenario_texts_shown_before_end();
        if let Some((field, _)) = shown.find(|(_, text)| text.contains(SOLUTION)) {
            return self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field(field),
                "{solution} reveals the right answer; write it only in the debrief",
            );
        }
        if templates.debrief.contains(SOLUTION) && setup.decomposition.solution(world).is_none() {
            return self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field("debrief"),
                "{solution} is a placeholder only for Primality; remove it",
            );
        }
        let ScenarioTitleAndBriefings {
            title,
            about,
            briefing,
            debrief,
        } = setup.scenario_texts(world);
        setup.title = title;
        setup.about = about;
        setup.briefing = briefing;
        setup.debrief = debrief;
        Ok(())
    }

    /// Sets what each seat knows about the instance, and the number of leaves that it may query.
    fn knowledge(
        &self,
        setup: &mut LoadedScenario,
        knows: MapEntries<KnowledgeInFile, SeatInFile>,
        queries: MapEntries<u32, SeatInFile>,
    ) -> Result<()> {
        use KnowledgeInFile as R;
        for (seat, written) in knows.0 {
            let seat = Seat::from(seat);
            let at = ScenarioValuePath::path_of_top_level_field("knows")
                .path_of_field(seat.name_in_flags_and_json());
            if setup.knows[seat.seat_index()].is_some() {
                return self.flaw_error(
                    &ScenarioValuePath::path_of_top_level_field("knows"),
                    format_args!("the {seat} is listed twice; remove one entry"),
                );
            }
            if matches!(written, R::Number | R::Size) && setup.problem != "primality" {
                return self.flaw_error(
                    &at,
                    "Number and Size are only for Primality problems; use Everything, Nothing, Offered, \
                     Leaves([…]) or Instances([[…], …])",
                );
            }
            let knowledge = match written {
                R::Everything | R::Number => KnowledgePartition::Everything,
                R::Nothing => KnowledgePartition::Nothing,
                R::Offered | R::Size => KnowledgePartition::Offered,
                R::Leaves(named) => KnowledgePartition::Leaves(named),
                R::Instances(blocks) => KnowledgePartition::Instances(blocks),
            };
            if let Err(error) = setup.set_knowledge(seat, knowledge) {
                return self.flaw_error(&at, error);
            }
        }
        let mut listed = [false; 3];
        for (seat, most) in queries.0 {
            let seat = Seat::from(seat);
            let index = seat.seat_index();
            if std::mem::replace(&mut listed[index], true) {
                return self.flaw_error(
                    &ScenarioValuePath::path_of_top_level_field("queries"),
                    format_args!("the {seat} is listed twice; remove one of its query limits"),
                );
            }
            setup.queries[index] = most;
        }
        Ok(())
    }

    fn briefing(&self, texts: MapEntries<String, SeatInFile>) -> Result<TextBySeat> {
        let mut briefing = TextBySeat::default();
        for (seat, text) in texts.0 {
            let seat = Seat::from(seat);
            let path = || {
                ScenarioValuePath::path_of_top_level_field("briefing")
                    .path_of_field(seat.name_in_flags_and_json())
            };
            let text = self.checked_prose(text, path)?;
            if briefing.replace_seat_text(seat, text).is_some() {
                return self.flaw_error(
                    &ScenarioValuePath::path_of_top_level_field("briefing"),
                    format_args!("the {seat} is listed twice; remove one of its briefing texts"),
                );
            }
        }
        Ok(briefing)
    }

    /// Checks the field `cannot_win`. If it names a debater, this seat must have a briefing, which should say that it
    /// cannot win.
    fn cannot_win(&self, seat: Option<SeatInFile>, briefing: &TextBySeat) -> Result<Option<Seat>> {
        let seat = seat.map(Seat::from);
        match seat {
            Some(Seat::Judge) => self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field("cannot_win"),
                "only a debater can be named here; write Prover or Opponent",
            ),
            Some(seat) if briefing.text_of_seat(seat).is_none() => self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field("cannot_win"),
                format_args!(
                    "the `briefing` must tell the {seat} that it cannot win, but it has no text for \
                              this seat; add one"
                ),
            ),
            _ => Ok(seat),
        }
    }

    fn players(&self, players: ScenarioPlayersField) -> Result<TextBySeat> {
        let mut names = TextBySeat::default();
        let given = [players.prover, players.opponent, players.judge];
        for (seat, name) in Seat::PLAYERS.into_iter().zip(given) {
            let Some(name) = name else { continue };
            let path = || {
                ScenarioValuePath::path_of_top_level_field("players")
                    .path_of_field(seat.name_in_flags_and_json())
            };
            self.check_one_line_text(&name, path)?;
            self.check_not_blank(
                &name,
                path,
                "the player's name is empty; write one or remove the field",
            )?;
            names.replace_seat_text(seat, name);
        }
        Ok(names)
    }

    /// Reads the files of players.
    fn tables(&self, players: &TextBySeat) -> Result<()> {
        for seat in Seat::PLAYERS {
            let spec = players
                .text_of_seat(seat)
                .and_then(|name| PlayerSpec::parse(name).ok());
            if let Some(file) = spec.as_ref().and_then(PlayerSpec::player_file_argument) {
                self.read_file(file, || {
                    ScenarioValuePath::path_of_top_level_field("players")
                        .path_of_field(seat.name_in_flags_and_json())
                })?;
            }
        }
        Ok(())
    }

    fn protocol(&self, raw: Option<&RawValue>) -> Result<Protocol> {
        let Some(raw) = raw else {
            return Ok(default_protocol());
        };
        let text = raw.trim().get_ron();
        Protocol::parse(text).map_err(|refused| match refused {
            ProtocolError::Parameter { name, .. } => self.scenario_error_in_value(
                &ScenarioValuePath::path_of_top_level_field("protocol")
                    .path_of_field(name)
                    .error_at_path(refused),
            ),
            ProtocolError::ProtocolMismatch(misfit) => self.scenario_error_in_value(
                &ScenarioValuePath::path_of_top_level_field("protocol").error_at_path(misfit),
            ),
            ProtocolError::Text(what) => {
                // Parses the text again to locate the error.
                let written = ron_options().from_str::<Protocol>(text);
                match written {
                    Err(error) => self.source.parse_error(text, &error),
                    Ok(_) => self.scenario_error_in_value(
                        &ScenarioValuePath::path_of_top_level_field("protocol").error_at_path(what),
                    ),
                }
            }
        })
    }

    fn method(&self, raw: Option<&RawValue>) -> Result<Option<DecompositionInFile>> {
        let Some(raw) = raw else { return Ok(None) };
        let text = raw.trim().get_ron();
        match ron_options().from_str(text) {
            Ok(StableDecompositionInFile::Stable(copies)) => {
                Ok(Some(DecompositionInFile::Stable { copies, of: None }))
            }
            // Fields have names, so without `:` this is a single number.
            Err(_) if text.starts_with("Stable") && !text.contains(':') => self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field("decomposition"),
                "write an odd number of copies of each subclaim, such as `Stable(5)`, or `Stable(auto)`",
            ),
            Err(_) => self.parse_slice(raw).map(Some),
        }
    }

    /// Builds the problem with the decomposition that the file requests: by claims or by the transcript, and with
    /// several pieces of evidence if requested.
    fn decomposed(
        &self,
        problem: UncheckedProblem<'_>,
        method: Option<DecompositionInFile>,
        protocol: &Protocol,
    ) -> Result<(&'static str, Arc<dyn Decomposition>)> {
        let width = match method {
            Some(DecompositionInFile::Stable { copies, of }) => {
                let of = of.map(|method| *method);
                let (kind, problem) = self.decomposed(problem, of, protocol)?;
                let stable = stable(self, problem, copies, protocol)?;
                return Ok((kind, Arc::new(stable)));
            }
            Some(DecompositionInFile::Halves) => 2,
            Some(DecompositionInFile::Blocks { width }) => width,
            method => return self.problem(problem, method.as_ref()),
        };
        let at = ScenarioValuePath::path_of_top_level_field("decomposition");
        self.check_subclaim_count(width as usize, || at.clone())?;
        let (kind, problem) = self.problem(problem, None)?;
        let split = ComputationTranscriptDecomposition::build(problem, width, &at)
            .map_err(|flaw| self.scenario_error_in_value(&flaw))?;
        Ok((kind, Arc::new(split)))
    }

    fn problem(
        &self,
        problem: UncheckedProblem<'_>,
        method: RequestedDecomposition<'_>,
    ) -> Result<(&'static str, Arc<dyn Decomposition>)> {
        use UncheckedProblem as P;
        let generated = |size| self.built(CircuitInFile::from_generated_circuit(size), method);
        match problem {
            P::Argument(written) => self.built(written, method),
            P::Primality(written) => self.built(written, method),
            P::Machine(written) => self.built(written, method),
            P::Qbf(written) => self.built(written, method),
            P::Question(written) => self.built(written, method),
            P::Plan(written) => self.built(written, method),
            P::Circuit(written) => self.built(written, method),
            P::Parity(n) => generated(GeneratedCircuit::Parity(n)),
            P::MajorityOf(n) => generated(GeneratedCircuit::MajorityOf(n)),
            P::Adder(n) => generated(GeneratedCircuit::Adder(n)),
            P::Multiplier(n) => generated(GeneratedCircuit::Multiplier(n)),
        }
    }

    /// Builds a problem from its form. Also returns the name of the problem's type.
    fn built<F: ProblemInFile>(
        &self,
        form: F,
        method: RequestedDecomposition<'_>,
    ) -> Result<(&'static str, Arc<dyn Decomposition>)> {
        let is_own = matches!(method, None | Some(DecompositionInFile::Explicit));
        if let (Some(why), false) = (F::OWN_DECOMPOSITION, is_own) {
            return self.flaw_error(
                &ScenarioValuePath::path_of_top_level_field("decomposition"),
                why,
            );
        }
        Ok((F::KIND, Arc::new(form.problem(self, method)?)))
    }

    fn oracle(
        &self,
        oracle: Option<OracleInFile>,
        problem: &str,
        decomposition: &dyn Decomposition,
    ) -> Result<Oracle> {
        let at = || ScenarioValuePath::path_of_top_level_field("oracle");
        if oracle.is_some() && decomposition.as_open().is_some() {
            return self.flaw_error(
                &at(),
                "the claims of an open argument have no stated truth, because people judge them; \
                 remove the oracle",
            );
        }
        match oracle {
            // The steps of a plan state the probability that a judge accepts them.
            None if problem == "plan" => Ok(Oracle::PerLeaf),
            None | Some(OracleInFile::Truth) => Ok(Oracle::Truth),
            Some(OracleInFile::PerLeaf) => Ok(Oracle::PerLeaf),
            Some(OracleInFile::Noisy(flip)) => Ok(Oracle::Noisy(flip.0)),
            // The leaves of a generated decomposition are not listed in the file.
            Some(OracleInFile::Table(_)) if problem != "argument" => self.flaw_error(
                &at(),
                "only the leaves of an Argument can have a table of probabilities; use Truth or Noisy(…) for this problem",
            ),
            Some(OracleInFile::Table(stated)) => {
                self.check_unique_keys(&stated.0, at)?;
                // A table lists the claims of the original problem, not their pieces of evidence.
                let decomposition = match decomposition.as_stable() {
                    Some(stable) => stable.original_decomposition().as_ref(),
                    None => decomposition,
                };
                let leaves = stated.0.into_iter();
                let table: HashMap<_, _> = leaves.map(|(leaf, Probability(p))| (leaf, p)).collect();
                argument::check_table(self, &table, decomposition, &at())?;
                Ok(Oracle::Table(table))
            }
        }
    }

    fn requested_world(
        &self,
        raw: Option<&RawValue>,
        setup: &LoadedScenario,
    ) -> Result<Option<usize>> {
        let Some(raw) = raw else { return Ok(None) };
        let path = || ScenarioValuePath::path_of_top_level_field("instance");
        let written = raw.trim().get_ron();
        // A number needs no quotes.
        let name = if written.starts_with(|c: char| c.is_ascii_digit()) {
            written.to_owned()
        } else {
            self.parse_slice::<String>(raw)?
        };
        self.check_one_line_text(&name, path)?;
        match setup.world_index(&name) {
            Err(ScenarioError::NoInstance { name, known, .. }) => self.flaw_error(
                &path(),
                format_args!("there is no instance {name}; use one of {known}"),
            ),
            world => world.map(Some),
        }
    }
}

/// Builds the decomposition `Stable`: a majority of several pieces of evidence replaces each subclaim of `of`.
pub(super) fn stable(
    reader: &ScenarioReader<'_>,
    of: Arc<dyn Decomposition>,
    copies: EvidenceCount,
    protocol: &Protocol,
) -> Result<StableProblem> {
    let at = ScenarioValuePath::path_of_top_level_field("decomposition");
    StableProblem::check_can_be_stable(of.as_ref(), &at)
        .map_err(|flaw| reader.scenario_error_in_value(&flaw))?;
    reader.check_decomposition_depth(of.size(0).depth, &at)?;
    let copies_at = at.path_of_field("copies");
    let copies = match copies {
        EvidenceCount::Number(copies) => copies,
        EvidenceCount::Auto => least(reader, &of, protocol, &copies_at)?,
    };
    let widths = (0..of.worlds().len()).map(|world| of.size(world).width);
    let width = widths.max().unwrap_or(0) as usize;
    reader.check_subclaim_count(width.saturating_mul(copies as usize), || copies_at.clone())?;
    let most = reader.source.limits.claims;
    if of.levels(&of.root(0), 0, most).is_none() {
        let what = format!("more than {most} claims need evidence");
        return Err(reader
            .source
            .too_large_error(ScenarioLimitFlag::Claims, &at, &what));
    }
    StableProblem::build(of, copies, &copies_at)
        .map_err(|flaw| reader.scenario_error_in_value(&flaw))
}

/// Checks the field `evidence`, which states how several pieces of evidence for one claim err together.
pub(super) fn evidence(
    reader: &ScenarioReader<'_>,
    stated: Option<EvidenceErrorDependence>,
    decomposition: &dyn Decomposition,
) -> Result<EvidenceErrorDependence> {
    let at = || ScenarioValuePath::path_of_top_level_field("evidence");
    match stated {
        Some(_) if decomposition.as_stable().is_none() => reader.flaw_error(
            &at(),
            "`evidence` is about several pieces of evidence for one claim, but each claim has only \
             one; write `decomposition: Stable(5)`, or remove `evidence`",
        ),
        stated => Ok(stated.unwrap_or_default()),
    }
}

/// Returns the least number of pieces of evidence for each subclaim that makes every support stable under this
/// protocol. Found by exact search.
fn least(
    reader: &ScenarioReader<'_>,
    of: &Arc<dyn Decomposition>,
    protocol: &Protocol,
    at: &ScenarioValuePath,
) -> Result<u32> {
    let Some((epsilon, rho)) = protocol.protocol_parameters().epsilon_and_rho() else {
        return reader.flaw_error(
            at,
            "`auto` needs the ε and ρ of ProverEstimator, but this protocol has none; write a \
             number of copies, such as `Stable(5)`",
        );
    };
    let survey = survey(of, &Oracle::Truth, (epsilon, rho), MAX_CLAIMS);
    if survey.undecided {
        return reader.flaw_error(
            at,
            "some claims of this problem cannot be decided, so `auto` cannot search; write a number of \
             copies, such as `Stable(5)`",
        );
    }
    if !survey.complete {
        return reader.flaw_error(
            at,
            format_args!(
                "there are more than {MAX_CLAIMS} claims, too many for `auto` to search; write a \
                 number of copies, such as `Stable(5)`"
            ),
        );
    }
    let copies = copies_for_supports(&survey.supports, epsilon, &survey.allowed);
    let Some(copies) = copies.and_then(|copies| u32::try_from(copies).ok()) else {
        return reader.flaw_error(
            at,
            "no number of copies of each subclaim that `auto` tries is enough; use a smaller ε or a greater ρ",
        );
    };
    Ok(copies)
}
