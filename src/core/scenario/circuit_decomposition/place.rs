//! Claims about the wires of a circuit.

use crate::scenario::key::Key;
use crate::scenario::netlist::Wire;
use crate::scenario::{Circuit, ClaimKey};

/// The claim that a wire is 1.
pub(super) fn whole(wire: Wire) -> WireClaim {
    WireClaim {
        wire,
        part: 0,
        value: true,
    }
}

/// The subject of a claim about a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireClaim {
    /// The wire.
    pub wire: Wire,
    /// 0 for the wire itself; 1 and 2 for the parts of an exclusive or ([`TruthTable::part`](crate::scenario::netlist::TruthTable::part)).
    pub part: u8,
    /// The value that is claimed.
    pub value: bool,
}

impl Circuit {
    /// The claim that a wire, or a part of the gate there, has a value.
    pub fn claim_at(&self, place: WireClaim) -> ClaimKey {
        let WireClaim { wire, part, value } = place;
        let gate = wire.checked_sub(self.netlist().inputs());
        ClaimKey(match (part, value, gate) {
            (0, true, None) => Key::At(wire.into()),
            (0, true, Some(gate)) => Key::Step(gate.into()),
            _ => Key::Wire { wire, part, value },
        })
    }

    /// The subject of a claim; `None` where it is no claim about a wire.
    pub fn place(&self, key: &ClaimKey) -> Option<WireClaim> {
        match &key.0 {
            Key::At(input) => Wire::try_from(*input).ok().map(whole),
            Key::Step(gate) => {
                let gate = Wire::try_from(*gate).ok()?;
                self.netlist().inputs().checked_add(gate).map(whole)
            }
            Key::Wire { wire, part, value } => Some(WireClaim {
                wire: *wire,
                part: *part,
                value: *value,
            }),
            _ => None,
        }
    }

    /// True if a claim about a wire is true.
    pub fn holds(&self, place: WireClaim) -> bool {
        let value = match (place.part, self.netlist().gate(place.wire)) {
            (0, _) | (_, None) => self.value(place.wire),
            (part, Some(gate)) => {
                let (a, b) = (self.value(gate.a), self.value(gate.b));
                gate.table.part(part).at(a, b)
            }
        };
        value == place.value
    }

    /// The name of a wire or part, with what it computes.
    pub(super) fn place_text(&self, place: WireClaim) -> String {
        let name = self.wire_text(place.wire);
        let Some(gate) = self.netlist().gate(place.wire) else {
            return format!("input {name}");
        };
        let (a, b) = (self.wire_text(gate.a), self.wire_text(gate.b));
        let rule = gate.table.part(place.part).text(&a, &b);
        if place.part != 0 {
            return format!("the half ({rule}) of gate {name}");
        }
        let rule = match rule.as_str() {
            "0" | "1" => format!("always {rule}"),
            _ => rule,
        };
        if place.wire + 1 == self.netlist().inputs() + self.netlist().gates() {
            format!("the output, gate {name} ({rule}),")
        } else {
            format!("gate {name} ({rule})")
        }
    }

    pub(super) fn short_place(&self, place: WireClaim) -> String {
        match self.netlist().gate(place.wire) {
            Some(gate) if place.part != 0 => {
                let (a, b) = (self.wire_text(gate.a), self.wire_text(gate.b));
                format!("({})", gate.table.part(place.part).text(&a, &b))
            }
            _ => self.wire_text(place.wire),
        }
    }
}
