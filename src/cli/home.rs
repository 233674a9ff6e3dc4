//! `debate-tui` alone: a home from which everything is opened, and to which it comes back.

mod ago;
mod claims;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use super::compare;
use super::plan::Plan;
use super::screen::{self, Stage};
use super::settings;
use super::{Failure, KeepingArgs, PlayArgs, Role as Sits, tutorial};
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
use debate_lab::record::{Condition, Header, Listing, RecordError, delete, latest, recent, utc};
use debate_lab::setup::{Limits, Setup};

const UNFINISHED: &str = "Unfinished debates";
const FINISHED: &str = "Debates that were played";
/// How long the first frame waits for the saves.
const AT_ONCE: Duration = Duration::from_millis(1);
/// Saves that are shown.
const SAVES: usize = 200;

/// What can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// The tutorial.
    Tutorial,
    /// A scenario, by name or path.
    Scenario(String),
    /// A debate that goes on, with who explains it where it is a lesson's.
    Unfinished(PathBuf, Option<Coach>),
    /// A debate that was played.
    Finished(PathBuf),
}

/// What stands on the shelves.
struct Books {
    shelves: Vec<Shelf<What>>,
    saves: Vec<Listing>,
    /// Where the saves come from while they are being read.
    reading: Option<Receiver<Result<Vec<Listing>, RecordError>>>,
    /// Why the saves cannot be read.
    failed: Option<RecordError>,
    limits: Limits,
    /// Whether the scenario that was looked at last can be debated under both usual rules.
    comparable: bool,
}

