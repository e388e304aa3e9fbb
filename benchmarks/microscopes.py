"""Twenty microscopes as an instructor writes them into a notebook with PyTorch, a cell each."""

SETUP = """
import math, torch
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.set_printoptions(precision=4)
def parameter(*rows): return torch.tensor(rows[0] if len(rows) == 1 else rows, requires_grad=True)
x = torch.tensor([[1.0, -0.5], [0.2, 0.8], [-0.4, 0.3]])
W_x, W_h, b_h = parameter([[0.3, -0.2], [0.1, 0.4]]), parameter([[0.5, 0.1], [-0.2, 0.3]]), parameter([0.05, -0.10])
W_o, b_o = parameter([[0.4, -0.2], [-0.3, 0.5], [0.1, 0.2]]), parameter([0.02, -0.04, 0.01])
targets = torch.tensor([0, 2, 1])
X = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]])
W_Q, W_K = torch.tensor([[1.0, 0, 0, 0], [0, 1, 0, 0]]), torch.tensor([[0.0, 0, 1, 0], [0, 0, 0, 1]])
W_V = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 2]])
def states(x, h):
    found = []
    for row in x:
        h = torch.tanh(row @ W_x.T + h @ W_h.T + b_h)
        h.retain_grad()
        found.append(h)
    return found
def clear():
    for p in (W_x, W_h, b_h, W_o, b_o): p.grad = None
"""

