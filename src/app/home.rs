//! `debate-tui` alone: a home from which everything is opened, and to which it comes back.

mod ago;
mod claims;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use super::Failure;
use super::context::AppContext;
use super::course::{self, Course};
use super::matchup::is_comparable;
use super::page::{
    ComparePage, Compared, HomePage, HomeTarget, Next, Opening, Page, PlayPage, ReplayPage, SeenBy,
    Start, Tutor,
};
use super::plan::Keeping;
use crate::tui::actions::Facts;
use crate::tui::coach::Coach;
use crate::tui::input::Waker;
use crate::tui::panel::scroll::Entry;
use crate::tui::screen::{Book, Home, Library, Opened, Preview, Screen as _, Shelf, keys};
use crate::tui::theme::Role;
use ago::ago;
use claims::claims;
use debate_core::player::{Spec, bare};
use debate_core::protocol::Seat;
use debate_core::text::safe;
use debate_lab::record::{
    Condition, Header, Listing, RecordError, Save, delete, latest, recent, utc,
};
use debate_lab::setup::{Limits, Setup};

const UNFINISHED: &str = "Unfinished debates";
const FINISHED: &str = "Debates that were played";
/// How long the first frame waits for the saves.
const AT_ONCE: Duration = Duration::from_millis(1);
/// Saves that are shown.
const SAVES: usize = 200;

/// What stands on the shelves.
struct SavedAndBundled {
    shelves: Vec<Shelf<HomeTarget>>,
    saves: Vec<Listing>,
    /// Where the saves come from while they are being read.
    reading: Option<Receiver<Result<Vec<Listing>, RecordError>>>,
    /// Why the saves cannot be read.
    failed: Option<RecordError>,
    limits: Limits,
    /// Whether the scenario that was looked at last can be debated under both usual rules.
    comparable: bool,
}

impl SavedAndBundled {
    fn open(keeping: &Keeping, limits: &Limits, waker: Waker) -> Result<Self, Failure> {
        let folder = keeping.folder()?;
        let files = recent(&folder).into_iter().filter_map(|path| {
            let name = path.to_str()?.to_owned();
            let title = path.file_name()?.to_string_lossy().into_owned();
            let what = HomeTarget::Scenario(name);
            let value = String::new();
            Some(Book { title, value, what })
        });
        let shelf = |heading: &str, books: Vec<Book<HomeTarget>>| Shelf {
            heading: heading.to_owned(),
            books,
        };
        let lessons = Book {
            title: format!("Tutorial: {}", course::how_far(&folder)),
            value: String::new(),
            what: HomeTarget::Tutorial,
        };
        let shelves = vec![
            shelf("Start here", vec![lessons]),
            shelf(UNFINISHED, Vec::new()),
            shelf("Scenarios", scenarios()),
            shelf("Files opened lately", files.collect()),
            shelf(FINISHED, Vec::new()),
        ];
        let (sender, reading) = channel();
        std::thread::Builder::new()
            .name("saves".to_owned())
            .spawn(move || {
                // Nobody listens any more where home was left.
                let _ = sender.send(latest(&folder, SAVES));
                waker.wake();
            })?;
        let mut books = Self {
            shelves,
            saves: Vec::new(),
            reading: Some(reading),
            failed: None,
            limits: limits.clone(),
            comparable: false,
        };
        // A few saves are read at once, and then nothing moves on the screen.
        let read = books.reading.as_ref();
        if let Some(read) = read.and_then(|reading| reading.recv_timeout(AT_ONCE).ok()) {
            books.shelve(read);
        }
        Ok(books)
    }

    /// Puts the saves that were read on their shelves.
    fn shelve(&mut self, read: Result<Vec<Listing>, RecordError>) {
        self.reading = None;
        match read {
            Ok(saves) => self.saves = saves,
            Err(error) => self.failed = Some(error),
        }
        for (heading, condition) in [
            (UNFINISHED, Condition::Unfinished),
            (FINISHED, Condition::Finished),
        ] {
            let kept = self.saves.iter().filter(|save| save.condition == condition);
            let mut shelves = self.shelves.iter_mut();
            if let Some(shelf) = shelves.find(|shelf| shelf.heading == heading) {
                shelf.books = kept.map(book).collect();
            }
        }
    }

