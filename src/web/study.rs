//! A study in browsers: each page is a form, and one process serves all participants.
//!
//! A participant who opens their link receives a cookie and sees their current page. An answer is a POST with a token
//! for exactly one page. An answer that arrives twice, from two windows or after going back, counts once. It is saved
//! on disk before the next page is shown. A visitor who is not invited always gets the same sentence after the same
//! delay, so that the response reveals no reason.

mod dashboard;
mod html;
mod links;
mod media;
mod preview;
mod routes;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;

use super::WebOptions;
use super::address_limits::{
    ConcurrentUsesPerVisitor, NewVisitorRateLimiter, VisitorAddress, VisitorCountGuard,
    limit_per_address,
};
use crate::app::REPLY_DELAY;
use debate_host::plan::ExternalPlayerOptions;
use debate_study::{
    CodeOrAddressByOutcome, ParticipantInput, ProgramsDebatingParticipants, RecruitmentReference,
    RunningStudySession, SessionClock, Study, StudyError, StudyPlan, StudySessionPage,
    WaitingRoomAndGroups, completion_codes, end_expired_sessions,
    end_sessions_closed_by_experimenter, id_of_signed_link_participant, last_page_without_session,
    start_or_resume_on_server,
};
use html::{BrowserStudyPage, PageForm, multilingual_page_of_wording, render_page};
use links::StudyLinkParams;

pub use dashboard::Dashboard;
pub(super) use dashboard::dashboard_routes;
pub use links::{LinkSigningKey, is_valid_participant_name};
pub use preview::StudyPreview;
pub(super) use preview::preview_routes;
pub(super) use routes::study_service;

/// Name of the wording for a visitor without a valid link and without the cookie of a session.
const REFUSED: &str = "unknown link";
/// Name of the wording for a visitor whose session was begun in another browser.
const ELSEWHERE: &str = "other browser";
/// Name of the wording for a visitor if there is no room, or if too many arrive at once.
const BUSY: &str = "too many visitors";
/// Name of the wording after an error of the system that may pass, such as too many open files.
const PASSING: &str = "server fault";
/// Name of the wording while the experimenter has paused recruiting.
const NOT_RECRUITING: &str = "recruiting paused";

/// Minimum delay of every refusal, so that the response time does not reveal the reason.
const REFUSAL: Duration = Duration::from_secs(1);
/// The fraction (1/n) of all sessions that one address may have, if `WebLimits::per_address` is not set.
const SESSION_PARTS: usize = 4;
/// The time after its last request before an idle session may be closed to make room for another one.
const FRESH: Duration = Duration::from_secs(30);

/// A study and its current participants.
pub struct StudySite {
    study: &'static Study,
    codes: CodeOrAddressByOutcome,
    /// The groups of participants who debate with each other; `None` if the study has none.
    groups: Option<&'static WaitingRoomAndGroups>,
    /// The programs that debate with participants; `None` if the study has none.
    programs: Option<&'static ProgramsDebatingParticipants>,
    key: LinkSigningKey,
    /// The address of the link on a session's last page; in it, `{code}` is replaced by the completion code. A return
    /// address in the study file overrides it. `None` if the page needs no such link.
    redirect: Option<String>,
    /// The entries of participants' sessions, by the ids of the participants.
    entries: Mutex<HashMap<String, Arc<Mutex<SessionEntry>>>>,
    allowances: Mutex<NewVisitorRateLimiter>,
    address_limits: Arc<ConcurrentUsesPerVisitor>,
    max_sessions: usize,
    reconnect_time: Duration,
    /// True if a connection was refused since the last report to the groups. It may have been a participant's
    /// connection.
    refused: Arc<AtomicBool>,
}

/// A participant's entry in the list of sessions. The session is opened when the participant arrives, closed when they
/// are away, and resumed from its log.
struct SessionEntry {
    open: Option<OpenSession>,
    used: Instant,
    /// The session's unit in the count of its address, held until this entry is dropped.
    _share: VisitorCountGuard,
}

