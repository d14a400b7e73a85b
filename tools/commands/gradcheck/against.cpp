#include <slope/autograd/backward.h>
#include <slope/autograd/gradcheck/cases/run.h>
#include <slope/autograd/gradcheck/culprit/evaluation.h>
#include <slope/autograd/node.h>
#include <slope/core/error.h>
#include <slope/core/files/system_call.h>
#include <slope/models/run/json.h>
#include <slope/tools/commands/gradcheck/against.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <sys/wait.h>
#include <unistd.h>

namespace slope::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr double tolerance = 1e-9;
constexpr int no_torch = 77;

// Reads calls from a file. Prints for each the largest difference in value or gradients, divided by
// max(1, PyTorch's largest element); or null if table T lacks the function, or PyTorch's error.
constexpr const char* script = R"py(
import json, math, sys, warnings
warnings.simplefilter("ignore")
try:
    import torch
except ImportError:
    sys.exit(77)
from torch.nn import functional as F
def attention(a, q, k, v, m=None):
    if a["dropout"] or a["sequences"] or a["gives_weights"]:
        raise KeyError
    L, S = q.shape[-2], k.shape[-2]
    if a["causal"]:
        m = torch.ones(L, S, dtype=bool).tril(S - L) & (True if m is None else m)
    return F.scaled_dot_product_attention(q, k, v, m, scale=a["scale"])
dims = lambda a, x: tuple(a["dims"]) or tuple(range(x.dim()))
T = {n: (lambda a, *x, f=getattr(torch, n): f(*x)) for n in
     """neg abs sign exp expm1 log log1p sqrt rsqrt sin cos tanh sigmoid relu erf
        add sub mul div pow maximum minimum bmm matmul clone""".split()}
T |= {n: (lambda a, x, f=f: f(x)) for n, f in {
    "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu, "softplus": F.softplus}.items()}
T |= {n: (lambda a, x, n=n: getattr(x, n)(dims(a, x)))
      for n in ("sum", "mean", "amax", "amin", "logsumexp")}
T |= {n: (lambda a, x, n=n: getattr(x, n)(dims(a, x), correction=a["correction"]))
      for n in ("var", "std")}
T |= {n: (lambda a, x, n=n: getattr(x, n)(a["dim"]))
      for n in ("softmax", "log_softmax", "prod")}
T |= {n: (lambda a, x, n=n: getattr(x, n)(a["dim"]).values) for n in ("max", "min")}
T |= {n: (lambda a, x, n=n: getattr(x, n)(a["diagonal"])) for n in ("tril", "triu")}
T |= {
    "add_scalar": lambda a, x: x + a["b"],
    "mul_scalar": lambda a, x: x * a["b"],
    "div_scalar": lambda a, x: x / a["b"],
    "scalar_div": lambda a, x: a["a"] / x,
    "pow_scalar": lambda a, x: x ** a["b"],
    "clamp": lambda a, x: x.clamp(a["low"], a["high"]),
    "where": lambda a, *x: torch.where(*x),
    "masked_fill": lambda a, x, m: x.masked_fill(m, a["value"]),
    "norm": lambda a, x: torch.linalg.vector_norm(x, a["p"], dims(a, x)),
    "sum_to": lambda a, x: x.sum_to_size(a["_out"]),
    "cumsum": lambda a, x: (x.flip(a["dim"]).cumsum(a["dim"]).flip(a["dim"]) if a["from_end"]
                            else x.cumsum(a["dim"])),
    "transpose": lambda a, x: x.transpose(a["a"], a["b"]),
    "permute": lambda a, x: x.permute(a["dims"]),
    "reshape": lambda a, x: x.reshape(a["_out"]),
    "squeeze": lambda a, x: x.reshape(a["_out"]),
    "unsqueeze": lambda a, x: x.reshape(a["_out"]),
    "expand": lambda a, x: x.expand(a["_out"]),
    "narrow": lambda a, x: x.narrow(a["dim"], a["start"], a["_out"][a["dim"]]),
    "select": lambda a, x: x.select(a["dim"], a["index"]),
    "flip": lambda a, x: x.flip(a["dims"]),
    "roll": lambda a, x: x.roll(a["shifts"], a["dims"]),
    "repeat": lambda a, x: x.repeat(a["times"]),
    "repeat_interleave": lambda a, x: x.repeat_interleave(a["times"], a["dim"]),
    "diagonal": lambda a, x: x.diagonal(0, a["a"], a["b"]),
    "cat": lambda a, *x: torch.cat(x, a["dim"]),
    "stack": lambda a, *x: torch.stack(x, a["dim"]),
    "index_select": lambda a, x, i: x.index_select(a["dim"], i),
    "gather": lambda a, x, i: x.gather(a["dim"], i),
    "scatter_add": lambda a, x, i, s: x.scatter_add(a["dim"], i, s),
    "embedding": lambda a, i, w: F.embedding(i, w, a["padding_idx"] if a["padding_idx"] >= 0 else None),
    "linear": lambda a, x, w, b=None: F.linear(x, w, b),
    "layer_norm": lambda a, x, *p: F.layer_norm(
        x, x.shape[-len(a["dims"]):], p[0] if a["weight"] else None,
        p[-1] if a["bias"] else None, a["eps"]),
    "rms_norm": lambda a, x, *p: F.rms_norm(
        x, x.shape[-len(a["dims"]):], *(p or (None,)), a["eps"]),
    "slice": lambda a, x: torch.ops.aten.slice(
        x, a["dim"], a["start"], a["start"] + a["_out"][a["dim"]] * a["step"], a["step"]),
    "bce_with_logits": lambda a, x, t: F.binary_cross_entropy_with_logits(x, t, reduction="none"),
    "scaled_dot_product_attention": attention,
}
def tensor(j):
    x = torch.tensor([float(v) for v in j["values"]], dtype=torch.float64).reshape(j["shape"])
    return x.long() if j["dtype"] == "i64" else x.bool() if j["dtype"] == "bool" else x
out = []
for call in json.load(open(sys.argv[1])):
    try:
        x = [tensor(i).requires_grad_(i["needs"]) for i in call["inputs"]]
        special = ("inf", "-inf", "nan")
        a = {k: float(v) if isinstance(v, str) and v in special else v
             for k, v in call["attributes"].items()}
        y = T[call["op"]](a | {"_out": call["output"]["shape"]}, *x)
        want = [tensor(call["output"])] + [tensor(g) for g in call["gradients"]]
        cotangent = tensor(call["cotangent"]).reshape(y.shape)
        leaves = [i for i in x if i.requires_grad]
        got = [y.reshape(want[0].shape)] + list(torch.autograd.grad(y, leaves, cotangent))
        worst = 0.0
        for w, g in zip(want, got):
            if w.numel():
                same = (w == g) | (w.isnan() & g.isnan())
                d = torch.where(same, 0.0, (w - g).abs()).nan_to_num(math.inf).max().item()
                worst = max(worst, d / max(1.0, g.nan_to_num(0, 0, 0).abs().max().item()))
        out.append(min(worst, 1e300))
    except KeyError:
        out.append(None)
    except Exception as e:
        out.append(f"{type(e).__name__}: {e}".splitlines()[0])
print(json.dumps(out))
)py";

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(fmt::format("{}", v)); }

