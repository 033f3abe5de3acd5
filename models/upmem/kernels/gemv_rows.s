# GEMV: rows of uint32, one row per tasklet and iteration, multiply by up to 32 steps with early exit.
# Constants: BLOCK, LOG2_BLOCK, ALL_BLOCKS, BLOCK_LENGTH = BLOCK / 8 - 1, BLOCK_WORDS = BLOCK / 4.
# Arguments: step from one row of a tasklet to its next, row bytes, offset of the vector, rows per tasklet.
# operands: destination first; "op d, a, b, cond, label" branches when the condition holds; dN = register pair (rN, rN+1)
	move r21, r23
	move r0, DPU_INPUT_ARGUMENTS
	lw r10, r0, 0
	lw r11, r0, 4
	lw r13, r0, 8
	move r12, __sys_used_mram_end
	add r13, r12, r13
	move r1, id
	lsl r2, r1, LOG2_BLOCK
	move r14, __sys_heap_pointer_reset
	add r14, r14, r2
	add r15, r14, ALL_BLOCKS
	lw r3, r0, 12
	move r16, r1
	move r0, r12
	jeq r16, 0, .Lrow0
.Lskip:
	add r0, r0, r11
	add r16, r16, -1, nz, .Lskip
.Lrow0:
	move r16, r0
	move r20, r3
	jeq r20, 0, .Lend
.Lrow:
	move r17, 0
	move r19, 0
.Lblk:
	lsl_add r5, r14, r22, 24
	move r5, r14
	add r6, r16, r17
	ldma r5, r6, BLOCK_LENGTH
	move r5, r15
	add r7, r13, r17
	ldma r5, r7, BLOCK_LENGTH
	move r8, r14
	move r9, r15
	move r18, BLOCK_WORDS
.Lv:
	lw r0, r8, 0
	lw r1, r9, 0
	call r23, __mulsi3
	add r19, r19, r0
	add r8, r8, 4
	add r9, r9, 4
	add r18, r18, -1, nz, .Lv
	add r17, r17, BLOCK
	jltu r17, r11, .Lblk
	lw r3, zero, DPU_INPUT_ARGUMENTS
	add r16, r16, r3
	add r20, r20, -1, nz, .Lrow
.Lend:
	jump r21
__mulsi3:
	jgtu r1, r0, .Lswap
	move r2, r0
	move r0, r1, true, .Lms
.Lswap:
	move r2, r1
	move r0, r0
.Lms:
	move r1, zero
	mul_step d0, r2, d0, 0 , z, .Lmx
	mul_step d0, r2, d0, 1 , z, .Lmx
	mul_step d0, r2, d0, 2 , z, .Lmx
	mul_step d0, r2, d0, 3 , z, .Lmx
	mul_step d0, r2, d0, 4 , z, .Lmx
	mul_step d0, r2, d0, 5 , z, .Lmx
	mul_step d0, r2, d0, 6 , z, .Lmx
	mul_step d0, r2, d0, 7 , z, .Lmx
	mul_step d0, r2, d0, 8 , z, .Lmx
	mul_step d0, r2, d0, 9 , z, .Lmx
	mul_step d0, r2, d0, 10 , z, .Lmx
	mul_step d0, r2, d0, 11 , z, .Lmx
	mul_step d0, r2, d0, 12 , z, .Lmx
	mul_step d0, r2, d0, 13 , z, .Lmx
	mul_step d0, r2, d0, 14 , z, .Lmx
	mul_step d0, r2, d0, 15 , z, .Lmx
	mul_step d0, r2, d0, 16 , z, .Lmx
	mul_step d0, r2, d0, 17 , z, .Lmx
	mul_step d0, r2, d0, 18 , z, .Lmx
	mul_step d0, r2, d0, 19 , z, .Lmx
	mul_step d0, r2, d0, 20 , z, .Lmx
	mul_step d0, r2, d0, 21 , z, .Lmx
	mul_step d0, r2, d0, 22 , z, .Lmx
	mul_step d0, r2, d0, 23 , z, .Lmx
	mul_step d0, r2, d0, 24 , z, .Lmx
	mul_step d0, r2, d0, 25 , z, .Lmx
	mul_step d0, r2, d0, 26 , z, .Lmx
	mul_step d0, r2, d0, 27 , z, .Lmx
	mul_step d0, r2, d0, 28 , z, .Lmx
	mul_step d0, r2, d0, 29 , z, .Lmx
	mul_step d0, r2, d0, 30 , z, .Lmx
	mul_step d0, r2, d0, 31 , z, .Lmx
.Lmx:
	move r0, r1
	jump r23
