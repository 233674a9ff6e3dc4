//! Checks that a JSON Schema is in the subset that model providers accept for structured outputs.

use serde_json::Value;

/// Returns the reason why a schema is not in the strict subset that model providers accept; `None` if it is.
pub fn loose(schema: &Value, is_root: bool) -> Option<String> {
    const KNOWN: [&str; 9] = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "enum",
        "anyOf",
        "items",
        "pattern",
    ];
    let fields = schema.as_object()?;
    if let Some(unknown) = fields.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Some(format!("unknown keyword {unknown}"));
    }
    if is_root && schema["type"] != "object" {
        return Some("the root is no object".to_owned());
    }
    if schema["type"] == "object" {
        let properties: Vec<&String> = schema["properties"].as_object()?.keys().collect();
        let mut required: Vec<&str> = schema["required"]
            .as_array()?
            .iter()
            .filter_map(Value::as_str)
            .collect();
        required.sort_unstable();
        if required != properties || properties.is_empty() {
            return Some(format!("required {required:?} of {properties:?}"));
        }
        if schema["additionalProperties"] != false {
            return Some("an open object".to_owned());
        }
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|values| values.len() > 500)
    {
        return Some("a long list".to_owned());
    }
    let properties = schema["properties"].as_object().into_iter().flatten();
    let nested = properties.map(|(_, schema)| schema);
    let nested = nested.chain(schema["anyOf"].as_array().into_iter().flatten());
    nested
        .chain(fields.get("items"))
        .find_map(|schema| loose(schema, false))
}
