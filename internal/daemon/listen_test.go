package daemon

import (
	"net"
	"testing"
	"time"
)

// A daemon that is replaced holds its port for a moment yet: its successor waits for it.
func TestAPortThatIsGivenBackIsTaken(t *testing.T) {
	held, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { held.Close() })
	place := Place{StateDir: t.TempDir(), Port: held.Addr().(*net.TCPAddr).Port}
	port, err := place.listen()
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
}
