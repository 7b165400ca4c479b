//go:build verbs && cgo && linux

package verbs

// #include "glue.h"
import "C"

import (
	"errors"
	"fmt"

	"github.com/p4ce/p4ce/host/rdma"
)

// errRefused says that the device has put the queue pair into state Error, because
// of a request of the peer.
var errRefused = errors.New("requests of the peer continued while its rights were changed, and were refused")

func (q *qp) SetAccess(a rdma.Access) error {
	err := q.setAccess(a)
	if errors.Is(err, errRefused) {
		// As if the request had come a moment later. No right is left.
		q.broken(err)
		return nil
	}
	return err
}

func (q *qp) setAccess(a rdma.Access) error {
	method := q.d.accessMethod()
	// A cycle flushes, so it needs the locks of the completion queues.
	q.drain()
	unlock := q.lockAll()
	defer unlock()
	if a == q.access || q.qp == nil || q.state == rdma.StateError {
		q.access = a
		return nil
	}
	was := q.access
	q.access = a
	if q.state == rdma.StateInit {
		return nil // taken along when the queue pair is connected
	}
	var flagsErr error
	if method != AccessCycle {
		if flagsErr = q.changeFlags(); flagsErr == nil {
			return nil
		}
		if method == AccessFlags {
			return q.disable(fmt.Errorf("access %v to %v: %w", was, a, flagsErr))
		}
		q.d.log.Warn("access flags cannot be changed while the queue pair runs; cycling its states", "qpn", q.num, "err", flagsErr)
	}
	switch err := q.cycle(); {
	case errors.Is(err, errRefused):
		q.state = rdma.StateError
		return err
	case err != nil:
		return q.disable(fmt.Errorf("access %v to %v: %w", was, a, errors.Join(flagsErr, err)))
	}
	return nil
}

// changeFlags changes the flags of the running queue pair.
func (q *qp) changeFlags() error {
	attr := C.struct_ibv_qp_attr{qp_access_flags: q.flags()}
	return q.modify("other access flags", &attr, C.IBV_QP_ACCESS_FLAGS)
}

// disable is the last resort: in state Error the peer can do nothing.
func (q *qp) disable(err error) error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_ERR}
	q.state = rdma.StateError
	return errors.Join(err, q.modify("error", &attr, C.IBV_QP_STATE))
}

// cycle takes the queue pair to error, to reset, and back to ready-to-send with the
// present flags. Both directions go on with the packet sequence numbers at which
// they were, so the peer notices nothing, unless it had requests under way, whose
// packets are lost and come again. One that comes again from its middle on is
// refused, perhaps before the end of the cycle: errRefused.
func (q *qp) cycle() error {
	attr := C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_ERR}
	if err := q.modify("error", &attr, C.IBV_QP_STATE); err != nil {
		return err
	}
	// Numbers do not move any more.
	var now C.struct_ibv_qp_attr
	var init C.struct_ibv_qp_init_attr
	const want = C.IBV_QP_AV | C.IBV_QP_PATH_MTU | C.IBV_QP_DEST_QPN | C.IBV_QP_RQ_PSN | C.IBV_QP_MAX_DEST_RD_ATOMIC |
		C.IBV_QP_MIN_RNR_TIMER | C.IBV_QP_TIMEOUT | C.IBV_QP_RETRY_CNT | C.IBV_QP_RNR_RETRY | C.IBV_QP_SQ_PSN | C.IBV_QP_MAX_QP_RD_ATOMIC
	if err := errno(C.ibv_query_qp(q.qp, &now, want, &init)); err != nil {
		return fmt.Errorf("queue pair %#x: query: %w", q.num, err)
	}
	attr = C.struct_ibv_qp_attr{qp_state: C.IBV_QPS_RESET}
	if err := q.modify("reset", &attr, C.IBV_QP_STATE); err != nil {
		return err
	}
	// Requests are forgotten by the device, and its completions of them by us.
	q.flush()
	q.sendGen = q.send.renew(q.sendSlot)
	q.recvGen = q.recv.renew(q.recvSlot)
	defer q.send.kick()
	defer q.recv.kick()
	if err := q.toInit(); err != nil {
		return err
	}
	now.qp_state = C.IBV_QPS_RTR
	const rtr = C.IBV_QP_STATE | C.IBV_QP_AV | C.IBV_QP_PATH_MTU | C.IBV_QP_DEST_QPN | C.IBV_QP_RQ_PSN |
		C.IBV_QP_MAX_DEST_RD_ATOMIC | C.IBV_QP_MIN_RNR_TIMER
	if err := q.modify("ready-to-receive", &now, rtr); err != nil {
		return err
	}
	if q.state != rdma.StateRTS {
		return nil
	}
	now.qp_state = C.IBV_QPS_RTS
	const rts = C.IBV_QP_STATE | C.IBV_QP_TIMEOUT | C.IBV_QP_RETRY_CNT | C.IBV_QP_RNR_RETRY | C.IBV_QP_SQ_PSN | C.IBV_QP_MAX_QP_RD_ATOMIC
	err := q.modify("ready-to-send", &now, rts)
	if err != nil && errno(C.ibv_query_qp(q.qp, &attr, C.IBV_QP_STATE, &init)) == nil && attr.qp_state == C.IBV_QPS_ERR {
		return errRefused
	}
	return err
}
