"""Makes the text of docs/mutation-score.md from a run's results: what caught the mutants, and each survivor with its reason."""
import collections

HEAD = """# Mutation score

How good are the checks? `tools/mutate/mutate` plants mistakes in the derivative rules, kernels and rows, one at a time, and asks `slope gradcheck` about every function that calls the changed one, its own first: what the check of one function notices, `gradcheck --all` notices too. For what `gradcheck` misses it asks the tests. A mutant that does not compile does not count; one that is equivalent (it changes nothing that can be seen) is taken
out, with the reason; one whose line has changed since it ran does not count either. {ran} of {count} mutants have run. Command: `tools/mutate/mutate`, then `tools/mutate/mutate --write`.
"""


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def table(results, reasons):
    kinds = collections.defaultdict(collections.Counter)
    for mutant_id, result in results.items():
        outcome = "survived" if result["outcome"] == "untested" else result["outcome"]
        if outcome == "survived" and reasons.get(mutant_id, "").startswith("equivalent"):
            outcome = "equivalent"
        for kind in (result["kind"], "all"):
            kinds[kind][outcome] += 1
    lines = ["| mistake | planted | equivalent | `gradcheck --all` | all tests | survived |", "|---|---:|---:|---:|---:|---:|"]
    for kind in sorted(kinds, key=lambda k: (k == "all", k)):
        c = kinds[kind]
        planted = c["gradcheck"] + c["tests"] + c["survived"]
        lines.append(f"| {kind} | {planted + c['equivalent']} | {c['equivalent']} | {percent(c['gradcheck'], planted)} | {percent(c['gradcheck'] + c['tests'], planted)} | {c['survived']} |")
    return "\n".join(lines) + "\n"


def survivors(results, reasons):
    lines = []
    for mutant_id, r in sorted(results.items(), key=lambda item: (item[1]["file"], item[1]["line"])):
        if r["outcome"] in ("survived", "untested"):
            reason = reasons.get(mutant_id, "The tests have not been asked." if r["outcome"] == "untested" else "**No reason is known.**")
            lines.append(f"- `{mutant_id}` {r['file']}, `{r['function']}`, {r['kind']}: `{r['old_line']}` became `{r['new_line']}`. {reason}")
    return "\n".join(lines) + "\n" if lines else "None.\n"


def document(results, reasons, found):
    ran = {k: r for k, r in results.items() if r["outcome"] != "does not compile"}
    text = HEAD.format(count=len(found), ran=len(results))
    left = sorted({m.file for m in found if m.id not in results})
    if left:
        text += f"Those that have not are in {', '.join(left)}.\n"
    if any(r["outcome"] == "untested" and not reasons.get(k, "").startswith("equivalent") for k, r in ran.items()):
        text += "The tests have not been asked about what `gradcheck` missed.\n"
    added = sum(r.get("case_added", False) for r in ran.values())
    if added:
        text += f"{added} of them `gradcheck` catches only since a case or a check was added for each.\n"
    text += "\n" + table(ran, reasons) + "\n## Survivors\n\n" + survivors(ran, reasons)
    missed = [r for r in ran.values() if r["outcome"] == "tests"]
    text += f"\n## Missed by `gradcheck`, caught by tests\n\n{len(missed)}.\n\n" if missed else ""
    for r in sorted(missed, key=lambda r: (r["file"], r["line"])):
        text += f"- {r['file']}, `{r['function']}`, {r['kind']}: `{r['old_line']}` became `{r['new_line']}`; {r['by']}\n"
    return text
