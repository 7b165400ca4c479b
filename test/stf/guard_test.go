package stf_test

import "maps"

// guardMutants break what p4/lib guards: each program that includes it has the same scripts.
var guardMutants = map[string][][2]string{
	"wrapped": {
		{"(0, ETHERTYPE_ARP): wrapped;\n            (0, ETHERTYPE_VLAN)", "(0, ETHERTYPE_VLAN)"},
		{"(0, ETHERTYPE_VLAN): wrapped;", ""},
		{"(0, ETHERTYPE_SERVICE_VLAN): wrapped;", ""},
		{"(0, ETHERTYPE_ARP): wrapped;\n            (_, ETHERTYPE_VLAN)", "(_, ETHERTYPE_VLAN)"},
		{"(_, ETHERTYPE_VLAN): wrapped;", ""},
		{"(_, ETHERTYPE_SERVICE_VLAN): wrapped;", ""},
		{"ETHERTYPE_VLAN: parse_tag;", ""},
		{"ETHERTYPE_SERVICE_VLAN: parse_tag;", ""},
		{"(_, ETHERTYPE_VLAN): parse_inner_tag;", ""},
		{"(_, ETHERTYPE_IPV4): peek_source;", ""},
		{"(_, ETHERTYPE_ARP): peek_arp;", ""},
		{"0x40 &&& 0xf0: look_at_source;", "0x40 &&& 0xf0: accept;"},
		{"0xaa &&& 0xfe: wrapped;", ""},
		{"0xaa &&& 0xfe: wrapped;", "0xaa: wrapped;"},
		{"0x0000 &&& 0xfc00: peek_llc;", ""},
		{"0x0400 &&& 0xfe00: peek_llc;", ""},
		{"(_, 0x0000 &&& 0xfc00): peek_llc;", ""},
		{"0x44: wrapped;\n            0x40 &&& 0xf0: look_at_source;", "0x40 &&& 0xf0: look_at_source;"},
		{"0x40 &&& 0xfc: wrapped;", ""},
		{"md.sender = pkt.lookahead<ipv4_source_t>().ip;", ""},
		{"md.drop = DROP_WRAPPED;", ""},
		{"own_mac.apply();", ""},
	},
	"ordinary": {
		{"(_, ETHERTYPE_ARP): peek_arp;", "(_, ETHERTYPE_ARP): wrapped;"},
		{"(_, ETHERTYPE_IPV4): peek_source;", "(_, ETHERTYPE_IPV4): wrapped;"},
		{"(_, ETHERTYPE_IPV6): parse_ipv6;", "(_, ETHERTYPE_IPV6): wrapped;"},
		{"0x40 &&& 0xf0: look_at_source;", ""},
		{"(IPV6_ICMP, 0, 143): ipv6;", ""},
		{"IPPROTO_UDP: ipv6;", ""},
		{"IPPROTO_TCP: ipv6;", ""},
		{"0xaa &&& 0xfe: wrapped;", "0x42: wrapped;"},
		{"pkt.emit(hdr.vlan);", ""},
		{"pkt.emit(hdr.inner_vlan);", ""},
		{"pkt.emit(hdr.ipv6);", ""},
	},
	"ipv6_router": {
		{"ICMP6_ROUTER_ADVERTISEMENT: router;", ""},
		{"ICMP6_REDIRECT: router;", ""},
		{"(6, IPV6_ICMP): peek_icmp;", ""},
		{"(6, IPV6_HOP_BY_HOP): peek_hop_by_hop;", ""},
		{"(6, IPV6_FRAGMENT): peek_fragment;", ""},
		{"(6, IPV6_ROUTING): wrapped;", ""},
		{"(6, IPV6_DESTINATION): wrapped;", ""},
		{"(6, IPV6_MOBILITY): wrapped;", ""},
		{"(6, IPV6_HOST_IDENTITY): wrapped;", ""},
		{"(6, IPV6_SHIM): wrapped;", ""},
		{"(_, ETHERTYPE_IPV6): parse_ipv6;", ""},
		{"(6, _): ipv6;", "_: ipv6;"},
		{"default_action = sends(FAMILY_ROUTER, 1);", "default_action = sends(0, 1);"},
		{"md.family = FAMILY_ROUTER;", ""},
	},
	"may_send": {
		{"md.refused = md.family & refused;", "md.refused = refused;"},
		{"if (hdr.ipv4.isValid()) {\n            md.family = FAMILY_IPV4;\n        }", ""},
		{"md.family = FAMILY_IPV4;\n        md.sender", "md.sender"},
		{"md.family = FAMILY_ARP;", ""},
		{"md.family = FAMILY_IPV6;", ""},
		{"md.family = FAMILY_LLC;", ""},
		{"md.family = FAMILY_OTHER;", ""},
		{"md.drop = DROP_PORT_FAMILY;", ""},
	},
	"host_elsewhere": {
		{"md.mac_elsewhere = md.port_class ^ class;", ""},
		{"md.ip_elsewhere = md.port_class ^ class;", ""},
		{"md.mac_elsewhere = md.host_port;", ""},
		{"md.ip_elsewhere = md.host_port;", ""},
		{"md.mac_elsewhere = 1;", ""},
		{"md.ip_elsewhere = 1;", ""},
		{"md.host_port = host;", "md.host_port = 1;"},
		{"md.port_class = class;", "md.port_class = (bit<16>)ig_intr_md.ingress_port;"},
		{"md.mac_elsewhere != 0 || md.ip_elsewhere != 0", "md.ip_elsewhere != 0"},
		{"md.mac_elsewhere != 0 || md.ip_elsewhere != 0", "md.mac_elsewhere != 0"},
		{"md.drop = DROP_FOREIGN_SOURCE;", ""},
		{"md.sender = pkt.lookahead<ipv4_source_t>().ip;", ""},
	},
}

func init() {
	maps.Copy(paxosMutants, guardMutants)
	maps.Copy(rdmaMutants, guardMutants)
}
