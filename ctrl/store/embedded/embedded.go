// Package embedded runs an etcd server in the process, for a controller without an etcd of the
// operator. It is separate from package store because it links all of etcd, which a program that
// uses the operator's etcd does not need.
package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link/files"
)

// maxSocket is the longest path of a unix socket.
const maxSocket = 107

// startTimeout bounds the start of an embedded server.
const startTimeout = 30 * time.Second

// Server is an etcd server in this process, alone in its cluster.
type Server struct {
	// Endpoint is where its clients are served: a unix socket in its folder, which only this user
	// (and root) can connect to.
	Endpoint string
	server   *embed.Etcd
	lock     *os.File
}

// Start starts a server with its data in a folder, which is made when it does not exist. It must
// belong to this user alone. Options are applied to the configuration last.
func Start(dir string, log *slog.Logger, options ...func(*embed.Config)) (*Server, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	if err := files.Private(dir); err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	client, peer := filepath.Join(dir, "etcd.sock"), filepath.Join(dir, "peer.sock")
	if len(peer) > maxSocket {
		return nil, fmt.Errorf("embedded etcd: folder %s: the name is too long for a socket in it [choose a shorter one]", dir)
	}
	// The server itself would wait for the other's end, having taken its sockets.
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("embedded etcd: folder %s is in use [is another controller running with it?]: %w", dir, err)
	}
	server, err := run(dir, client, peer, log, options)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	return &Server{Endpoint: "unix:" + client, server: server, lock: lock}, nil
}

func run(dir, client, peer string, log *slog.Logger, options []func(*embed.Config)) (*embed.Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Name, cfg.Dir = "p4ce", filepath.Join(dir, "etcd")
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{{Scheme: "unix", Path: client}}, []url.URL{{Scheme: "unix", Path: client}}
	// Of a peer's URL to listen at etcd takes the host: without one it would take an abstract socket,
	// which everybody can connect to.
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{{Scheme: "unix", Host: peer}}, []url.URL{{Scheme: "unix", Path: peer}}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	// A cluster of one has nobody to wait for, and short leases take a short election timeout.
	cfg.TickMs, cfg.ElectionMs = 50, 500
	cfg.AutoCompactionMode, cfg.AutoCompactionRetention = embed.CompactorModeRevision, "10000"
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.New(zapcore.NewCore(
		zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "msg"}), zapcore.AddSync(slogWriter{log}), zapcore.ErrorLevel)))
	for _, o := range options {
		o(cfg)
	}
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, err
	}
	select {
	case <-server.Server.ReadyNotify():
		return server, nil
	case err = <-server.Err():
	case <-time.After(startTimeout):
		err = errors.New("the server does not become ready [is the disk very slow?]")
	}
	server.Close()
	return nil, err
}

// Close ends the server.
func (e *Server) Close() {
	e.server.Close()
	e.lock.Close()
}

// slogWriter logs what etcd does not log at our level.
type slogWriter struct{ log *slog.Logger }

func (w slogWriter) Write(line []byte) (int, error) {
	w.log.Error("etcd", "text", strings.TrimSpace(string(line)))
	return len(line), nil
}
