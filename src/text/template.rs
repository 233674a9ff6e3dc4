//! Templates: texts with placeholders for the values of a document.
//!
//! `{{name}}` is a value, escaped for the language of the text; `{{&name}}` is the value without escaping. The text
//! between `{{#name}}` and `{{/name}}` is written for each item of a list, and once for any other value. It is omitted
//! if the value is missing, null or false; in that case the text between `{{^name}}` and `{{/name}}` is written. An
//! empty list counts as missing. A name is looked up in the innermost item first; `{{a.0}}` is the first item of `a`,
//! `{{.}}` the innermost item itself.

use std::collections::BTreeMap;
use std::slice;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A collection of named texts from a RON file, which is parsed at the first access.
#[derive(Debug)]
pub struct NamedTexts<T = String> {
    file: &'static str,
    texts: OnceLock<BTreeMap<String, T>>,
}

impl<T: DeserializeOwned> NamedTexts<T> {
    /// Creates the collection of a RON file's texts. Tests must check that the file can be parsed and contains every
    /// name that is used.
    pub const fn new(file: &'static str) -> Self {
        let texts = OnceLock::new();
        Self { file, texts }
    }

    fn all(&self) -> &BTreeMap<String, T> {
        let read = || ron::from_str(self.file).unwrap_or_default();
        self.texts.get_or_init(read)
    }

    pub fn has_text(&self, name: &str) -> bool {
        self.all().contains_key(name)
    }

    /// Returns the text with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        let text = self.all().get(name);
        debug_assert!(text.is_some(), "text `{name}` is missing");
        text
    }

    /// Returns the names of all texts; empty if the file cannot be parsed.
    pub fn text_names(&self) -> Vec<&str> {
        self.all().keys().map(String::as_str).collect()
    }
}

impl NamedTexts {
    /// Returns the text with this name, its placeholders replaced by `values`.
    pub fn filled_text(&self, name: &str, values: &Value) -> String {
        let text = self.get(name).map_or("", String::as_str);
        fill_template(text, values, str::to_owned)
    }
}

/// Replaces the placeholders of a template by the values of a JSON document. A placeholder whose name is not in the
/// document becomes empty.
///
/// ```
/// use debate_text::fill_template;
/// let document = serde_json::json!({"seats": [{"name": "Alice"}, {"name": "Bob"}], "by": "&"});
/// let upper = |text: &str| text.to_uppercase();
/// assert_eq!(fill_template("{{#seats}}{{name}} {{&by}} {{/seats}}", &document, upper), "ALICE & BOB & ");
/// ```
pub fn fill_template(template: &str, document: &Value, escape: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(2 * template.len());
    put(template, &mut vec![document], &escape, &mut out);
    out
}

/// Returns the names of a template's placeholders (in double braces), in order. The name of a section is listed twice:
/// for its opening and for its closing placeholder.
pub fn placeholders(template: &str) -> Vec<&str> {
    let opened = template.split("{{").skip(1);
    let places = opened.map(|opened| opened.split_once("}}").map_or(opened, |(place, _)| place));
    places
        .map(|place| place.strip_prefix(['#', '^', '/', '&']).unwrap_or(place))
        .collect()
}

/// A template that is split at one of its lists, so that a caller can fill and write the items one by one.
///
/// ```
/// use debate_text::TemplateSplitAtList;
/// let template = TemplateSplitAtList::split_at_list("<ul>{{#items}}<li>{{.}}</li>{{/items}}</ul>", "items");
/// assert_eq!([template.before, template.item, template.after], ["<ul>", "<li>{{.}}</li>", "</ul>"]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TemplateSplitAtList<'t> {
    /// The template before the list.
    pub before: &'t str,
    /// The template of one item.
    pub item: &'t str,
    /// The template after the list.
    pub after: &'t str,
}

impl<'t> TemplateSplitAtList<'t> {
    /// Splits a template at the list with this name, which must not be inside another section. Without such a list,
    /// `before` is the whole template.
    pub fn split_at_list(template: &'t str, name: &str) -> Self {
        let (begin, end) = (format!("{{{{#{name}}}}}"), format!("{{{{/{name}}}}}"));
        let (before, rest) = template.split_once(&begin).unwrap_or((template, ""));
        let (item, after) = rest.split_once(&end).unwrap_or((rest, ""));
        Self {
            before,
            item,
            after,
        }
    }
}

fn put<'v>(
    template: &str,
    scopes: &mut Vec<&'v Value>,
    escape: &dyn Fn(&str) -> String,
    out: &mut String,
) {
    let mut rest = template;
    while let Some((text, opened)) = rest.split_once("{{") {
        out.push_str(text);
        let (place, after) = opened.split_once("}}").unwrap_or((opened, ""));
        rest = after;
        if let Some(name) = place.strip_prefix(['#', '^']) {
            let end = format!("{{{{/{name}}}}}");
            let (section, after) = rest.split_once(&end).unwrap_or((rest, ""));
            rest = after;
            let items = match find(name, scopes) {
                None | Some(Value::Null | Value::Bool(false)) => &[],
                Some(Value::Array(items)) => items.as_slice(),
                Some(once) => slice::from_ref(once),
            };
            let otherwise = slice::from_ref(&Value::Null).iter();
            let otherwise = otherwise.filter(|_| items.is_empty() && place.starts_with('^'));
            let items = items.iter().filter(|_| place.starts_with('#'));
            for item in items.chain(otherwise) {
                scopes.push(item);
                put(section, scopes, escape, out);
                scopes.pop();
            }
        } else if let Some(name) = place.strip_prefix('&') {
            out.push_str(&written(find(name, scopes)));
        } else {
            out.push_str(&escape(&written(find(place, scopes))));
        }
    }
    out.push_str(rest);
}

fn find<'v>(name: &str, scopes: &[&'v Value]) -> Option<&'v Value> {
    if name == "." {
        return scopes.last().copied();
    }
    let path = format!("/{}", name.replace('.', "/"));
    let mut scopes = scopes.iter().rev();
    scopes.find_map(|scope| scope.pointer(&path))
}

fn written(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
