//! Screening, quotas and the waiting list in browsers, with a kill of the server at every page.

use super::client::{Client, Response};
use super::{Pilot, Server, invited, serve};
use crate::support::program::{path, say};
use crate::support::studies::screened_study;

fn pilot(count: usize) -> Pilot {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("pilot");
    screened_study(&folder);
    let links = invited(&folder, count);
    Pilot { dir, folder, links }
}

/// A participant whose server is killed and started again before every answer.
struct Participant<'p> {
    pilot: &'p Pilot,
    server: Server,
    client: Client,
    page: Response,
}

impl<'p> Participant<'p> {
    fn come(pilot: &'p Pilot, server: Server, link: usize) -> Self {
        let mut client = Client::new(&server.address);
        let page = client.come(&pilot.links[link]);
        Self {
            pilot,
            server,
            client,
            page,
        }
    }

    fn answer(&mut self, field: &str, value: &str) {
        self.server.kill();
        self.server = serve(&self.pilot.folder, &[]);
        self.client.address.clone_from(&self.server.address);
        assert_eq!(self.client.get("/").body, self.page.body);
        let token = self.page.token();
        let taken = self.client.post(&[("token", &token), (field, value)]);
        assert_eq!(taken.status, 303, "{}", taken.body);
        self.page = self.client.get("/");
    }

    /// Answers the screening survey and returns the server.
    fn screen(mut self, age: &str, reads: &str) -> (Response, Server) {
        self.answer("text", age);
        if !self.page.is_last() {
            self.answer("choice", reads);
        }
        (self.page, self.server)
    }
}

fn shows(page: &Response, text: &str) {
    assert!(page.body.contains(text), "{text}: {}", page.body);
}

#[test]
fn screening_quotas_and_the_waiting_list_survive_kills_at_every_page() {
    let pilot = pilot(6);
    let server = serve(&pilot.folder, &[]);
    let (page, server) = Participant::come(&pilot, server, 0).screen("17", "0");
    assert!(page.is_last());
    shows(&page, "looking for participants with other answers");
    shows(
        &page,
        "https://app.prolific.com/submissions/complete?cc=OUT",
    );
    let (page, server) = Participant::come(&pilot, server, 1).screen("30", "0");
    shows(&page, "Do you agree to take part?");
    let (page, server) = Participant::come(&pilot, server, 2).screen("30", "0");
    assert!(page.is_last());
    shows(&page, "answers like yours");
    // The outcome has its own code, and the address of `screened_out`.
    shows(
        &page,
        "https://app.prolific.com/submissions/complete?cc=QUOTA",
    );
    let (page, server) = Participant::come(&pilot, server, 3).screen("30", "1");
    shows(&page, "Do you agree to take part?");
    // Both places are taken, but their participants may still leave.
    let (page, mut server) = Participant::come(&pilot, server, 4).screen("30", "1");
    shows(&page, "data-poll=");
    shows(&page, "Your position on the waiting list: 1");
    server.kill();
    server = serve(&pilot.folder, &[]);
    let mut waiting = Client::new(&server.address);
    assert_eq!(waiting.come(&pilot.links[4]).body, page.body);
    // A participant who declines gives the place to the one who waits.
    let mut declines = Client::new(&server.address);
    let consent = declines.come(&pilot.links[3]);
    declines.answer(&consent, &[("choice", "1".to_owned())]);
    let mut page = waiting.get("/");
    shows(&page, "Do you agree to take part?");
    while !page.is_last() {
        page = waiting.go_on(&page);
    }
    shows(
        &page,
        "https://app.prolific.com/submissions/complete?cc=DONE",
    );
    let said = say(
        &pilot.folder,
        &["study", "status", path(&pilot.folder), "--plain"],
        "",
    );
    assert!(said.out.contains("quota reads: daily: 1 of 1"), "{said:?}");
    let said = say(&pilot.folder, &["study", "pay", path(&pilot.folder)], "");
    assert!(said.out.contains("Payments: 1, 20 cents"), "{said:?}");
    let said = say(&pilot.folder, &["study", "check", path(&pilot.folder)], "");
    assert_eq!(said.code, Some(0), "{said:?}");
}

#[test]
fn a_participant_in_a_terminal_is_screened_and_reads_the_link() {
    let pilot = pilot(0);
    let run = |id: &str, typed: &str| {
        let arguments = [
            "study",
            "run",
            path(&pilot.folder),
            "--plain",
            "--participant",
            id,
        ];
        say(&pilot.folder, &arguments, typed)
    };
    let said = run("young", "17\n");
    assert!(said.out.contains("other answers"), "{said:?}");
    assert!(said.out.contains("complete?cc=OUT"), "{said:?}");
    let said = run("old", "30\n1\n1\n70\n70\n");
    assert!(said.out.contains("complete?cc=DONE"), "{said:?}");
    let said = run("old", "");
    assert!(said.out.contains("complete?cc=DONE"), "{said:?}");
    let said = run("third", "30\n1\n");
    assert!(said.out.contains("answers like yours"), "{said:?}");
}
