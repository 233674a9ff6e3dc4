//! The desk of a study: participants who are invited, or come by a signed link.
//!
//! A link has `#token=…`, a name of the list in `private/invited.txt`, or what Prolific passes on: `PROLIFIC_PID`,
//! `STUDY_ID` and `SESSION_ID`, of somebody on the list, or with a `signature` of the recruiting study's name. Whoever is
//! not invited gets one sentence, whatever is wrong, and after the same time.
//!
//! Whoever has the signed link can say any name in it. So these names are others than the same ones on the list, and what
//! was begun under one goes on where the cookie is that its browser was given then, or by a link that the experimenter
//! makes for it (`#again=…&cookie=…`).

use std::path::{Path, PathBuf};
use std::{fs, io};

use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng as _;
use sha2::Sha256;

use super::visitors::digest;
use super::{Arrival, Desk, Seated};
use debate_lab::record::{create_whole, private_folder};
use debate_study::{FlowStep, Study, StudyError, StudyFolder, code_of, link_id};

/// Said to everybody who is not invited.
const REFUSED: &str =
    "This link is not known here, or its time is over. Open it as it was sent to you.";
/// Said to the invited who come on a phone to a study that asks for a keyboard: nothing is kept of it.
const KEYBOARD: &str = "This study needs a computer with a keyboard. Open the same link there, or give your place back.";
/// Said to whoever names somebody that has begun elsewhere.
const ELSEWHERE: &str = "This was begun in another browser, and goes on there. To go on here, write to the researchers, at Prolific \
                         by “Message researcher”: they can send you a link of your own.";
/// Characters of a name at most.
const MAX_NAME: usize = 64;
/// Bytes of the key that signs links.
const KEY: usize = 32;

/// The desk of a study.
pub struct StudyDesk {
    pub study: Study,
    /// Where participants are sent with their code, with `{code}` in it; without one the page shows the code.
    pub redirect: Option<String>,
    /// The folder for settings of participants' screens.
    pub scratch: PathBuf,
    pub key: LinkKey,
    /// The variables by which a participant's process knows the token and the recruitment: arguments can be read by
    /// others.
    pub variables: [&'static str; 2],
}

impl Desk for StudyDesk {
    fn receive(&self, arrival: &Arrival) -> Result<Seated, String> {
        let comes = Coming::of(&arrival.asks).ok_or(REFUSED)?;
        let admission = self.admit(&comes, arrival.secret.as_deref())?;
        if arrival.touch && self.needs_keyboard() {
            return Err(KEYBOARD.to_owned());
        }
        let mut environment = vec![(self.variables[0], admission.id.clone())];
        if let Some((study, session)) = comes.recruitment {
            environment.push((self.variables[1], format!("{study} {session}")));
        }
        let key = digest(&admission.id);
        Ok(Seated {
            folder: self.scratch.join(&key),
            key,
            is_kept: admission.cookie.is_some(),
            secret: admission.cookie.unwrap_or_default(),
            arguments: vec![
                "study".into(),
                "join".into(),
                self.study.folder.root().as_os_str().to_owned(),
            ],
            environment,
        })
    }

    fn farewell(&self, seated: &Seated) -> Option<String> {
        let template = self.redirect.as_deref()?;
        let mut environment = seated.environment.iter();
        let (_, name) = environment.find(|(variable, _)| *variable == self.variables[0])?;
        let code = code_of(&self.study, name)
            .inspect_err(|error| {
                tracing::error!(%error, "the code of a participant");
            })
            .ok()
            .flatten()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        code.chars()
            .all(plain)
            .then(|| template.replace("{code}", &code))
    }
}

/// Somebody who may come.
struct Admission {
    /// The name under which they have their session.
    id: String,
    /// What their browser keeps, where they came by the signed link.
    cookie: Option<String>,
}

impl StudyDesk {
    /// Says who comes, or why they may not. `secret` is what their browser keeps.
    fn admit(&self, comes: &Coming, secret: Option<&str>) -> Result<Admission, &'static str> {
        let failed = |error: StudyError| {
            tracing::error!(%error, "who may come");
            REFUSED
        };
        let folder = &self.study.folder;
        let name = &comes.name;
        let cookies = [comes.cookie.as_deref(), secret].into_iter().flatten();
        let knows_cookie = cookies.fold(false, |known, cookie| {
            known | self.key.verifies_cookie(name, cookie)
        });
        let by_link = comes.is_signed(&self.key) || (comes.again && knows_cookie);
        if !by_link {
            let invited = folder.invited().map_err(failed)?;
            return if invited.contains(name) && !comes.again {
                let id = name.clone();
                let cookie = None;
                Ok(Admission { id, cookie })
            } else {
                Err(REFUSED)
            };
        }
        let id = link_id(name);
        if folder.session_of(&id).map_err(failed)?.is_some() && !knows_cookie {
            return Err(ELSEWHERE);
        }
        let cookie = Some(self.key.cookie(name));
        Ok(Admission { id, cookie })
    }

    fn needs_keyboard(&self) -> bool {
        let asks = |step: &FlowStep| matches!(step, FlowStep::Screener { keyboard: true, .. });
        self.study.plan.flow.iter().any(asks)
    }
}

/// Who comes, as the link says.
#[derive(Debug, PartialEq, Eq)]
struct Coming {
    name: String,
    /// The recruiting service's names for its study and for the visit.
    recruitment: Option<(String, String)>,
    signature: Option<String>,
    /// True if the experimenter made this link for somebody who has begun elsewhere.
    again: bool,
    /// What it says in place of what their browser keeps.
    cookie: Option<String>,
}

