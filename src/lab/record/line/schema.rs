//! The JSON Schema of the lines of a save.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::super::header::{Branch, RonPlayers};
use super::super::{Cost, SaveEnd, SavedReply};
use debate_core::protocol::{Seat, Spent};

/// The schema of the parts of a save that have a hash: the header, each event and the end, as in `schema.json`.
pub struct SaveLineSchema;

impl JsonSchema for SaveLineSchema {
    fn schema_name() -> Cow<'static, str> {
        "SaveLineSchema".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // `schema.json` refers to these types by their names.
        generator.subschema_for::<Branch>();
        generator.subschema_for::<RonPlayers>();
        generator.subschema_for::<Seat>();
        generator.subschema_for::<SavedReply>();
        generator.subschema_for::<Spent>();
        generator.subschema_for::<Cost>();
        generator.subschema_for::<SaveEnd>();
        // A test checks that the file can be read.
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

    #[test]
    fn every_reference_in_the_schema_has_a_definition() {
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
