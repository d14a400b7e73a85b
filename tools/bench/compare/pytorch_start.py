"""A first training step in PyTorch, as short as a script can be: Linear 512 to 512, batch 32, Adam. Prints the peak resident set in kB.

    python pytorch_start.py [THREADS]
"""
import sys

try:
    import torch
except ImportError as missing:
    sys.exit(f"pytorch_start: {missing}; against_pytorch --python names a Python that has it")

if len(sys.argv) > 1:
    torch.set_num_threads(int(sys.argv[1]))
model = torch.nn.Linear(512, 512)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
loss = torch.nn.functional.mse_loss(model(torch.randn(32, 512)), torch.randn(32, 512))
optimizer.zero_grad()
loss.backward()
optimizer.step()
loss.item()
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
