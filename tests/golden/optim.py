"""Golden files of optimizers, learning-rate schedules, clipping and averaging.

optim_f64.safetensors, optim_f32.safetensors:
  start/a (3, 2), start/b (4), start/c (2, 5)  parameters before the first step; the same numbers in both files
  gradient/a (50, 3, 2), …                     the gradient handed to the optimizer at each step (in part zero, tiny and large)
  CASE/a (8, 3, 2), …                          parameters after the steps 1, 2, 3, 4, 5, 10, 20, 50; settings of CASE in optim.json, one entry per
                                               parameter group: {"optimizer", "groups": [{"parameters": ["a"], "lr", …}, …], "schedule"?}
  path/a, …                                    after each of 20 steps of adam.plain
  ema/DECAY/a, …                               average over that path:  e <- DECAY e + (1 - DECAY) p  after each, e = start before
  swa/a, …                                     mean of that path until each of its steps, by get_swa_avg_fn
  lbfgs/CASE/x (STEPS, 4), evaluations, loss   L-BFGS on Rosenbrock's function in four dims: after each step the parameters, how often the loss was
                                               evaluated until then, and the loss before the step (f64 only)
  clip/CASE/in0, in1, …; clip/CASE/out0, …     gradients before and after; norm (rank 0) where there is one; settings in optim.json
optim.json also: "schedules": NAME -> {settings…, "base", "lr": the rate used at step 0, 1, 2, …}.
Defaults of PyTorch hold for what a group does not name. Muon is PyTorch's with its rounding to bf16 taken out. PyTorch has no Lion: `Lion` below is its
paper's program.
"""
import math
from unittest import mock

import torch
from torch.optim import lr_scheduler, swa_utils

from common import save, save_json

STEPS = 50
SHOWN = [0, 1, 2, 3, 4, 9, 19, 49]
PATH = 20