struct OpenSession {
    live: RunningStudySession<'static>,
    clock: SessionClock,
    /// A message that the next page shows once. It is stored here because every form is answered by a redirect, so that
    /// the Back button always leads to a page.
    once: Option<FlashMessage>,
}

/// A page or message that a participant is shown once.
enum FlashMessage {
    /// The reason why a participant's answer was refused, with the number of its page and the typed text.
    Refused {
        number: u64,
        why: String,
        typed: String,
    },
    /// The page for a participant who has paused the session, shown once.
    Paused,
}

/// A request of a participant.
struct Visit {
    query_parameters: Vec<(String, String)>,
    /// The cookie that the participant's browser sent.
    browser_cookie: Option<String>,
    /// The fields of the submitted form.
    form: Option<Vec<(String, String)>>,
    address: Option<VisitorAddress>,
}

/// The result of checking a participant's link.
enum Admission {
    /// The link is valid: it is the signed link, or the link that replaces it in another browser.
    ByLink,
    /// The link is valid: the participant's name is on the list of invited participants.
    Invited,
    /// The link is refused. The value is the name of the wording for the participant.
    Refused(&'static str),
}

/// The response to a participant's request.
struct StudyResponse {
    status: StatusCode,
    html: String,
    /// The address to which the response redirects, if any.
    location: Option<&'static str>,
    /// The cookie that the response sets in the browser, if any.
    new_cookie: Option<String>,
    /// Minimum delay between the request and its response. It hides the reason for a refusal; on paced pages, it hides
    /// whether a person or a program plays another seat.
    after: Duration,
}

impl StudyResponse {
    fn page(status: StatusCode, html: String) -> Self {
        Self {
            status,
            html,
            location: None,
            new_cookie: None,
            after: Duration::ZERO,
        }
    }

    /// Returns a refusal with the wording `name`, in the language of each of these studies.
    fn refused(status: StatusCode, studies: &[&Study], name: &str) -> Self {
        Self {
            after: REFUSAL,
            ..Self::page(status, multilingual_page_of_wording(studies, name))
        }
    }

