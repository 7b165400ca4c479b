//go:build verbs && linux

#include "glue.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

int p4ce_post_send(struct ibv_qp *qp, const struct p4ce_wr *w, int n, int *posted)
{
	struct ibv_send_wr wr[P4CE_BATCH], *bad = NULL;
	struct ibv_sge sge[P4CE_BATCH];

	for (int i = 0; i < n; i++) {
		sge[i] = (struct ibv_sge){ .addr = w[i].addr, .length = w[i].len, .lkey = w[i].lkey };
		wr[i] = (struct ibv_send_wr){
			.wr_id = w[i].id,
			.next = i + 1 < n ? &wr[i + 1] : NULL,
			.sg_list = &sge[i],
			.num_sge = w[i].len != 0,
			.opcode = w[i].opcode,
			.send_flags = w[i].flags,
			.imm_data = htonl(w[i].imm),
		};
		switch (w[i].opcode) {
		case IBV_WR_ATOMIC_CMP_AND_SWP:
		case IBV_WR_ATOMIC_FETCH_AND_ADD:
			wr[i].wr.atomic.remote_addr = w[i].remote;
			wr[i].wr.atomic.rkey = w[i].rkey;
			wr[i].wr.atomic.swap = w[i].swap_add;
			wr[i].wr.atomic.compare_add = w[i].compare;
			break;
		default:
			wr[i].wr.rdma.remote_addr = w[i].remote;
			wr[i].wr.rdma.rkey = w[i].rkey;
		}
	}
	int err = ibv_post_send(qp, wr, &bad);
	*posted = err == 0 ? n : bad != NULL ? (int)(bad - wr) : 0;
	return err;
}

int p4ce_post_recv(struct ibv_qp *qp, const struct p4ce_wr *w, int n, int *posted)
{
	struct ibv_recv_wr wr[P4CE_BATCH], *bad = NULL;
	struct ibv_sge sge[P4CE_BATCH];

	for (int i = 0; i < n; i++) {
		sge[i] = (struct ibv_sge){ .addr = w[i].addr, .length = w[i].len, .lkey = w[i].lkey };
		wr[i] = (struct ibv_recv_wr){
			.wr_id = w[i].id,
			.next = i + 1 < n ? &wr[i + 1] : NULL,
			.sg_list = &sge[i],
			.num_sge = w[i].len != 0,
		};
	}
	int err = ibv_post_recv(qp, wr, &bad);
	*posted = err == 0 ? n : bad != NULL ? (int)(bad - wr) : 0;
	return err;
}

int p4ce_poll(struct ibv_cq *cq, struct p4ce_wc *out, int n)
{
	struct ibv_wc wc[P4CE_BATCH];

	int got = ibv_poll_cq(cq, n, wc);
	for (int i = 0; i < got; i++) {
		out[i] = (struct p4ce_wc){
			.id = wc[i].wr_id,
			.status = wc[i].status,
			.opcode = wc[i].opcode,
			.len = wc[i].byte_len,
			.imm = ntohl(wc[i].imm_data),
			.qpn = wc[i].qp_num,
			.has_imm = (wc[i].wc_flags & IBV_WC_WITH_IMM) != 0,
		};
	}
	return got;
}

int p4ce_arm(struct ibv_cq *cq)
{
	return ibv_req_notify_cq(cq, 0);
}

int p4ce_cq_event(struct ibv_comp_channel *ch)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(ch, &cq, &context) != 0)
		return errno;
	ibv_ack_cq_events(cq, 1);
	return 0;
}

int p4ce_cm_event(struct rdma_event_channel *ch, struct p4ce_event *out)
{
	struct rdma_cm_event *e;

	if (rdma_get_cm_event(ch, &e) != 0)
		return errno;
	memset(out, 0, sizeof *out);
	out->type = e->event;
	out->status = e->status;
	out->context = (uintptr_t)e->id->context;
	if (e->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		out->id = e->id;
		out->context = (uintptr_t)e->listen_id->context;
	}
	const struct rdma_conn_param *p = &e->param.conn;
	out->qpn = p->qp_num;
	out->responder_resources = p->responder_resources;
	out->initiator_depth = p->initiator_depth;
	if (p->private_data != NULL && p->private_data_len != 0) {
		out->private_len = p->private_data_len;
		memcpy(out->private_data, p->private_data, p->private_data_len);
	}
	// The id may be destroyed by others from here on.
	rdma_ack_cm_event(e);
	return 0;
}

int p4ce_async_event(struct ibv_context *ctx, struct p4ce_async *out)
{
	struct ibv_async_event e;

	if (ibv_get_async_event(ctx, &e) != 0)
		return errno;
	out->type = e.event_type;
	out->qpn = 0;
	switch (e.event_type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		out->qpn = e.element.qp->qp_num;
		break;
	default:
		break;
	}
	ibv_ack_async_event(&e);
	return 0;
}

int p4ce_nonblock(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return errno;
	return 0;
}

int p4ce_create_id(struct rdma_event_channel *ch, struct rdma_cm_id **id, uintptr_t context)
{
	return rdma_create_id(ch, id, (void *)context, RDMA_PS_TCP) == 0 ? 0 : errno;
}

void p4ce_set_context(struct rdma_cm_id *id, uintptr_t context)
{
	id->context = (void *)context;
}

static struct sockaddr_in address(uint32_t addr, uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = addr };
}

int p4ce_bind(struct rdma_cm_id *id, uint32_t addr, uint16_t port)
{
	struct sockaddr_in a = address(addr, port);

	return rdma_bind_addr(id, (struct sockaddr *)&a) == 0 ? 0 : errno;
}

int p4ce_resolve(struct rdma_cm_id *id, uint32_t from, uint32_t to, uint16_t port, int ms)
{
	struct sockaddr_in a = address(from, 0), b = address(to, port);

	return rdma_resolve_addr(id, (struct sockaddr *)&a, (struct sockaddr *)&b, ms) == 0 ? 0 : errno;
}

void p4ce_peer(struct rdma_cm_id *id, uint32_t *addr)
{
	struct sockaddr *a = rdma_get_peer_addr(id);

	*addr = a != NULL && a->sa_family == AF_INET ? ((struct sockaddr_in *)a)->sin_addr.s_addr : 0;
}

int p4ce_connect(struct rdma_cm_id *id, const struct rdma_conn_param *p, const void *data)
{
	struct rdma_conn_param param = *p;

	param.private_data = data;
	return rdma_connect(id, &param) == 0 ? 0 : errno;
}

int p4ce_accept(struct rdma_cm_id *id, const struct rdma_conn_param *p, const void *data)
{
	struct rdma_conn_param param = *p;

	param.private_data = data;
	return rdma_accept(id, &param) == 0 ? 0 : errno;
}

int p4ce_query_port(struct ibv_context *ctx, int port, struct ibv_port_attr *attr)
{
	return ibv_query_port(ctx, port, attr);
}

struct ibv_mr *p4ce_reg_mr(struct ibv_pd *pd, void *addr, size_t len, int access)
{
	return ibv_reg_mr(pd, addr, len, access);
}
