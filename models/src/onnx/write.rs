//! The graph of a network for play, and the file that holds it.
//!
//! The same steps as `Network::forward` takes on libtorch; the check at the end of an export holds the two together.

use prost::Message;

use super::graph::{GraphBuilder, value};
use super::proto::{Entry, Extent, Graph, Model, OperatorSet};
use super::{INPUTS, IR_VERSION, OPSET, OUTPUTS};
use crate::checkpoint::{About, Checkpoint};
use crate::fold::fold;
use crate::input;

/// A network as the bytes of an ONNX file, the same for the same network. `checkpoint_sha256` is the SHA-256 of the
/// checkpoint's file, which the ONNX file names as its origin.
///
/// # Panics
/// If the checkpoint's tensors are not those of its architecture, which reading one rules out.
pub fn to_onnx(checkpoint: &Checkpoint, checkpoint_sha256: &str) -> Vec<u8> {
    let text = |text: &str| Some(text.to_owned());
    let metadata = metadata(&checkpoint.about, checkpoint_sha256);
    let model = Model {
        ir_version: Some(IR_VERSION),
        producer_name: text("seega"),
        producer_version: text(env!("CARGO_PKG_VERSION")),
        graph: Some(graph(checkpoint)),
        opset_import: vec![OperatorSet { domain: text(""), version: Some(OPSET) }],
        metadata_props: metadata.map(|(key, value)| Entry { key: text(key), value: Some(value) }).to_vec(),
    };
    model.encode_to_vec()
}

/// What the file says of itself, as `FORMAT.md` lists it.
fn metadata(about: &About, checkpoint_sha256: &str) -> [(&'static str, String); 6] {
    let trained_on: Vec<String> = about
        .trained_on
        .iter()
        .map(|known| format!("{name} {side}x{side}", name = known.name, side = known.rules.size.side()))
        .collect();
    let architecture = about.architecture;
    [
        ("project", "seega".to_owned()),
        ("format", about.format.to_string()),
        ("architecture", format!("{{\"channels\":{},\"blocks\":{}}}", architecture.channels, architecture.blocks)),
        ("trained_on", trained_on.join(", ")),
        ("step", about.step.to_string()),
        ("checkpoint_sha256", checkpoint_sha256.to_owned()),
    ]
}

fn graph(checkpoint: &Checkpoint) -> Graph {
    let architecture = checkpoint.about.architecture;
    let mut graph = GraphBuilder::new(fold(checkpoint));
    let g = &mut graph;
    let [planes, scalars] = INPUTS;
    let [policy_output, chances_output, margin_output] = OUTPUTS;

    let stem = g.conv("stem.conv", planes);
    let bias = g.linear("stem.scalars", scalars);
    let stem = g.add_to_channels("stem.sum", &stem, &bias);
    let mut trunk = g.relu("stem", &stem);
    for block in 0..architecture.blocks {
        let name = |part: &str| format!("block{block}{part}");
        let mut inner = g.conv(&name(".conv1"), &trunk);
        if architecture.pools(block) {
            let whole = g.pool(&name(".whole"), &trunk);
            let bias = g.linear(&name(".pool"), &whole);
            inner = g.add_to_channels(&name(".pooled"), &inner, &bias);
        }
        let inner = g.relu(&name(".inner"), &inner);
        let inner = g.conv(&name(".conv2"), &inner);
        let sum = g.add(&name(".sum"), &trunk, &inner);
        trunk = g.relu(&name(""), &sum);
    }

    let whole = g.pool("whole", &trunk);
    let policy = g.conv("policy.conv", &trunk);
    let bias = g.linear("policy.pool", &whole);
    let policy = g.add_to_channels("policy.sum", &policy, &bias);
    let policy = g.relu("policy.inner", &policy);
    let policy = g.conv("policy.planes", &policy);
    let policy = g.flatten("policy.places", &policy);
    let stop = g.linear("policy.stop", &whole);
    g.concat(policy_output, &policy, &stop);

    let board = g.conv("value.conv", &trunk);
    let board = g.relu("value.board", &board);
    let board = g.pool("value.whole", &board);
    let hidden = g.linear("value.hidden", &board);
    let hidden = g.relu("value.inner", &hidden);
    g.linear_to(chances_output, "value.chances", &hidden);
    let margin = g.linear("value.margin", &hidden);
    let margin = g.tanh("value.lead", &margin);
    g.squeeze(margin_output, &margin);

    let batch = || Extent::Named("batch".to_owned());
    let side = || Extent::Named("side".to_owned());
    let fixed = |count: usize| Extent::Fixed(count as i64);
    let inputs = vec![
        value(planes, &[batch(), fixed(input::PLANES), side(), side()]),
        value(scalars, &[batch(), fixed(input::SCALARS.len())]),
    ];
    let outputs = vec![
        value(policy_output, &[batch(), Extent::Named("places".to_owned())]),
        value(chances_output, &[batch(), fixed(3)]),
        value(margin_output, &[batch()]),
    ];
    graph.finish("seega", inputs, outputs)
}
