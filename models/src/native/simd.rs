//! The loops of the native forward pass, on the widest vector registers that the CPU has.
//!
//! A vector holds neighbouring outputs of one square. The sums of a whole line of squares stay in registers while all
//! inputs are gone through: each weight is loaded once a line, each input once for all outputs of a block that it adds to.
//! Every sum is added up in the same order on every CPU, with fused multiplication and addition, and a position's numbers
//! never depend on those beside it in a batch.

use pulp::{Arch, Simd, WithSimd};
use seega_rules::BoardSize;

use super::layer::Layer;

/// What becomes of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// They are written.
    Write,
    /// They are written where above 0, and 0 elsewhere.
    Relu,
    /// They are added to what stands there; then as `Relu`.
    AddRelu,
}

/// A layer on every square of some boards.
#[derive(Debug)]
pub(super) struct Convolution<'a> {
    pub(super) layer: &'a Layer,
    pub(super) size: BoardSize,
    /// Where the sums begin: a row for each board, or one row for all.
    pub(super) starts: &'a [f32],
    /// `[boards, squares, inputs]`.
    pub(super) from: &'a [f32],
    /// `[boards, squares, outputs]`.
    pub(super) to: &'a mut [f32],
    pub(super) finish: Finish,
}

impl Convolution<'_> {
    pub(super) fn run(self, arch: Arch) {
        arch.dispatch(self);
    }

    #[inline(always)]
    fn on_boards<S: Simd, const SIDE: usize>(self, simd: S) {
        let Convolution { layer, starts, from, to, finish, .. } = self;
        let from = from.chunks_exact(SIDE * SIDE * layer.inputs);
        let to = to.chunks_exact_mut(SIDE * SIDE * layer.outputs);
        for (board, (from, to)) in from.zip(to).enumerate() {
            let start = if starts.len() == layer.outputs { starts } else { &starts[board * layer.outputs..] };
            for (column, vectors) in blocks::<S>(layer, SIDE) {
                for y in 0..SIDE {
                    let to = &mut to[y * SIDE * layer.outputs..][..SIDE * layer.outputs];
                    match vectors {
                        1 => line::<S, SIDE, 1>(simd, layer, column, start, from, y, SIDE, to, finish),
                        _ => line::<S, SIDE, 2>(simd, layer, column, start, from, y, SIDE, to, finish),
                    }
                }
            }
        }
    }
}

impl WithSimd for Convolution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.size {
            BoardSize::Five => self.on_boards::<S, 5>(simd),
            BoardSize::Seven => self.on_boards::<S, 7>(simd),
            BoardSize::Nine => self.on_boards::<S, 9>(simd),
        }
    }
}

/// A linear layer on some rows.
#[derive(Debug)]
pub(super) struct Linear<'a> {
    pub(super) layer: &'a Layer,
    /// `[rows, inputs]`.
    pub(super) from: &'a [f32],
    /// `[rows, outputs]`.
    pub(super) to: &'a mut [f32],
    pub(super) finish: Finish,
}

impl Linear<'_> {
    pub(super) fn run(self, arch: Arch) {
        arch.dispatch(self);
    }
}

impl WithSimd for Linear<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        /// Rows that share the loading of a weight.
        const TOGETHER: usize = 4;
        let Linear { layer, from, to, finish } = self;
        let start = &layer.bias;
        let count = from.len() / layer.inputs;
        for (column, vectors) in blocks::<S>(layer, TOGETHER) {
            let mut row = 0;
            while row < count {
                let together = if row + TOGETHER <= count { TOGETHER } else { 1 };
                let from = &from[row * layer.inputs..][..together * layer.inputs];
                let to = &mut to[row * layer.outputs..][..together * layer.outputs];
                match (vectors, together) {
                    (1, 1) => line::<S, 1, 1>(simd, layer, column, start, from, 0, 1, to, finish),
                    (_, 1) => line::<S, 1, 2>(simd, layer, column, start, from, 0, 1, to, finish),
                    (1, _) => line::<S, TOGETHER, 1>(simd, layer, column, start, from, 0, 1, to, finish),
                    (_, _) => line::<S, TOGETHER, 2>(simd, layer, column, start, from, 0, 1, to, finish),
                }
                row += together;
            }
        }
    }
}

/// The blocks of outputs that are summed side by side: where each begins, and how many vectors it has. Two, or one where
/// two are too many: for the row, or, with so many `squares` beside each other, for the registers.
#[inline(always)]
fn blocks<S: Simd>(layer: &Layer, squares: usize) -> impl Iterator<Item = (usize, usize)> {
    // A number, and two vectors of weights at a time.
    const BESIDE: usize = 3;
    let (lanes, outputs) = (S::F32_LANES, layer.outputs);
    let step = if 2 * squares + BESIDE <= S::REGISTER_COUNT { 2 } else { 1 };
    (0..outputs).step_by(step * lanes).map(move |column| (column, step.min((outputs - column) / lanes)))
}

