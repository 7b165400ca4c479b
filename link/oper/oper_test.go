package oper

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

func TestMessage(t *testing.T) {
	for _, up := range []map[uint32]bool{{}, {0: true}, {3: false, 4: true, 1<<32 - 1: false}} {
		m, err := Message(up)
		require.NoError(t, err)
		got, err := Parse(m)
		require.NoError(t, err)
		require.Equal(t, up, got)
	}
}

func TestParse(t *testing.T) {
	other, err := anypb.New(&emptypb.Empty{})
	require.NoError(t, err)
	_, err = Parse(other)
	require.ErrorIs(t, err, ErrOther)
	_, err = Parse(nil)
	require.ErrorIs(t, err, ErrOther)
	for want, text := range map[string]string{
		"not about ports":          `{"x": 1}`,
		"is not a port":            `{"interfaces": [{"id": -1, "oper-status": "UP"}]}`,
		"interface 1: id":          `{"interfaces": [{"id": 1, "oper-status": "UP"}, {"id": 1.5, "oper-status": "UP"}]}`,
		`oper-status "TESTING": w`: `{"interfaces": [{"id": 1, "oper-status": "TESTING"}]}`,
		`oper-status "": want`:     `{"interfaces": [{"id": 1}]}`,
	} {
		var s structpb.Struct
		require.NoError(t, s.UnmarshalJSON([]byte(text)))
		m, err := anypb.New(&s)
		require.NoError(t, err)
		_, err = Parse(m)
		require.ErrorContains(t, err, want)
	}
}

func FuzzParse(f *testing.F) {
	m, _ := Message(map[uint32]bool{3: true})
	b, _ := proto.Marshal(m)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		var a anypb.Any
		if proto.Unmarshal(b, &a) != nil {
			return
		}
		up, err := Parse(&a)
		if err != nil {
			return
		}
		m, err := Message(up)
		require.NoError(t, err)
		again, err := Parse(m)
		require.NoError(t, err)
		require.Equal(t, up, again)
	})
}