impl Coming {
    fn of(asks: &[(String, String)]) -> Option<Self> {
        let value = |name: &str| {
            let mut asks = asks.iter();
            let value = asks
                .find(|(asked, _)| asked == name)
                .map(|(_, value)| value);
            value.filter(|value| is_name(value)).cloned()
        };
        let alone = |name: String, again| Self {
            name,
            recruitment: None,
            signature: None,
            again,
            cookie: value("cookie").filter(|_| again),
        };
        if let Some(name) = value("token") {
            return Some(alone(name, false));
        }
        if let Some(name) = value("again") {
            return Some(alone(name, true));
        }
        let recruitment = Some((value("STUDY_ID")?, value("SESSION_ID")?));
        Some(Self {
            recruitment,
            signature: value("signature"),
            ..alone(value("PROLIFIC_PID")?, false)
        })
    }

    fn is_signed(&self, key: &LinkKey) -> bool {
        match (&self.recruitment, &self.signature) {
            (Some((study, _)), Some(signature)) => key.verifies(study, signature),
            _ => false,
        }
    }
}

/// True if a text can be somebody's name in a link.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(plain)
}

/// What a key makes a text of that nobody else can make.
#[derive(Clone, Copy)]
enum Signed {
    Recruitment,
    Cookie,
}

/// The key that signs links.
pub struct LinkKey(Vec<u8>);

impl LinkKey {
    /// The key of a study's folder, which is made where there is none.
    ///
    /// # Errors
    /// If it cannot be read or made.
    pub fn of(folder: &StudyFolder) -> io::Result<Self> {
        let path = folder.link_key_file();
        match read_key(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => make_key(&path),
            read => read,
        }
    }

    fn mac(&self, of: Signed, name: &str) -> Hmac<Sha256> {
        // A key of any length is one.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).unwrap_or_else(|_| unreachable!());
        mac.update(match of {
            Signed::Recruitment => b"debate-tui recruitment ",
            Signed::Cookie => b"debate-tui cookie ",
        });
        mac.update(name.as_bytes());
        mac
    }

    fn written(&self, of: Signed, name: &str) -> String {
        let bytes = self.mac(of, name).finalize().into_bytes();
        bytes
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    }

    /// The signature of a recruiting study's name.
    pub fn sign(&self, recruiting: &str) -> String {
        self.written(Signed::Recruitment, recruiting)
    }

    /// What the browser keeps of somebody who came under this name by the signed link.
    pub fn cookie(&self, name: &str) -> String {
        self.written(Signed::Cookie, name)
    }

    /// True if the signature is that of the name; takes the same time whatever is wrong.
    fn verifies(&self, recruiting: &str, signature: &str) -> bool {
        self.wrote(Signed::Recruitment, recruiting, signature)
    }

    fn verifies_cookie(&self, name: &str, cookie: &str) -> bool {
        self.wrote(Signed::Cookie, name, cookie)
    }

    fn wrote(&self, of: Signed, name: &str, text: &str) -> bool {
        let bytes: Option<Vec<u8>> = (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
            .collect();
        let mac = self.mac(of, name);
        mac.verify_slice(&bytes.unwrap_or_default()).is_ok()
    }
}

fn read_key(path: &Path) -> io::Result<LinkKey> {
    let bytes = fs::read(path)?;
    if bytes.len() == KEY {
        Ok(LinkKey(bytes))
    } else {
        let why = format!(
            "{}: is no key; delete it, and all links that it signed",
            path.display()
        );
        Err(io::Error::other(why))
    }
}

fn make_key(path: &Path) -> io::Result<LinkKey> {
    let mut bytes = vec![0; KEY];
    rand::rng().fill_bytes(&mut bytes);
    private_folder(path.parent().unwrap_or_else(|| Path::new(".")))?;
    // Of two who make one at once the first has made it.
    match create_whole(path, &bytes) {
        Ok(()) => Ok(LinkKey(bytes)),
        Err(_) => read_key(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn a_signature_is_of_one_recruiting_study_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = StudyFolder::new(folder.path());
        let key = LinkKey::of(&folder).unwrap();
        let again = LinkKey::of(&folder).unwrap();
        let signature = key.sign("abc");
        assert!(again.verifies("abc", &signature));
        let mut other = signature.clone();
        other.replace_range(0..1, if signature.starts_with('0') { "1" } else { "0" });
        for (name, signature) in [
            ("abd", signature.as_str()),
            ("abc", other.as_str()),
            ("abc", ""),
            ("abc", "x"),
            ("abc", "é"),
        ] {
            assert!(!key.verifies(name, signature), "{name} {signature}");
        }
    }

    #[test]
    fn names_in_links_are_plain() {
        let whole = [
            ("PROLIFIC_PID", "5f"),
            ("STUDY_ID", "s1"),
            ("SESSION_ID", "v1"),
        ];
        assert!(Coming::of(&asks(&whole)).is_some());
        for left_out in 0..3 {
            let mut some = whole.to_vec();
            some.remove(left_out);
            assert_eq!(Coming::of(&asks(&some)), None);
        }
        let long = "a".repeat(65);
        for wrong in [
            "",
            "../../etc/passwd",
            "a b",
            "a\n",
            "a\0",
            "%2e%2e",
            "é",
            &long,
        ] {
            assert_eq!(Coming::of(&asks(&[("token", wrong)])), None, "{wrong}");
        }
    }
}
