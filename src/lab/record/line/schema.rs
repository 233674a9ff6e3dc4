//! The JSON Schema of the lines of a save.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::super::header::{Branch, RonPlayers};
use super::super::{Cost, SaveEnd, SavedReply};
use debate_core::protocol::{Seat, Spent};

/// A part of a save that has a hash: the header, an event, or the end, as `schema.json` describes them.
pub struct SaveLineSchema;

impl JsonSchema for SaveLineSchema {
    fn schema_name() -> Cow<'static, str> {
        "SaveLineSchema".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // The file refers to these by their names.
        generator.subschema_for::<Branch>();
        generator.subschema_for::<RonPlayers>();
        generator.subschema_for::<Seat>();
        generator.subschema_for::<SavedReply>();
        generator.subschema_for::<Spent>();
        generator.subschema_for::<Cost>();
        generator.subschema_for::<SaveEnd>();
        // That the file can be read is held by a test.
        let mut schema: Map<String, Value> =
            serde_json::from_str(include_str!("schema.json")).unwrap_or_default();
        if let Some(Value::Object(parts)) = schema.remove("$defs") {
            generator.definitions_mut().extend(parts);
        }
        schema.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every name that the file refers to is the name of something.
    #[test]
    fn the_schema_of_a_line_is_whole() {
        let schema = schemars::schema_for!(SaveLineSchema);
        let text = serde_json::to_string(&schema).unwrap();
        let names = text.split("\"#/$defs/").skip(1);
        let parts = schema.get("$defs").and_then(Value::as_object);
        let parts = parts.expect("the parts of a save");
        assert!(parts.contains_key("EventSchema"), "{text}");
        for name in names.filter_map(|rest| rest.split('"').next()) {
            assert!(parts.contains_key(&name.replace("%20", " ")), "{name}");
        }
    }
}
