#include <slope/tools/explorer/language/syntax.h>
#include <slope/tools/explorer/language/token.h>

#include <algorithm>
#include <cmath>

namespace slope::explorer {

namespace {

constexpr int deepest = 100;          // nesting of brackets and signs
constexpr int highest = 1000;         // height of an expression's tree: x + x + x has 3
constexpr int64_t most_times = 1000;  // of a repeat

using Kind = Expression::Kind;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::vector<Statement> run() {
    std::vector<Statement> program;
    while (at_ < tokens_.size()) {
      do program.push_back(statement());
      while (take(";"));
      finish();
    }
    return program;
  }

 private:
  // ---- tokens
  const Token& here() const { return tokens_[at_]; }
  const Token& ahead(size_t n) const { return tokens_[std::min(at_ + n, tokens_.size() - 1)]; }
  bool is(const char* sign) const {
    return here().kind == Token::Kind::sign && here().text == sign;
  }
  bool take(const char* sign) {
    if (!is(sign)) return false;
    ++at_;
    return true;
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    const std::string found =
        here().kind == Token::Kind::end ? "the line ends" : fmt::format("there is {}", here().text);
    throw Fault("syntax", fmt::format("{}, where {} should be", found, wanted), here().place);
  }
  void expect(const char* sign) {
    if (!take(sign)) unexpected(sign);
  }
  void finish() {
    if (here().kind != Token::Kind::end) unexpected("an operator or the end of the line");
    ++at_;
  }
  std::string name() {
    if (here().kind != Token::Kind::name) unexpected("a name");
    return tokens_[at_++].text;
  }
  Place since(Place begin) const {
    const Place& last = tokens_[at_ - 1].place;
    return {begin.line, begin.column, last.line == begin.line ? last.end : begin.end};
  }

  // ---- statements
  Statement statement() {
    const Place begin = here().place;
    Statement s{Statement::Kind::evaluate, begin};
    if (here().kind == Token::Kind::name) {
      if (here().text == "repeat" && ahead(1).kind == Token::Kind::number) return repeat();
      if (here().text == "grad" && is_claim()) {
        at_ += 2;
        s.kind = Statement::Kind::claim;
        s.names = {name()};
        expect(")");
        expect("=");
      } else if (is_assignment()) {
        s.kind = Statement::Kind::assign;
        do s.names.push_back(name());
        while (take(","));
        expect("=");
      }
    }
    s.value = comparison();
    s.place = since(begin);
    return s;
  }
  bool is_claim() const {  // grad ( NAME ) =
    return ahead(1).text == "(" && ahead(2).kind == Token::Kind::name && ahead(3).text == ")" &&
           ahead(4).text == "=";
  }
  bool is_assignment() const {  // NAME , NAME … =
    size_t n = 1;
    while (ahead(n).text == "," && ahead(n + 1).kind == Token::Kind::name) n += 2;
    return ahead(n).kind == Token::Kind::sign && ahead(n).text == "=";
  }
  Statement repeat() {
    const Nesting nesting(*this);
    Statement s{Statement::Kind::repeat, here().place};
    ++at_;
    const double times = here().number;
    if (times != std::floor(times) || times < 1 || times > most_times)
      throw Fault(
          "limit",
          fmt::format("repeat takes a whole number from 1 to {}, got {}", most_times, times),
          here().place);
    s.times = static_cast<int64_t>(times);
    ++at_;
    expect(":");
    do s.body.push_back(statement());
    while (take(";"));
    return s;
  }

