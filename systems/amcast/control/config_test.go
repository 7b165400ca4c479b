package control

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// TestConfig: what a file says, and what it need not say.
func TestConfig(t *testing.T) {
	c, err := ParseConfig([]byte(square))
	require.NoError(t, err)
	require.Equal(t, []string{"leaf1", "leaf2"}, c.Groups[0].Deliverers, "where the replicas are")
	require.Equal(t, []private.Groups{0x01000000, 0x01020000, 0x02000000}, c.Sets)
	require.Len(t, c.roles["leaf1"], 4)
	require.Len(t, c.roles["spine1"], 2)
	p, err := c.Place("h3")
	require.NoError(t, err)
	require.Equal(t, 1, p.Groups[1].Own)
	require.Negative(t, p.Groups[2].Own)
	require.Equal(t, c.Switches["leaf2"].IP, p.Controller.IP)
	require.Equal(t, c.Switches["spine1"].IP, p.Groups[2].Leaders[2].IP)
	require.EqualValues(t, names.PortFirst+1, p.Groups[2].Leaders[2].Port)
	_, err = c.Place("h9")
	require.ErrorContains(t, err, "host h9: does not exist")
	with := strings.Replace(square, `"groups"`, `"destinations": [[2, 1]], "silent_after": "5s", "groups"`, 1)
	c, err = ParseConfig([]byte(strings.Replace(with, `"number": 1, "members"`, `"number": 1, "leader": "spine1", "members"`, 1)))
	require.NoError(t, err)
	require.Equal(t, []private.Groups{0x01020000}, c.Sets)
	require.Equal(t, []string{"spine1", "leaf1", "spine2"}, c.Groups[0].Members)
	require.Equal(t, "5s", c.Silence.String())
}

// TestBadConfigs: what is wrong is said, with the name of the thing.
func TestBadConfigs(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{square, "", "the file is empty"},
		{square, square + "x", "unexpected text after the configuration"},
		{`"links"`, `"leaves"`, "unknown field"},
		{`"p4runtime": "1"`, `"p4runtime": ""`, "switch leaf1: p4runtime is missing"},
		{`"mac": "02:00:00:00:01:01"`, `"mac": "03:00:00:00:01:01"`, "switch leaf1: mac 03:00:00:00:01:01 is not a unicast address"},
		{`"mac": "02:00:00:00:01:01"`, `"mac": "02:00:00:00:01:02"`, "has the MAC address of"},
		{`"address": "10.0.3.2"`, `"address": "10.0.1.1"`, "has the address of switch leaf1"},
		{`"address": "10.0.3.2"`, `"address": "224.0.0.1"`, "host h2: address"},
		{`"at": "leaf1:12"`, `"at": "leaf1"`, "host h2: at:"},
		{`"at": "leaf1:12"`, `"at": "leaf1:1"`, "port leaf1:1 already belongs to"},
		{`["leaf2:2", "spine2:2"]`, `["leaf2:2"]`, "want two ends"},
		{`"groups": [`, `"silent_after": "0s", "groups": [`, `silent_after: "0s"`},
		{`"groups": [`, `"replace_after": "x", "groups": [`, `replace_after: "x"`},
		{`"groups": [`, `"destinations": [[1, 1]], "groups": [`, "destinations [1 1]"},
		{`"groups": [`, `"destinations": [[1, 3]], "groups": [`, "group 3 is not known"},
		{`"groups": [`, `"destinations": [[1], [1]], "groups": [`, "destinations [1]: are named twice"},
		{`"number": 2`, `"number": 1`, "group 1: want different numbers"},
		{`"number": 2`, `"number": 0`, "group 0: want different numbers"},
		{`"number": 2`, `"number": 256`, "cannot unmarshal"},
		{`"number": 2, "members": ["leaf2", "spine1", "spine2"]`, `"number": 2, "members": []`, "group 2: 0 members"},
		{`"number": 2, "members": ["leaf2", "spine1", "spine2"]`, `"number": 2, "members": ["leaf2", "leaf2"]`, "leaf2 is named twice"},
		{`"number": 2, "members": ["leaf2"`, `"number": 2, "members": ["leaf9"`, `group 2: members: "leaf9" is not known`},
		{`"number": 2, "members"`, `"number": 2, "leader": "leaf1", "members"`, `group 2: leader: switch "leaf1" is not one of its members`},
		{`"spares": ["leaf1"]`, `"spares": ["leaf2"]`, "members and spares: leaf2 is named twice"},
		{`"spares": ["leaf1"]`, `"deliverers": ["x"]`, `deliverers: "x" is not known`},
		{`"replicas": ["h2", "h4"]`, `"replicas": ["h2", "h2"]`, "replicas: h2 is named twice"},
		{`"replicas": ["h2", "h4"]`, `"replicas": []`, "0 replicas"},
		{`"replicas": ["h2", "h4"]`, `"replicas": ["spine1"]`, `replicas: "spine1" is not known`},
		{`"name": "h2",`, `"name": "h2", "window": 5,`, "host h2: a window of 5: want a power of two up to 16"},
		{`"name": "h2",`, `"name": "h2", "window": 32,`, "a window of 32"},
	} {
		text := strings.Replace(square, c.old, c.new, 1)
		require.NotEqual(t, square, text, "%s", c.old)
		_, err := ParseConfig([]byte(text))
		require.ErrorContains(t, err, c.want, "%s", c.new)
	}
}

