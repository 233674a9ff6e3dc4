//! Maps of a study file: a duplicate key is an error, so that no entry silently replaces another one.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a map and rejects duplicate keys.
pub(crate) fn unique_keys<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    reader: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    struct UniqueKeys<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueKeys<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("a map")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut entries: M) -> Result<Self::Value, M::Error> {
            let mut map = BTreeMap::new();
            while let Some((key, value)) = entries.next_entry::<String, T>()? {
                if map.contains_key(&key) {
                    let why = format!("the key `{key}` is defined twice; remove one definition");
                    return Err(Error::custom(why));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }
    reader.deserialize_map(UniqueKeys(PhantomData))
}