    fn of_scenario(&mut self, name: &str) -> Preview {
        self.comparable = false;
        let setup = match Setup::find(name, &self.limits) {
            Ok(setup) => setup,
            Err(error) => {
                let told = Entry::default().then(Role::Warning, safe(&error.to_string()));
                return Preview {
                    about: vec![told],
                    claims: Vec::new(),
                };
            }
        };
        let instance = setup.instance(setup.asked_world().unwrap_or(0));
        self.comparable = is_comparable(&setup);
        let mut about = vec![
            Entry::default().then(Role::Title, setup.title.clone()),
            Entry::default().then(Role::Text, setup.about.clone()),
            Entry::default().then(Role::Faint, format!("debate-tui {}", safe(name))),
            Entry::default(),
        ];
        let fact = |label: &str, text: String| {
            let label = Entry::default().then(Role::Title, format!("{label}: "));
            label.then(Role::Faint, text)
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
        Preview {
            about,
            claims: claims(&instance),
        }
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
        say(Role::Title, title);
        if let Some(header) = &save.header {
            say(Role::Text, format!("Rules: {}", header.protocol));
            let over = save.condition != Condition::Unfinished;
            let players = header.players.each_ref().map(|name| match name.as_str() {
                name if over => name,
                "human" => "human",
                _ if header.blind => "not told",
                name => bare(name),
            });
            say(Role::Text, format!("Players: {}", players.join(", ")));
            say(Role::Text, format!("Seed: {}", header.seed.as_str()));
        }
        say(
            Role::Text,
            format!(
                "Last written: {} ({})",
                ago(save.modified),
                utc(save.modified)
            ),
        );
        let told = match save.condition {
            Condition::Unfinished => "It is not finished: it can be gone on with, or replayed.",
            _ => "It is over: it can be replayed.",
        };
        if let Some(coach) = save.header.as_ref().and_then(coach) {
            say(Role::Text, format!("{} of the tutorial", coach.place()));
        }
        say(Role::Faint, told.to_owned());
        say(Role::Faint, format!("Kept as {}", path.display()));
        preview
    }
}

impl Library for SavedAndBundled {
    type Book = HomeTarget;

    fn shelves(&self) -> &[Shelf<HomeTarget>] {
        &self.shelves
    }

    fn take_in(&mut self) -> bool {
        let Some(reading) = &self.reading else {
            return false;
        };
        match reading.try_recv() {
            Ok(read) => self.shelve(read),
            Err(TryRecvError::Empty) => return false,
            Err(TryRecvError::Disconnected) => self.reading = None,
        }
        true
    }

    fn preview(&mut self, book: &HomeTarget) -> Preview {
        match book {
            HomeTarget::Tutorial => of_tutorial(),
            HomeTarget::Scenario(name) => self.of_scenario(name),
            HomeTarget::Unfinished(path, _) | HomeTarget::Finished(path) => self.of_save(path),
        }
    }