// TestLimits: what a switch has no room for is refused.
func TestLimits(t *testing.T) {
	group := func(n int) string {
		return `{"number": ` + string(rune('0'+n)) + `, "members": ["leaf1", "spine1", "spine2"], "replicas": ["h1", "h3"]}`
	}
	var groups []string
	for n := range 5 {
		groups = append(groups, group(n+1))
	}
	head := square[:strings.Index(square, `"groups"`)]
	_, err := ParseConfig([]byte(head + `"groups": [` + strings.Join(groups, ",") + `]}`))
	require.ErrorContains(t, err, "switch leaf1: has 10 roles")
	_, err = ParseConfig([]byte(head + `"groups": [` + strings.Join(groups[:4], ",") + `]}`))
	require.NoError(t, err)
	_, err = ParseConfig([]byte(broad(16, 5, "[1, 2, 3, 4]")))
	require.ErrorContains(t, err, "destinations [1 2 3 4]: a proposal goes to 83 members and deliverers: at most 64")
	_, err = ParseConfig([]byte(broad(16, 5, "[1, 2, 3]")))
	require.NoError(t, err)
	_, err = ParseConfig([]byte(broad(11, 5, "[1, 2, 3, 4]")))
	require.NoError(t, err)
	_, err = ParseConfig([]byte(broad(17, 1, "[1]")))
	require.ErrorContains(t, err, "group 1: 17 deliverers: at most 16")
	_, err = ParseConfig([]byte(head + `"destinations": [[1], [2], [3, 4]], "groups": [` + strings.Join(groups[:4], ",") + `]}`))
	require.NoError(t, err)
	_, err = ParseConfig([]byte(`{"switches": [{"name": "a", "p4runtime": "x", "mac": "02:00:00:00:01:01", "address": "10.0.1.1"}],
		"hosts": [{"name": "h", "at": "a:1", "address": "10.0.3.1", "mac": "02:00:00:00:03:01"}], "groups": [{"number": 1, "members": ["a"], "replicas": ["h"]}]}`))
	require.ErrorContains(t, err, "switch a: has several roles, and no neighbour")
}

// broad is a deployment of a leaf for each of so many deliverers, of four groups with so many members, which are all spines.
func broad(deliverers, members int, set string) string {
	var switches, links, hosts, leaves, groups []string
	for i := range deliverers + 4*members {
		switches = append(switches, fmt.Sprintf(`{"name": "s%d", "p4runtime": "x%[1]d", "mac": "02:00:00:00:01:%02[1]x", "address": "10.0.1.%[1]d"}`, i+1))
	}
	for i := range deliverers {
		leaves = append(leaves, fmt.Sprintf(`"s%d"`, i+1))
		hosts = append(hosts, fmt.Sprintf(`{"name": "h%d", "at": "s%[1]d:100", "address": "10.0.3.%[1]d", "mac": "02:00:00:00:03:%02[1]x"}`, i+1))
		for k := range 4 * members {
			links = append(links, fmt.Sprintf(`["s%d:%d", "s%d:%d"]`, i+1, k+1, deliverers+k+1, i+1))
		}
	}
	for g := range 4 {
		var list []string
		for i := range members {
			list = append(list, fmt.Sprintf(`"s%d"`, deliverers+g*members+i+1))
		}
		groups = append(groups, fmt.Sprintf(`{"number": %d, "members": [%s], "deliverers": [%s], "replicas": ["h1"]}`, g+1, strings.Join(list, ","), strings.Join(leaves, ",")))
	}
	return fmt.Sprintf(`{"switches": [%s], "links": [%s], "hosts": [%s], "groups": [%s], "destinations": [%s]}`,
		strings.Join(switches, ","), strings.Join(links, ","), strings.Join(hosts, ","), strings.Join(groups, ","), set)
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(square))
	f.Add([]byte(`{"switches": [{}], "groups": [{}]}`))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if c, err := ParseConfig(b); err == nil {
			for _, h := range c.Net.Hosts() {
				if _, err := c.Place(h.Name); err != nil {
					panic(err)
				}
			}
		}
	})
}
