//! The written ONNX file, run without libtorch, gives what libtorch gives on every board size.

use rand::RngExt;
use seega_models::architecture::Architecture;
use seega_models::checkpoint::{Checkpoint, NamedRules};
use seega_models::input;
use seega_models::network::{Network, Norm, planes_tensor};
use seega_models::onnx::{OnnxNetwork, to_onnx};
use seega_rules::{BoardSize, preset};
use seega_tests::games::{any_rules, each_position, random};
use tch::{Device, Tensor};

/// A network whose batch norms and biases are not what they begin as.
fn trained(architecture: Architecture) -> Checkpoint {
    let rules = NamedRules { name: "sija".to_owned(), rules: preset::ALL[0].rules };
    let mut checkpoint = Checkpoint::fresh(architecture, vec![rules], 3);
    let mut random = random(4);
    for (name, values) in &mut checkpoint.tensors {
        if name.contains(".norm.") || name.ends_with(".bias") {
            values.iter_mut().for_each(|value| *value += random.random_range(0.0..0.5));
        }
    }
    checkpoint
}

/// The inputs of `count` positions on that board: every fifth of games under random rules. The planes twice, for ONNX and
/// for libtorch.
fn inputs(size: BoardSize, count: usize) -> (Vec<f32>, Vec<f32>, Vec<f32>) {
    let (mut planes, mut squares, mut scalars, mut seen) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut random = random(5);
    while seen < 5 * count {
        let rules = any_rules(&mut random).with_size(size);
        each_position(&rules, &mut random, |position, _| {
            if seen < 5 * count && seen % 5 == 0 {
                input::encode_planes(position, &mut planes);
                input::encode_squares(position, &mut squares);
                input::encode_scalars(&rules, position, &mut scalars);
            }
            seen += 1;
        });
    }
    (planes, squares, scalars)
}

fn largest_difference(torch: &Tensor, onnx: &[f32]) -> f32 {
    let torch = Vec::<f32>::try_from(torch.contiguous().view(-1)).unwrap();
    assert_eq!(torch.len(), onnx.len());
    assert!(torch.iter().any(|value| value.abs() > 1e-3), "the output says nothing");
    torch.iter().zip(onnx).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn the_file_gives_what_libtorch_gives_for_any_size_of_board_batch_and_network() {
    let _no_grad = tch::no_grad_guard();
    for (channels, blocks) in [(4, 1), (7, 2), (16, 3)] {
        let checkpoint = trained(Architecture { channels, blocks });
        let torch = Network::new(&checkpoint, Device::Cpu);
        let onnx = OnnxNetwork::from_bytes(to_onnx(&checkpoint, "origin")).unwrap();
        for size in BoardSize::ALL {
            for batch in [1, 11] {
                let (planes, squares, scalars) = inputs(size, batch);
                let expected = torch.forward(
                    &planes_tensor(&squares, size, batch),
                    &Tensor::from_slice(&scalars).reshape([batch as i64, input::SCALARS.len() as i64]),
                    Norm::Running,
                    false,
                );
                let found = onnx.run(size, &planes, &scalars).unwrap();
                for (torch, onnx) in [
                    (&expected.policy, &found.policy),
                    (&expected.chances, &found.chances),
                    (&expected.margin, &found.margin),
                ] {
                    let difference = largest_difference(torch, onnx);
                    assert!(difference < 1e-4, "{channels}x{blocks} on {size}, batch {batch}: {difference}");
                }
            }
        }
    }
}

#[test]
fn the_file_is_the_same_every_time_and_says_whose_it_is() {
    let checkpoint = trained(Architecture { channels: 4, blocks: 2 });
    let bytes = to_onnx(&checkpoint, "0123abcd");
    assert_eq!(bytes, to_onnx(&checkpoint, "0123abcd"));
    for text in ["checkpoint_sha256", "0123abcd", "sija 5x5", r#"{"channels":4,"blocks":2}"#] {
        assert!(bytes.windows(text.len()).any(|window| window == text.as_bytes()), "{text}");
    }
}

#[test]
fn other_files_and_other_versions_are_refused() {
    let refused = |bytes: &[u8]| OnnxNetwork::from_bytes(bytes.to_vec()).unwrap_err().to_string();
    let mut checkpoint = trained(Architecture { channels: 4, blocks: 1 });
    let bytes = to_onnx(&checkpoint, "origin");
    for length in (0..bytes.len()).step_by(211) {
        // What is cut may still be read; it is no network then.
        refused(&bytes[..length]);
    }
    checkpoint.about.format = 9;
    let newer = refused(&to_onnx(&checkpoint, "origin"));
    assert_eq!(newer, "the network has format version \"9\"; this program reads version 1");
}

#[test]
fn inputs_that_are_no_batch_are_refused() {
    let onnx = OnnxNetwork::from_bytes(to_onnx(&trained(Architecture { channels: 4, blocks: 1 }), "origin")).unwrap();
    let (planes, _, scalars) = inputs(BoardSize::Five, 2);
    for (planes, scalars) in
        [(&planes[..], &scalars[1..]), (&planes[1..], &scalars[..]), (&[][..], &[][..]), (&planes[..], &scalars[..27])]
    {
        assert!(onnx.run(BoardSize::Five, planes, scalars).is_err());
    }
    assert!(onnx.run(BoardSize::Seven, &planes, &scalars).is_err());
}
