//! Proves that libtorch is linked and computes: a convolution against numbers worked out by hand.

use tch::Tensor;

/// The 3×3 input 1…9 under the 2×2 kernel (1, 2; 3, 4), neither padded nor flipped:
///
/// ```text
/// 1 2 3
/// 4 5 6    1·1 + 2·2 + 3·4 + 4·5 = 37    1·2 + 2·3 + 3·5 + 4·6 = 47
/// 7 8 9    1·4 + 2·5 + 3·7 + 4·8 = 67    1·5 + 2·6 + 3·8 + 4·9 = 77
/// ```
#[test]
fn convolution_gives_the_numbers_worked_out_by_hand() {
    let input = Tensor::from_slice(&[1f32, 2., 3., 4., 5., 6., 7., 8., 9.]).reshape([1, 1, 3, 3]);
    let kernel = Tensor::from_slice(&[1f32, 2., 3., 4.]).reshape([1, 1, 2, 2]);
    let bias = Tensor::from_slice(&[0.5f32]);

    let output = input.conv2d(&kernel, Some(&bias), [1, 1], [0, 0], [1, 1], 1);

    assert_eq!(output.size(), [1, 1, 2, 2]);
    let values = Vec::<f32>::try_from(output.flatten(0, -1)).unwrap();
    assert_eq!(values, [37.5, 47.5, 67.5, 77.5]);
}
