//! Holds `FORMAT.md` against the code: its tables, and every number of its worked example.

use std::collections::BTreeSet;

use seega_models::architecture::Architecture;
use seega_models::{FORMAT_VERSION, action, input};
use seega_rules::{Action, ActionList, BoardSize, Direction, Position, Rules, preset};

const FORMAT: &str = include_str!("../FORMAT.md");

/// The rows of the table with that heading row, each as its cells without code marks.
fn table(heading: &str) -> Vec<Vec<String>> {
    let mut lines = FORMAT.lines().skip_while(|line| *line != heading);
    assert!(lines.next().is_some(), "FORMAT.md has no table {heading}");
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_start_matches('|').strip_suffix('|').expect("a row ends with a bar");
        line.split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    lines.skip(1).take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// The lines of the code block of that kind.
fn block(kind: &str) -> Vec<&'static str> {
    let mut lines = FORMAT.lines().skip_while(|line| line.strip_prefix("```") != Some(kind));
    assert!(lines.next().is_some(), "FORMAT.md has no block of {kind}");
    lines.take_while(|line| *line != "```").collect()
}

/// The position of the worked example.
fn example() -> (Rules, Position) {
    let rules = preset::parse("sija").unwrap();
    let text = FORMAT.lines().find_map(|line| line.strip_prefix("The position `")?.split('`').next()).unwrap();
    (rules, Position::from_text(text, &rules).unwrap())
}

#[test]
fn the_version_and_the_shapes_are_the_codes() {
    assert!(FORMAT.lines().next().unwrap().ends_with(&format!("format version {FORMAT_VERSION}")));
    assert!(FORMAT.contains(&format!("`[batch, {}, side, side]`", input::PLANES)));
    assert!(FORMAT.contains(&format!("`[batch, {}]`", input::SCALARS.len())));
    let [five, seven, nine] = BoardSize::ALL.map(action::policy_len);
    assert!(FORMAT.contains(&format!("{five} on 5×5, {seven} on 7×7, {nine} on 9×9")));
}

#[test]
fn the_scalars_are_the_codes_in_order() {
    let rows = table("| place | name | value |");
    assert_eq!(rows.len(), input::SCALARS.len());
    for (place, (row, (name, value))) in rows.iter().zip(input::SCALARS).enumerate() {
        assert_eq!(*row, [place.to_string(), name.to_owned(), value.to_owned()]);
    }
}

#[test]
fn the_directions_are_the_codes_with_their_planes() {
    let rows = table("| direction | step plane | jump plane | files | ranks |");
    assert_eq!(rows.len(), Direction::ALL.len());
    let (size, squares) = (BoardSize::Nine, usize::from(BoardSize::Nine.squares()));
    for (row, direction) in rows.iter().zip(Direction::ALL) {
        let name = format!("{direction:?}").to_lowercase();
        assert_eq!(row[0].replace('-', ""), name);
        let [step, jump, files, ranks] = [1, 2, 3, 4].map(|cell| row[cell].parse::<i8>().unwrap());
        assert_eq!((files, ranks), direction.vector(), "{name}");
        let center = size.index_of(size.center());
        for (plane, distance) in [(step, 1), (jump, 2)] {
            let Some(Action::Step { to, .. }) = action::action_at(size, plane as usize * squares + center) else {
                panic!("plane {plane} is no step");
            };
            let way = (to.file() as i8 - 4, to.rank() as i8 - 4);
            assert_eq!(way, (files * distance, ranks * distance), "{name}");
        }
    }
}

#[test]
fn the_examples_planes_and_scalars_are_what_is_encoded() {
    let (rules, position) = example();
    let (mut planes, mut scalars) = (Vec::new(), Vec::new());
    input::encode_planes(&position, &mut planes);
    input::encode_scalars(&rules, &position, &mut scalars);

    let ranks = block("planes").into_iter().filter(|line| !line.contains(':'));
    let written: Vec<f32> = ranks.flat_map(str::split_whitespace).map(|number| number.parse().unwrap()).collect();
    assert_eq!(written, planes);

    let words: Vec<&str> = block("scalars").into_iter().flat_map(str::split_whitespace).collect();
    let (pairs, rest) = words.as_chunks::<2>();
    assert!(rest.is_empty());
    assert_eq!(pairs.len(), input::SCALARS.len());
    for (&[name, value], ((expected, _), scalar)) in pairs.iter().zip(input::SCALARS.iter().zip(scalars)) {
        assert_eq!(name, *expected);
        assert_eq!(value.parse::<f32>().unwrap(), scalar, "{name}");
    }
}

#[test]
fn the_examples_actions_have_their_places_and_the_legal_ones_their_probabilities() {
    let (rules, position) = example();
    let mut legal = ActionList::new();
    position.legal_actions(&rules, &mut legal);
    let rows = table("| action | plane | square | place | logit | probability |");
    let mut told = BTreeSet::new();
    let mut sum = 0.0;
    for row in &rows {
        let action: Action = row[0].parse().unwrap();
        let place: usize = row[3].parse().unwrap();
        assert_eq!(action::index(rules.size, action), Some(place), "{action}");
        if action != Action::Stop {
            let [plane, square] = [1, 2].map(|cell| row[cell].parse::<usize>().unwrap());
            assert_eq!(plane * usize::from(rules.size.squares()) + square, place, "{action}");
        }
        let is_legal = legal.contains(&action);
        assert_eq!(is_legal, !row[5].is_empty(), "{action}");
        if is_legal {
            told.insert(action.to_string());
            sum += row[4].parse::<f64>().unwrap().exp();
        }
    }
    assert_eq!(told, legal.iter().map(Action::to_string).collect());
    for row in rows.iter().filter(|row| !row[5].is_empty()) {
        let probability = row[4].parse::<f64>().unwrap().exp() / sum;
        assert_eq!(format!("{probability:.4}"), row[5], "{}", row[0]);
    }
}

#[test]
fn the_tensors_are_those_of_every_architecture() {
    for architecture in [(4, 1), (7, 3), (32, 4)].map(|(channels, blocks)| Architecture { channels, blocks }) {
        let mut written = BTreeSet::new();
        for row in table("| tensor | shape | of |") {
            let side = |text: &str| match text.trim() {
                "C" => architecture.channels,
                "2C" => 2 * architecture.channels,
                "C/2" => architecture.channels / 2,
                "2(C/2)" => 2 * (architecture.channels / 2),
                number => number.parse().unwrap(),
            };
            let shape: Vec<usize> = row[1].split(',').map(side).collect();
            let of_block = row[0].contains("{i}");
            for block in 0..if of_block { architecture.blocks } else { 1 } {
                if row[2].contains("odd i only") && block % 2 == 0 {
                    continue;
                }
                let name = row[0].replace("{i}", &block.to_string());
                written.insert((format!("{name}.weight"), shape.clone()));
                if row[2].contains("and norm") {
                    for part in ["scale", "shift", "mean", "variance"] {
                        written.insert((format!("{name}.norm.{part}"), vec![shape[0]]));
                    }
                } else {
                    written.insert((format!("{name}.bias"), vec![shape[0]]));
                }
            }
        }
        let known = architecture.tensors().into_iter().map(|spec| (spec.name, spec.shape)).collect();
        assert_eq!(written, known);
    }
}