impl Books {
    fn open(keeping: &KeepingArgs, limits: &Limits, waker: Waker) -> Result<Self, Failure> {
        let system = |error: debate_lab::record::RecordError| Failure::System(error.to_string());
        let folder = debate_lab::record::folder(keeping.saves.as_deref()).map_err(system)?;
        let files = recent(&folder).into_iter().filter_map(|path| {
            let name = path.to_str()?.to_owned();
            let title = path.file_name()?.to_string_lossy().into_owned();
            let what = What::Scenario(name);
            let value = String::new();
            Some(Book { title, value, what })
        });
        let shelf = |heading: &str, books: Vec<Book<What>>| Shelf {
            heading: heading.to_owned(),
            books,
        };
        let lessons = Book {
            title: format!("Tutorial: {}", tutorial::how_far(&folder)),
            value: String::new(),
            what: What::Tutorial,
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
        self.comparable = compare::is_comparable(&setup);
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

impl Library for Books {
    type Book = What;

    fn shelves(&self) -> &[Shelf<What>] {
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

    fn preview(&mut self, book: &What) -> Preview {
        match book {
            What::Tutorial => of_tutorial(),
            What::Scenario(name) => self.of_scenario(name),
            What::Unfinished(path, _) | What::Finished(path) => self.of_save(path),
        }
    }

    fn facts(&self, book: &What) -> Facts {
        match book {
            What::Tutorial => Facts::NONE,
            What::Scenario(_) => keys::COMPARABLE.only_if(self.comparable),
            What::Unfinished(..) | What::Finished(_) => keys::READABLE,
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
    let lessons = tutorial::titles().zip(1..);
    about.extend(lessons.map(|(title, n)| say(Role::Text, format!("{n}. {title}"))));
    about.push(Entry::default());
    let told = "It can be left at any time, and goes on there.";
    about.push(say(Role::Faint, told.to_owned()));
    Preview {
        about,
        claims: Vec::new(),
    }
}

fn scenarios() -> Vec<Book<What>> {
    let book = |listing: debate_lab::setup::Listing| Book {
        title: listing.title,
        value: listing.name.to_owned(),
        what: What::Scenario(listing.name.to_owned()),
    };
    debate_lab::setup::bundled().into_iter().map(book).collect()
}

fn book(save: &Listing) -> Book<What> {
    let path = save.path.clone();
    let coach = save.header.as_ref().and_then(coach);
    let mut title = save.title.clone().unwrap_or_else(|| file_name(&save.path));
    if let Some(coach) = coach {
        title = format!("{}: {title}", coach.place());
    }
    let what = match save.condition {
        Condition::Unfinished => What::Unfinished(path, coach),
        _ => What::Finished(path),
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

/// Opens home and whatever is picked there, until the user leaves.
pub(super) fn home(args: &PlayArgs) -> Result<(), Failure> {
    let mut stage = Stage::open(&args.display)?;
    let mut marked = None;
    let mut said = None;
    loop {
        let mut books = Books::open(&args.keeping, &args.limits.limits(), stage.waker())?;
        let opened = {
            let keys = stage.keys();
            let mut home = Home::new(&mut books, &keys, marked.as_ref());
            if let Some(words) = said.take() {
                home.say(words);
            }
            stage.show(&mut home)?
        };
        if let Some(error) = books.failed {
            return Err(Failure::System(error.to_string()));
        }
        let (book, done) = match opened {
            Opened::Quit => return stage.close(),
            Opened::Settings => {
                let path = args.display.preferences.path.as_deref();
                said = match settings::change(&mut stage, path) {
                    Ok(told) => told,
                    Err(Failure::Input(why) | Failure::System(why)) => Some(why),
                    Err(other) => return Err(other),
                };
                continue;
            }
            Opened::Book(book) => {
                let done = open(&mut stage, args, &book, false);
                (book, done)
            }
            Opened::Arranged(book) => {
                let done = open(&mut stage, args, &book, true);
                (book, done)
            }
            Opened::Compared(book) => {
                let done = compared(&mut stage, args, &book);
                (book, done)
            }
            Opened::Removed(book, next) => {
                said = Some(match remove(&book) {
                    Ok(()) => "It is deleted.".to_owned(),
                    Err(error) => format!("It is not deleted: {error}."),
                });
                marked = next;
                continue;
            }
            Opened::Watched(book) => {
                let done = watch(&mut stage, args, &book);
                (book, done)
            }
        };
        marked = Some(book);
        match done {
            Ok(()) => {}
            // What is wrong with one thing is no reason to leave.
            Err(Failure::Input(why) | Failure::System(why)) => said = Some(why),
            Err(other) => return Err(other),
        }
    }
}

fn open(stage: &mut Stage, args: &PlayArgs, book: &What, arrange: bool) -> Result<(), Failure> {
    match book {
        What::Tutorial => tutorial::on_screen(stage, &args.keeping),
        What::Scenario(name) => {
            let mut plan = Plan::of(name, args)?;
            let begins = if arrange {
                screen::arrange(stage, &mut plan, args.role.contains(&Sits::None))?
            } else {
                // Where the scenario itself seats people there is nothing to ask.
                plan.players.iter().any(Spec::is_human) || screen::choose(stage, &mut plan)?
            };
            if begins {
                screen::debates(stage, &mut plan, &args.keeping)?;
            }
            Ok(())
        }
        What::Unfinished(path, Some(coach)) if !arrange => {
            tutorial::lesson_on_screen(stage, &args.keeping, path, *coach)
        }
        What::Unfinished(path, None) if !arrange => {
            super::play::resumed(path, |plan, instance, session| {
                screen::resumed(stage, plan, instance, session).map(drop)
            })
        }
        What::Unfinished(path, _) | What::Finished(path) => watch_file(stage, args, path),
    }
}

fn compared(stage: &mut Stage, args: &PlayArgs, book: &What) -> Result<(), Failure> {
    match book {
        What::Scenario(name) => compare::show(stage, &Plan::of(name, args)?),
        What::Tutorial | What::Unfinished(..) | What::Finished(_) => Ok(()),
    }
}

fn watch(stage: &mut Stage, args: &PlayArgs, book: &What) -> Result<(), Failure> {
    match book {
        What::Tutorial | What::Scenario(_) => Ok(()),
        What::Unfinished(path, _) | What::Finished(path) => watch_file(stage, args, path),
    }
}

fn remove(book: &What) -> Result<(), RecordError> {
    match book {
        What::Tutorial | What::Scenario(_) => Ok(()),
        What::Unfinished(path, _) | What::Finished(path) => delete(path),
    }
}

fn watch_file(stage: &mut Stage, args: &PlayArgs, path: &std::path::Path) -> Result<(), Failure> {
    super::saves::read(path, |setup, instance, save| {
        screen::replayed(
            stage,
            setup,
            instance,
            (path, save),
            (None, None),
            &args.keeping,
        )
    })
}
