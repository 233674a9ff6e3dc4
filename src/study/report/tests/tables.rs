//! Exported tables, parsed by an independent reader.

use super::*;

#[test]
fn tables_are_read_back_with_their_types_and_every_column_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    simulate(&study, 5, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
    for anonymise in [false, true] {
        let root = folder.path().join(format!("out-{anonymise}"));
        let made = export(
            &study,
            LiveOrSimulated::Simulated,
            &StudyExportDestination::new(&root),
            anonymise,
        )
        .unwrap();
        assert_eq!(made.sessions, 5);
        let described = fs::read_to_string(root.join("dataset_description.json")).unwrap();
        let described: serde_json::Value = serde_json::from_str(&described).unwrap();
        assert_eq!(
            (&described["@context"], &described["@type"]),
            (&"https://schema.org/".into(), &"Dataset".into())
        );
        let variables: Vec<&str> = described["variableMeasured"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        let codebook = fs::read_to_string(root.join("codebook.md")).unwrap();
        for table in codebook_tables() {
            let name = format!("data/study-pilot01_description-{}_data.csv", table.name);
            let bytes = fs::read(root.join(&name)).unwrap();
            assert!(!bytes.contains(&b'\r') && bytes.ends_with(b"\n"));
            let mut reader = csv::Reader::from_reader(bytes.as_slice());
            let header: Vec<String> = reader
                .headers()
                .unwrap()
                .iter()
                .map(str::to_owned)
                .collect();
            let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
            assert_eq!(header, names);
            assert!(names.iter().all(|name| variables.contains(name)));
            assert!(
                names
                    .iter()
                    .all(|name| codebook.contains(&format!("| `{name}` |")))
            );
            let mut rows = 0;
            for row in reader.records() {
                let row = row.unwrap();
                rows += 1;
                for (cell, column) in row.iter().zip(&table.columns) {
                    let fits = match &*column.kind {
                        _ if cell.is_empty() => true,
                        "integer" => cell.parse::<i64>().is_ok(),
                        "number" => cell.parse::<f64>().is_ok_and(f64::is_finite),
                        "boolean" => cell == "true" || cell == "false",
                        _ => true,
                    };
                    assert!(fits, "{name}: {}: {cell}", column.name);
                }
            }
            // The example has no debates between programs.
            assert!(rows > 0 || table.name == "debates", "{name}");
        }
        let text =
            fs::read_to_string(root.join("data/study-pilot01_description-participants_data.csv"))
                .unwrap();
        assert_eq!(text.contains("p0000"), !anonymise);
        assert_eq!(text.contains("2026-01-01"), !anonymise);
    }
}

#[test]
fn the_codebook_has_every_field_of_a_row_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let study = example(&folder.path().join("p"), |text| text);
    simulate(&study, 5, &SimulatedJudgeBehaviour::ALL, "7").unwrap();
    let mut rows = StudyRows::read_study_rows(&study, LiveOrSimulated::Simulated).unwrap();
    rows.debates.push(ProgramDebateRow::default());
    for table in codebook_tables() {
        let values = table.study_rows_of_table(&rows);
        let mut fields: Vec<&str> = values[0]
            .as_object()
            .unwrap()
            .keys()
            .map(|it| &**it)
            .collect();
        if table.name == "events" {
            fields.retain(|field| *field != "payload");
            fields.extend(["percent", "status"]);
        }
        let mut columns: Vec<&str> = table.columns.iter().map(|it| &*it.name).collect();
        fields.sort_unstable();
        columns.sort_unstable();
        assert_eq!(columns, fields, "{}", table.name);
    }
}