    fn facts(&self, book: &HomeTarget) -> Facts {
        match book {
            HomeTarget::Tutorial => Facts::NONE,
            HomeTarget::Scenario(_) => keys::COMPARABLE.only_if(self.comparable),
            HomeTarget::Unfinished(..) | HomeTarget::Finished(_) => keys::READABLE,
        }
    }
}

/// What the tutorial is.
fn of_tutorial() -> Preview {
    let say = |role, text: String| Entry::default().then(role, text);
    let mut about = vec![
        say(Role::Title, "New here? Begin with this.".to_owned()),
        say(
            Role::Text,
            "You sit in each seat of a real debate in turn, and are told what is asked, why the \
             rules are so and what pays. Then the same liar meets two sets of rules."
                .to_owned(),
        ),
        say(Role::Faint, "debate-tui tutorial".to_owned()),
        Entry::default(),
    ];
    let lessons = course::titles().zip(1..);
    about.extend(lessons.map(|(title, n)| say(Role::Text, format!("{n}. {title}"))));
    about.push(Entry::default());
    let told = "It can be left at any time, and goes on there.";
    about.push(say(Role::Faint, told.to_owned()));
    Preview {
        about,
        claims: Vec::new(),
    }
}

fn scenarios() -> Vec<Book<HomeTarget>> {
    let book = |listing: debate_lab::setup::Listing| Book {
        title: listing.title,
        value: listing.name.to_owned(),
        what: HomeTarget::Scenario(listing.name.to_owned()),
    };
    debate_lab::setup::bundled().into_iter().map(book).collect()
}

fn book(save: &Listing) -> Book<HomeTarget> {
    let path = save.path.clone();
    let coach = save.header.as_ref().and_then(coach);
    let mut title = save.title.clone().unwrap_or_else(|| file_name(&save.path));
    if let Some(coach) = coach {
        title = format!("{}: {title}", coach.place());
    }
    let what = match save.condition {
        Condition::Unfinished => HomeTarget::Unfinished(path, coach),
        _ => HomeTarget::Finished(path),
    };
    Book {
        title,
        value: ago(save.modified),
        what,
    }
}

/// Who explains a debate that was kept, where it is a lesson's.
fn coach(header: &Header) -> Option<Coach> {
    Coach::of(&header.scenario, &header.seed, &header.players)
}

fn file_name(path: &std::path::Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Shows what can be opened.
pub(super) fn home(app: &mut AppContext, page: HomePage) -> Result<Next, Failure> {
    let mut library = SavedAndBundled::open(
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
        Opened::Quit => return Ok(Next::back()),
        Opened::Settings => return Ok(Next::Open(Page::Settings { marked })),
        Opened::Removed(target, marked) => {
            let said = match remove(&target) {
                Ok(()) => "It is deleted.".to_owned(),
                Err(error) => format!("It is not deleted: {error}."),
            };
            let said = Some(said);
            return Ok(Next::Open(Page::Home(HomePage { marked, said })));
        }
        Opened::Book(target) => (target, Opening::Plain),
        Opened::Arranged(target) => (target, Opening::Arranged),
        Opened::Compared(target) => (target, Opening::Compared),
        Opened::Watched(target) => (target, Opening::Watched),
    };
    let below = Page::Home(HomePage {
        marked: Some(target.clone()),
        said: None,
    });
    let next = Page::Target { target, how };
    Ok(Next::OpenOver { next, below })
}

fn remove(target: &HomeTarget) -> Result<(), RecordError> {
    match target {
        HomeTarget::Tutorial | HomeTarget::Scenario(_) => Ok(()),
        HomeTarget::Unfinished(path, _) | HomeTarget::Finished(path) => delete(path),
    }
}

/// Opens what was picked.
pub(super) fn open(app: &AppContext, target: HomeTarget, how: Opening) -> Result<Next, Failure> {
    use HomeTarget::{Finished, Scenario, Tutorial, Unfinished};
    let keeping = app.options.keeping.clone();
    let play = |start, tutor| {
        let keeping = keeping.clone();
        Page::Play(Box::new(PlayPage {
            start,
            keeping,
            tutor,
        }))
    };
    Ok(Next::Open(match (target, how) {
        (Scenario(name), Opening::Compared) => Page::Compare(ComparePage {
            plans: Compared::Scenario(name),
            course: None,
        }),
        (Scenario(name), Opening::Arranged) => Page::Lobby {
            plan: Box::new(app.options.debate.plan(&name)?),
            watches: app.options.debate.roles.contains(&None),
        },
        (Scenario(name), Opening::Plain) => {
            let plan = app.options.debate.plan(&name)?;
            // Where the scenario itself seats people there is nothing to ask.
            if plan.players.iter().any(Spec::is_human) {
                play(Start::New(plan), None)
            } else {
                Page::Seat {
                    plan: Box::new(plan),
                    standing: None,
                    keeping,
                }
            }
        }
        (Tutorial, Opening::Plain | Opening::Arranged) => {
            Page::Tutorial(Course::open(&keeping, None)?)
        }
        (Unfinished(path, Some(coach)), Opening::Plain) => {
            let course = Course::open(&keeping, None)?;
            if course.is_at(&path) {
                Page::Tutorial(course)
            } else {
                play(Start::Kept(path), Some(Tutor::Apart(coach)))
            }
        }
        (Unfinished(path, None), Opening::Plain) => play(Start::Kept(path), None),
        (
            Unfinished(path, _) | Finished(path),
            Opening::Plain | Opening::Arranged | Opening::Watched,
        ) => {
            let read = Save::read_to_show(&path, &Limits::default());
            let named = |error| Failure::input(format!("{}: {error}", path.display()));
            let read = read.map_err(named)?;
            let page = ReplayPage::of_save(&path, read, (None, SeenBy::Players), keeping);
            Page::Replay(Box::new(page))
        }
        (Scenario(_) | Tutorial, Opening::Watched)
        | (Tutorial | Unfinished(..) | Finished(_), Opening::Compared) => return Ok(Next::back()),
    }))
}
