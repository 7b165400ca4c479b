package datagram_test

import (
	"testing"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
)

// BenchmarkWrite keeps 64 WRITEs of 128 bytes under way between two devices.
func BenchmarkWrite(b *testing.B) {
	for _, network := range []string{"unix", "udp127.0.0.1"} {
		b.Run(network, func(b *testing.B) {
			conn, mr := connect(b, network)
			wr := rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 128), VA: mr.Addr(), RKey: mr.Key()}
			buf := make([]rdma.Completion, 64)
			b.ReportAllocs()
			b.ResetTimer()
			posted, done := 0, 0
			for done < b.N {
				for ; posted < min(done+64, b.N); posted++ {
					if _, err := conn.QP().PostSend(wr); err != nil {
						b.Fatal(err)
					}
				}
				n := conn.QP().SendCQ().Poll(buf)
				for _, c := range buf[:n] {
					if err := roce.Status(c); err != nil {
						b.Fatal(err)
					}
				}
				if done += n; n == 0 {
					<-conn.QP().SendCQ().Ready()
				}
			}
			b.StopTimer()
			c := conn.QP().Counters()
			b.ReportMetric(float64(c.Retransmitted)/float64(b.N), "retransmitted/op")
		})
	}
}
