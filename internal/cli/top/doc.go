// Package top is the command top: the programs of a network, live, from what they tell Prometheus.
package top
