package storetest

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// SmallQuota is a server that has space for some megabytes: what Fill needs.
func SmallQuota(c *embed.Config) { c.QuotaBackendBytes = 4 << 20 }

// Fill writes to a server until it has no space. The function that it returns does what an operator would: it removes
// what is not needed, compacts, defragments, and disarms the alarm.
func Fill(t *testing.T, endpoint string) (free func()) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop(), DialTimeout: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	junk := string(bytes.Repeat([]byte{'x'}, 256<<10))
	for err == nil {
		_, err = c.Put(ctx, "junk", junk)
	}
	require.True(t, errors.Is(err, rpctypes.ErrNoSpace), "%v", err)
	// What is larger than what is left is refused at once; the alarm is for all that comes then.
	require.Eventually(t, func() bool {
		_, err := c.Put(ctx, "more", "x")
		return errors.Is(err, rpctypes.ErrNoSpace)
	}, time.Minute, 10*time.Millisecond)
	return func() {
		r, err := c.Delete(ctx, "junk")
		require.NoError(t, err)
		_, err = c.Compact(ctx, r.Header.Revision)
		require.NoError(t, err)
		_, err = c.Defragment(ctx, endpoint)
		require.NoError(t, err)
		_, err = c.AlarmDisarm(ctx, &clientv3.AlarmMember{})
		require.NoError(t, err)
	}
}
