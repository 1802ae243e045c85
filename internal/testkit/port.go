package testkit

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Port returns a port of loopback that is the test's own until its end, for what has to be told its port, and may stop
// and come again. The test holds the UDP port of the same number: no two tests get one number, in no process, and TCP's
// port stays free. It is below the range from which systems take ports by themselves.
func Port(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := net.ListenPacket("udp4", address)
		if err != nil {
			continue // another test has it
		}
		l, err := net.Listen("tcp4", address)
		if err != nil {
			_ = held.Close() // nothing came
			continue
		}
		_ = l.Close() // nothing was accepted
		t.Cleanup(func() { _ = held.Close() })
		return port
	}
	t.Fatal("no port is free")
	return 0
}
