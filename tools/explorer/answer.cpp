// Answers the page's questions, which are in JSON.
#include <slope/tools/explorer/explore.h>
#include <slope/tools/explorer/fields.h>
#include <slope/tools/explorer/layout.h>
#include <slope/tools/explorer/live/moons.h>
#include <slope/tools/explorer/live/names.h>
#include <slope/tools/explorer/live/optimizer.h>
#include <slope/tools/explorer/live/translation.h>
#include <slope/tools/explorer/mistakes.h>
#include <slope/tools/explorer/source/source.h>
#include <slope/tools/explorer/write.h>

#include <new>

namespace slope::explorer {

namespace {

Request request_of(const Fields& fields, DType dtype) {
  constexpr int64_t most = 1'000'000'000;
  Request request{.program = fields.text("program"),
                  .dtype = dtype,
                  .seed = static_cast<uint64_t>(fields.integer("seed", 0, 0, most)),
                  .mistake = fields.text("mistake"),
                  .again = fields.integer("again", 0, 0, 1) == 1,
                  .retain_graph = fields.integer("retain_graph", 0, 0, 1) == 1,
                  .recompute = fields.integer("recompute", 1, 0, 1) == 1,
                  .operation = fields.integer("operation", 0, 0, most),
                  .output = fields.integer("output", 0, 0, most),
                  .input = fields.integer("input", 0, 0, most)};
  for (const auto& [name, text] : fields.object()) {
    const std::vector<double> numbers = numbers_in(text);
    const Dims shape{static_cast<int64_t>(numbers.size())};
    request.leaves.push_back({name, from_vector(numbers, shape).to(dtype)});
  }
  return request;
}

std::string mistakes_json() {
  return json_list(mistakes(), [](const Mistake& m) {
    return fmt::format(R"({{"name": {}, "place": {}, "truth": {}}})", json(m.name), json(m.place),
                       json(m.truth));
  });
}

std::string source(const Request& request, bool is_cpp) try {
  return fmt::format("{{\"source\": {}}}\n",
                     json(source_of(request, is_cpp ? Language::cpp : Language::pytorch)));
} catch (const Fault& fault) {
  return json_error(fault);
}

}  // namespace

std::string answer(const std::string& question) try {
  const Fields fields(question);
  const std::string ask = fields.text("ask");
  const DType dtype = fields.text("dtype") == "f64" ? f64 : f32;
  if (ask == "explore") return explore(request_of(fields, dtype));
  if (ask == "check") return check(request_of(fields, f64));
  if (ask == "source") return source(request_of(fields, dtype), fields.text("language") == "C++");
  if (ask == "jacobian") return jacobian(request_of(fields, dtype));
  if (ask == "mistakes") return mistakes_json();
  if (ask == "layout") return layout(fields);
  if (ask == "moons") return moons(fields);
  if (ask == "optimizer") return optimizer(fields);
  if (ask == "names") return names(fields);
  if (ask == "translation") return translation(fields);
  throw InputError(fmt::format("explore: there is no question {}", JsonReader::quoted(ask)));
} catch (const std::bad_alloc&) {
  return json_error(Fault("MemoryError", "out of memory", {}));
} catch (const std::exception& e) {  // uncaught, it would look like a broken engine
  return json_error(Fault(kind_of(e), e.what(), {}));
}

}  // namespace slope::explorer