/// The outputs from `column` on, `V` vectors of them, of the `N` squares of line `y` of `lines`.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the one loop of everything: a struct would only rename its arguments")]
fn line<S: Simd, const N: usize, const V: usize>(
    simd: S,
    layer: &Layer,
    column: usize,
    start: &[f32],
    board: &[f32],
    y: usize,
    lines: usize,
    out: &mut [f32],
    finish: Finish,
) {
    let start: [S::f32s; V] = vectors::<S, V>(&start[column..]);
    let mut sums = [start; N];
    let line_len = N * layer.inputs;
    let at = |line: usize| &board[line * line_len..][..line_len];
    if layer.width == 1 {
        add_line::<S, N, V, 1>(simd, layer, 0, column, at(y), &mut sums);
    } else {
        for dy in 0..3 {
            if let Some(from) = (y + dy).checked_sub(1).filter(|&from| from < lines) {
                add_line::<S, N, V, 3>(simd, layer, dy, column, at(from), &mut sums);
            }
        }
    }
    let zero = simd.splat_f32s(0.0);
    for (sums, out) in sums.into_iter().zip(out.chunks_exact_mut(layer.outputs)) {
        let out = &mut out[column..][..V * S::F32_LANES];
        for (sum, out) in sums.into_iter().zip(out.chunks_exact_mut(S::F32_LANES)) {
            let out = &mut S::as_mut_simd_f32s(out).0[0];
            *out = match finish {
                Finish::Write => sum,
                // In this order x86 keeps what is no number, so that it is seen at the end.
                Finish::Relu => simd.max_f32s(zero, sum),
                Finish::AddRelu => simd.max_f32s(zero, simd.add_f32s(*out, sum)),
            };
        }
    }
}

/// Adds what a line of squares gives by line `dy` of a filter that is `WIDTH` squares wide.
#[inline(always)]
fn add_line<S: Simd, const N: usize, const V: usize, const WIDTH: usize>(
    simd: S,
    layer: &Layer,
    dy: usize,
    column: usize,
    line: &[f32],
    sums: &mut [[S::f32s; V]; N],
) {
    let (inputs, outputs) = (layer.inputs, layer.outputs);
    let squares: [&[f32]; N] = std::array::from_fn(|x| &line[x * inputs..][..inputs]);
    let weight = &layer.weight[dy * inputs * WIDTH * outputs..][..inputs * WIDTH * outputs];
    for (input, weights) in weight.chunks_exact(WIDTH * outputs).enumerate().take(inputs) {
        let weights: [[S::f32s; V]; WIDTH] =
            std::array::from_fn(|dx| vectors::<S, V>(&weights[dx * outputs + column..]));
        for (x, square) in squares.iter().enumerate() {
            let number = simd.splat_f32s(square[input]);
            for (dx, weights) in weights.iter().enumerate() {
                // A square adds to its right neighbour by the filter's left column, and so on; beyond the edge is nothing.
                if let Some(to) = (x + WIDTH / 2).checked_sub(dx).filter(|&to| to < N) {
                    for v in 0..V {
                        // Rounded once where the machine can, twice where it can't: there one rounding is a function
                        // call a number, twenty times as slow.
                        sums[to][v] = simd.mul_add_e_f32s(number, weights[v], sums[to][v]);
                    }
                }
            }
        }
    }
}

/// The first vectors of some numbers.
#[inline(always)]
fn vectors<S: Simd, const V: usize>(numbers: &[f32]) -> [S::f32s; V] {
    let numbers = &numbers[..V * S::F32_LANES];
    std::array::from_fn(|v| S::as_simd_f32s(&numbers[v * S::F32_LANES..][..S::F32_LANES]).0[0])
}

/// The mean of each number over the rows of a board, and then its maximum, for some boards.
#[derive(Debug)]
pub(super) struct Pooling<'a> {
    /// The length of a row.
    pub(super) row: usize,
    /// `[boards, squares, row]`.
    pub(super) from: &'a [f32],
    pub(super) squares: usize,
    /// `[boards, 2 * row]`.
    pub(super) to: &'a mut [f32],
}

impl Pooling<'_> {
    pub(super) fn run(self, arch: Arch) {
        arch.dispatch(self);
    }
}

impl WithSimd for Pooling<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Pooling { row, from, squares, to } = self;
        let count = simd.splat_f32s(squares as f32);
        for (from, to) in from.chunks_exact(squares * row).zip(to.chunks_exact_mut(2 * row)) {
            let (means, maxima) = to.split_at_mut(row);
            for column in (0..row).step_by(S::F32_LANES) {
                let mut sum = simd.splat_f32s(0.0);
                let mut highest = simd.splat_f32s(f32::NEG_INFINITY);
                for numbers in from.chunks_exact(row) {
                    let [numbers] = vectors::<S, 1>(&numbers[column..]);
                    sum = simd.add_f32s(sum, numbers);
                    highest = simd.max_f32s(highest, numbers);
                }
                S::as_mut_simd_f32s(&mut means[column..][..S::F32_LANES]).0[0] = simd.div_f32s(sum, count);
                S::as_mut_simd_f32s(&mut maxima[column..][..S::F32_LANES]).0[0] = highest;
            }
        }
    }
}