CELLS = {
    "rnn-trace": """
h = torch.zeros(2)
for t in range(3):
    I, R = x[t] @ W_x.T, h @ W_h.T
    z = I + R + b_h
    h = torch.tanh(z)
    print(t, I, R, z, h)
""",
    "final-state-loss": """
clear(); hs = states(x, torch.zeros(2))
L = ((hs[-1] - torch.tensor([0.20, -0.15])) ** 2).sum() / 2
L.backward()
print(L, [h.grad for h in hs], W_x.grad, W_h.grad, b_h.grad)
""",
    "ce-head": """
clear(); hs = states(x, torch.zeros(2)); a = torch.stack(hs) @ W_o.T + b_o
p = torch.softmax(a, 1); L = torch.nn.functional.cross_entropy(a, targets)
L.backward()
print(a, p, L, [h.grad for h in hs], [q.grad for q in (W_x, W_h, b_h, W_o, b_o)])
""",
    "gradient-step": """
with torch.no_grad():
    moved = [q - 0.1 * q.grad for q in (W_x, W_h, b_h, W_o, b_o)]
    h = torch.zeros(2); losses = []
    for t in range(3):
        h = torch.tanh(x[t] @ moved[0].T + h @ moved[1].T + moved[2])
        losses.append(torch.nn.functional.cross_entropy(h @ moved[3].T + moved[4], targets[t]))
print(moved, sum(losses) / 3)
""",
    "attention": """
Q, K, V = X @ W_Q.T, X @ W_K.T, X @ W_V.T
S = Q @ K.T / math.sqrt(2); A = torch.softmax(S, 1); O = A @ V
print(Q, K, V, S, A, O, A.sum(1))
""",
    "attention-causal": """
mask = torch.triu(torch.full((3, 3), -math.inf), 1)
A = torch.softmax(S + mask, 1); print(S + mask, A, A @ V)
""",
    "padding": """
mask = torch.tensor([0, 0, -math.inf])
A = torch.softmax(S + mask, 1); print(S + mask, A, A @ V)
""",
    "multi-head": """
def head(Q, K, V):
    A = torch.softmax(Q @ K.T / math.sqrt(Q.shape[1]), 1)
    return A, A @ V
A_1, O_1 = head(Q[:, :1], K[:, :1], V[:, :1]); A_2, O_2 = head(Q[:, 1:], K[:, 1:], V[:, 1:])
O = torch.cat([O_1, O_2], 1); print(A_1, A_2, O, O @ torch.tensor([[1.0, 0.5], [-0.5, 1]]))
""",
    "encoder-block": """
def norm(x): return (x - x.mean(1, keepdim=True)) / torch.sqrt(x.var(1, keepdim=True, unbiased=False) + 1e-5)
U = X.clone().requires_grad_(); B = U @ U.T / 2; A = torch.softmax(B, 1); Y = norm(U + A @ U)
W_1 = torch.tensor([[1.0, 0, -1, 0], [0, 1, 0, -1]]); Z = norm(Y + torch.relu(Y @ W_1.T) @ W_1)
(Z[0] ** 2 * torch.arange(4)).sum().backward(); print(A, Y, Z, U.grad)
""",
    "positions": """
k = torch.arange(2); angle = torch.arange(6)[:, None] / 10000 ** (2 * k / 4)
P = torch.stack([torch.sin(angle), torch.cos(angle)], 2).reshape(6, 4); print(P, P @ P.T)
""",
    "norm-placement": """
pre = X + norm(X) @ torch.eye(4); post = norm(X + X @ torch.eye(4)); print(pre, post, post.mean(1), post.var(1))
""",
    "gru-cell": """
h, v = torch.tensor([0.2, -0.1]), torch.tensor([1.0, -0.5])
r = torch.sigmoid(W_x @ v + W_h @ h); u = torch.sigmoid(W_h @ v + W_x @ h)
n = torch.tanh(W_x @ v + r * (W_h @ h)); print(r, u, n, (1 - u) * n + u * h)
""",
    "lstm-cell": """
c = torch.tensor([0.3, -0.2])
i, f, o = (torch.sigmoid(W_x @ v + W_h @ h + b) for b in (0.0, 1.0, 0.5)); g = torch.tanh(W_x @ v + W_h @ h)
c2 = f * c + i * g; print(i, f, o, g, c2, o * torch.tanh(c2))
""",
    "residual": """
u = torch.tensor([0.5, -0.3], requires_grad=True); branch = torch.tanh(W_h @ u); y = u + branch
(y ** 2).sum().backward(); print(branch, y, u.grad, 2 * y)
""",
    "scaling": """
s = torch.tensor([1.0, 0.5, -0.5])
for d in (4, 16, 64): print(d, torch.softmax(s * d, 0), torch.softmax(s * math.sqrt(d), 0))
""",
    "token-lookup": """
E = torch.arange(12.0).reshape(4, 3) / 10; ids = torch.tensor([2, 0, 2])
one_hot = torch.nn.functional.one_hot(ids, 4).double()
print(E[ids], one_hot @ E)
""",
    "repeated-factors": """
J = torch.eye(2)
for h in reversed(states(x, torch.zeros(2))):
    J = J @ torch.diag(1 - h.detach() ** 2) @ W_h.detach(); print(J, torch.linalg.norm(J))
""",
    "clipping": """
g = torch.cat([q.grad.reshape(-1) for q in (W_x, W_h, b_h, W_o, b_o)]); n = torch.linalg.norm(g)
for limit in (0.1, 1.0): print(n, g * min(1, limit / n))
""",
    "xor": """
inputs = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]])
hidden = torch.relu(inputs @ torch.tensor([[1.0, 1], [1, 1]]) + torch.tensor([0.0, -1]))
print(hidden, hidden @ torch.tensor([1.0, -2]))
""",
    "hello-before": """
torch.manual_seed(7); E = torch.eye(4)[[0, 1, 2, 2]]; goal = torch.tensor([1, 2, 2, 3]); h, rows = torch.zeros(4), []
ps = [(torch.randn(4, 4) * 0.2).requires_grad_() for _ in range(3)]
ps += [torch.zeros(4, requires_grad=True) for _ in range(2)]
for t in range(4):
    h = torch.tanh(E[t] @ ps[0].T + h @ ps[1].T + ps[3]); rows.append(h @ ps[2].T + ps[4])
L = torch.nn.functional.cross_entropy(torch.stack(rows), goal); L.backward(); print(L, [q.grad for q in ps])
""",
}
