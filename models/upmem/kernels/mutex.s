# mutex: ITERATIONS increments of a shared word per tasklet under one lock.
# operands: destination first; "op d, a, b, cond, label" branches when the condition holds; dN = register pair (rN, rN+1)
	move r21, r23
	move r3, ITERATIONS
	move r4, 0
.Lv:
	acquire r4, 8, nz, .Lv
	lw r1, zero, DPU_INPUT_ARGUMENTS
	add r1, r1, 1
	sw zero, DPU_INPUT_ARGUMENTS, r1
	release r4, 8, nz, .Ln
.Ln:
	add r3, r3, -1, nz, .Lv
	jump r21
