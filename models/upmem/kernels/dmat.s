# dmaT: every tasklet reads ITERATIONS blocks of BLOCK bytes, blocks dealt in turn.
# Constants: BLOCK_LENGTH = BLOCK / 8 - 1, ALL_BLOCKS = TASKLETS * BLOCK.
# operands: destination first; "op d, a, b, cond, label" branches when the condition holds; dN = register pair (rN, rN+1)
	move r21, r23
	move r12, __sys_used_mram_end
	move r1, id
	lsl r2, r1, 11
	move r14, __sys_heap_pointer_reset
	add r14, r14, r2
	move r3, ITERATIONS
	move r6, BLOCK
	jeq r1, 0, .Lblk
.Ls:
	add r12, r12, r6
	add r1, r1, -1, nz, .Ls
.Lblk:
	ldma r14, r12, BLOCK_LENGTH
	add r12, r12, ALL_BLOCKS
	add r3, r3, -1, nz, .Lblk
	jump r21
