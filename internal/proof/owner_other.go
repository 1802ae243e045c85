//go:build !linux

package proof

import (
	"errors"
	"net"
)

// ErrNoSocket says that the kernel knows no such socket.
var ErrNoSocket = errors.New("the kernel knows no such socket")

// SocketOwner knows nothing here: only Linux tells a socket's owner without privileges.
func SocketOwner(*net.TCPAddr, *net.TCPAddr) (Owner, error) { return Owner{}, errors.ErrUnsupported }
