"""Small networks of every operator that image encoders are made of, and what onnxruntime makes of them:
makes crates/onnx/tests/golden/*.onnx and crates/onnx/tests/golden/encoder.json.

    pip install onnx onnxruntime && python scripts/golden/encoder.py

Weights are drawn, so the features mean nothing; what counts is that another runtime finds the same.
"""

import json
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parents[2] / "crates/onnx/tests/golden"
SIDE = 16
draw = np.random.default_rng(7)

IMAGENET = {"scale": 1 / 255, "mean": [0.485, 0.456, 0.406], "sd": [0.229, 0.224, 0.225]}
UNIT = {"scale": 1 / 255, "mean": [0, 0, 0], "sd": [1, 1, 1]}
BYTES = {"scale": 1, "mean": [0, 0, 0], "sd": [1, 1, 1]}


class Graph:
    """Nodes one after the other; every weight is drawn where it is used."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def __call__(self, operator, *inputs, output=None, outputs=1, domain="", **attributes):
        names = [output] if output else [f"{operator}_{len(self.nodes)}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(operator, list(inputs), names, domain=domain, **attributes))
        return names[0] if len(names) == 1 else names

    def const(self, value, dtype=np.float32):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype=dtype), name))
        return name

    def whole(self, *numbers):
        return self.const(numbers, np.int64)

    def drawn(self, *shape):
        fan = int(np.prod(shape[1:])) if len(shape) > 1 else 1
        return self.const(draw.normal(size=shape) / np.sqrt(fan))

    def save(self, name, shape, outputs, opset, kind=TensorProto.FLOAT, **props):
        info = helper.make_tensor_value_info("image", kind, shape)
        outs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None] * rank) for output, rank in outputs.items()]
        graph = helper.make_graph(self.nodes, name, [info], outs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
        model.producer_name = "scripts/golden/encoder.py"
        helper.set_model_props(model, props)
        onnx.checker.check_model(model)
        onnx.save(model, HERE / f"{name}.onnx")


def conv(g, x, channels, out, side=3, groups=1, **attributes):
    weight = g.drawn(out, channels // groups, side, side)
    return g("Conv", x, weight, g.drawn(out), kernel_shape=[side, side], group=groups, **attributes)


def norm(g, x, channels):
    positive = lambda: g.const(draw.uniform(0.5, 1.5, channels))
    return g("BatchNormalization", x, positive(), g.drawn(channels), g.drawn(channels), positive(), epsilon=1e-5)


def convolutional():
    """Pieces of ResNet, MobileNet, EfficientNet, DenseNet, U-Net; opset 13; NCHW, any batch."""
    g = Graph()
    x = norm(g, conv(g, "image", 3, 8, strides=[2, 2], pads=[1, 1, 1, 1]), 8)
    x = g("Relu", x)
    a = g("MaxPool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    b = g("AveragePool", x, kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1], count_include_pad=1)
    x = g("Add", a, b)
    depthwise = norm(g, conv(g, x, 8, 8, groups=8, pads=[1, 1, 1, 1]), 8)
    swish = g("Mul", depthwise, g("Sigmoid", depthwise))
    squeezed = g("GlobalAveragePool", swish)
    gate = g("HardSigmoid", conv(g, g("Relu", conv(g, squeezed, 8, 4, side=1)), 4, 8, side=1), alpha=1 / 6, beta=0.5)
    x = g("Add", x, g("Mul", swish, gate), output="block")
    x = g("Concat", x, g("LeakyRelu", conv(g, x, 8, 4, side=1), alpha=0.1), axis=1)
    x = g("Clip", x, g.const(-1.5), g.const(6.0))
    x = g("Elu", x, alpha=0.7)
    x = g("Pad", x, g.whole(0, 0, 1, 1, 0, 0, 1, 1), mode="reflect")
    x = g("PRelu", conv(g, x, 12, 12, groups=2, dilations=[2, 2]), g.const(draw.uniform(0, 0.3, (12, 1, 1))))
    up = g("Resize", x, "", g.const([1, 1, 2, 2]), mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric")
    x = g("ConvTranspose", up, g.drawn(12, 6, 2, 2), kernel_shape=[2, 2], strides=[2, 2])
    x = g("InstanceNormalization", x, g.const(np.ones(6)), g.const(np.zeros(6)), epsilon=1e-5)
    left, right = g("Split", x, g.whole(3, 3), outputs=2, axis=1)
    x = g("Max", g("Tanh", left), g("Softplus", right))
    x = g("Slice", x, g.whole(1, 1), g.whole(1000, -1), g.whole(2, 3), output="map")
    x = g("DepthToSpace", conv(g, x, 3, 12, side=1), blocksize=2)
    x = g("ReduceMean", x, axes=[2, 3], keepdims=0)
    x = g("Gemm", x, g.drawn(5, 3), g.drawn(5), transB=1, alpha=0.5)
    g("Softmax", x, axis=1, output="scores")
    g.save("convolutional", ["batch", 3, SIDE, SIDE], {"scores": 2}, 13)


def transformer():
    """A vision transformer as PyTorch exports it, with shapes that are computed; opset 17; any batch and size."""
    g = Graph()
    width, heads = 12, 3
    patches = conv(g, "image", 3, width, side=4, strides=[4, 4])
    batch = g("Gather", g("Shape", patches), g.const(0, np.int64), axis=0)
    batch = g("Unsqueeze", batch, g.whole(0))
    x = g("Reshape", patches, g("Concat", batch, g.whole(width, -1), axis=0))
    x = g("Transpose", x, perm=[0, 2, 1])
    token = g("Expand", g.drawn(1, 1, width), g("Concat", batch, g.whole(1, width), axis=0))
    x = g("Add", g("Concat", token, x, axis=1), g.drawn(1, 17, width))
    before = x
    x = g("LayerNormalization", x, g.const(np.ones(width)), g.drawn(width), axis=-1, epsilon=1e-6)
    split = lambda y: g("Transpose", g("Reshape", y, g.whole(0, 0, heads, width // heads)), perm=[0, 2, 1, 3])
    query, key, value = (split(g("Add", g("MatMul", x, g.drawn(width, width)), g.drawn(width))) for _ in range(3))
    scores = g("MatMul", query, g("Transpose", key, perm=[0, 1, 3, 2]))
    scores = g("Softmax", g("Div", scores, g("Sqrt", g.const(width / heads))), axis=-1)
    x = g("Transpose", g("MatMul", scores, value), perm=[0, 2, 1, 3])
    x = g("Reshape", x, g.whole(0, 0, width))
    x = g("Add", before, g("MatMul", x, g.drawn(width, width)))
    hidden = g("MatMul", x, g.drawn(width, 2 * width))
    gelu = g("Mul", hidden, g("Mul", g("Add", g("Erf", g("Div", hidden, g.const(2**0.5))), g.const(1.0)), g.const(0.5)))
    x = g("Add", x, g("MatMul", gelu, g.drawn(2 * width, width)))
    mean = g("ReduceMean", x, axes=[-1])
    spread = g("ReduceMean", g("Pow", g("Sub", x, mean), g.const(2.0)), axes=[-1])
    x = g("Div", g("Sub", x, mean), g("Sqrt", g("Add", spread, g.const(1e-6))), output="last_hidden_state")
    first = g("Gather", x, g.const(0, np.int64), axis=1)
    pooled = g("Where", g("Greater", first, g.const(0.0)), first, g("Mul", first, g.const(0.5)))
    g("Identity", g("Squeeze", g("Unsqueeze", pooled, g.whole(1)), g.whole(1)), output="pooler_output")
    clip = {"crop_size": {"height": SIDE, "width": SIDE}, "do_center_crop": True, "image_mean": [0, 0, 0], "image_std": [1, 1, 1]}
    shape = ["batch_size", "num_channels", "height", "width"]
    g.save("transformer", shape, {"last_hidden_state": 3, "pooler_output": 2}, 17, preprocessor_config=json.dumps(clip))


def bytes_in():
    """As a TensorFlow network comes: bytes, channels last, two images at once, a map with channels last; opset 11."""
    g = Graph()
    x = g("Cast", "image", to=TensorProto.FLOAT)
    x = g("Sub", g("Div", x, g.const(127.5)), g.const(1.0))
    x = g("Transpose", x, perm=[0, 3, 1, 2])
    x = g("Relu", conv(g, x, 3, 6, strides=[2, 2], auto_pad="SAME_UPPER"))
    x = g("Transpose", x, perm=[0, 2, 3, 1], output="map")
    x = g("Transpose", x, perm=[0, 3, 1, 2])
    g("Flatten", g("GlobalMaxPool", x), axis=1, output="embedding")
    g.save("bytes", [2, SIDE, SIDE, 3], {"embedding": 2}, 11, kind=TensorProto.UINT8)


def features(name, layer, images, scale, layout, pooled):
    """What onnxruntime makes of the images."""
    model = onnx.load(HERE / f"{name}.onnx")
    if layer not in [output.name for output in model.graph.output]:
        model.graph.output.append(onnx.ValueInfoProto(name=layer))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x = images
    if session.get_inputs()[0].type != "tensor(uint8)":
        mean, sd = (np.asarray(scale[key]) for key in ["mean", "sd"])
        x = ((images * scale["scale"] - mean) / sd).astype(np.float32)
    if layout == "nchw":
        x = x.transpose(0, 3, 1, 2)
    batch = session.get_inputs()[0].shape[0]
    batch = batch if isinstance(batch, int) else len(x)
    parts = [session.run([layer], {"image": x[i : i + batch]})[0] for i in range(0, len(x), batch)]
    y = np.concatenate(parts).astype(np.float64)
    if pooled == "nchw":
        y = y.mean(axis=(2, 3))
    elif pooled == "nhwc":
        y = y.mean(axis=(1, 2))
    elif pooled == "tokens":
        y = y.mean(axis=1)
    elif pooled == "first":
        y = y[:, 0]
    return [[float(f"{value:.7g}") for value in row] for row in y]


if __name__ == "__main__":
    HERE.mkdir(parents=True, exist_ok=True)
    convolutional(), transformer(), bytes_in()
    ramp = np.add.outer(np.arange(SIDE), np.arange(SIDE))[None, :, :, None] * 8
    images = ((draw.integers(0, 120, (4, SIDE, SIDE, 3)) + ramp * [1, 0.5, 0.2]) % 256).astype(np.uint8)
    cases = [
        ("convolutional", "scores", IMAGENET, "nchw", None),
        ("convolutional", "map", IMAGENET, "nchw", "nchw"),
        ("convolutional", "block", IMAGENET, "nchw", "nchw"),
        ("transformer", "pooler_output", UNIT, "nchw", None),
        ("transformer", "last_hidden_state", UNIT, "nchw", "tokens"),
        ("transformer", "last_hidden_state", UNIT, "nchw", "first"),
        ("bytes", "embedding", BYTES, "nhwc", None),
        ("bytes", "map", BYTES, "nhwc", "nhwc"),
    ]
    golden = {
        "made_by": f"scripts/golden/encoder.py with onnxruntime {onnxruntime.__version__}",
        "side": SIDE,
        "images": images.reshape(len(images), -1).tolist(),
        "cases": [
            {"network": name, "layer": layer, "pooled": pooled, "features": features(name, layer, images, scale, layout, pooled)}
            for name, layer, scale, layout, pooled in cases
        ],
    }
    (HERE / "encoder.json").write_text(json.dumps(golden, separators=(",", ":")) + "\n")
