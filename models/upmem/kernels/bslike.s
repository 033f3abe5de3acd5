# BSlike: ITERATIONS queries of 12 dependent reads of BLOCK bytes.
# Constants: BLOCK_LENGTH = BLOCK / 8 - 1.
# operands: destination first; "op d, a, b, cond, label" branches when the condition holds; dN = register pair (rN, rN+1)
	move r21, r23
	move r12, __sys_used_mram_end
	move r1, id
	lsl r2, r1, LOG2_BLOCK
	move r14, __sys_heap_pointer_reset
	add r14, r14, r2
	move r3, ITERATIONS
.Lq:
	move r4, 12
	move r6, 4194304
	lsl_add r5, r12, r1, 6
.Lst:
	lsr r6, r6, 1
	add r7, r5, r6
	ldma r14, r7, BLOCK_LENGTH
	lw r8, r14, 0
	lw r9, r14, 4
	jgtu r8, r9, .Lno
	add r5, r5, 8
.Lno:
	add r4, r4, -1, nz, .Lst
	add r3, r3, -1, nz, .Lq
	jump r21
