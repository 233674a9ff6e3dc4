//! `debate-tui` alone: a home from which everything is opened, and to which it comes back.

mod claims;
mod relative_time;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use super::Failure;
use super::context::AppContext;
use super::course::{self, Course};
use super::matchup::is_comparable;
use super::page::{
    AppPage, Audience, ComparePage, ComparisonSource, DebateStart, HomePage, HomeTarget, OpenMode,
    PlayPage, ReplayPage, Transition, Tutor,
};
use super::plan::{DebatePlan, SaveOptions};
use crate::tui::actions::Facts;
use crate::tui::input::Waker;
use crate::tui::panel::scroll::Entry;
use crate::tui::screen::{
    Home, HomeItem, HomeModel, HomeOutcome, HomeSection, Preview, Screen as _, keys,
};
use crate::tui::theme::StyleRole;
use crate::tui::tutorial::Coach;
use claims::claims;
use debate_core::player::{Spec, bare};
use debate_core::protocol::Seat;
use debate_core::text::safe;
use debate_lab::record::{
    Header, RecordError, Save, SaveCondition, SaveListing, delete, latest, recent_scenarios, utc,
};
use debate_lab::setup::{Limits, Setup};
use relative_time::relative_time;

const UNFINISHED: &str = "Unfinished debates";
const FINISHED: &str = "Debates that were played";
/// The wait of the first frame for the saves.
const FIRST_FRAME_WAIT: Duration = Duration::from_millis(1);
/// The wait of a frame for the preview of a scenario.
const PREVIEW_WAIT: Duration = Duration::from_millis(30);
/// Saves that are shown.
const SAVES: usize = 200;

/// The items of home.
struct HomeLibrary {
    sections: Vec<HomeSection<HomeTarget>>,
    saves: Vec<SaveListing>,
    /// Brings the saves while they are being read.
    reading: Option<Receiver<Result<Vec<SaveListing>, RecordError>>>,
    /// The error where the saves cannot be read.
    failed: Option<RecordError>,
    limits: Limits,
    waker: Waker,
    /// The scenario that is being read for a preview.
    previewing: Option<(String, Receiver<ScenarioPreview>)>,
    /// The scenario that was looked at last.
    previewed: Option<(String, ScenarioPreview)>,
}

/// The preview of a scenario.
struct ScenarioPreview {
    preview: Preview,
    /// True if it can be debated under both usual rules.
    comparable: bool,
}

impl HomeLibrary {
    fn open(keeping: &SaveOptions, limits: &Limits, waker: Waker) -> Result<Self, Failure> {
        let folder = keeping.folder()?;
        let files = recent_scenarios(&folder).into_iter().filter_map(|path| {
            let name = path.to_str()?.to_owned();
            let title = path.file_name()?.to_string_lossy().into_owned();
            let what = HomeTarget::Scenario(name);
            let value = String::new();
            Some(HomeItem { title, value, what })
        });
        let section = |heading: &str, items: Vec<HomeItem<HomeTarget>>| HomeSection {
            heading: heading.to_owned(),
            items,
        };
        let lessons = HomeItem {
            title: format!("Tutorial: {}", course::how_far(&folder)),
            value: String::new(),
            what: HomeTarget::Tutorial,
        };
        let sections = vec![
            section("Start here", vec![lessons]),
            section(UNFINISHED, Vec::new()),
            section("Scenarios", scenarios()),
            section("Files opened lately", files.collect()),
            section(FINISHED, Vec::new()),
        ];
        let reading = beside("saves", &waker, move || latest(&folder, SAVES))?;
        let mut items = Self {
            sections,
            saves: Vec::new(),
            reading: Some(reading),
            failed: None,
            limits: limits.clone(),
            previewing: None,
            previewed: None,
            waker,
        };
        // A few saves are read at once, and then nothing moves on the screen.
        let read = items.reading.as_ref();
        if let Some(read) = read.and_then(|reading| reading.recv_timeout(FIRST_FRAME_WAIT).ok()) {
            items.add_saves(read);
        }
        Ok(items)
    }

    /// Puts the saves that were read on their shelves.
    fn add_saves(&mut self, read: Result<Vec<SaveListing>, RecordError>) {
        self.reading = None;
        match read {
            Ok(saves) => self.saves = saves,
            Err(error) => self.failed = Some(error),
        }
        for (heading, condition) in [
            (UNFINISHED, SaveCondition::Unfinished),
            (FINISHED, SaveCondition::Finished),
        ] {
            let kept = self.saves.iter().filter(|save| save.condition == condition);
            let mut sections = self.sections.iter_mut();
            if let Some(section) = sections.find(|section| section.heading == heading) {
                section.items = kept.map(item).collect();
            }
        }
    }

