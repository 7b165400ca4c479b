package control

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	p4config "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4 "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/p4ce/p4ce/ctrl"
	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/pipeline"
	"github.com/p4ce/p4ce/ctrl/session"
	"github.com/p4ce/p4ce/host/disk"
	"github.com/p4ce/p4ce/host/durable"
	p4src "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	"github.com/p4ce/p4ce/test/damage"
)

func TestParseHost(t *testing.T) {
	h, err := ParseHost("10.0.0.1,02:00:00:00:00:0a,7")
	require.NoError(t, err)
	require.Equal(t, hosts.Host{IP: wire.Addr{10, 0, 0, 1}, MAC: wire.MAC{2, 0, 0, 0, 0, 10}, Port: 7}, h)
	for _, bad := range []string{"", "10.0.0.1", "x,02:00:00:00:00:0a,7", "fe80::1,02:00:00:00:00:0a,7", "10.0.0.1,02:00:00:00:00:00:00:0a,7", "10.0.0.1,02:00:00:00:00:0a,512"} {
		_, err := ParseHost(bad)
		require.ErrorContains(t, err, "want IP,MAC,PORT", bad)
	}
}

// run runs a controller with one application, which must fail.
func run(c Config, sw ctrl.SwitchConfig) error {
	app, err := New(c)
	if err != nil {
		return err
	}
	sw.App = app
	return ctrl.Run(context.Background(), ctrl.Config{Switches: []ctrl.SwitchConfig{sw}})
}

func TestBadConfig(t *testing.T) {
	good := Config{MAC: labSwitchMAC, IPs: []wire.Addr{labSwitchIP}}
	noIP, noMAC, slow, port := good, good, good, good
	noIP.IPs, noMAC.MAC, slow.CNPInterval, port.Wiring = nil, wire.MAC{}, time.Minute, Wiring{PortGroups: map[uint16]uint16{1: 2}}
	info, err := p4src.Info("rdma")
	require.NoError(t, err)
	info.Registers = slices.DeleteFunc(info.Registers, func(r *p4config.Register) bool { return r.Preamble.Alias == "slot3" })
	at := ctrl.SwitchConfig{P4RT: p4rtclient.Options{Address: "127.0.0.1:1"}}
	other := at
	other.Pipeline = &p4.ForwardingPipelineConfig{P4Info: info}
	for _, tt := range []struct {
		conf Config
		sw   ctrl.SwitchConfig
		want string
	}{
		{noIP, at, "the switch has no IP address"},
		{noMAC, at, "is not a unicast address"},
		{slow, at, "CNP interval 1m0s: at most 1s"},
		{port, at, "port group 2: port groups are numbered"},
		{good, other, `switch 127.0.0.1:1: the pipeline is not that of p4/rdma/rdma.p4: register "slot3": not in the p4info`},
	} {
		require.ErrorContains(t, run(tt.conf, tt.sw), tt.want)
	}
}

// TestOtherCompiler: the public compiler leaves "pipe." out of names and gives
// counters and registers ids of its own. What the controller writes has these.
func TestOtherCompiler(t *testing.T) {
	info, err := p4src.Info("rdma")
	require.NoError(t, err)
	for _, table := range info.Tables {
		table.Preamble.Name = strings.TrimPrefix(table.Preamble.Name, "pipe.")
	}
	for i, r := range info.Registers {
		r.Preamble.Name = strings.TrimPrefix(r.Preamble.Name, "pipe.")
		r.Preamble.Id = 0x16aa0000 + uint32(i)
	}
	text, err := prototext.Marshal(info)
	require.NoError(t, err)
	binary, err := proto.Marshal(info)
	require.NoError(t, err)
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	device := file("device", []byte("for a Tofino"))
	for _, p4info := range []string{file("p4info.txtpb", text), file("p4info.bin", binary)} {
		got, err := pipeline.Read(p4info, device)
		require.NoError(t, err)
		require.True(t, proto.Equal(info, got.P4Info))
		require.Equal(t, "for a Tofino", string(got.P4DeviceConfig))
		require.NotZero(t, got.Cookie.GetCookie())
		app, err := New(Config{MAC: labSwitchMAC, IPs: []wire.Addr{labSwitchIP}})
		require.NoError(t, err)
		s, err := session.New(session.Config{P4RT: p4rtclient.Options{Address: "x"}, Pipeline: got}, app)
		require.NoError(t, err)
		require.NoError(t, s.Client().Close())
		updates, err := app.tables.install(&group.Plan{Slots: make([]group.Slot, 2)})
		require.NoError(t, err)
		require.Equal(t, uint32(0x16aa0000), updates[0].GetEntity().GetRegisterEntry().GetRegisterId()&0xffff0000)
	}
	for _, tt := range []struct{ p4info, device, want string }{
		{filepath.Join(dir, "none"), device, "p4info: open"},
		{file("damaged.txtpb", text[:len(text)/2]), device, "damaged.txtpb: "},
		{file("damaged.bin", binary[:len(binary)-1]), device, "damaged.bin: "},
		{file("good.txtpb", text), filepath.Join(dir, "none"), "device config: open"},
		{file("good.txtpb", text), file("empty", nil), "empty: is empty"},
	} {
		_, err := pipeline.Read(tt.p4info, tt.device)
		require.ErrorContains(t, err, tt.want)
	}
}

