// The C side of package verbs: the inline functions of verbs.h, in batches and
// with flat types; events of rdma_cm, copied and acknowledged at once. All functions
// that return int return 0 or an errno, unless they say otherwise.
#ifndef P4CE_VERBS_GLUE_H
#define P4CE_VERBS_GLUE_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>

enum { P4CE_BATCH = 64 };

// A send or receive request with at most one buffer.
struct p4ce_wr {
	uint64_t id;
	uint64_t addr; // of the buffer, local
	uint64_t remote;
	uint64_t swap_add, compare;
	uint32_t len, lkey, rkey, imm;
	uint32_t opcode; // enum ibv_wr_opcode
	uint32_t flags;  // enum ibv_send_flags
};

struct p4ce_wc {
	uint64_t id;
	uint32_t status, opcode, len, imm, qpn, has_imm;
};

// At most P4CE_BATCH requests; *posted says how many were taken.
int p4ce_post_send(struct ibv_qp *qp, const struct p4ce_wr *w, int n, int *posted);
int p4ce_post_recv(struct ibv_qp *qp, const struct p4ce_wr *w, int n, int *posted);

// Returns the number of completions, at most P4CE_BATCH, or a negative errno.
int p4ce_poll(struct ibv_cq *cq, struct p4ce_wc *out, int n);
int p4ce_arm(struct ibv_cq *cq);
// Takes and acknowledges one event of the channel.
int p4ce_cq_event(struct ibv_comp_channel *ch);

struct p4ce_event {
	int type, status;
	struct rdma_cm_id *id; // of a new connection, if any
	uintptr_t context;     // of the id that the event is about
	int private_len;
	int responder_resources, initiator_depth;
	uint32_t qpn;
	uint8_t private_data[256];
};

int p4ce_cm_event(struct rdma_event_channel *ch, struct p4ce_event *out);

struct p4ce_async {
	int type;
	uint32_t qpn;
};

int p4ce_async_event(struct ibv_context *ctx, struct p4ce_async *out);

int p4ce_nonblock(int fd);
int p4ce_create_id(struct rdma_event_channel *ch, struct rdma_cm_id **id, uintptr_t context);
void p4ce_set_context(struct rdma_cm_id *id, uintptr_t context);
// Addresses are IPv4 in network byte order, ports in the host's.
int p4ce_bind(struct rdma_cm_id *id, uint32_t addr, uint16_t port);
int p4ce_resolve(struct rdma_cm_id *id, uint32_t from, uint32_t to, uint16_t port, int ms);
void p4ce_peer(struct rdma_cm_id *id, uint32_t *addr);
int p4ce_connect(struct rdma_cm_id *id, const struct rdma_conn_param *p, const void *data);
int p4ce_accept(struct rdma_cm_id *id, const struct rdma_conn_param *p, const void *data);

int p4ce_query_port(struct ibv_context *ctx, int port, struct ibv_port_attr *attr);
struct ibv_mr *p4ce_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access);

#endif
