"""slope explore: a program for every operation, wrong programs with the places of their errors, checked gradients."""
import json, os, pathlib, re, unittest
from slope_runner import Case

TESTS = pathlib.Path(__file__).resolve().parent.parent
AUTOGRAD, ROWS = TESTS.parent / "autograd", TESTS.parent / "core/kernels/elementwise/unary_rows.h"


def programs():
    """name -> text"""
    parts = re.split(r"^== (.*)\n", (TESTS / "explorer/programs.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def operations():
    """Every operation of autograd/ops/list.h, the elementwise ones by their rows."""
    code = re.sub(r"//.*|#.*", "", (AUTOGRAD / "ops/list.h").read_text(encoding="utf-8"))
    return set(re.findall(r"SLOPE_OP\((\w+)\)", code)) | set(re.findall(r"^SLOPE_UNARY\(\w+, (\w+),", ROWS.read_text(encoding="utf-8"), re.MULTILINE))


class Explore(Case):
    def explore(self, program, *flags, code=0):
        result = self.slope("explore", "--json", *flags, "-", stdin=program)
        self.assertEqual(result.code, code, f"{program}\n{result}")
        return json.loads(result.out)

    def gradients(self, program):
        trace = self.explore(program)["trace"]
        return {trace["variables"][event["variable"]]["name"]: event["values"][0]["values"] for event in trace["events"] if event["event"] == "leaf"}

    def test_the_programs_record_every_operation(self):
        seen = set()
        for name, program in programs().items():
            with self.subTest(name):
                answer = self.explore(program)
                trace = answer["trace"]
                self.assertEqual(len(answer["operations"]), len(trace["operations"]))
                self.assertEqual(len(answer["variables"]), len(trace["variables"]))
                lines = program.splitlines()
                for place, operation in zip(answer["operations"], trace["operations"]):
                    self.assertTrue(1 <= place["column"] < place["end"] <= len(lines[place["line"] - 1]) + 1, (operation["name"], place))
                seen |= {operation["name"] for operation in trace["operations"]}
        self.assertEqual(operations() - seen, set())

    def test_the_engines_gradients_agree_with_differences(self):
        for name, program in programs().items():
            if name not in ("not a number", "shapes"):  # no derivative there; to() rounds to f32
                with self.subTest(name):
                    answer = self.explore(program, "--check")
                    self.assertTrue(answer["ok"], answer)
                    self.assertGreater(answer["checked"], 0)

    def test_a_check_moves_indices_without_picking_others(self):
        answer = self.explore("x = [5, 7]\ni = [0, 1]\nL = sum(gather(x, 0, i) ^ 2)", "--check")
        self.assertEqual((answer["ok"], answer["checked"], answer["notes"]), (True, 4, []))

    def test_each_sum_adds_up_and_ends_in_the_leaf(self):
        trace = self.explore("x = 3\ny = x * x + sin(x) + x", "--dtype", "f64")["trace"]
        last = {}
        for event in trace["events"]:
            values = [value["values"][0] for value in event.get("values", []) if value]
            if event["event"] == "contribution":
                last[event["variable"]] = values[0]
            elif event["event"] == "sum":
                self.assertEqual(values[0] + last[event["variable"]], values[1])
            elif event["event"] == "leaf":
                self.assertAlmostEqual(values[0], 6 + -0.9899924966004454 + 1, places=12)
        self.assertEqual(sum(event["event"] == "sum" for event in trace["events"]), 3)

    def test_a_broadcast_input_shows_its_gradient_before_it_was_summed(self):
        trace = self.explore("x = [[1, 2], [3, 4], [5, 6]]\nb = [1, 2]\nL = sum(x * b)")["trace"]
        into_b = next(event for event in trace["events"] if event["event"] == "contribution" and len(event["values"]) == 2)
        self.assertEqual([value["shape"] for value in into_b["values"]], [[2], [3, 2]])
        self.assertEqual(into_b["values"][0]["values"], [9, 12])

    def test_views_share_storage(self):
        answer = self.explore("x = randn(2, 3)\nt = x.T\nc = clone(t)\nL = sum(c)")
        layout = dict(zip((variable["name"] for variable in answer["trace"]["variables"]), answer["variables"]))
        self.assertEqual(layout["x"]["storage"], layout["t"]["storage"])
        self.assertNotEqual(layout["x"]["storage"], layout["c"]["storage"])
        self.assertEqual(layout["t"]["strides"], [1, 3])

    def test_a_variable_called_as_an_unnamed_result_has_its_own_layout(self):
        answer = self.explore("x = [[1, 2], [3, 4]]\nv1 = (x.T + 1) * 2\nL = sum(v1)")
        operations, layouts = answer["trace"]["operations"], answer["variables"]
        x, t, product = (layouts[v] for v in (operations[0]["inputs"][0], operations[0]["outputs"][0], operations[2]["outputs"][0]))
        self.assertEqual((t["storage"], t["strides"]), (x["storage"], [1, 2]))
        self.assertNotEqual(product["storage"], x["storage"])
        self.assertEqual(product["strides"], [2, 1])

    def test_results_in_a_list_stay_on_the_tape(self):
        self.assertEqual(self.gradients("x = [1, 2]\na, b = [x * 2, x * 3]\nL = sum(a * b)"), {"x": [12, 24]})
        self.assertEqual(self.gradients("x = [1, 2]\na, b = [x * 2, 3]\nL = sum(a * b)"), {"x": [6, 6], "b": [6]})

    def test_powers_of_a_number_with_integers(self):
        for power, expected in (("0.5 ^ integers([1, 2])", [0.5, 0.25]), ("2 ^ integers([1, 2])", [2, 4]), ("2 ^ (x > 1)", [1, 2])):
            with self.subTest(power):
                self.assertEqual(self.gradients(f"x = [1, 2]\nL = sum(x * {power})"), {"x": expected})

    def test_many_large_tensors_are_written_by_their_norms(self):
        program = "x = randn(64, 64)\nh = x * 1\nrepeat {}: h = h * 1.01\nL = sum(h)"
        few, many = (self.explore(program.format(times))["trace"]["variables"] for times in (10, 100))
        self.assertEqual({len(v["value"]["values"]) for v in few}, {4096, 1})
        self.assertEqual([v["shape"] for v in many if "values" in v["value"]], [[]])
        self.assertAlmostEqual(many[0]["value"]["norm"], few[0]["value"]["norm"])

    def test_a_check_counts_what_needs_no_gradient(self):
        program = "x = randn(40)\nc = const(randn(1000, 1000))\nh = x * 1\nrepeat 20: h = h + sum(c * c)\nL = sum(h)"
        error = self.explore(program, "--check", code=3)["error"]
        self.assertEqual(error["kind"], "limit")
        self.assertIn("80 times", error["message"])

    def test_the_gradient_of_a_leaf_that_the_loss_does_not_use_is_zero(self):
        program = "x = [1, 2]\ny = [3, 4]\nL = sum(x ^ 3)\ngrad(y) = [{}, 0]"
        for claimed, is_right in ((0, True), (1, False)):
            claims = self.explore(program.format(claimed), "--check")["claims"]
            self.assertEqual([(claim["ok"], claim["gradient"]) for claim in claims], [(is_right, [0, 0])])

    def test_a_wrong_claim_is_found(self):
        answer = self.explore("x = [1, 2]\nL = sum(x ^ 3)\ngrad(x) = 3 * x ^ 2", "--check")
        self.assertEqual([claim["ok"] for claim in answer["claims"]], [True])
        answer = self.explore("x = [1, 2]\nL = sum(x ^ 3)\ngrad(x) = 2 * x ^ 2", "--check")
        self.assertEqual([claim["ok"] for claim in answer["claims"]], [False])

    def test_a_models_step_is_put_into_the_page(self):
        before, after = '<html><script id="run" type="application/json">', "</script><script>more</script>"
        with open("page.html", "w", encoding="utf-8") as file:
            file.write(before + "/*run*/" + after)
        self.good("explore", "prenorm", "-o", "first.html", "--page", "page.html", "--values", "4")
        self.good("explore", "prenorm", "-o", "again.html", "--page", "first.html", "--values", "4")  # replaces the run that is there
        first, text = (pathlib.Path(name).read_text(encoding="utf-8") for name in ("first.html", "again.html"))
        self.assertEqual(text, first)
        self.assertTrue(text.startswith(before) and text.endswith(after))
        run = json.loads(text[len(before):-len(after)])
        self.assertIn("prenorm", run["title"])
        trace = run["answer"]["trace"]
        self.assertEqual(trace["variables"][-1]["name"], "loss")
        self.assertTrue(all(len(v["value"].get("values", [])) <= 4 for v in trace["variables"] if v.get("value")))
        self.assertTrue(any(o["module"].endswith("self_attention_block") for o in trace["operations"]), {o["module"] for o in trace["operations"]})

    def test_a_program_in_cpp_and_pytorch(self):
        program = "x = [[1, 2], [3, 4]]\nm, i = max(x, dim=1)\nh = x[0] * 2\nh = tanh(h)\nint = 3\nL = sum(m) + sum(h) * int"
        for flag, lines in (("--cpp", ["const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}}, f32).set_requires_grad();", "const auto [m, i] = max(x, 1);", "const Tensor h_2 = tanh(h);", "* int_;", 'show("int.grad", int_.grad());']),
                            ("--pytorch", ["x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float32).requires_grad_()", "m, i = torch.max(x, dim=1)", "h_2 = torch.tanh(h)", 'show("int.grad", int_.grad)'])):
            out = self.good("explore", flag, "-", stdin=program).out
            for line in lines:
                self.assertIn(line, out)
        program = "x = zeros(0, 3)\nNone = [1, 2]\ny = [[1, 2], [3, 4]][0]\nL = sum(x) + sum(None * y)"
        for flag, lines in (("--cpp", ["const Tensor x = zeros({0, 3}, f32).set_requires_grad();", "= None_ * tensor({1.0, 2.0}, f32);"]),
                            ("--pytorch", ["x = torch.zeros([0, 3], dtype=torch.float32).requires_grad_()", "= None_ * torch.tensor([1.0, 2.0], dtype=torch.float32)"])):
            out = self.good("explore", flag, "-", stdin=program).out
            for line in lines:
                self.assertIn(line, out)
        self.refused(3, "explore", "--cpp", "x = [1]; dropout(x, 0.5)", says=["dropout"])
        for flag in ("--cpp", "--pytorch"):
            self.refused(3, "explore", flag, "x = [1, 2]; softmax(x, 0)", says=["column 13", "one element", "shape (2,)"])
            self.refused(3, "explore", flag, "# nothing", says="computes nothing")
        self.refused(3, "explore", "--pytorch", "x = [1]; y = x +", says=["line 1, column", "the line ends"])
        self.refused(2, "explore", "--cpp", "--json", "x = 1", says=["--json, --cpp or --pytorch"])

    def test_pages_that_cannot_be_written_are_refused(self):
        with open("no.html", "w") as file:
            file.write("<html></html>")
        for flags, says in ((["-o", "x.txt"], "written as .html"), (["-o", "x.html", "--page", "no.html"], "not the explorer's page"),
                            (["-o", "x.html", "--page", "missing.html"], "missing.html"), (["-o", "x.html", "--json"], "exclude each other"), ([], "--json, --cpp or --pytorch for a program")):
            with self.subTest(flags):
                result = self.slope("explore", "prenorm", *flags)
                self.assertNotEqual(result.code, 0)
                self.assertIn(says, result.err)
                self.assertFalse(os.path.exists("x.html"))

    def test_what_a_terminal_would_obey_is_escaped(self):
        for mark in ("\x9b", "\u202e"):
            result = self.slope("explore", "--json", "-", stdin=f"x = {mark}31m")
            self.assertNotIn(mark, result.out)
            self.assertIn(mark, json.loads(result.out)["error"]["message"])

    def test_nan_has_no_sign(self):
        self.assertIn('"values": ["nan"]', self.good("explore", "--json", "x = [-1]; x ^ 0.5").out)

    def test_wrong_programs_are_told_where(self):
        lines = (TESTS / "explorer/wrong.txt").read_text(encoding="utf-8").splitlines()
        self.assertGreaterEqual(len(lines), 30)
        for line in lines:
            expected, program = line.split("|", 1)
            row, column, kind, says = expected.split(":", 3)
            with self.subTest(line):
                error = self.explore(program.replace("\\n", "\n"), code=3)["error"]
                self.assertEqual((error["line"], error["column"], error["kind"]), (int(row), int(column), kind), error)
                self.assertIn(says, error["message"])


if __name__ == "__main__":
    unittest.main()
