// Package config gives the commands of a program their settings from a file and from the environment.
//
// A setting is a flag of a command: whatever the command line can say, the file can. The command line
// overrides the environment, the environment overrides the file, and the file overrides the defaults.
//
// The file is YAML. It has a section for each command, under the command's name (the name of a subcommand
// in the section of its command), and in a section a value for each flag. A flag that can be repeated
// has a list. What a section says that is no flag of its command is for all of its subcommands that have such
// a flag.
//
//	log-format: json   # a flag of all commands
//	switch:
//	  pin: /sys/fs/bpf/p4ce
//	  port: [1=eth1, 2=eth2]
//	kv:
//	  id: 1
//	paxos:
//	  deployment: /etc/p4ce/net.json   # host, list and the others
//	  host:
//	    data: /var/lib/p4ce
//
// The name of the file is the value of --config, or else of P4CE_CONFIG. Without either there is no file. In the
// environment, a setting is P4CE_, the names of the commands, and the name of the flag, in capitals, with _
// between: P4CE_PAXOS_HOST_DATA. The items of a list stand with white space between them.
//
// A section, a flag or a value that is not known is an error which names the line. So is a name of the environment
// that begins as those of the command do.
package config