    fn onward(location: &'static str) -> Self {
        Self {
            location: Some(location),
            ..Self::page(StatusCode::SEE_OTHER, String::new())
        }
    }
}

impl Visit {
    fn field(&self, name: &str) -> Option<&str> {
        let mut fields = self.form.iter().flatten();
        let found = fields.find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the participant's answer in the submitted form.
    fn input(&self) -> ParticipantInput {
        if self.field("leave").is_some() {
            return ParticipantInput::Leave;
        }
        let choice = self.field("choice").and_then(|it| it.parse().ok());
        let text = self.field("percent").or_else(|| self.field("text"));
        match (choice, text) {
            (Some(choice), _) => ParticipantInput::Choice(choice),
            // Browsers end lines with CRLF.
            (None, Some(text)) => ParticipantInput::Text(text.replace("\r\n", "\n")),
            (None, None) => ParticipantInput::Next,
        }
    }

    /// Returns the active time that the page's script counted; `None` if the browser ran no script.
    fn active(&self) -> Option<Duration> {
        let ms = self.field("active")?.parse().ok()?;
        Some(Duration::from_millis(ms))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves the data behind these locks consistent, because every change is a single step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StudySite {
    /// Creates the server state of a study, which stays in memory until the process ends.
    ///
    /// # Errors
    /// Returns an error if another process holds the study's groups, or if programs may not be run.
    pub fn new(
        study: Study,
        key: LinkSigningKey,
        redirect: Option<String>,
        engines: ExternalPlayerOptions,
        options: &WebOptions,
    ) -> Result<Self, StudyError> {
        let limits = options.limits;
        let share = |all: usize| {
            limits
                .per_address
                .unwrap_or_else(|| limit_per_address(all, SESSION_PARTS))
        };
        let per_minute = limits.new_per_minute;
        let share_of_minute = share(usize::try_from(per_minute).unwrap_or(usize::MAX));
        let study: &'static Study = Box::leak(Box::new(study));
        let groups = WaitingRoomAndGroups::open_groups_of_study(study)?;
        let programs = ProgramsDebatingParticipants::prepare_for_study(study, engines)?;
        Ok(Self {
            codes: completion_codes(study),
            groups: groups.map(|groups| &*Box::leak(Box::new(groups))),
            programs: programs.map(|programs| &*Box::leak(Box::new(programs))),
            study,
            key,
            redirect,
            entries: Mutex::default(),
            allowances: Mutex::new(NewVisitorRateLimiter::new(
                per_minute,
                share_of_minute,
                &study.folder.time,
            )),
            address_limits: ConcurrentUsesPerVisitor::new(share(limits.visitors)),
            max_sessions: limits.visitors,
            reconnect_time: limits.reconnect_time,
            refused: Arc::default(),
        })
    }

    fn respond(&self, visit: &Visit) -> StudyResponse {
        if visit.form.is_none() && StudyLinkParams::has_participant_name(&visit.query_parameters) {
            return self.respond_to_link(visit);
        }
        let cookie = visit.browser_cookie.as_deref();
        let known = cookie.and_then(|cookie| self.key.participant_id_of_signed_cookie(cookie));
        let session = |id: &String| self.study.folder.session_of_participant(id);
        let (id, session) = match known.map(|id| session(&id).map(|session| (id, session))) {
            Some(Ok((id, Some(session)))) => (id, session),
            // No session has begun under this id, or its participant asked to be forgotten.
            Some(Ok((_, None))) | None => {
                return self.refusal(visit, StatusCode::FORBIDDEN, REFUSED);
            }
            Some(Err(error)) => return self.failure_page(visit, &error),
        };
        let seat = self.entry(&id, visit.address);
        let turn = self.respond_in_session(&mut locked(&seat), &id, &session, visit);
        turn.unwrap_or_else(|error| {
            if error.is_transient()
                && let Some(groups) = self.groups
            {
                groups.restart_limits_after_server_error(self.study, &session);
            }
            self.failure_page(visit, &error)
        })
    }

    /// Returns the response to a participant whose session has begun.
    fn respond_in_session(
        &self,
        seat: &mut SessionEntry,
        id: &str,
        session: &str,
        visit: &Visit,
    ) -> Result<StudyResponse, StudyError> {
        let open = seat
            .open
            .take()
            .filter(|open| open.live.session_name() == session);
        let mut open = open.map_or_else(|| self.open(id), Ok)?;
        let was_over = open.live.current_page().is_session_over();
        let shows_pause = matches!(open.once, Some(FlashMessage::Paused));
        if visit.form.is_none() && !shows_pause {
            open.live.end_participant_pause();
        }
        open.refresh_from_group()?;
        // Actions or time limits of the group ended the session meanwhile.
        let has_ended = !was_over && open.live.current_page().is_session_over();
        let turn = match visit.form {
            None => self.current_page_with_message(&mut open),
            Some(_) if has_ended => StudyResponse::onward("./#new"),
            Some(_) => self.answer(&mut open, visit)?,
        };
        seat.open = Some(open);
        seat.used = self.study.folder.time.monotonic_now();
        Ok(turn)
    }

    /// Handles a visitor who arrives by a link: opens their session and sets the cookie, or refuses them.
    fn respond_to_link(&self, visit: &Visit) -> StudyResponse {
        let browser_cookie = visit.browser_cookie.as_deref();
        let Some(coming) = StudyLinkParams::from_query_parameters(&visit.query_parameters) else {
            return self.refusal(visit, StatusCode::FORBIDDEN, REFUSED);
        };
        let by_link = match self.check_link(&coming, browser_cookie) {
            Ok(Admission::ByLink) => true,
            Ok(Admission::Invited) => false,
            Ok(Admission::Refused(why)) => {
                return self.refusal(visit, StatusCode::FORBIDDEN, why);
            }
            Err(error) => return self.failure_page(visit, &error),
        };
        let id = id_of(&coming.name, by_link);
        let seat = match self.study.folder.session_of_participant(&id) {
            Ok(Some(_)) => self.entry(&id, visit.address),
            Ok(None) => match self.try_new_entry(&id, visit.address) {
                Some(seat) => seat,
                None => return self.refusal(visit, StatusCode::SERVICE_UNAVAILABLE, BUSY),
            },
            Err(error) => return self.failure_page(visit, &error),
        };
        let mut seat = locked(&seat);
        if seat.open.is_none() {
            match self.open(&id) {
                Ok(open) => seat.open = Some(open),
                Err(error) => return self.failure_page(visit, &error),
            }
        }
        seat.used = self.study.folder.time.monotonic_now();
        if let Some((language, open)) = coming.language.as_ref().zip(seat.open.as_mut())
            && let Err(error) = open.choose_language(language)
        {
            return self.failure_page(visit, &error);
        }
        if let Some((study, session)) = coming.recruitment {
            let recruitment = RecruitmentReference { study, session };
            if let Err(error) = self.study.folder.save_recruitment(&id, recruitment) {
                return self.failure_page(visit, &error);
            }
        }
        StudyResponse {
            new_cookie: Some(self.key.participant_cookie(&coming.name, by_link)),
            ..StudyResponse::onward("./")
        }
    }

    /// Checks a link and returns the way in which it admits its participant. An error of the system is returned as an
    /// error, not as a refusal of a valid link.
    fn check_link(
        &self,
        link: &StudyLinkParams,
        browser_cookie: Option<&str>,
    ) -> Result<Admission, StudyError> {
        let folder = &self.study.folder;
        if link.is_from_signed_link(&self.key, browser_cookie) {
            let has_begun =
                folder.session_of_participant(&id_of_signed_link_participant(&link.name))?;
            let is_elsewhere =
                has_begun.is_some() && !link.has_cookie_of_name(&self.key, browser_cookie);
            return Ok(if is_elsewhere {
                Admission::Refused(ELSEWHERE)
            } else {
                Admission::ByLink
            });
        }
        let is_invited = folder.invited_names()?.contains(&link.name) && !link.again;
        Ok(if is_invited {
            Admission::Invited
        } else {
            Admission::Refused(REFUSED)
        })
    }

    /// Returns the entry of a participant whose session has begun. It is never refused, because all limits are on new
    /// sessions.
    fn entry(&self, id: &str, address: Option<VisitorAddress>) -> Arc<Mutex<SessionEntry>> {
        let mut seats = locked(&self.entries);
        if let Some(seat) = seats.get(id) {
            return Arc::clone(seat);
        }
        self.make_room(&mut seats);
        self.new_entry(
            &mut seats,
            id,
            self.address_limits.acquire_unlimited(address),
        )
    }

    /// Returns the entry of a participant whose session begins, and creates it if necessary. `None` if there is no
    /// room, if the address has reached its limit, or if too many sessions begin at once.
    fn try_new_entry(
        &self,
        id: &str,
        address: Option<VisitorAddress>,
    ) -> Option<Arc<Mutex<SessionEntry>>> {
        let mut seats = locked(&self.entries);
        if let Some(seat) = seats.get(id) {
            return Some(Arc::clone(seat));
        }
        self.make_room(&mut seats);
        if seats.len() >= self.max_sessions {
            return None;
        }
        let share = self.address_limits.try_acquire(address)?;
        let may_begin = locked(&self.allowances).allow_new_visitor(address);
        may_begin.then(|| self.new_entry(&mut seats, id, share))
    }

    /// Closes the session whose participant has been idle for the longest time, if there is no room for another one.
    /// A session that was used less than [`FRESH`] ago stays open.
    fn make_room(&self, seats: &mut HashMap<String, Arc<Mutex<SessionEntry>>>) {
        if seats.len() < self.max_sessions {
            return;
        }
        let idle = seats
            .iter()
            .filter_map(|(id, seat)| Some((self.idle_time(seat)?, id)));
        let longest = idle.filter(|(idle, _)| *idle >= FRESH).max();
        if let Some(id) = longest.map(|(_, id)| id.clone()) {
            seats.remove(&id);
        }
    }

    fn new_entry(
        &self,
        seats: &mut HashMap<String, Arc<Mutex<SessionEntry>>>,
        id: &str,
        share: VisitorCountGuard,
    ) -> Arc<Mutex<SessionEntry>> {
        let seat = Arc::new(Mutex::new(SessionEntry {
            open: None,
            used: self.study.folder.time.monotonic_now(),
            _share: share,
        }));
        seats.insert(id.to_owned(), Arc::clone(&seat));
        seat
    }

    /// Returns the time since the participant's last request. `None` if a request is being answered.
    fn idle_time(&self, seat: &Arc<Mutex<SessionEntry>>) -> Option<Duration> {
        let is_free = Arc::strong_count(seat) == 1;
        let seat = seat.try_lock().ok().filter(|_| is_free)?;
        let now = self.study.folder.time.monotonic_now();
        Some(now.saturating_duration_since(seat.used))
    }

    fn open(&self, id: &str) -> Result<OpenSession, StudyError> {
        let (mut live, clock) =
            start_or_resume_on_server(self.study, Some(id), self.codes.clone(), self.groups)?;
        live.set_programs(self.programs);
        let mut open = OpenSession {
            live,
            clock,
            once: None,
        };
        open.answer_size_pages()?;
        Ok(open)
    }

    /// Processes a participant's answer and returns a redirect. If the answer is refused, stores the reason in `open`,
    /// so that the next page shows it.
    fn answer(&self, open: &mut OpenSession, visit: &Visit) -> Result<StudyResponse, StudyError> {
        let plan = open.plan();
        let refused = |open: &mut OpenSession, why: String, typed: &str| {
            open.once = Some(FlashMessage::Refused {
                number: open.live.accepted_answer_count_and_last().0,
                why,
                typed: typed.to_owned(),
            });
            Ok(StudyResponse::onward("./#new"))
        };
        let sentence = |name: &str| plan.filled_text(name, &serde_json::Value::Null);
        let input = visit.input();
        let (number, last) = open.live.accepted_answer_count_and_last();
        let token = visit.field("token").unwrap_or_default();
        match self
            .key
            .page_number_of_signed_token(open.live.session_name(), token)
        {
            Some(page) if page == number => {}
            // The same answer was sent twice.
            Some(page) if page + 1 == number && last == Some(&input) => {
                return Ok(StudyResponse::onward("./#new"));
            }
            Some(_) => return refused(open, sentence("answered"), ""),
            None => return refused(open, sentence("foreign form"), ""),
        }
        let was_paced = open.live.current_page().paced;
        let mut clock = open.clock.clone();
        let now = clock.add_browser_active_time(visit.active());
        if let Some(why) = open.live.answer_at(&input, &now)? {
            let typed = visit.field("percent").or_else(|| visit.field("text"));
            return refused(open, why, typed.unwrap_or_default());
        }
        open.clock = clock;
        open.once = None;
        open.answer_size_pages()?;
        open.refresh_from_group()?;
        if open.live.participant().has_paused_session() {
            open.once = Some(FlashMessage::Paused);
            return Ok(StudyResponse::onward("./"));
        }
        let is_paced = was_paced || open.live.current_page().paced;
        Ok(StudyResponse {
            after: if is_paced {
                REPLY_DELAY
            } else {
                Duration::ZERO
            },
            ..StudyResponse::onward("./#new")
        })
    }

    /// Returns the participant's current page with its pending message, and removes the message.
    fn current_page_with_message(&self, open: &mut OpenSession) -> StudyResponse {
        match open.once.take() {
            Some(FlashMessage::Paused) => pause_page(open),
            Some(FlashMessage::Refused { number, why, typed })
                if number == open.live.accepted_answer_count_and_last().0 =>
            {
                self.current_page(open, Some(why), &typed)
            }
            // The page to which this message belongs was answered meanwhile, so the message is dropped.
            Some(FlashMessage::Refused { .. }) | None => self.current_page(open, None, ""),
        }
    }

    /// Returns the participant's current page.
    fn current_page(
        &self,
        open: &OpenSession,
        notice: Option<String>,
        typed: &str,
    ) -> StudyResponse {
        let live = &open.live;
        let page = live.current_page();
        if page.is_session_over() {
            let code = self
                .codes
                .code_or_address_for_status(live.participant().status());
            return StudyResponse::page(StatusCode::OK, self.last_page(open.plan(), page, code));
        }
        let messages = if page.polls {
            let group = live.first_session_of_group();
            let folder = &self.study.folder;
            folder.messages_for_waiting_participant(live.session_name(), group.as_deref())
        } else {
            Vec::new()
        };
        let form = PageForm {
            action: "./".to_owned(),
            token: Some(
                self.key
                    .form_token(live.session_name(), live.accepted_answer_count_and_last().0),
            ),
            typed,
            leave: (!live.participant().is_leave_page_shown())
                .then(|| self.leave_button_words(open)),
        };
        let again = |plan: &StudyPlan| plan.filled_text("look again", &serde_json::Value::Null);
        let shown = BrowserStudyPage {
            link: page.polls.then(|| ["./".to_owned(), again(open.plan())]),
            page,
            notice,
            messages,
            form: Some(form),
        };
        StudyResponse::page(StatusCode::OK, render_page(open.plan(), &shown))
    }

    /// Returns the words of the button that leaves the study. While the participant chooses a language, the words are
    /// in each language of the study.
    fn leave_button_words(&self, open: &OpenSession) -> String {
        let words = |plan: &StudyPlan| plan.filled_text("leave button", &serde_json::Value::Null);
        if open.live.participant().language_once_known().is_some() {
            return words(open.plan());
        }
        let offered = self.study.offered_languages().iter();
        let studies = offered.filter_map(|it| self.study.in_language(it));
        let mut all: Vec<String> = studies.map(|study| words(&study.plan)).collect();
        all.dedup();
        all.join(" · ")
    }

    /// Returns the last page of a session, with a link back to the recruiting service if there is one.
    fn last_page(&self, plan: &StudyPlan, page: StudySessionPage, code: Option<&str>) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        let code = code.filter(|code| code.chars().all(plain));
        let redirect = self.redirect.as_deref().zip(code);
        let redirect = redirect.map(|(template, code)| template.replace("{code}", code));
        // The study file knows the outcome, so its link is more specific than the redirect of the command.
        let href = page.return_link.clone().or(redirect);
        let link = href.map(|href| {
            let words = plan.filled_text("back", &serde_json::Value::Null);
            [href, words]
        });
        let shown = BrowserStudyPage {
            page,
            link,
            ..BrowserStudyPage::default()
        };
        render_page(plan, &shown)
    }

    /// Returns the study in the participant's language: the language of the open session of the cookie, or else the
    /// language of the link. If neither is known, returns the study in each of its languages.
    fn studies_for(&self, language: Option<&str>, cookie: Option<&str>) -> Vec<&Study> {
        let id = cookie.and_then(|cookie| self.key.participant_id_of_signed_cookie(cookie));
        let entry = id.and_then(|id| locked(&self.entries).get(&id).cloned());
        let of_session = entry.and_then(|entry| {
            let entry = entry.try_lock().ok()?;
            let open = entry.open.as_ref()?;
            open.live
                .participant()
                .language_once_known()
                .map(str::to_owned)
        });
        let language = of_session.as_deref().or(language);
        if let Some(study) = language.and_then(|language| self.study.in_language(language)) {
            return vec![study];
        }
        let offered = self.study.offered_languages().iter();
        let offered: Vec<&Study> = offered
            .filter_map(|it| self.study.in_language(it))
            .collect();
        if offered.is_empty() {
            vec![self.study]
        } else {
            offered
        }
    }

    /// Returns the study in the language of a visit, as [`Self::studies_for`].
    fn studies_of_visit(&self, visit: &Visit) -> Vec<&Study> {
        let mut parameters = visit.query_parameters.iter();
        let language = parameters.find(|(name, _)| name == "lang");
        let language = language.map(|(_, language)| language.as_str());
        self.studies_for(language, visit.browser_cookie.as_deref())
    }

    /// Returns a refusal of a visit with the wording `name`.
    fn refusal(&self, visit: &Visit, status: StatusCode, name: &str) -> StudyResponse {
        StudyResponse::refused(status, &self.studies_of_visit(visit), name)
    }

    /// Returns the page for a participant whose session cannot begin or continue. It names no path or item.
    fn failure_page(&self, visit: &Visit, error: &StudyError) -> StudyResponse {
        if let Some(status) = error.status_of_session_refused_by_error() {
            let study = self.studies_of_visit(visit)[0];
            let page = last_page_without_session(study, status, &self.codes);
            return StudyResponse::page(
                StatusCode::OK,
                self.last_page(
                    &study.plan,
                    page,
                    self.codes.code_or_address_for_status(status),
                ),
            );
        }
        if matches!(error, StudyError::Paused) {
            return self.refusal(visit, StatusCode::SERVICE_UNAVAILABLE, NOT_RECRUITING);
        }
        tracing::error!(%error, "a participant was refused");
        if error.is_transient() {
            return self.refusal(visit, StatusCode::SERVICE_UNAVAILABLE, PASSING);
        }
        let name = match error {
            StudyError::Open => "other window",
            _ => "study fault",
        };
        let html = multilingual_page_of_wording(&self.studies_of_visit(visit), name);
        StudyResponse::page(StatusCode::INTERNAL_SERVER_ERROR, html)
    }

    /// Records for the groups of participants that the study server is running, so that an outage of the server can be
    /// recognised later. If the server refused connections since the last call, the time limits of groups restart,
    /// because members may have been refused.
    fn tick(&self) {
        let Some(groups) = self.groups else {
            return;
        };
        groups.restart_limits_after_outage(self.study);
        if self.refused.swap(false, Ordering::Relaxed) {
            groups.restart_time_limits(self.study);
        }
    }

    /// Saves the time for which the page of each open session is shown, so that a kill of the server does not lose it.
    fn save_shown_times(&self) {
        for seat in locked(&self.entries).values() {
            // A session that is processing an answer saves its time at the next call.
            let Ok(seat) = seat.try_lock() else {
                continue;
            };
            let Some(open) = &seat.open else {
                continue;
            };
            if let Err(error) = open.live.save_or_delete_session_clock(&open.clock) {
                tracing::warn!(%error, "cannot save how long a page was shown");
            }
        }
    }

    /// Ends the sessions that the experimenter closes. A session in which a request is being answered is ended by a
    /// later call.
    fn apply_requests(&self) {
        let closes = || -> Result<Vec<String>, StudyError> {
            let requested = self.study.folder.sessions_with_close_request()?;
            if requested.is_empty() {
                return Ok(requested);
            }
            // An open session holds the lock of its log.
            locked(&self.entries).retain(|_, seat| !is_at(seat, &requested));
            end_sessions_closed_by_experimenter(self.study)
        };
        match closes() {
            Ok(ended) => {
                if let Some(groups) = self.groups {
                    for session in &ended {
                        groups.record_closed_session(session);
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, "cannot close a session at the request of the experimenter");
            }
        }
    }

    /// Closes sessions without recent requests. Ends the sessions of absent group members and those whose time is over.
    fn sweep(&self) {
        let gone = self
            .groups
            .map_or_else(Vec::new, WaitingRoomAndGroups::overdue_sessions);
        let mut closed = Vec::new();
        locked(&self.entries).retain(|_, seat| {
            let stays = self
                .idle_time(seat)
                .is_none_or(|idle| idle < self.reconnect_time)
                && !is_at(seat, &gone);
            if !stays && let Ok(seat) = seat.try_lock() {
                closed.extend(
                    seat.open
                        .as_ref()
                        .map(|open| open.live.session_name().to_owned()),
                );
            }
            stays
        });
        // A page counts as shown only while its session is open.
        for session in closed {
            if let Err(error) = self.study.folder.delete_stored_session_clock(&session) {
                tracing::warn!(%error, "cannot delete the stored time for which a page was shown");
            }
        }
        if let Some(Err(error)) = self
            .groups
            .map(|groups| groups.end_sessions_of_absent_members(self.study))
        {
            tracing::warn!(%error, "cannot end the sessions of absent participants");
        }
        if let Err(error) = end_expired_sessions(self.study) {
            tracing::warn!(%error, "cannot end sessions whose time is over");
        }
    }
}

/// Returns the page for a participant who has paused the session.
fn pause_page(open: &OpenSession) -> StudyResponse {
    let words = open.live.participant().pause_wording();
    let lines = debate_text::text_to_paragraph_lines(&words.text.unwrap_or_default());
    let page = debate_text::HeadedTextPage::new(words.heading.unwrap_or_default(), lines);
    let shown = BrowserStudyPage {
        page: page.into(),
        link: words.ask.map(|ask| ["./".to_owned(), ask]),
        ..BrowserStudyPage::default()
    };
    StudyResponse::page(StatusCode::OK, render_page(open.plan(), &shown))
}

fn id_of(name: &str, by_link: bool) -> String {
    if by_link {
        id_of_signed_link_participant(name)
    } else {
        name.to_owned()
    }
}

/// True if the participant has one of these sessions open and no request of theirs is being answered.
fn is_at(seat: &Arc<Mutex<SessionEntry>>, sessions: &[String]) -> bool {
    let seat = seat.try_lock().ok();
    let open = seat.as_ref().and_then(|seat| seat.open.as_ref());
    open.is_some_and(|open| {
        sessions
            .iter()
            .any(|session| session == open.live.session_name())
    })
}

impl OpenSession {
    /// Applies to this session the actions of other participants since the last call.
    fn refresh_from_group(&mut self) -> Result<(), StudyError> {
        self.live.refresh_from_group(&self.clock.current_times())
    }

    /// Chooses the language that a link names, if none was chosen before.
    fn choose_language(&mut self, language: &str) -> Result<(), StudyError> {
        let now = self.clock.add_browser_active_time(Some(Duration::ZERO));
        self.live.choose_language(language, &now)?;
        self.answer_size_pages()
    }

    /// Returns the study file, translated into the participant's language.
    fn plan(&self) -> &'static StudyPlan {
        &self.live.participant().study().plan
    }

    /// Answers, in the participant's place, pages that ask for a larger window: pages in a browser fit every window.
    fn answer_size_pages(&mut self) -> Result<(), StudyError> {
        let asks_size = |page: &StudySessionPage| {
            let ask = page.page.ask.as_ref();
            ask.is_some_and(|ask| ask.kind == debate_text::DebateAnswerForm::Size)
        };
        while asks_size(&self.live.current_page()) {
            let now = self.clock.add_browser_active_time(Some(Duration::ZERO));
            if let Err(why) = self.live.take_input(&ParticipantInput::Size(None), &now)? {
                return Err(StudyError::AnswerRejected(why));
            }
        }
        Ok(())
    }
}
