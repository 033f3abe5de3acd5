# aluhaz: ITERATIONS times {add r2, r1, r5; add r3, r3, -1 and branch}.
# operands: destination first; "op d, a, b, cond, label" branches when the condition holds; dN = register pair (rN, rN+1)
	move r21, r23
	move r3, ITERATIONS
	move r1, 5
	move r5, 7
	move r2, 5
.Lv:
	add r2, r1, r5
	add r3, r3, -1, nz, .Lv
	jump r21