  // ---- expressions, by how tightly their operators bind
  using Level = ExpressionPtr (Parser::*)();
  ExpressionPtr make(Kind kind, Place place) {
    auto e = std::make_unique<Expression>();
    e->kind = kind;
    e->place = place;
    return e;
  }
  // Sets e's height and refuses too high a tree: evaluating and freeing an expression recurse.
  static void measure(Expression& e) {
    const auto count = [&](const ExpressionPtr& part) {
      if (part) e.height = std::max(e.height, part->height + 1);
    };
    for (const Argument& argument : e.arguments) count(argument.value);
    for (const Subscript& s : e.subscripts)
      for (const ExpressionPtr& part : s.parts) count(part);
    if (e.height > highest)
      throw Fault("limit",
                  fmt::format("more than {} operations are within each other; give some of them a "
                              "name in a line before",
                              highest),
                  e.place);
  }
  ExpressionPtr chain(Level operand, std::initializer_list<const char*> signs) {
    const Place begin = here().place;
    ExpressionPtr left = (this->*operand)();
    for (bool more = true; more;) {
      more = false;
      for (const char* sign : signs)
        if (take(sign)) {
          ExpressionPtr right = (this->*operand)();
          ExpressionPtr both = make(Kind::binary, since(begin));
          both->name = sign;
          both->arguments.push_back({"", std::move(left)});
          both->arguments.push_back({"", std::move(right)});
          measure(*both);
          left = std::move(both);
          more = true;
          break;
        }
    }
    return left;
  }
  ExpressionPtr comparison() { return chain(&Parser::sum, {"==", "!=", "<=", ">=", "<", ">"}); }
  ExpressionPtr sum() { return chain(&Parser::product, {"+", "-"}); }
  ExpressionPtr product() { return chain(&Parser::sign, {"*", "/", "@"}); }
  ExpressionPtr sign() {
    const Nesting nesting(*this);
    const Place begin = here().place;
    if (!take("-")) return power();
    ExpressionPtr operand = sign();
    if (operand->kind == Kind::number) {
      operand->number = -operand->number;
      operand->place = since(begin);
      return operand;
    }
    ExpressionPtr e = make(Kind::negate, since(begin));
    e->arguments.push_back({"", std::move(operand)});
    measure(*e);
    return e;
  }
  ExpressionPtr power() {  // binds to the right: 2 ^ 3 ^ 2; the exponent may be negative
    const Place begin = here().place;
    ExpressionPtr base = postfix();
    if (!take("^")) return base;
    ExpressionPtr exponent = sign();
    ExpressionPtr e = make(Kind::binary, since(begin));
    e->name = "^";
    e->arguments.push_back({"", std::move(base)});
    e->arguments.push_back({"", std::move(exponent)});
    measure(*e);
    return e;
  }
  ExpressionPtr postfix() {
    const Place begin = here().place;
    ExpressionPtr e = primary();
    for (;;) {
      if (is("[")) {
        ++at_;
        ExpressionPtr indexed = make(Kind::subscript, begin);
        indexed->arguments.push_back({"", std::move(e)});
        do indexed->subscripts.push_back(subscript());
        while (take(","));
        expect("]");
        indexed->place = since(begin);
        measure(*indexed);
        e = std::move(indexed);
      } else if (is(".") && ahead(1).text == "T") {
        at_ += 2;
        ExpressionPtr turned = make(Kind::transposed, since(begin));
        turned->arguments.push_back({"", std::move(e)});
        measure(*turned);
        e = std::move(turned);
      } else {
        return e;
      }
    }
  }
  Subscript subscript() {
    Subscript s;
    for (int part = 0; part < 3; ++part) {
      if (!is(":") && !is(",") && !is("]")) s.parts[part] = sum();
      if (part == 2 || !take(":")) break;
      s.is_slice = true;
    }
    if (!s.is_slice && !s.parts[0]) unexpected("an index");
    return s;
  }
  ExpressionPtr primary() {
    const Nesting nesting(*this);
    const Token token = here();
    switch (token.kind) {
      case Token::Kind::number: {
        ++at_;
        ExpressionPtr e = make(Kind::number, token.place);
        e->number = token.number;
        return e;
      }
      case Token::Kind::text: {
        ++at_;
        ExpressionPtr e = make(Kind::text, token.place);
        e->name = token.text;
        return e;
      }
      case Token::Kind::name: return named();
      case Token::Kind::sign:
        if (take("(")) {
          ExpressionPtr e = comparison();
          expect(")");
          return e;
        }
        if (take("[")) {
          ExpressionPtr e = make(Kind::list, token.place);
          list_of(*e, "]");
          e->place = since(token.place);
          return e;
        }
        break;
      case Token::Kind::end: break;
    }
    unexpected("a value");
  }
  ExpressionPtr named() {
    const Token token = tokens_[at_++];
    if (token.text == "true" || token.text == "false") {
      ExpressionPtr e = make(Kind::truth, token.place);
      e->number = token.text == "true";
      return e;
    }
    ExpressionPtr e = make(is("(") ? Kind::call : Kind::name, token.place);
    e->name = token.text;
    if (take("(")) {
      list_of(*e, ")");
      e->place = since(token.place);
    }
    return e;
  }
  void list_of(Expression& e, const char* close) {
    while (!take(close)) {
      Argument argument;
      if (e.kind == Kind::call && here().kind == Token::Kind::name && ahead(1).text == "=") {
        argument.name = name();
        expect("=");
      }
      argument.value = comparison();
      e.arguments.push_back(std::move(argument));
      if (!is(close)) expect(",");
    }
    measure(e);
  }

  struct Nesting {
    explicit Nesting(Parser& parser) : depth(parser.depth_) {
      if (++depth > deepest) {
        --depth;
        throw Fault("limit", fmt::format("brackets, signs or repeats nest deeper than {}", deepest),
                    parser.here().place);
      }
    }
    ~Nesting() { --depth; }
    int& depth;
  };

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::vector<Statement> parse(const std::string& program) {
  return Parser(tokens_of(program)).run();
}

}  // namespace slope::explorer
