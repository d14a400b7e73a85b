"""Files of named arrays: reference.npz, written by NumPy, and a check that NumPy reads slope.npz, which slope's tests write.

reference.npz: every dtype that slope reads, with values that follow from a rule (tests/core/npz_test.cpp), and odd shapes.
"""
import numpy as np

from common import FOLDER, report

n = np.arange(24)
same = {
    "f32": (n / 8 - 1).astype("<f4").reshape(2, 3, 4),
    "f64": (n / 8 - 1).astype("<f8").reshape(4, 6),
    "i64": n * 10**15 - 5 * 10**15,
    "bool": (n % 3 == 0).reshape(24, 1),
    "scalar": np.float32(2.5),
    "empty": np.empty((0, 3), "<f4"),
    "layers.0.weight": np.ones(1, "<f4"),
}
read_only = {
    "f16": (n / 8 - 1).astype("<f2"),
    "i32": (n * 10**8 - 10**9).astype("<i4"),
    "u32": (n * 10**8).astype("<u4"),
    "i16": (n * 1000 - 10000).astype("<i2"),
    "u16": (n * 2000).astype("<u2"),
    "i8": (n - 12).astype("|i1"),
    "u8": (n * 10).astype("|u1"),
    "fortran": np.asfortranarray((n / 8 - 1).astype("<f4").reshape(2, 3, 4)),
}


def main():
    np.savez(FOLDER / "reference.npz", **same, **read_only)
    report(FOLDER / "reference.npz")
    ours = np.load(FOLDER / "slope.npz", allow_pickle=False)
    assert sorted(ours) == sorted(same), sorted(ours)
    for name, x in same.items():
        assert ours[name].dtype == np.asarray(x).dtype and np.array_equal(ours[name], x), name
    print("slope.npz is what NumPy expects")


if __name__ == "__main__":
    main()
