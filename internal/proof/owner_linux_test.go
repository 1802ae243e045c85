package proof_test

import (
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/proof"
)

func listen(t *testing.T) *net.TCPListener {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.(*net.TCPListener)
}

func TestTheOwnersOfSocketsAreKnown(t *testing.T) {
	l := listen(t)
	at := l.Addr().(*net.TCPAddr)
	if o, err := proof.SocketOwner(at, nil); err != nil || !o.Known || o.UID != uint32(os.Getuid()) {
		t.Errorf("listener: %+v %v", o, err)
	}
	c, err := net.Dial("tcp4", at.String())
	if err != nil {
		t.Fatal(err)
	}
	local := c.LocalAddr().(*net.TCPAddr)
	if o, err := proof.SocketOwner(local, at); err != nil || !o.Known || o.UID != uint32(os.Getuid()) {
		t.Errorf("client: %+v %v", o, err)
	}
	// Nobody has accepted it: it has no process yet, and uid 0 must not count.
	if o, err := proof.SocketOwner(at, local); err == nil && o.Known {
		t.Errorf("not accepted: %+v", o)
	}
	// A client that ended leaves a socket without a process.
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if o, err := proof.SocketOwner(local, at); err == nil && o.Known {
		t.Errorf("orphan: %+v", o)
	}
	if _, err := proof.SocketOwner(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, nil); !errors.Is(
		err,
		proof.ErrNoSocket,
	) {
		t.Errorf("nobody: %v", err)
	}
}

// A listener of another user gets not even a challenge.
func TestAnotherUsersListenerGetsNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become somebody else")
	}
	runtime.LockOSThread() // the user of file access belongs to the thread; it ends with the test
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0); errno != 0 {
		t.Fatal(errno)
	}
	l := listen(t)
	if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, 0, 0, 0); errno != 0 {
		t.Fatal(errno)
	}
	runtime.UnlockOSThread()
	port := l.Addr().(*net.TCPAddr).Port
	d := proof.Dialer{Port: port, StateDir: "/state", Token: func() (string, error) { return "secret", nil }}
	_, err := d.DialContext(t.Context(), "", "")
	var foreign *proof.Foreign
	if !errors.As(err, &foreign) || !strings.Contains(err.Error(), "another user of this machine (uid 65534)") {
		t.Fatalf("%v", err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, _ := c.Read(make([]byte, 100)); n != 0 {
		t.Errorf("it got %d bytes", n)
	}
}
