package certificate_test

import (
	"crypto/tls"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/certificate"
	"github.com/brennhill/gasoline/internal/state"
)

// fullDisk is a state directory on a disk that has no room while full is true.
type fullDisk struct {
	*state.Dir
	full bool
}

func (f *fullDisk) Place(name string, data []byte) error {
	if f.full {
		return syscall.ENOSPC
	}
	return f.Dir.Place(name, data)
}

func (f *fullDisk) Write(name string, data []byte) error {
	if f.full {
		return syscall.ENOSPC
	}
	return f.Dir.Write(name, data)
}

// A client of HTTPS sees no reason for a handshake that fails, so the store keeps it.
func TestAFullDiskIsTold(t *testing.T) {
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	disk, now := &fullDisk{Dir: dir, full: true}, time.Now()
	s := certificate.New(disk, func() time.Time { return now })
	shake := s.Config().GetCertificate
	if _, err := shake(&tls.ClientHelloInfo{}); err == nil || !errors.Is(s.Fault(), syscall.ENOSPC) {
		t.Errorf("%v, and the fault is %v", err, s.Fault())
	}
	disk.full = false
	if c, err := shake(&tls.ClientHelloInfo{}); err != nil || c == nil || s.Fault() != nil {
		t.Errorf("%v, and the fault is %v", err, s.Fault())
	}
	// What is renewed and cannot be kept is good all the same.
	disk.full = true
	now = now.AddDate(2, 0, 0)
	if c, err := shake(&tls.ClientHelloInfo{}); err != nil || c == nil || !errors.Is(s.Fault(), syscall.ENOSPC) {
		t.Errorf("%v, and the fault is %v", err, s.Fault())
	}
}
