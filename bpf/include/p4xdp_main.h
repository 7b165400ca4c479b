/* The programs of a switch, around what is generated: run_ingress and run_egress. */
#ifndef P4XDP_MAIN_H
#define P4XDP_MAIN_H

/* On every port. */
SEC("xdp") int ingress(struct xdp_md *ctx)
{
	u32 port = port_of(ctx->ingress_ifindex);
	if (unlikely(!port))
		return drop(P4_NO_PORT);
	count_rx(ctx, port - 1);
	trace(ctx, port - 1, 0);
	return run_ingress(ctx, port - 1, 0);
}

/* On every entry of every devmap. */
SEC("xdp/devmap") int egress(struct xdp_md *ctx)
{
	u32 port = port_of(ctx->egress_ifindex);
	if (unlikely(!port))
		return drop(P4_NO_PORT);
	int verdict = run_egress(ctx, port - 1, 0);
	if (verdict == XDP_PASS) {
		count_tx(ctx, port - 1);
		trace(ctx, port - 1, 1);
	}
	return verdict;
}

/* In front of a packet in a test run of the egress, if time matters. */
struct p4_test_copy {
	struct meta meta;
	u64 time;         /* ns: what the program sees as now */
};

/* The same for test runs: what the kernel would know is in front of the packet. */
SEC("xdp") int test_ingress(struct xdp_md *ctx)
{
	struct p4_test *t = TEST_FRONT(ctx, sizeof(*t));
	return run_ingress(ctx, t->ingress_port, t->time);
}

SEC("xdp") int test_egress(struct xdp_md *ctx)
{
	struct p4_test_copy *t = PTR(ctx->data_meta);
	u64 time; /* of which the verifier knows nothing: it looks at what follows once */
	if (ctx->data - ctx->data_meta == sizeof(*t) && (void *)(t + 1) <= PTR(ctx->data)) {
		time = t->time;
	} else {
		TEST_FRONT(ctx, sizeof(t->meta));
		time = opaque((u32)(ctx->data_end - ctx->data), 0);
	}
	struct meta *m = PTR(ctx->data_meta);
	if ((void *)(m + 1) > PTR(ctx->data))
		return XDP_ABORTED;
	return run_egress(ctx, m->p4.egress_port, time);
}

char _license[] SEC("license") = "Dual BSD/GPL";

#endif
