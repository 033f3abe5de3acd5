# ITERATIONS passes, each as long as a DMA block is.
	move r21, r23
	move r3, ITERATIONS
	move r4, BLOCK
.Lv:
	move r5, r4
.Lw:
	add r5, r5, -8, nz, .Lw
	add r3, r3, -1, nz, .Lv
	jump r21