    /// The preview of a scenario, which is read beside the screen: a large one comes later.
    fn of_scenario(&mut self, name: &str) -> Preview {
        if let Some((known, read)) = &self.previewed
            && known == name
        {
            return read.preview.clone();
        }
        self.previewed = None;
        let (limits, wanted) = (self.limits.clone(), name.to_owned());
        let reading = beside("preview", &self.waker, move || {
            ScenarioPreview::read(&wanted, &limits)
        });
        let reading = match reading {
            Ok(reading) => reading,
            Err(error) => return said(StyleRole::Warning, safe(&error.to_string())),
        };
        if let Ok(read) = reading.recv_timeout(PREVIEW_WAIT) {
            let preview = read.preview.clone();
            self.previewed = Some((name.to_owned(), read));
            return preview;
        }
        self.previewing = Some((name.to_owned(), reading));
        said(StyleRole::Faint, "The scenario is being read …")
    }

    /// True if the preview that was waited for is there.
    fn poll_preview(&mut self) -> bool {
        let Some((name, reading)) = self.previewing.take() else {
            return false;
        };
        match reading.try_recv() {
            Ok(read) => {
                self.previewed = Some((name, read));
                return true;
            }
            Err(TryRecvError::Empty) => self.previewing = Some((name, reading)),
            Err(TryRecvError::Disconnected) => {}
        }
        false
    }

    fn of_save(&self, path: &PathBuf) -> Preview {
        let mut preview = Preview::default();
        let Some(save) = self.saves.iter().find(|save| save.path == *path) else {
            return preview;
        };
        let mut say = |role, text: String| {
            preview.about.push(Entry::default().then(role, text));
        };
        let title = save.title.clone().unwrap_or_else(|| file_name(path));
        say(StyleRole::Title, title);
        if let Some(header) = &save.header {
            say(StyleRole::Text, format!("Rules: {}", header.protocol));
            let over = save.condition != SaveCondition::Unfinished;
            let players = header.players.each_ref().map(|name| match name.as_str() {
                name if over => name,
                "human" => "human",
                _ if header.blind => "not told",
                name => bare(name),
            });
            say(StyleRole::Text, format!("Players: {}", players.join(", ")));
            say(StyleRole::Text, format!("Seed: {}", header.seed.as_str()));
        }
        say(
            StyleRole::Text,
            format!(
                "Last written: {} ({})",
                relative_time(save.modified),
                utc(save.modified)
            ),
        );
        let told = match save.condition {
            SaveCondition::Unfinished => "It is not finished: it can be gone on with, or replayed.",
            _ => "It is over: it can be replayed.",
        };
        if let Some(coach) = save.header.as_ref().and_then(coach) {
            say(
                StyleRole::Text,
                format!("{} of the tutorial", coach.place()),
            );
        }
        say(StyleRole::Faint, told.to_owned());
        say(StyleRole::Faint, format!("Kept as {}", path.display()));
        preview
    }
}

impl ScenarioPreview {
    fn read(name: &str, limits: &Limits) -> Self {
        let setup = match Setup::find(name, limits) {
            Ok(setup) => setup,
            Err(error) => {
                return Self {
                    preview: said(StyleRole::Warning, safe(&error.to_string())),
                    comparable: false,
                };
            }
        };
        let instance = setup.instance(setup.requested_world.unwrap_or(0));
        let mut about = vec![
            Entry::default().then(StyleRole::Title, setup.title.clone()),
            Entry::default().then(StyleRole::Text, setup.about.clone()),
            Entry::default().then(StyleRole::Faint, format!("debate-tui {}", safe(name))),
            Entry::default(),
        ];
        let fact = |label: &str, text: String| {
            let label = Entry::default().then(StyleRole::Title, format!("{label}: "));
            label.then(StyleRole::Faint, text)
        };
        about.push(fact("Rules", setup.protocol.to_string()));
        let seats = Seat::PLAYERS.into_iter().filter_map(|seat| {
            // Arguments may give a lie away to whoever sits down.
            let name = bare(setup.players.get(seat)?);
            Some(format!("{} {name}", setup.protocol.kind().title(seat)))
        });
        about.push(fact("Players", seats.collect::<Vec<_>>().join(", ")));
        let size = instance.size();
        let worlds = setup.decomposition.worlds().len();
        let cases = if worlds == 1 { "instance" } else { "instances" };
        about.push(fact(
            "Size",
            format!(
                "{} claims, {} levels deep, {worlds} {cases}",
                size.claims, size.depth
            ),
        ));
        Self {
            preview: Preview {
                about,
                claims: claims(&instance),
            },
            comparable: is_comparable(&setup),
        }
    }
}

