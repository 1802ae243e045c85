package state

import "syscall"

// Windows has neither named pipes in folders nor these flags; rights are inherited from the user's folder.
const (
	nonBlocking = 0
	noFollow    = 0
)

func (d *Dir) secure(string) error { return nil }

// number is what the disk has for a file or folder; no other on it has the same at this time.
func (d *Dir) number(name string) (uint64, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close() // only looked at
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 0, err
	}
	return uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow), nil
}
