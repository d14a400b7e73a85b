#include <slope/tools/explorer/source/forms.h>

namespace slope::explorer {

namespace {

#define SLOPE_CROSS_ENTROPY_END_CPP                                 \
  "[, {.ignore_index = $ignore_index:int=-100, .label_smoothing = " \
  "$label_smoothing:number=0.0, .reduction = $reduction:reduction=Reduction::mean}])"
#define SLOPE_CROSS_ENTROPY_END_PYTORCH                                           \
  "[, ignore_index=$ignore_index:int][, label_smoothing=$label_smoothing:number]" \
  "[, reduction=$reduction:text])"

constexpr Form forms[] = {
    // ---- operators
    {"+", "$a + $b", "$a + $b"},
    {"-", "$a - $b", "$a - $b"},
    {"*", "$a * $b", "$a * $b"},
    {"/", "$a / $b", "$a / $b"},
    {"^", "pow($a, $b)", "torch.pow($a, $b)"},
    {"@", "matmul($a, $b)", "$a @ $b"},
    {"==", "$a == $b", "$a == $b"},
    {"!=", "$a != $b", "$a != $b"},
    {"<", "$a < $b", "$a < $b"},
    {"<=", "$a <= $b", "$a <= $b"},
    {">", "$a > $b", "$a > $b"},
    {">=", "$a >= $b", "$a >= $b"},
    {"negate", "-$x", "-$x"},
    {".T", "transpose($x, -2, -1)", "$x.transpose(-2, -1)"},
    {"grad", "grad({$y}, {$x}, {.create_graph = true})[0]",
     "torch.autograd.grad($y, $x, create_graph=True)[0]"},
    {"const", "$x.detach()", "$x.detach()"},

    // ---- elementwise
    // here first: the included rows repeat them as torch.gelu …, which torch lacks
    {"gelu", "gelu($x)", "F.gelu($x)"},
    {"gelu_tanh", "gelu_tanh($x)", "F.gelu($x, approximate='tanh')"},
    {"silu", "silu($x)", "F.silu($x)"},
    {"softplus", "softplus($x)", "F.softplus($x)"},
#define SLOPE_UNARY(Row, name, ...) {#name, #name "($x)", "torch." #name "($x)"},
#include <slope/core/kernels/elementwise/unary_rows.h>
    {"add", "add($a, $b)", "torch.add($a, $b)"},
    {"sub", "sub($a, $b)", "torch.sub($a, $b)"},
    {"mul", "mul($a, $b)", "torch.mul($a, $b)"},
    {"div", "div($a, $b)", "torch.div($a, $b)"},
    {"pow", "pow($a, $b)", "torch.pow($a, $b)"},
    {"maximum", "maximum($a, $b)", "torch.maximum($a, $b)"},
    {"minimum", "minimum($a, $b)", "torch.minimum($a, $b)"},
    {"clamp", "clamp($x, $low:number, $high:number)", "torch.clamp($x, $low:number, $high:number)"},
    {"where", "where($condition:truths, $a, $b)", "torch.where($condition:truths, $a, $b)"},
    {"masked_fill", "masked_fill($x, $mask:truths, $value:number)",
     "torch.masked_fill($x, $mask:truths, $value:number)"},
    {"dropout", nullptr, nullptr},

    // ---- reductions
    {"sum", "sum($x[, $dim:dims[, $keepdim:truth]])",
     "torch.sum($x[, dim=$dim:dims[, keepdim=$keepdim:truth]])"},
    {"mean", "mean($x[, $dim:dims[, $keepdim:truth]])",
     "torch.mean($x[, dim=$dim:dims[, keepdim=$keepdim:truth]])"},
    {"sum_to", "sum_to($x, $shape:dims)", "$x.sum_to_size($shape:dims)"},
    {"prod", "prod($x[, $dim:int[, $keepdim:truth]])",
     "torch.prod($x[, dim=$dim:int[, keepdim=$keepdim:truth]])"},
    {"amax", "amax($x[, $dim:dims[, $keepdim:truth]])",
     "torch.amax($x[, dim=$dim:dims[, keepdim=$keepdim:truth]])"},
    {"amin", "amin($x[, $dim:dims[, $keepdim:truth]])",
     "torch.amin($x[, dim=$dim:dims[, keepdim=$keepdim:truth]])"},
    {"max", "max($x[, $dim:int[, $keepdim:truth]])",
     "torch.max($x[, dim=$dim:int[, keepdim=$keepdim:truth]])"},
    {"min", "min($x[, $dim:int[, $keepdim:truth]])",
     "torch.min($x[, dim=$dim:int[, keepdim=$keepdim:truth]])"},
    {"var", "var($x[, $dim:dims[, $correction:number=1.0[, $keepdim:truth]]])",
     "torch.var($x[, dim=$dim:dims][, correction=$correction:number][, keepdim=$keepdim:truth])"},
    {"std", "slope::std($x[, $dim:dims[, $correction:number=1.0[, $keepdim:truth]]])",
     "torch.std($x[, dim=$dim:dims][, correction=$correction:number][, keepdim=$keepdim:truth])"},
    {"logsumexp", "logsumexp($x, $dim:dims[, $keepdim:truth])",
     "torch.logsumexp($x, $dim:dims[, keepdim=$keepdim:truth])"},
    {"cumsum", "cumsum($x, $dim:int)", "torch.cumsum($x, $dim:int)"},
    {"norm", "norm($x[, $p:number=2.0[, $dim:dims[, $keepdim:truth]]])",
     "torch.linalg.vector_norm($x[, $p:number][, dim=$dim:dims][, keepdim=$keepdim:truth])"},
    {"softmax", "softmax($x[, $dim:int])", "torch.softmax($x, $dim:int=-1)"},
    {"log_softmax", "log_softmax($x[, $dim:int])", "torch.log_softmax($x, $dim:int=-1)"},
    {"layer_norm", "layer_norm($x, $weight, $bias[, $eps:number])",
     "F.layer_norm($x, $shape:dims, $weight, $bias[, $eps:number])"},
    {"rms_norm", "rms_norm($x, $weight[, $eps:number])",
     "F.rms_norm($x, $shape:dims, $weight, $eps:number=1e-5)"},

    // ---- shapes
    {"reshape", "reshape($x, $shape:dims)", "torch.reshape($x, $shape:dims)"},
    {"transpose", "transpose($x, $a:int, $b:int)", "torch.transpose($x, $a:int, $b:int)"},
    {"permute", "permute($x, $dims:dims)", "torch.permute($x, $dims:dims)"},
    {"expand", "expand($x, $shape:dims)", "$x.expand($shape:dims)"},
    {"narrow", "narrow($x, $dim:int, $start:int, $length:int)",
     "torch.narrow($x, $dim:int, $start:int, $length:int)"},
    {"slice", "slice($x, $dim:int, $start:int, $end:int[, $step:int])",
     "torch.ops.aten.slice($x, $dim:int, $start:int, $end:int[, $step:int])"},
    {"select", "select($x, $dim:int, $index:int)", "torch.select($x, $dim:int, $index:int)"},
    {"diagonal", "diagonal($x, $a:int=0, $b:int=1)", "torch.diagonal($x, 0, $a:int=0, $b:int=1)"},
    {"squeeze", "squeeze($x, $dim:int)", "torch.squeeze($x, $dim:int)"},
    {"unsqueeze", "unsqueeze($x, $dim:int)", "torch.unsqueeze($x, $dim:int)"},
    {"split", "split($x, $size:int[, $dim:int])", "torch.split($x, $size:int[, dim=$dim:int])"},
    {"unbind", "unbind($x[, $dim:int])", "torch.unbind($x[, dim=$dim:int])"},
    {"clone", "clone($x)", "$x.clone()"},
    {"contiguous", "contiguous($x)", "$x.contiguous()"},
    {"detach", "$x.detach()", "$x.detach()"},
    {"to", "to($x, $dtype:dtype)", "$x.to($dtype:dtype)"},
    {"pad", "pad($x, $widths:dims[, $value:number])",
     "F.pad($x, $widths:dims[, value=$value:number])"},
    {"tril", "tril($x[, $diagonal:int])", "torch.tril($x[, $diagonal:int])"},
    {"triu", "triu($x[, $diagonal:int])", "torch.triu($x[, $diagonal:int])"},
    {"flip", "flip($x, $dims:dims)", "torch.flip($x, $dims:dims)"},
    {"roll", "roll($x, $shifts:dims, $dims:dims)", "torch.roll($x, $shifts:dims, $dims:dims)"},
    {"repeat", "repeat($x, $times:dims)", "$x.repeat($times:dims)"},
    {"repeat_interleave", "repeat_interleave($x, $times:int, $dim:int)",
     "torch.repeat_interleave($x, $times:int, $dim:int)"},
    {"cat", "cat($xs:tensors[, $dim:int])", "torch.cat($xs:tensors[, $dim:int])"},
    {"stack", "stack($xs:tensors[, $dim:int])", "torch.stack($xs:tensors[, $dim:int])"},
    {"index_select", "index_select($x, $dim:int, $index:integers)",
     "torch.index_select($x, $dim:int, $index:integers)"},
    {"gather", "gather($x, $dim:int, $index:integers)",
     "torch.gather($x, $dim:int, $index:integers)"},
    {"scatter_add", "scatter_add($x, $dim:int, $index:integers, $source)",
     "torch.scatter_add($x, $dim:int, $index:integers, $source)"},
    {"embedding", "embedding($index:integers, $weight)", "F.embedding($index:integers, $weight)"},

    // ---- products, losses, attention
    {"matmul", "matmul($a, $b)", "torch.matmul($a, $b)"},
    {"bmm", "bmm($a, $b)", "torch.bmm($a, $b)"},
    {"linear", "linear($x, $weight[, $bias])", "F.linear($x, $weight[, $bias])"},
    {"einsum", "einsum($equation:text, $xs:tensors)", "torch.einsum($equation:text, $xs:tensors)"},
    {"scaled_dot_product_attention",
     "scaled_dot_product_attention($q, $k, $v[, {[.mask = $mask:truths, ].causal = "
     "$causal:truth}])",
     "F.scaled_dot_product_attention($q, $k, $v[, attn_mask=$mask:truths]"
     "[, is_causal=$causal:truth])"},
    {unequal_causal_attention, nullptr,
     "F.scaled_dot_product_attention($q, $k, $v, attn_mask=($mask:truths=True) & "
     "torch.ones($q.size(-2), $k.size(-2), dtype=torch.bool)"
     ".tril($k.size(-2) - $q.size(-2)))"},
    {"cross_entropy", "cross_entropy($logits, $target:integers" SLOPE_CROSS_ENTROPY_END_CPP,
     "F.cross_entropy($logits, $target:integers" SLOPE_CROSS_ENTROPY_END_PYTORCH},
    {"linear_cross_entropy",
     "linear_cross_entropy($x, $weight, $bias, $target:integers" SLOPE_CROSS_ENTROPY_END_CPP,
     "F.cross_entropy(F.linear($x, $weight, $bias), "
     "$target:integers" SLOPE_CROSS_ENTROPY_END_PYTORCH},
    {"nll_loss",
     "nll_loss($log_probabilities, $target:integers[, {.reduction = $reduction:reduction}])",
     "F.nll_loss($log_probabilities, $target:integers[, reduction=$reduction:text])"},
    {"mse_loss", "mse_loss($x, $target[, $reduction:reduction])",
     "F.mse_loss($x, $target[, reduction=$reduction:text])"},
    {"bce_with_logits", "bce_with_logits($x, $target[, $reduction:reduction])",
     "F.binary_cross_entropy_with_logits($x, $target[, reduction=$reduction:text])"},
    {"kl_div", "kl_div($log_q, $p[, $reduction:reduction])",
     "F.kl_div($log_q, $p[, reduction=$reduction:text])"},
};

}  // namespace

const Form* find_form(std::string_view name) {
  for (const Form& form : forms)
    if (name == form.name) return &form;
  return nullptr;
}

}  // namespace slope::explorer