impl HomeModel for HomeLibrary {
    type HomeItem = HomeTarget;

    fn sections(&self) -> &[HomeSection<HomeTarget>] {
        &self.sections
    }

    fn poll(&mut self) -> bool {
        let previewed = self.poll_preview();
        let Some(reading) = &self.reading else {
            return previewed;
        };
        match reading.try_recv() {
            Ok(read) => self.add_saves(read),
            Err(TryRecvError::Empty) => return previewed,
            Err(TryRecvError::Disconnected) => self.reading = None,
        }
        true
    }

    fn preview(&mut self, item: &HomeTarget) -> Preview {
        match item {
            HomeTarget::Tutorial => of_tutorial(),
            HomeTarget::Scenario(name) => self.of_scenario(name),
            HomeTarget::Unfinished(path, _) | HomeTarget::Finished(path) => self.of_save(path),
        }
    }

    fn facts(&self, item: &HomeTarget) -> Facts {
        match item {
            HomeTarget::Tutorial => Facts::NONE,
            HomeTarget::Scenario(name) => {
                let mut read = self.previewed.iter();
                let comparable =
                    |(known, read): &(String, ScenarioPreview)| known == name && read.comparable;
                keys::COMPARABLE.only_if(read.any(comparable))
            }
            HomeTarget::Unfinished(..) | HomeTarget::Finished(_) => keys::READABLE,
        }
    }
}

/// Computes something on a thread of its own, and wakes the screen when it is there. Nobody may listen any more
/// by then.
fn beside<T: Send + 'static>(
    name: &str,
    waker: &Waker,
    work: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<Receiver<T>> {
    let (sender, found) = channel();
    let waker = waker.clone();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            let _ = sender.send(work());
            waker.wake();
        })?;
    Ok(found)
}

/// A preview of one sentence.
fn said(role: StyleRole, text: impl Into<String>) -> Preview {
    Preview {
        about: vec![Entry::default().then(role, text.into())],
        claims: Vec::new(),
    }
}

/// The preview of the tutorial.
fn of_tutorial() -> Preview {
    let say = |role, text: String| Entry::default().then(role, text);
    let mut about = vec![
        say(StyleRole::Title, "New here? Begin with this.".to_owned()),
        say(
            StyleRole::Text,
            "You sit in each seat of a real debate in turn, and are told what is asked, why the \
             rules are so and what pays. Then the same liar meets two sets of rules."
                .to_owned(),
        ),
        say(StyleRole::Faint, "debate-tui tutorial".to_owned()),
        Entry::default(),
    ];
    let lessons = course::titles().zip(1..);
    about.extend(lessons.map(|(title, n)| say(StyleRole::Text, format!("{n}. {title}"))));
    about.push(Entry::default());
    let told = "It can be left at any time, and goes on there.";
    about.push(say(StyleRole::Faint, told.to_owned()));
    Preview {
        about,
        claims: Vec::new(),
    }
}

fn scenarios() -> Vec<HomeItem<HomeTarget>> {
    let item = |listing: debate_lab::setup::BundledScenario| HomeItem {
        title: listing.title,
        value: listing.name.to_owned(),
        what: HomeTarget::Scenario(listing.name.to_owned()),
    };
    debate_lab::setup::bundled().into_iter().map(item).collect()
}

fn item(save: &SaveListing) -> HomeItem<HomeTarget> {
    let path = save.path.clone();
    let coach = save.header.as_ref().and_then(coach);
    let mut title = save.title.clone().unwrap_or_else(|| file_name(&save.path));
    if let Some(coach) = coach {
        title = format!("{}: {title}", coach.place());
    }
    let what = match save.condition {
        SaveCondition::Unfinished => HomeTarget::Unfinished(path, coach),
        _ => HomeTarget::Finished(path),
    };
    HomeItem {
        title,
        value: relative_time(save.modified),
        what,
    }
}

/// The coach of a debate that was kept, where it is a lesson's.
fn coach(header: &Header) -> Option<Coach> {
    Coach::of(&header.scenario, &header.seed, &header.players)
}

