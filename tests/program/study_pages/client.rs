//! A browser without scripts: it follows links, keeps one cookie, and sends forms.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// A response of the server.
#[derive(Clone, Debug)]
pub struct Response {
    pub status: u16,
    /// Header names and values in the order received.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(of, _)| of == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The text between the first occurrences of two others.
    pub fn between(&self, before: &str, after: &str) -> Option<&str> {
        let (_, rest) = self.body.split_once(before)?;
        Some(rest.split_once(after)?.0)
    }

    pub fn token(&self) -> String {
        let token = self.between("name=\"token\" value=\"", "\"");
        token
            .unwrap_or_else(|| panic!("no form: {}", self.body))
            .to_owned()
    }

    pub fn heading(&self) -> &str {
        self.between("<h1>", "</h1>").expect("a heading")
    }

    /// The second line of the heading: the label of the trial and the participant's seat.
    pub fn details(&self) -> &str {
        let details = self.between("</h1><p dir=\"auto\">", "</p>");
        details.unwrap_or_default()
    }

    pub fn is_last(&self) -> bool {
        !self.body.contains("<form")
    }

    /// The index of an option by its words.
    pub fn option(&self, words: &str) -> Option<usize> {
        let labels = self.body.split("name=\"choice\" value=\"").skip(1);
        let found = labels.into_iter().find(|label| {
            let text = label.split_once("<span dir=\"auto\">").map(|(_, it)| it);
            text.is_some_and(|it| it.starts_with(words))
        })?;
        found.split_once('"')?.0.parse().ok()
    }

    /// The fields of an answer to the page: the correct option if there is one, 70 percent if the page asks for a
    /// number.
    pub fn answer(&self) -> Vec<(&'static str, String)> {
        if self.body.contains("name=\"choice\"") {
            let word = self.between("Choose “", "”").unwrap_or_default();
            let right = [
                ("somewhat more likely", "65"),
                ("Which of your answers", "The last one"),
                ("What do you know about Alice", "She knows the answer"),
                ("What does this tell you", "Bob thinks that"),
                ("Choose “", word),
            ];
            let asked = right
                .iter()
                .find(|(question, _)| self.body.contains(question));
            let place = asked.and_then(|(_, words)| self.option(words));
            return vec![("choice", place.unwrap_or(0).to_string())];
        }
        if self.body.contains("name=\"percent\"") {
            return vec![("percent", "70".to_owned())];
        }
        if self.body.contains("name=\"text\"") {
            return vec![("text", "42".to_owned())];
        }
        Vec::new()
    }
}

/// A client of the pages.
#[derive(Clone, Debug)]
pub struct Client {
    pub address: String,
    /// The path prefix of all pages.
    pub base: &'static str,
    pub cookie: Option<String>,
}

impl Client {
    pub fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            base: "",
            cookie: None,
        }
    }

    /// Sends the bytes of a request, and reads the response.
    pub fn send(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(&self.address).expect("a server");
        stream.write_all(request).expect("a connection");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a response");
        let text = String::from_utf8(bytes).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let header = |line: &str| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_ascii_lowercase(), value.to_owned()))
        };
        Response {
            status: status.and_then(|it| it.parse().ok()).expect("a status"),
            headers: lines.filter_map(header).collect(),
            body: body.to_owned(),
        }
    }

    /// The head of a request, without the final empty line.
    pub fn head(&self, method: &str, path: &str) -> String {
        let cookie = self.cookie.as_ref().map(|it| format!("Cookie: {it}\r\n"));
        format!(
            "{method} {}{path} HTTP/1.1\r\nHost: {}\r\n{}",
            self.base,
            self.address,
            cookie.unwrap_or_default()
        )
    }

    pub fn get(&self, path: &str) -> Response {
        self.send(format!("{}\r\n", self.head("GET", path)).as_bytes())
    }

    /// Follows a link, keeps the cookie, and follows the redirect.
    pub fn come(&mut self, query: &str) -> Response {
        let response = self.get(&format!("/?{query}"));
        let Some(cookie) = response.header("set-cookie") else {
            return response;
        };
        self.cookie = cookie.split(';').next().map(str::to_owned);
        assert_eq!(
            (response.status, response.header("location")),
            (303, Some("./"))
        );
        self.get("/")
    }

    pub fn post(&self, fields: &[(&str, &str)]) -> Response {
        self.post_to("/", fields)
    }

    pub fn post_to(&self, path: &str, fields: &[(&str, &str)]) -> Response {
        let body: String = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let request = format!(
            "{}Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.head("POST", path),
            self.address,
            body.len()
        );
        self.send(request.as_bytes())
    }

    /// Sends an answer with the token of a page.
    pub fn answer(&self, page: &Response, answer: &[(&str, String)]) -> Response {
        let token = page.token();
        let mut fields = vec![("token", token.as_str())];
        fields.extend(answer.iter().map(|(name, value)| (*name, value.as_str())));
        self.post(&fields)
    }

    /// Answers a page with the fields of [`Response::answer`], and returns the next page.
    pub fn go_on(&self, page: &Response) -> Response {
        let taken = self.answer(page, &page.answer());
        assert_eq!(
            (taken.status, taken.header("location")),
            (303, Some("./#new")),
            "{}\n{}",
            page.body,
            taken.body
        );
        self.get("/")
    }
}

impl Client {
    /// Follows a link, answers the first page, and returns the second one.
    pub fn go_on_from(&mut self, query: &str) -> Response {
        let page = self.come(query);
        self.go_on(&page)
    }
}