Json to_json(const Tensor& x) {
  Json values = Json::array();
  for (const double v : x.detach().to_vector()) values.push_back(number(v));
  return {{"dtype", x.dtype() == i64       ? "i64"
                    : x.dtype() == boolean ? "bool"
                                           : "f64"},
          {"shape", x.shape()},
          {"needs", x.requires_grad() && is_floating(x.dtype())},
          {"values", values}};
}

// The case as a call with values and gradients; null unless it is a single call of `function` that
// takes no tensor twice.
Json call_of(const std::string& function, const Case& c) {
  Tensors leaves;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    leaves.push_back(lay_out(c.inputs[i], InputLayout::contiguous, f64, 100 + i).leaf);
  const Evaluation at = evaluate([&] { return c.f(leaves); });
  std::vector<const Call*> on_tape;  // calls without a node only compute a value
  for (const Call& call : at.calls.list)
    if (call.node) on_tape.push_back(&call);
  if (on_tape.size() != 1 || function != on_tape[0]->op->name || at.outputs.size() != 1 ||
      !on_tape[0]->outputs[0].is_same(at.outputs[0]))
    return nullptr;
  const Call& call = *on_tape[0];
  const Tensor& y = at.outputs[0];
  std::vector<double> u(static_cast<size_t>(y.numel()));
  for (size_t i = 0; i < u.size(); ++i) u[i] = 1 - 0.375 * static_cast<double>(i % 5);
  const Tensor g = from_vector(u, y.shape());
  Json inputs = Json::array(), gradients = Json::array(), attributes = Json::object();
  Tensors wanted;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& x = call.inputs[i];
    for (size_t j = 0; j < i; ++j)  // one tensor as two inputs has one gradient for both
      if (x.defined() && call.inputs[j].is_same(x)) return nullptr;
    if (!x.defined()) continue;
    inputs.push_back(to_json(x));
    if (x.dtype() == f64 && x.requires_grad()) wanted.push_back(x);
  }
  for (const Tensor& x : grad({y}, wanted, {.grad_outputs = {g}})) gradients.push_back(to_json(x));
  for (const Attribute& a : call.node->attributes) {
    if (const auto* v = std::get_if<double>(&a.value)) attributes[a.name] = number(*v);
    if (const auto* v = std::get_if<int64_t>(&a.value)) attributes[a.name] = *v;
    if (const auto* v = std::get_if<Dims>(&a.value)) attributes[a.name] = *v;
  }
  return {{"op", function},       {"inputs", inputs},        {"attributes", attributes},
          {"output", to_json(y)}, {"cotangent", to_json(g)}, {"gradients", gradients}};
}

