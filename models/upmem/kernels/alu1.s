# alu1: ITERATIONS times {add r1, r1, 1; add r3, r3, -1 and branch}.
# operands: destination first; "op d, a, b, cond, label" branches when the condition holds; dN = register pair (rN, rN+1)
	move r21, r23
	move r3, ITERATIONS
.Lv:
	add r1, r1, 1
	add r3, r3, -1, nz, .Lv
	jump r21
