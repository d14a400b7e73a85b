// Questions in JSON, as the page asks them.
#include <slope/core/text/parse_number.h>
#include <slope/tools/explorer/explore.h>
#include <slope/tools/explorer/write.h>

namespace slope::explorer {

namespace {

// "1 -2.5 nan": the elements of a leaf; its shape is the program's.
Tensor numbers_of(const std::string& text, DType dtype) {
  std::vector<double> numbers;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    double x = 0;
    SLOPE_CHECK_INPUT(parse_number(std::string_view(text).substr(at, end - at), x),
                      "explore: {} is no number", JsonReader::quoted(text.substr(at, end - at)));
    numbers.push_back(x);
    at = end + 1;
  }
  return from_vector(numbers, {static_cast<int64_t>(numbers.size())}).to(dtype);
}

}  // namespace

std::string answer(const std::string& question) try {
  Request request;
  std::string ask = "explore";
  std::map<std::string, std::string> leaves;
  JsonReader reader(question, "explore");
  reader.object([&](const std::string& key) {
    if (key == "ask")
      ask = reader.string();
    else if (key == "program")
      request.program = reader.string();
    else if (key == "dtype")
      request.dtype = reader.string() == "f64" ? f64 : f32;
    else if (key == "seed")
      request.seed = static_cast<uint64_t>(reader.integer());
    else if (key == "again")
      request.again = reader.integer() != 0;
    else if (key == "retain_graph")
      request.retain_graph = reader.integer() != 0;
    else if (key == "operation")
      request.operation = reader.integer();
    else if (key == "input")
      request.input = reader.integer();
    else if (key == "leaves")
      reader.object([&](const std::string& name) { leaves[name] = reader.string(); });
    else
      reader.fail(reader.position(), "no key {} is known", JsonReader::quoted(key));
  });
  for (const auto& [name, numbers] : leaves)
    request.leaves.push_back({name, numbers_of(numbers, ask == "check" ? f64 : request.dtype)});
  if (ask == "explore") return explore(request);
  if (ask == "check") return check(request);
  if (ask == "jacobian") return jacobian(request);
  throw InputError(fmt::format("explore: there is no question {}", JsonReader::quoted(ask)));
} catch (const Error& e) {
  return json_error(Fault(kind_of(e), e.what(), {}));
}

}  // namespace slope::explorer
