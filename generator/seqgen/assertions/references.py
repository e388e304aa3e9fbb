"""Functions of other libraries that a spec may be compared with, by name.

Arguments come in the library's functional order; options are the library's own keywords.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# The parameters of an encoder block, in the order of a reference's arguments.
ENCODER_LAYER = (
    "self_attn.in_proj_weight",
    "self_attn.in_proj_bias",
    "self_attn.out_proj.weight",
    "self_attn.out_proj.bias",
    "norm1.weight",
    "norm1.bias",
    "linear1.weight",
    "linear1.bias",
    "linear2.weight",
    "linear2.bias",
    "norm2.weight",
    "norm2.bias",
)


def _tensor(array: Any) -> Any:
    import torch

    return torch.tensor(np.asarray(array, dtype=np.float64))


def _cell(name: str) -> Callable[..., Any]:
    """Return a recurrent cell as a function of x, h, W_ih, W_hh, b_ih, b_hh (an LSTM's h is followed by c)."""

    def run(*arguments: Any) -> Any:
        import torch

        x, *states = arguments[:-4]
        weights = arguments[-4:]
        cell = getattr(torch.nn, name)(x.shape[-1], states[0].shape[-1], dtype=torch.float64)
        for parameter, value in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), weights, strict=True):
            getattr(cell, parameter).data = value
        state = tuple(s[None] for s in states) if len(states) > 1 else states[0][None]
        result = cell(x[None], state)
        return torch.cat(result)[0:2] if isinstance(result, tuple) else result[0]

    return run


def _multi_head_attention(x: Any, in_weight: Any, in_bias: Any, out_weight: Any, out_bias: Any, *, heads: int) -> Any:
    import torch

    width = x.shape[-1]
    layer = torch.nn.MultiheadAttention(width, heads, batch_first=True, dtype=torch.float64)
    layer.in_proj_weight.data, layer.in_proj_bias.data = in_weight, in_bias
    layer.out_proj.weight.data, layer.out_proj.bias.data = out_weight, out_bias
    return layer(x[None], x[None], x[None], need_weights=False)[0][0]


def _transformer_encoder_layer(x: Any, *weights: Any, heads: int, **options: Any) -> Any:
    """Return the rows of a whole encoder block; an option ``mask`` hides sources, one entry each (0 where padded)."""
    import torch

    real = torch.tensor(options.pop("mask", [1] * len(x)), dtype=torch.bool)
    layer = torch.nn.TransformerEncoderLayer(
        x.shape[-1], heads, len(weights[6]), dropout=0.0, batch_first=True, dtype=torch.float64, **options
    )
    layer.load_state_dict(dict(zip(ENCODER_LAYER, weights, strict=True)))
    return layer(x[None], src_key_padding_mask=~real[None])[0]


def _functional(name: str) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        import torch

        return getattr(torch.nn.functional, name)(*arguments, **options)

    return run


def _layer_norm(x: Any, weight: Any, bias: Any, *, eps: float = 1e-5) -> Any:
    return _functional("layer_norm")(x, (x.shape[-1],), weight, bias, eps)


def _attention(query: Any, key: Any, value: Any, **options: Any) -> Any:
    batched = (part[None, None] for part in (query, key, value))
    return _functional("scaled_dot_product_attention")(*batched, **options)[0, 0]


def _cross_entropy(logits: Any, targets: Any, **options: Any) -> Any:
    return _functional("cross_entropy")(logits, targets.long(), **options)


def _conv2d(image: Any, filters: Any, **options: Any) -> Any:
    lead = (None,) * (4 - image.ndim)
    weights = filters[(None,) * (4 - filters.ndim)]
    return _functional("conv2d")(image[lead], weights, **options).squeeze()


TORCH: dict[str, Callable[..., Any]] = {
    "GRUCell": _cell("GRUCell"),
    "LSTMCell": _cell("LSTMCell"),
    "RNNCell": _cell("RNNCell"),
    "scaled_dot_product_attention": _attention,
    "layer_norm": _layer_norm,
    "multi_head_attention": _multi_head_attention,
    "transformer_encoder_layer": _transformer_encoder_layer,
    "conv2d": _conv2d,
    "cross_entropy": _cross_entropy,
    "linear": _functional("linear"),
    "gelu": _functional("gelu"),
}


def call(name: str, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
    """Return what the function ``name`` of PyTorch gives for float64 arrays, as a numpy array.

    Raises:
        Exception: whatever the library raises where arguments or options do not suit it.
    """
    return TORCH[name](*map(_tensor, arguments), **options).detach().numpy()
