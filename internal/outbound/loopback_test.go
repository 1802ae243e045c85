package outbound

import (
	"net"
	"strings"
	"testing"
)

// Names lead to this machine, whatever a name server says; addresses elsewhere are not dialled.
func TestLoopbackDialsThisMachineOnly(t *testing.T) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	dial := Loopback().DialContext
	for _, name := range []string{"localhost", "app.localhost", "example.com", "127.0.0.1"} {
		conn, err := dial(t.Context(), "tcp", net.JoinHostPort(name, port))
		if err != nil || !strings.HasPrefix(conn.RemoteAddr().String(), "127.0.0.1:") {
			t.Fatalf("%s: %v", name, err)
		}
		_ = conn.Close()
	}
	for _, address := range []string{"10.0.0.1:80", "[2001:db8::1]:80", "no port"} {
		if conn, err := dial(t.Context(), "tcp", address); err == nil {
			_ = conn.Close()
			t.Errorf("%s was dialled", address)
		}
	}
}