// A new file in the folder for temporary files.
std::string write_temporary(const std::string& text) {
  std::error_code error;
  const std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error) {
    const char* named = std::getenv("TMPDIR");
    throw IoError(
        fmt::format("gradcheck: no folder for a temporary file: TMPDIR is {}: {}; set "
                    "TMPDIR to a folder",
                    named ? named : "not set", error.message()));
  }
  std::string file;
  int fd = -1;
  for (int n = 0; fd < 0; ++n) {
    file = fmt::format("{}/slope-gradcheck-{}-{}.json", folder, getpid(), n);
    fd = sys::create_new(file, file);
  }
  sys::write(fd, text, file);
  sys::close(fd, file);
  return file;
}

// What Python prints; its exit code, or 128 plus the signal that ended it.
std::pair<std::string, int> run_python(const Json& calls) {
  const std::string file = write_temporary(calls.dump());
  const char* chosen = std::getenv("SLOPE_PYTHON");
  ::setenv("SLOPE_AGAINST_SCRIPT", script, 1);
  ::setenv("SLOPE_AGAINST_CALLS", file.c_str(), 1);
  const std::string command =
      fmt::format("{} -c \"$SLOPE_AGAINST_SCRIPT\" \"$SLOPE_AGAINST_CALLS\" 2>&1 </dev/null",
                  chosen ? chosen : "python3");
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe)) output += buffer;
  const int status = pipe ? pclose(pipe) : -1;
  sys::remove(file);
  return {output, status < 0 || WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

// ": …", the end of what Python printed, without the last line break; empty if it printed nothing.
std::string last_words(const std::string& output) {
  constexpr size_t most = 300;
  const std::string said = output.substr(0, output.find_last_not_of(" \n") + 1);
  return said.empty() ? "" : ": " + said.substr(said.size() - std::min(said.size(), most));
}

}  // namespace

Against against_pytorch(const std::vector<std::string>& functions) {
  Json calls = Json::array();
  std::vector<std::pair<std::string, std::string>> labels;  // function and case of each call
  std::map<std::string, size_t> left_out;
  for (const std::string& function : functions)
    for (const Case& c : cases_of(function)) {
      const Json call = c.kind == Case::Kind::usual ? call_of(function, c) : Json(nullptr);
      if (call.is_null()) {
        ++left_out[function];
        continue;
      }
      calls.push_back(call);
      labels.emplace_back(function, c.label);
    }
  const auto [output, code] = run_python(calls);
  if (code == no_torch)
    return {.text = "skipped: this Python has no torch; set SLOPE_PYTHON to another\n"};
  SLOPE_CHECK_AS(IoError, code == 0,
                 "gradcheck: Python ended with code {}{}; set SLOPE_PYTHON to choose the program",
                 code, last_words(output));
  const size_t last_line = output.find_last_of('\n', output.empty() ? 0 : output.size() - 2);
  const Json differences = train::parse_json(  // warnings may come before it
      output.substr(last_line == output.npos ? 0 : last_line + 1), "the output of Python");
  Against result;
  for (const std::string& function : functions) {
    size_t compared = 0, unknown = 0;
    double worst = 0;
    std::string lines;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].first != function) continue;
      if (!differences[i].is_number()) {
        ++unknown;
        if (differences[i].is_string())
          lines += fmt::format("  {}: PyTorch refuses it: {}\n", labels[i].second,
                               differences[i].get<std::string>());
        continue;
      }
      ++compared;
      const double d = differences[i].get<double>();
      worst = std::max(worst, d);
      if (d <= tolerance) continue;
      result.ok = false;
      lines += fmt::format("  {}: differs by {:.3g}\n", labels[i].second, d);
    }
    result.text +=
        compared == 0
            ? fmt::format("{:<32} not compared: no case is a single call that PyTorch can make\n",
                          function)
            : fmt::format("{:<32} {}  {} cases, largest difference {:.1e}{}\n", function,
                          worst <= tolerance ? "same" : "DIFFERS", compared, worst,
                          unknown + left_out[function] == 0
                              ? ""
                              : fmt::format("; {} not compared", unknown + left_out[function]));
    result.text += lines;
  }
  return result;
}

}  // namespace slope::tools
