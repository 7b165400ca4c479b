package cmsm

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// Offer is what one side brings to a connection. Zero fields mean the default.
type Offer struct {
	Local, Remote netip.Addr // REQ only
	Port          uint16     // REQ only: the service asked for, rdma_cm's TCP port space
	SrcPort       uint16     // REQ only

	QPN         uint32
	StartingPSN wire.PSN // the PSN with which the receiver of this offer must begin to send
	MTU         int      // path MTU in bytes, default 1024
	Reads       uint8    // READs and atomics in flight, each way; default 16
	AckTimeout  time.Duration
	Retry       uint8  // default 7
	RNRRetry    uint8  // default 7, for ever
	Private     []byte // what the user of rdma_cm sees
}

func (o *Offer) defaults() {
	o.MTU = cmp.Or(o.MTU, 1024)
	o.Reads = cmp.Or(o.Reads, 16)
	o.Retry = cmp.Or(o.Retry, 7)
	o.RNRRetry = cmp.Or(o.RNRRetry, 7)
	o.AckTimeout = cmp.Or(o.AckTimeout, Timeout(14))
}

// REQ makes the request that carries o. The comm id and the CM timers are filled
// in by Agent.Connect.
func (o Offer) REQ() (*cm.REQ, error) {
	o.defaults()
	if len(o.Private) > cm.REQUserLen {
		return nil, fmt.Errorf("cm: REQ private data of %d bytes (at most %d fit)", len(o.Private), cm.REQUserLen)
	}
	mtu := cm.MTUCode(o.MTU)
	if mtu == 0 {
		return nil, fmt.Errorf("cm: path mtu %d is below 256", o.MTU)
	}
	header := cm.IPHeader{SrcPort: o.SrcPort, Src: o.Local, Dst: o.Remote}
	return &cm.REQ{
		ServiceID: cm.ServiceID(o.Port), LocalQPN: o.QPN, StartingPSN: uint32(o.StartingPSN),
		ResponderResources: o.Reads, InitiatorDepth: o.Reads, RetryCount: o.Retry, RNRRetryCount: o.RNRRetry,
		PKey: wire.DefaultPKey, PathMTU: mtu, Transport: cm.TransportRC,
		Primary: cm.Path{
			LocalLID: 0xffff, RemoteLID: 0xffff, LocalGID: cm.GID(o.Local), RemoteGID: cm.GID(o.Remote),
			HopLimit: wire.DefaultTTL, LocalACKTimeout: TimeoutCode(o.AckTimeout),
		},
		PrivateData: append(header.Append(nil), o.Private...),
	}, nil
}

// REP makes the reply that carries o; Conn.Accept fills in the comm ids.
func (o Offer) REP() (*cm.REP, error) {
	o.defaults()
	if len(o.Private) > cm.REPPrivateLen {
		return nil, fmt.Errorf("cm: REP private data of %d bytes (at most %d fit)", len(o.Private), cm.REPPrivateLen)
	}
	return &cm.REP{
		LocalQPN: o.QPN, StartingPSN: uint32(o.StartingPSN), ResponderResources: o.Reads, InitiatorDepth: o.Reads,
		RNRRetryCount: o.RNRRetry, TargetACKDelay: TimeoutCode(time.Millisecond), PrivateData: o.Private,
	}, nil
}

// Timeout converts a 5-bit timer code to a duration: 4.096 us * 2^code. Codes
// above 31 do not exist.
func Timeout(code uint8) time.Duration { return 4096 << (code & 0x1f) }

// TimeoutCode returns the code of the shortest timeout that is at least d.
func TimeoutCode(d time.Duration) uint8 {
	for code := uint8(0); code < 31; code++ {
		if Timeout(code) >= d {
			return code
		}
	}
	return 31
}