func TestFileStore(t *testing.T) {
	dir := t.TempDir()
	s, err := NewFileStore(filepath.Join(dir, "store"))
	require.NoError(t, err)
	list, err := s.Load("unix:/a/b")
	require.NoError(t, err)
	require.Empty(t, list)
	r := group.Record{
		Index: 7, BCastQP: 0x123, RKey: 9, Term: 1 << 60, Switch: netip.MustParseAddr("10.0.0.254"),
		Leader: group.ConnRecord{Addr: netip.MustParseAddr("10.0.0.1"), LocalID: 1, RemoteID: 2, QPN: 3, OwnQPN: 0x123},
		Slots:  []group.ConnRecord{{Addr: netip.MustParseAddr("10.0.0.2"), LocalID: 4}},
	}
	other := r
	other.Index = 3
	require.NoError(t, s.Save("unix:/a/b", r))
	require.NoError(t, s.Save("unix:/a/b", other))
	require.NoError(t, s.Save("elsewhere", other))
	again, err := NewFileStore(filepath.Join(dir, "store"))
	require.NoError(t, err)
	list, err = again.Load("unix:/a/b")
	require.NoError(t, err)
	require.Equal(t, []group.Record{other, r}, list)
	require.NoError(t, s.Forget("unix:/a/b", 3))
	require.NoError(t, s.Forget("unix:/a/b", 3), "again")
	list, err = again.Load("unix:/a/b")
	require.NoError(t, err)
	require.Equal(t, []group.Record{r}, list)
}

// TestFileStoreFaults: a file that is damaged in one place is right; in both, its record is
// missing, and said, and the others are there. One of a build that wrote it in one place,
// and without flushing it, may be empty.
func TestFileStoreFaults(t *testing.T) {
	mem := vfs.NewMem()
	s, err := openFileStore(disk.Files(mem), "/store")
	require.NoError(t, err)
	var records []group.Record
	var made []group.Static
	save := func(term uint64) {
		records, made = nil, nil
		for i := range uint16(4) {
			records = append(records, group.Record{Index: i, Term: term, BCastQP: uint32(i)})
			require.NoError(t, s.Save("s1", records[i]))
			made = append(made, group.Static{Name: fmt.Sprint("m", i), Port: uint16(term), Policy: "all", Receivers: []group.Receiver{at(2)}})
			require.NoError(t, s.SaveStatic("s1", made[i]))
		}
	}
	save(1)
	older := damage.Read(t, mem, "/store")
	save(2)
	img := damage.Read(t, mem, "/store")
	check := func(img damage.Image, fewer int) error {
		s, err := openFileStore(disk.Files(img.FS(t, "/store")), "/store")
		require.NoError(t, err)
		got, err := s.Load("s1")
		require.Equal(t, records[fewer:], got)
		if err == nil {
			var list []group.Static
			list, err = s.LoadStatic("s1")
			require.ElementsMatch(t, made, list)
		}
		return err
	}
	for d := range damage.Of(1, img, older, 300) {
		require.NoError(t, check(d.Image, 0), d.String())
	}
	for _, b := range []string{"", "{", "p4ce"} {
		img["s1/0.json"], img["s1/0.json.copy"] = []byte(b), []byte(b)
		if b == "{" {
			delete(img, "s1/0.json.copy")
		}
		err := check(img, 1)
		require.ErrorIs(t, err, durable.ErrDamaged)
		require.ErrorContains(t, err, "/store/s1/0.json")
	}
}

func TestCNPInterval(t *testing.T) {
	r := newRDMATest(t)
	for d, want := range map[time.Duration]uint64{
		0:                      0,
		time.Nanosecond:        1, // rounded up: 0 is no limit
		50 * time.Microsecond:  196,
		512 * time.Microsecond: 2000,
	} {
		e, err := r.cnpInterval(d)
		require.NoError(t, err)
		te := e.GetTableEntry()
		require.True(t, te.GetIsDefaultAction())
		require.Equal(t, want, p4rtclient.ToUint(te.GetAction().GetAction().GetParams()[0].GetValue()), "%v", d)
	}
}

// newRDMATest binds the controller to the program's p4info.
func newRDMATest(t *testing.T) *tables {
	t.Helper()
	info, err := p4src.Info("rdma")
	require.NoError(t, err)
	return &tables{info: p4rtclient.NewInfo(info)}
}