class Lion(torch.optim.Optimizer):
    """Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023, Program 1."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, foreach=False):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                m = self.state[p].setdefault("exp_avg", torch.zeros_like(p))
                update = torch.sign(beta1 * m + (1 - beta1) * p.grad) + group["weight_decay"] * p
                p.sub_(group["lr"] * update)
                m.copy_(beta2 * m + (1 - beta2) * p.grad)


class Muon(torch.optim.Muon):
    def __init__(self, params, lr, foreach=False):
        super().__init__(params, lr=lr)

    def step(self):
        with mock.patch.object(torch.Tensor, "bfloat16", torch.Tensor.clone):
            super().step()


OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "nadam": torch.optim.NAdam, "radam": torch.optim.RAdam,
              "adagrad": torch.optim.Adagrad, "rmsprop": torch.optim.RMSprop, "adafactor": torch.optim.Adafactor, "lion": Lion, "muon": Muon, "adadelta": torch.optim.Adadelta, "adamax": torch.optim.Adamax, "asgd": torch.optim.ASGD, "rprop": torch.optim.Rprop}


def one(optimizer, **options):
    return {"optimizer": optimizer, "groups": [{"parameters": ["a", "b", "c"], **options}]}


def apart(optimizer, **of_second):
    return {"optimizer": optimizer, "groups": [{"parameters": ["a"], "lr": 0.01}, {"parameters": ["b", "c"], "lr": 0.02, **of_second}]}


CASES = {
    "sgd.plain": one("sgd", lr=0.1),
    "sgd.weight_decay": one("sgd", lr=0.1, weight_decay=0.05),
    "sgd.momentum": one("sgd", lr=0.05, momentum=0.9),
    "sgd.dampening": one("sgd", lr=0.05, momentum=0.9, dampening=0.3),
    "sgd.nesterov": one("sgd", lr=0.05, momentum=0.9, nesterov=True),
    "sgd.everything": one("sgd", lr=0.05, momentum=0.8, nesterov=True, weight_decay=0.1),
    "sgd.dampening_weight_decay": one("sgd", lr=0.05, momentum=0.8, dampening=0.5, weight_decay=0.1),
    "adam.plain": one("adam", lr=0.01),
    "adam.betas_eps": one("adam", lr=0.02, betas=[0.8, 0.95], eps=1e-3),
    "adam.weight_decay": one("adam", lr=0.01, weight_decay=0.1),
    "adam.amsgrad": one("adam", lr=0.01, amsgrad=True),
    "adam.amsgrad_weight_decay": one("adam", lr=0.01, amsgrad=True, weight_decay=0.1),
    "adamw.plain": one("adamw", lr=0.01),
    "adamw.weight_decay": one("adamw", lr=0.05, weight_decay=0.3, betas=[0.9, 0.99]),
    "adamw.amsgrad": one("adamw", lr=0.01, weight_decay=0.1, amsgrad=True),
    "sgd.groups": {"optimizer": "sgd", "groups": [{"parameters": ["a"], "lr": 0.1, "momentum": 0.9}, {"parameters": ["b"], "lr": 0.02, "weight_decay": 0.2}]},
    "adamw.groups": {"optimizer": "adamw", "groups": [{"parameters": ["a"], "lr": 0.01, "weight_decay": 0.1}, {"parameters": ["b"], "lr": 0.03, "weight_decay": 0.0}]},
    "sgd.maximize": one("sgd", lr=0.1, momentum=0.5, weight_decay=0.1, maximize=True),
    "adam.maximize": one("adam", lr=0.01, weight_decay=0.1, maximize=True),
    "adam.decoupled": one("adam", lr=0.01, weight_decay=0.1, decoupled_weight_decay=True),
    "adamw.maximize": one("adamw", lr=0.01, maximize=True),
    "nadam.plain": one("nadam", lr=0.01),
    "nadam.weight_decay": one("nadam", lr=0.02, betas=[0.8, 0.95], eps=1e-4, weight_decay=0.1, momentum_decay=0.02),
    "nadam.decoupled": one("nadam", lr=0.01, weight_decay=0.2, decoupled_weight_decay=True, maximize=True),
    "nadam.groups": apart("nadam", weight_decay=0.1),
    "radam.plain": one("radam", lr=0.01),
    "radam.weight_decay": one("radam", lr=0.02, betas=[0.8, 0.9], eps=1e-4, weight_decay=0.1),
    "radam.decoupled": one("radam", lr=0.01, weight_decay=0.2, decoupled_weight_decay=True, maximize=True),
    "radam.groups": apart("radam", weight_decay=0.1),
    "adagrad.plain": one("adagrad", lr=0.1),
    "adagrad.everything": one("adagrad", lr=0.1, lr_decay=0.03, weight_decay=0.1, initial_accumulator_value=0.5, eps=1e-4),
    "adagrad.maximize": one("adagrad", lr=0.05, maximize=True),
    "adagrad.groups": apart("adagrad", lr_decay=0.1),
    "rmsprop.plain": one("rmsprop", lr=0.01),
    "rmsprop.momentum": one("rmsprop", lr=0.01, momentum=0.8, alpha=0.9, weight_decay=0.1),
    "rmsprop.centered": one("rmsprop", lr=0.01, centered=True, eps=1e-3),
    "rmsprop.everything": one("rmsprop", lr=0.01, centered=True, momentum=0.5, eps=1e-3, weight_decay=0.1, maximize=True),
    "adafactor.plain": one("adafactor", lr=0.05),
    "adafactor.everything": one("adafactor", lr=0.3, beta2_decay=-0.6, eps=[1e-6, 0.01], d=1.5, weight_decay=0.1),
    "adafactor.maximize": one("adafactor", lr=0.05, maximize=True),
    "adafactor.groups": apart("adafactor", d=2.0),
    "lion.plain": one("lion", lr=0.01),
    "lion.betas": one("lion", lr=0.005, betas=[0.95, 0.98]),
    "lion.weight_decay": one("lion", lr=0.02, betas=[0.8, 0.95], weight_decay=0.3),
    "lion.groups": {"optimizer": "lion", "groups": [{"parameters": ["a"], "lr": 0.01}, {"parameters": ["b", "c"], "lr": 0.02, "weight_decay": 0.1}]},
    "muon.plain": {"optimizer": "muon", "groups": [{"parameters": ["a", "c"], "lr": 0.02}]},
    "muon.momentum": {"optimizer": "muon", "groups": [{"parameters": ["a", "c"], "lr": 0.02, "momentum": 0.8, "nesterov": False, "weight_decay": 0.3}]},
    "muon.rms": {"optimizer": "muon", "groups": [{"parameters": ["a", "c"], "lr": 0.02, "adjust_lr_fn": "match_rms_adamw", "ns_steps": 4}]},
    "muon.coefficients": {"optimizer": "muon", "groups": [{"parameters": ["a"], "lr": 0.02, "ns_coefficients": [2, -1.5, 0.5], "eps": 1e-3},
                                                          {"parameters": ["c"], "lr": 0.01}]},
    "adadelta.plain": one("adadelta", lr=1.0),
    "adadelta.everything": one("adadelta", lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1, maximize=True),
    "adadelta.weight_decay": one("adadelta", lr=0.3, weight_decay=0.2),
    "adadelta.groups": {"optimizer": "adadelta", "groups": [{"parameters": ["a"], "lr": 0.5}, {"parameters": ["b", "c"], "lr": 2.0, "rho": 0.95}]},
    "adamax.plain": one("adamax", lr=0.01),
    "adamax.everything": one("adamax", lr=0.02, betas=[0.8, 0.95], eps=1e-4, weight_decay=0.1, maximize=True),
    "adamax.weight_decay": one("adamax", lr=0.01, weight_decay=0.2),
    "adamax.groups": {"optimizer": "adamax", "groups": [{"parameters": ["a"], "lr": 0.01}, {"parameters": ["b", "c"], "lr": 0.02, "weight_decay": 0.1}]},
    "asgd.plain": one("asgd", lr=0.05),
    "asgd.everything": one("asgd", lr=0.05, lambd=0.1, alpha=0.5, t0=20, weight_decay=0.1, maximize=True),
    "asgd.weight_decay": one("asgd", lr=0.02, t0=1, weight_decay=0.2),
    "asgd.groups": {"optimizer": "asgd", "groups": [{"parameters": ["a"], "lr": 0.01}, {"parameters": ["b", "c"], "lr": 0.02, "t0": 5}]},
    "rprop.plain": one("rprop", lr=0.01),
    "rprop.everything": one("rprop", lr=0.02, etas=[0.6, 1.3], step_sizes=[1e-3, 0.1], maximize=True),
    "rprop.narrow": one("rprop", lr=0.01, etas=[0.9, 1.05], step_sizes=[5e-3, 0.02]),
    "rprop.groups": {"optimizer": "rprop", "groups": [{"parameters": ["a"], "lr": 0.01}, {"parameters": ["b", "c"], "lr": 0.02}]},
    "adam.cosine": one("adam", lr=0.1) | {"schedule": "cosine_50"},
    "adamw.noam": one("adamw", lr=1.0) | {"schedule": "noam_16_4"},
}


def noam(d_model, warmup):
    return lambda step: d_model**-0.5 * min((step + 1) ** -0.5, (step + 1) * warmup**-1.5)


def inverse_sqrt(warmup):
    return lambda step: min((step + 1) / warmup, (warmup / (step + 1)) ** 0.5)


def warmup_cosine(warmup, total, floor):  # nanoGPT's get_lr, as a factor of the peak
    def factor(step):
        if step < warmup:
            return (step + 1) / (warmup + 1)
        if step > total:
            return floor
        return floor + 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup))) * (1 - floor)
    return factor


def wsd(warmup, total, decay, floor):  # warm up, stay, decay (MiniCPM)
    return lambda step: (step + 1) / warmup if step < warmup else 1 - (1 - floor) * min(max(step - (total - decay), 0) / decay, 1)


PARTS = {"linear": lr_scheduler.LinearLR, "exponential": lr_scheduler.ExponentialLR, "step": lr_scheduler.StepLR}


def composed(kind, parts, steps=20, base=0.5, **milestones):
    def make(o):
        made = [PARTS[name](o, *arguments) for name, *arguments in parts]
        return lr_scheduler.ChainedScheduler(made) if kind == "chained" else lr_scheduler.SequentialLR(o, made, milestones["milestones"])
    return {"kind": kind, "parts": parts, **milestones}, base, steps, make


def multiplicative(fall, steps=12):
    return {"kind": "multiplicative", "fall": fall}, 0.5, steps, lambda o: lr_scheduler.MultiplicativeLR(o, lambda step: 1 - fall * step)


def of(kind, settings, base, steps, make):  # make(optimizer, the settings' values)
    return {"kind": kind, **settings}, base, steps, lambda o: make(o, *settings.values())


def until(total, factor, steps=10):
    return of("constant_until", {"total": total, "factor": factor}, 0.1, steps, lambda o, n, f: lr_scheduler.ConstantLR(o, f, n))


def line(start, end, total, steps=12):
    return of("linear", {"start_factor": start, "end_factor": end, "total_iters": total}, 0.5, steps, lr_scheduler.LinearLR)


def falling(kind, make, steps=15, **settings):
    return of(kind, settings, 0.8, steps, make)


def one_cycle(total, pct_start, div_factor, final_div_factor):
    return of("one_cycle", {"total": total, "pct_start": pct_start, "div_factor": div_factor, "final_div_factor": final_div_factor}, 0.1, total,
              lambda o, n, share, first, last: lr_scheduler.OneCycleLR(o, 0.1, n, pct_start=share, div_factor=first, final_div_factor=last, cycle_momentum=False))


SCHEDULES = {  # name: settings, base rate, steps, scheduler
    "constant": ({"kind": "constant"}, 0.1, 10, lambda o: lr_scheduler.LambdaLR(o, lambda step: 1.0)),
    "constant_5": until(5, 0.3),
    "constant_1": until(1, 0.5),
    "constant_all": until(20, 0.25),
    "constant_no_change": until(4, 1.0),
    "linear_warmup_5": line(0.1, 1.0, 5),
    "linear_down": line(1.0, 0.0, 8),
    "linear_between": line(0.3, 0.8, 7),
    "linear_at_once": line(0.25, 1.0, 1),
    "cosine_20": ({"kind": "cosine", "T_max": 20, "eta_min": 0.0}, 0.1, 21, lambda o: lr_scheduler.CosineAnnealingLR(o, 20)),
    "cosine_50": ({"kind": "cosine", "T_max": 50, "eta_min": 0.0}, 0.1, 51, lambda o: lr_scheduler.CosineAnnealingLR(o, 50)),
    "cosine_10_floor": ({"kind": "cosine", "T_max": 10, "eta_min": 0.01}, 0.1, 11, lambda o: lr_scheduler.CosineAnnealingLR(o, 10, 0.01)),
    "cosine_1": ({"kind": "cosine", "T_max": 1, "eta_min": 0.02}, 0.1, 2, lambda o: lr_scheduler.CosineAnnealingLR(o, 1, 0.02)),
    "step_4_half": falling("step", lr_scheduler.StepLR, step_size=4, gamma=0.5),
    "step_1": falling("step", lr_scheduler.StepLR, step_size=1, gamma=0.9),
    "step_never": falling("step", lr_scheduler.StepLR, step_size=30, gamma=0.1),
    "step_up": falling("step", lr_scheduler.StepLR, step_size=5, gamma=1.5),
    "multistep": falling("multistep", lr_scheduler.MultiStepLR, milestones=[3, 4, 9], gamma=0.3),
    "multistep_twice": falling("multistep", lr_scheduler.MultiStepLR, milestones=[2, 2, 7], gamma=0.5),
    "multistep_once": falling("multistep", lr_scheduler.MultiStepLR, milestones=[1], gamma=0.1),
    "multistep_never": falling("multistep", lr_scheduler.MultiStepLR, milestones=[], gamma=0.1),
    "exponential": falling("exponential", lr_scheduler.ExponentialLR, gamma=0.9),
    "exponential_half": falling("exponential", lr_scheduler.ExponentialLR, gamma=0.5),
    "exponential_flat": falling("exponential", lr_scheduler.ExponentialLR, gamma=1.0),
    "exponential_up": falling("exponential", lr_scheduler.ExponentialLR, gamma=1.05),
    "polynomial": falling("polynomial", lr_scheduler.PolynomialLR, total=10, power=1.7, steps=14),
    "polynomial_line": falling("polynomial", lr_scheduler.PolynomialLR, total=5, power=1.0),
    "polynomial_root": falling("polynomial", lr_scheduler.PolynomialLR, total=13, power=0.5),
    "polynomial_1": falling("polynomial", lr_scheduler.PolynomialLR, total=1, power=2.0, steps=3),
    "restarts": ({"kind": "restarts", "T_0": 4, "T_mult": 1, "eta_min": 0.01}, 0.1, 20, lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 4, 1, 0.01)),
    "restarts_longer": ({"kind": "restarts", "T_0": 3, "T_mult": 2, "eta_min": 0.0}, 0.1, 30, lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 3, 2)),
    "restarts_1": ({"kind": "restarts", "T_0": 1, "T_mult": 1, "eta_min": 0.0}, 0.1, 5, lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 1, 1)),
    "restarts_triple": ({"kind": "restarts", "T_0": 2, "T_mult": 3, "eta_min": 0.02}, 0.1, 30, lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 3, 0.02)),
    "one_cycle": one_cycle(20, 0.3, 25, 1e4),
    "one_cycle_late": one_cycle(13, 0.7, 4, 10),
    "one_cycle_early": one_cycle(30, 0.1, 10, 100),
    "one_cycle_half": one_cycle(8, 0.5, 2, 1),
    "wsd": ({"kind": "wsd", "warmup": 4, "total": 20, "decay": 5, "floor": 0.1}, 0.5, 24, lambda o: lr_scheduler.LambdaLR(o, wsd(4, 20, 5, 0.1))),
    "noam_16_4": ({"kind": "noam", "d_model": 16, "warmup": 4}, 1.0, 24, lambda o: lr_scheduler.LambdaLR(o, noam(16, 4))),
    "noam_4_1": ({"kind": "noam", "d_model": 4, "warmup": 1}, 0.5, 12, lambda o: lr_scheduler.LambdaLR(o, noam(4, 1))),
    "noam_64_10": ({"kind": "noam", "d_model": 64, "warmup": 10}, 1.0, 24, lambda o: lr_scheduler.LambdaLR(o, noam(64, 10))),
    "noam_512_4000": ({"kind": "noam", "d_model": 512, "warmup": 4000}, 2.0, 24, lambda o: lr_scheduler.LambdaLR(o, noam(512, 4000))),
    "inverse_sqrt_6": ({"kind": "inverse_sqrt", "warmup": 6}, 0.3, 24, lambda o: lr_scheduler.LambdaLR(o, inverse_sqrt(6))),
    "cyclic": ({"kind": "cyclic", "low": 0.1, "up": 4, "down": 4}, 0.5, 20, lambda o: lr_scheduler.CyclicLR(o, 0.05, 0.5, 4, cycle_momentum=False)),
    "cyclic_halved": ({"kind": "cyclic", "low": 0.2, "up": 3, "down": 5, "halved": True}, 0.5, 30,
                      lambda o: lr_scheduler.CyclicLR(o, 0.1, 0.5, 3, 5, mode="triangular2", cycle_momentum=False)),
    "cyclic_gamma": ({"kind": "cyclic", "low": 0.2, "up": 2, "down": 3, "gamma": 0.9}, 0.5, 20,
                     lambda o: lr_scheduler.CyclicLR(o, 0.1, 0.5, 2, 3, mode="exp_range", gamma=0.9, cycle_momentum=False)),
    "cyclic_1": ({"kind": "cyclic", "low": 0.5, "up": 1, "down": 1}, 0.4, 7, lambda o: lr_scheduler.CyclicLR(o, 0.2, 0.4, 1, cycle_momentum=False)),
    "swa_cosine": ({"kind": "swa", "total": 6, "target": 0.2, "by_cosine": True}, 0.5, 10, lambda o: swa_utils.SWALR(o, 0.1, 6)),
    "swa_linear": ({"kind": "swa", "total": 4, "target": 0.1, "by_cosine": False}, 0.5, 8, lambda o: swa_utils.SWALR(o, 0.05, 4, "linear")),
    "swa_at_once": ({"kind": "swa", "total": 1, "target": 0.5, "by_cosine": True}, 0.2, 4, lambda o: swa_utils.SWALR(o, 0.1, 1)),
    "swa_up": ({"kind": "swa", "total": 5, "target": 3.0, "by_cosine": False}, 0.1, 8, lambda o: swa_utils.SWALR(o, 0.3, 5, "linear")),
    "sequential": composed("sequential", [["linear", 0.1, 1.0, 4], ["exponential", 0.9], ["step", 3, 0.5]], milestones=[4, 11]),
    "sequential_two": composed("sequential", [["linear", 0.5, 1.0, 3], ["step", 2, 0.8]], milestones=[3]),
    "sequential_early": composed("sequential", [["linear", 0.1, 1.0, 10], ["exponential", 0.7]], milestones=[5]),
    "sequential_at_1": composed("sequential", [["exponential", 0.5], ["linear", 0.2, 1.0, 6], ["exponential", 0.95]], milestones=[1, 9]),
    "chained": composed("chained", [["linear", 0.1, 1.0, 4], ["exponential", 0.9]], steps=16),
    "chained_three": composed("chained", [["linear", 0.5, 1.0, 6], ["step", 4, 0.5], ["exponential", 0.97]], steps=16),
    "chained_steps": composed("chained", [["step", 3, 0.5], ["step", 5, 0.1]], steps=16),
    "chained_alone": composed("chained", [["exponential", 0.8]], steps=8),
    "multiplicative": multiplicative(0.05),
    "multiplicative_flat": multiplicative(0.0),
    "multiplicative_up": multiplicative(-0.02),
    "multiplicative_to_0": multiplicative(0.125, steps=10),
    "warmup_cosine": ({"kind": "warmup_cosine", "warmup": 4, "total": 16, "floor": 0.1}, 1e-3, 20, lambda o: lr_scheduler.LambdaLR(o, warmup_cosine(4, 16, 0.1))),
}


def rates(name):
    settings, base, steps, make = SCHEDULES[name]
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=base)
    schedule, lr = make(optimizer), []
    for _ in range(steps):
        lr.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return settings | {"base": base, "lr": lr}


FIGURES = [3.0, 2.0, 2.0, 1.99999, 2.5, 2.0, 1.5, 1.6, 1.7, 1.49, 1.48, 1.6, 1.6, 1.6, 1.6, 1.6, 1.2, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3]
PLATEAUS = {  # torch.optim.lr_scheduler.ReduceLROnPlateau's arguments
    "plain": dict(patience=1),
    "cooldown": dict(factor=0.5, patience=1, cooldown=2, min_lr=0.05),
    "absolute": dict(factor=0.3, patience=2, threshold=0.05, threshold_mode="abs"),
    "larger": dict(mode="max", factor=0.5, patience=0, threshold=0.01),
}


def plateau(settings):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.4)
    schedule, lr = lr_scheduler.ReduceLROnPlateau(optimizer, eps=0, **settings), []
    for figure in FIGURES:
        schedule.step(figure)
        lr.append(optimizer.param_groups[0]["lr"])
    return {"settings": settings, "figures": FIGURES, "lr": lr}


def problem(dtype):
    g = torch.Generator().manual_seed(7)
    start = {"a": torch.randn(3, 2, generator=g), "b": torch.randn(4, generator=g), "c": torch.randn(2, 5, generator=g)}
    gradient = {k: torch.randn(STEPS, *v.shape, generator=g) for k, v in start.items()}
    gradient["a"][3:6, 0] = 0.0  # an element that gets no gradient for a while
    gradient["a"][:, 2, 1] = 0.0  # one that never gets any
    gradient["b"][:, 1] *= 1e-6
    gradient["b"][10:, 2] *= 1e3
    return {k: v.to(dtype) for k, v in start.items()}, {k: v.to(dtype) for k, v in gradient.items()}


def trajectory(case, start, gradient):
    p = {k: v.clone().requires_grad_() for k, v in start.items()}
    groups = [{"params": [p[k] for k in group["parameters"]], **{k: tuple(v) if isinstance(v, list) else v for k, v in group.items() if k != "parameters"}}
              for group in case["groups"]]
    torch.set_default_dtype(start["a"].dtype)  # of the scalars in a state
    given = {k: case["groups"][0][k] for k in ["initial_accumulator_value"] if k in case["groups"][0]}  # PyTorch reads it here, not in a group
    optimizer = OPTIMIZERS[case["optimizer"]](groups, lr=1e-3, foreach=False, **given)
    schedule = SCHEDULES[case["schedule"]][3](optimizer) if "schedule" in case else None
    path = {k: [] for k in p}
    for step in range(STEPS):
        for k in p:
            p[k].grad = gradient[k][step].clone()
        optimizer.step()
        if schedule:
            schedule.step()
        for k in p:
            path[k].append(p[k].detach().clone())
    torch.set_default_dtype(torch.float32)
    return {k: torch.stack(v) for k, v in path.items()}


LBFGS = {  # name: settings, start, steps
    "plain": (dict(lr=1e-3, max_iter=4), [-1.2, 1.0, 0.5, 2.0], 50),
    "strong_wolfe": (dict(line_search_fn="strong_wolfe"), [-1.2, 1.0, 0.5, 2.0], 4),
    "short": (dict(line_search_fn="strong_wolfe", max_iter=1, history_size=3), [-1.2, 1.0, 0.5, 2.0], 50),
    "few_evaluations": (dict(line_search_fn="strong_wolfe", max_iter=8, max_eval=3, lr=0.5), [3.0, -2.0, 1.0, -0.5], 20),
    "far": (dict(line_search_fn="strong_wolfe", max_iter=3, lr=2.0), [30.0, -20.0, 10.0, -5.0], 20),
    "tolerances": (dict(line_search_fn="strong_wolfe", tolerance_grad=1e-2, tolerance_change=1e-3), [-1.2, 1.0, 0.5, 2.0], 5),
}


def rosenbrock(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def lbfgs(settings, start, steps):
    x = torch.tensor(start, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **settings)
    calls, path = [0], {"x": [], "evaluations": [], "loss": []}

    def closure():
        calls[0] += 1
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        return loss
    for _ in range(steps):
        loss = optimizer.step(closure)
        path["x"].append(x.detach().clone())
        path["evaluations"].append(torch.tensor(calls[0]))
        path["loss"].append(loss.detach())
    return {k: torch.stack(v) for k, v in path.items()}


CLIPS = {  # name: gradients, function, settings
    "norm_above": ("random", dict(max_norm=1.0, norm_type=2.0)),
    "norm_below": ("random", dict(max_norm=100.0, norm_type=2.0)),
    "norm_inf": ("random", dict(max_norm=0.5, norm_type=math.inf)),
    "norm_one": ("random", dict(max_norm=2.0, norm_type=1.0)),
    "norm_zero": ("zero", dict(max_norm=1.0, norm_type=2.0)),
    "norm_nan": ("nan", dict(max_norm=1.0, norm_type=2.0)),
    "norm_infinite": ("inf", dict(max_norm=1.0, norm_type=2.0)),
    "value": ("random", dict(clip_value=0.4)),
    "value_large": ("random", dict(clip_value=50.0)),
    "value_0": ("random", dict(clip_value=0.0)),
    "value_of_zeros": ("zero", dict(clip_value=0.4)),
}


def clip(kind, settings, dtype):
    g = torch.Generator().manual_seed(11)
    ds = [torch.randn(2, 3, generator=g).to(dtype), torch.randn(4, generator=g).to(dtype), torch.randn((), generator=g).to(dtype)]
    if kind == "zero":
        ds = [torch.zeros_like(d) for d in ds]
    elif kind != "random":
        ds[1][2] = float(kind)
    ps = [torch.zeros_like(d).requires_grad_() for d in ds]
    for p, d in zip(ps, ds):
        p.grad = d.clone()
    files = {f"in{k}": d for k, d in enumerate(ds)}
    if "clip_value" in settings:
        torch.nn.utils.clip_grad_value_(ps, settings["clip_value"])
    else:
        files["norm"] = torch.nn.utils.clip_grad_norm_(ps, settings["max_norm"], settings["norm_type"])
    return files | {f"out{k}": p.grad for k, p in enumerate(ps)}


def mean(path):
    fn, e, out = swa_utils.get_swa_avg_fn(), None, []
    for n, p in enumerate(path):
        e = p.clone() if e is None else fn(e, p, torch.tensor(n))
        out.append(e)
    return torch.stack(out)


def average(path, start, decay):
    e, out = start.clone(), []
    for p in path:
        e = decay * e + (1 - decay) * p
        out.append(e)
    return torch.stack(out)


if __name__ == "__main__":
    for suffix, dtype in (("f64", torch.float64), ("f32", torch.float32)):
        start, gradient = problem(dtype)
        files = {f"start/{k}": v for k, v in start.items()} | {f"gradient/{k}": v for k, v in gradient.items()}
        for name, settings in CASES.items():
            path = trajectory(settings, start, gradient)
            files |= {f"{name}/{k}": v[SHOWN] for k, v in path.items()}
            if name == "adam.plain":
                files |= {f"path/{k}": v[:PATH] for k, v in path.items()}
        for decay in (0.9, 0.999):
            files |= {f"ema/{decay}/{k}": average(files[f"path/{k}"], start[k], decay) for k in start}
        files |= {f"swa/{k}": mean(files[f"path/{k}"]) for k in start}
        if dtype == torch.float64:
            for name, case in LBFGS.items():
                files |= {f"lbfgs/{name}/{k}": v for k, v in lbfgs(*case).items()}
        for name, (kind, settings) in CLIPS.items():
            files |= {f"clip/{name}/{k}": v for k, v in clip(kind, settings, dtype).items()}
        save(f"optim_{suffix}.safetensors", files)
    clips = {k: {a: "inf" if b == math.inf else b for a, b in v[1].items()} for k, v in CLIPS.items()}
    lines = {name: {"settings": settings, "start": start} for name, (settings, start, _) in LBFGS.items()}
    save_json("optim.json", {"shown": SHOWN, "cases": CASES, "lbfgs": lines, "clips": clips, "schedules": {k: rates(k) for k in SCHEDULES},
                             "plateaus": {k: plateau(v) for k, v in PLATEAUS.items()}})
