//! `seega export` from end to end: the files that it writes agree with each other and with the network, and what is no
//! network is refused with one line and leaves nothing behind.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use seega_files::sha256;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_models::export::{Card, Golden};
use seega_models::onnx::OnnxNetwork;
use seega_models::{action, input};
use seega_rules::{Position, preset};

/// Runs `seega export` and gives exit code, output and errors.
fn export(model: &Path, out: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_seega"))
        .args(["export", "--model", model.to_str().unwrap(), "--out", out.to_str().unwrap()])
        .args(more)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// A fresh network of rules on two boards.
fn checkpoint() -> Checkpoint {
    let known = |name: &str| NamedRules { name: name.to_owned(), rules: preset::parse(name).unwrap() };
    Checkpoint::fresh(Architecture { channels: 4, blocks: 2 }, vec![known("sija"), known("szidzsa")], 11)
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn the_files_agree_with_each_other_and_with_the_network() {
    let scratch = tempfile::tempdir().unwrap();
    let (model, out) = (scratch.path().join("net.safetensors"), scratch.path().join("made/export"));
    let origin = checkpoint().write(&model).unwrap();
    let (code, told, errors) = export(&model, &out, &["--positions", "5", "--also", "siga/9:chain=none"]);
    assert_eq!((code, &*errors), (Some(0), ""), "{told}");
    let checked = "Checked on 15 positions of sija (5×5), szidzsa (7×7), siga/9:chain=none (9×9)";
    assert!(told.contains(checked), "{told}");
    let files = ["card.json", "golden.json", "model.onnx", "model.safetensors"];
    assert_eq!(names(&out), files.map(str::to_owned).into());

    let card: Card = serde_json::from_slice(&fs::read(out.join("card.json")).unwrap()).unwrap();
    assert_eq!(card.trained_on, checkpoint().about.trained_on);
    assert_eq!(card.board_sizes, [5, 7]);
    for (name, digest) in &card.files {
        let bytes = fs::read(out.join(name)).unwrap();
        assert_eq!((digest.bytes, &digest.sha256), (bytes.len(), &sha256(&bytes)), "{name}");
    }
    assert_eq!(card.files["model.safetensors"].sha256, origin);
    assert_eq!(Checkpoint::read(&out.join("model.safetensors")).unwrap(), checkpoint());

    let golden: Golden = serde_json::from_slice(&fs::read(out.join("golden.json")).unwrap()).unwrap();
    assert_eq!((&golden.checkpoint_sha256, golden.len()), (&origin, 15));
    for rules in &golden.rules {
        for golden in &rules.positions {
            let position = Position::from_text(&golden.position, &rules.rules).unwrap();
            let (mut planes, mut scalars) = (Vec::new(), Vec::new());
            input::encode_planes(&position, &mut planes);
            input::encode_scalars(&rules.rules, &position, &mut scalars);
            assert_eq!((&planes, &scalars), (&golden.planes, &golden.scalars), "{position}");
            for legal in &golden.legal {
                let place = action::index(rules.rules.size, legal.action.parse().unwrap());
                assert_eq!(place, Some(legal.place), "{position} {}", legal.action);
            }
        }
    }
    let onnx = OnnxNetwork::from_bytes(fs::read(out.join("model.onnx")).unwrap()).unwrap();
    assert_eq!(golden.check(&onnx).unwrap(), card.check.largest_difference);

    // Once more into the same folder: the same bytes, whatever stood there.
    let before = files.map(|name| fs::read(out.join(name)).unwrap());
    fs::write(out.join("model.onnx"), "something else").unwrap();
    assert_eq!(export(&model, &out, &["--positions", "5", "--also", "siga/9:chain=none"]).0, Some(0));
    assert_eq!(files.map(|name| fs::read(out.join(name)).unwrap()), before);
    assert_eq!(names(&out).len(), 4);
}

#[test]
fn what_is_no_network_is_refused_with_one_line_and_leaves_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let model = scratch.path().join("net.safetensors");
    checkpoint().write(&model).unwrap();
    let sound = fs::read(&model).unwrap();
    let mut not_finite = checkpoint();
    not_finite.tensors.get_mut("value.margin.bias").unwrap()[0] = f32::NAN;
    let mut of_no_rules = checkpoint();
    of_no_rules.about.trained_on.clear();
    // Finite numbers that overflow on the way.
    let mut overflowing = checkpoint();
    overflowing.tensors.values_mut().for_each(|values| values.fill(1e30));
    for (bytes, expected) in [
        (sound[..sound.len() / 2].to_vec(), "not a safetensors file"),
        (b"garbage".to_vec(), "not a safetensors file"),
        (Vec::new(), "not a safetensors file"),
        (not_finite.to_bytes().unwrap(), "tensor value.margin.bias: holds a number that is not finite"),
        (of_no_rules.to_bytes().unwrap(), "trained on no rules"),
        (overflowing.to_bytes().unwrap(), "the network gives "),
    ] {
        fs::write(&model, bytes).unwrap();
        let out = scratch.path().join("out");
        let (code, told, errors) = export(&model, &out, &[]);
        assert_eq!((code, &*told), (Some(2), ""), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        assert!(
            errors.starts_with("seega: ") && errors.contains("net.safetensors: ") && errors.contains(expected),
            "{expected:?} is not in {errors}"
        );
        assert!(!out.exists(), "{expected}");
    }
}

#[test]
fn an_export_that_fails_leaves_the_earlier_one_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let (model, out) = (scratch.path().join("net.safetensors"), scratch.path().join("out"));
    checkpoint().write(&model).unwrap();
    assert_eq!(export(&model, &out, &["--positions", "1"]).0, Some(0));
    let card = fs::read(out.join("card.json")).unwrap();
    fs::write(&model, "garbage").unwrap();
    assert_eq!(export(&model, &out, &[]).0, Some(2));
    assert_eq!(fs::read(out.join("card.json")).unwrap(), card);
}

#[test]
fn wrong_paths_and_counts_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let model = scratch.path().join("net.safetensors");
    let blocked = scratch.path().join("blocked");
    fs::create_dir_all(blocked.join("model.onnx")).unwrap();
    let net = scratch.path().join("sound.safetensors");
    checkpoint().write(&net).unwrap();
    let (code, _, errors) = export(&net, &blocked, &["--positions", "1"]);
    assert_eq!((code, errors.matches("os error").count()), (Some(2), 1), "{errors}");
    assert_eq!(names(&blocked), ["model.onnx".to_owned()].into(), "{errors}");
    let (code, _, errors) = export(&model, scratch.path(), &[]);
    assert_eq!((code, errors.lines().count()), (Some(2), 1), "{errors}");
    assert!(errors.contains("net.safetensors: "), "{errors}");
    checkpoint().write(&model).unwrap();
    // The folder to write is a file.
    let (code, _, errors) = export(&model, &model, &[]);
    assert_eq!((code, errors.lines().count()), (Some(2), 1), "{errors}");
    for count in ["0", "1001", "many"] {
        let (code, _, errors) = export(&model, &scratch.path().join("out"), &["--positions", count]);
        assert_eq!(code, Some(2));
        assert!(errors.contains("positions go from 1 to 1000"), "{errors}");
    }
}
