"""The case real: postnorm on a file of training batches; the sides take turns, each with a block of the same batches."""
import statistics

from sides import Side, check_parameters, commands, environment, start_sides


def time_blocks(options, batches):
    sides = start_sides(options, "real", batches)
    check_parameters(sides)
    total = next(iter(sides.values())).batches
    for side in sides.values():
        side.run(total if options.compile else options.block)  # warm-up; when compiling, every shape is seen once
    blocks, work = {name: [] for name in sides}, []
    for k in range(max(1, options.rounds * total // options.block)):
        order = list(sides.values()) if k % 2 == 0 else list(sides.values())[::-1]  # neither side is always first
        for side in order:
            blocks[side.name].append(side.run(options.block))
            if side.flops:
                work.append((side.flops, side.bytes))
    for side in sides.values():
        side.quit()
    mean_work = [statistics.fmean(values) for values in zip(*work)] or [0.0, 0.0]
    return blocks, mean_work, next(iter(sides.values())).parameters, total


def measure_memory(options, batches):
    memory = {}
    for name, command in commands(options, "real", batches).items():
        side = Side(name, command, environment(options, {}))
        side.run(side.batches)
        memory[name] = {"start_mb": side.start_kb / 1024, "beyond_start_mb": (side.quit() - side.start_kb) / 1024}
    return memory


def summary(blocks, options, total):
    out = {}
    for name, values in blocks.items():
        steps = [ms / options.block for ms, _ in values]
        out[name] = {"median_ms": statistics.median(steps), "min_ms": min(steps), "max_ms": max(steps),
                     "batches_s": sum(steps) / len(steps) * total / 1e3, "first_loss": values[0][1], "last_loss": values[-1][1]}
    return out


def ratios(blocks, memory):
    slope, pytorch = ([ms for ms, _ in blocks[name]] for name in ("slope", "pytorch"))
    neighbours = [p / s for s, p in zip(slope, pytorch)]
    return {"median_of_neighbours": statistics.median(neighbours), "sum": sum(pytorch) / sum(slope),
            "medians": statistics.median(pytorch) / statistics.median(slope), "minima": min(pytorch) / min(slope),
            "memory": memory["slope"]["beyond_start_mb"] / memory["pytorch"]["beyond_start_mb"]}


def markdown(result):
    sides, lines = result["sides"], []
    lines += ["| side | median ms/step | min | max | all batches, s | memory beyond start, MB | at start, MB | loss, first and last block |", "|" + "---|" * 8]
    for name, s in sides.items():
        lines.append(f"| {name} | {s['median_ms']:.1f} | {s['min_ms']:.1f} | {s['max_ms']:.1f} | {s['batches_s']:.1f} | {s['beyond_start_mb']:.0f} | "
                     f"{s['start_mb']:.0f} | {s['first_loss']:.3f} {s['last_loss']:.3f} |")
    if "ratios" in result:
        r = result["ratios"]
        lines += ["", f"slope is **{r['medians']:.2f}** times as fast by medians, {r['minima']:.2f} by minima, {r['sum']:.2f} over all batches, "
                      f"{r['median_of_neighbours']:.2f} by neighbouring blocks; it needs **{r['memory']:.2f}** of PyTorch's memory."]
    return "\n".join(lines)


def measure(options, batches):
    blocks, (flops, moved), parameters, total = time_blocks(options, batches)
    memory = measure_memory(options, batches)
    sides = {name: s | memory[name] | {"blocks_ms": [ms for ms, _ in blocks[name]]} for name, s in summary(blocks, options, total).items()}
    result = {"threads": options.threads, "block": options.block, "rounds": options.rounds, "batches": total,
              "attention": options.attention or "explicit", "compile": options.compile, "parameters": parameters, "flops": flops, "bytes": moved,
              "sides": sides}
    if options.only is None:
        result["ratios"] = ratios(blocks, memory)
    return result
