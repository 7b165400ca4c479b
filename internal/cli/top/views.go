package top

// Views are what p4ce top shows of each kind of program.
var Views = []View{
	{
		Name: "servers", Of: "p4ce_kv_clients",
		Columns: []Column{
			Which("role", "p4ce_smr_role", "role"),
			While("p4ce_smr_role", Labels{"role": "leader"}, Either("mode", "p4ce_smr_accelerated", "accelerated", "direct")),
			Either("state", "p4ce_smr_full_member", "full", "recovering"),
			Value("round", "p4ce_smr_term_round", nil),
			Rate("values/s", "p4ce_smr_records_total", Labels{"outcome": "decided"}),
			Mean("decided in", "p4ce_smr_propose_seconds_total", "p4ce_smr_records_total", Labels{"outcome": "decided"}),
			Rate("commands/s", "p4ce_kv_commands_total", nil),
			Quantile("p50", 0.5, "p4ce_kv_command_seconds"),
			Quantile("p99", 0.99, "p4ce_kv_command_seconds"),
			Value("clients", "p4ce_kv_clients", nil),
			Value("keys", "p4ce_kv_keys", nil),
			Either("disk", "p4ce_kv_disk_low", "low", "ok"),
		},
		Changes: []string{"p4ce_kv_auth_failures_total", "p4ce_kv_connections_refused_total", "p4ce_kv_connections_evicted_total", "p4ce_kv_http_total",
			"p4ce_smr_groups_total", "p4ce_smr_snapshots_total", "p4ce_smr_strangers_total"},
	},
	{
		Name: "controllers", Of: "p4ce_controller_switch_in_control",
		Columns: []Column{
			Share("switches", "p4ce_controller_switch_in_control"),
			Value("hosts", "p4ce_controller_hosts", nil),
			Value("groups", "p4ce_controller_groups", Labels{"phase": "running"}),
			Value("other groups", "p4ce_controller_groups", Labels{"phase": "!running"}),
			Rate("CM messages/s", "p4ce_controller_cm_events_total", Labels{"event": "received"}),
		},
		Changes: []string{"p4ce_controller_group_events_total"},
	},
	{
		Name: "switches", Of: "p4ce_switch_port_up",
		Columns: []Column{
			Which("program", "p4ce_switch_program_info", "program"),
			Share("ports", "p4ce_switch_port_up"),
			Rate("in/s", "p4ce_switch_port_packets_total", Labels{"direction": "rx"}),
			Rate("out/s", "p4ce_switch_port_packets_total", Labels{"direction": "tx"}),
			Bits("in", "p4ce_switch_port_bytes_total", Labels{"direction": "rx"}),
			Bits("out", "p4ce_switch_port_bytes_total", Labels{"direction": "tx"}),
			Rate("lost/s", "p4ce_switch_drops_total", Labels{"reason": "!ingress_drop"}), // the program itself drops ACKs that it has gathered
			Value("entries", "p4ce_switch_table_entries", nil),
			Value("primaries", "p4ce_switch_p4runtime_primaries", nil),
		},
		Changes: []string{"p4ce_switch_drops_total"},
	},
}