fn file_name(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Shows what can be opened.
pub(super) fn home(app: &mut AppContext, page: HomePage) -> Result<Transition, Failure> {
    let mut library = HomeLibrary::open(
        &app.options.keeping,
        &app.options.debate.limits,
        app.waker(),
    )?;
    let keys = app.keys();
    let mut home = Home::new(&mut library, &keys, page.marked.as_ref());
    if let Some(words) = page.said {
        home.say(words);
    }
    let opened = app.show(&mut home)?;
    if let Some(error) = library.failed {
        return Err(Failure::system(error));
    }
    let marked = page.marked;
    let (target, how) = match opened {
        HomeOutcome::Quit => return Ok(Transition::back()),
        HomeOutcome::Settings => return Ok(Transition::Open(AppPage::Settings { marked })),
        HomeOutcome::Removed(target, marked) => {
            let said = match remove(&target) {
                Ok(()) => "It is deleted.".to_owned(),
                Err(error) => format!("It is not deleted: {error}."),
            };
            let said = Some(said);
            return Ok(Transition::Open(AppPage::Home(HomePage { marked, said })));
        }
        HomeOutcome::HomeItem(target) => (target, OpenMode::Plain),
        HomeOutcome::Arranged(target) => (target, OpenMode::Arranged),
        HomeOutcome::Compared(target) => (target, OpenMode::Compared),
        HomeOutcome::Watched(target) => (target, OpenMode::Watched),
    };
    let below = AppPage::Home(HomePage {
        marked: Some(target.clone()),
        said: None,
    });
    let next = AppPage::Target { target, how };
    Ok(Transition::OpenOver { next, below })
}

fn remove(target: &HomeTarget) -> Result<(), RecordError> {
    match target {
        HomeTarget::Tutorial | HomeTarget::Scenario(_) => Ok(()),
        HomeTarget::Unfinished(path, _) | HomeTarget::Finished(path) => delete(path),
    }
}

/// Opens what was picked.
pub(super) fn open(
    app: &mut AppContext,
    target: HomeTarget,
    how: OpenMode,
) -> Result<Transition, Failure> {
    use HomeTarget::{Finished, Scenario, Tutorial, Unfinished};
    let keeping = app.options.keeping.clone();
    let play = |start, tutor| {
        AppPage::from(PlayPage {
            tutor,
            ..PlayPage::new(start, keeping.clone())
        })
    };
    Ok(Transition::Open(match (target, how) {
        (Scenario(name), OpenMode::Compared) => AppPage::Compare(ComparePage {
            plans: ComparisonSource::Scenario(name),
            course: None,
        }),
        (Scenario(name), OpenMode::Arranged) => {
            let Some(plan) = plan(app, name)? else {
                return Ok(Transition::back());
            };
            AppPage::Lobby {
                plan: Box::new(plan),
                watches: app.options.debate.roles.contains(&None),
            }
        }
        (Scenario(name), OpenMode::Plain) => {
            let Some(plan) = plan(app, name)? else {
                return Ok(Transition::back());
            };
            // A scenario that seats people itself needs no question.
            if plan.players.iter().any(Spec::is_human) {
                play(DebateStart::New(plan), None)
            } else {
                AppPage::Seat {
                    plan: Box::new(plan),
                    played: None,
                    keeping,
                }
            }
        }
        (Tutorial, OpenMode::Plain | OpenMode::Arranged) => {
            AppPage::Tutorial(Course::open(&keeping, None)?)
        }
        (Unfinished(path, Some(coach)), OpenMode::Plain) => {
            let course = Course::open(&keeping, None)?;
            if course.is_at(&path) {
                AppPage::Tutorial(course)
            } else {
                play(DebateStart::Kept(path), Some(Tutor::Standalone(coach)))
            }
        }
        (Unfinished(path, None), OpenMode::Plain) => play(DebateStart::Kept(path), None),
        (
            Unfinished(path, _) | Finished(path),
            OpenMode::Plain | OpenMode::Arranged | OpenMode::Watched,
        ) => {
            let wanted = path.clone();
            let read = app.wait_for("The save is being read", move |_| {
                Save::read_leniently(&wanted, &Limits::default())
            })?;
            let Some(read) = read else {
                return Ok(Transition::back());
            };
            let named = |error| Failure::input(format!("{}: {error}", path.display()));
            let read = read.map_err(named)?;
            let page = ReplayPage::of_save(&path, read, (None, Audience::Players), keeping);
            AppPage::Replay(Box::new(page))
        }
        (Scenario(_) | Tutorial, OpenMode::Watched)
        | (Tutorial | Unfinished(..) | Finished(_), OpenMode::Compared) => {
            return Ok(Transition::back());
        }
    }))
}

/// Reads a scenario beside the screen. `None`: the user does not want to wait.
fn plan(app: &mut AppContext, name: String) -> Result<Option<DebatePlan>, Failure> {
    let options = app.options.debate.clone();
    app.wait_for("The scenario is being read", move |_| options.plan(&name))?
        .transpose()
}
