package proof

import (
	"encoding/binary"
	"errors"
	"net"
	"syscall"
	"time"
)

// Layout of struct inet_diag_req_v2 and inet_diag_msg (linux/inet_diag.h).
const (
	sockDiagByFamily = 20
	requestSize      = syscall.NLMSG_HDRLEN + 56
	messageUID       = 4 + 48 + 4 + 4 + 4 // idiag_uid behind family…retrans, sockid, expires, rqueue, wqueue
	messageInode     = messageUID + 4
)

// ErrNoSocket says that the kernel knows no such socket.
var ErrNoSocket = errors.New("the kernel knows no such socket")

// SocketOwner asks the kernel, by NETLINK_SOCK_DIAG (see sock_diag(7)), who owns the socket whose own
// address is from and whose peer is to. Without a peer it means the listener at from. IPv4 only.
func SocketOwner(from, to *net.TCPAddr) (Owner, error) {
	if from.IP.To4() == nil || to != nil && to.IP.To4() == nil {
		return Owner{}, errors.ErrUnsupported
	}
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC, 4 /* NETLINK_INET_DIAG */)
	if err != nil {
		return Owner{}, err
	}
	defer syscall.Close(fd)
	timeout := syscall.NsecToTimeval(int64(200 * time.Millisecond))
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &timeout); err != nil {
		return Owner{}, err
	}
	req := make([]byte, requestSize)
	host := binary.NativeEndian
	host.PutUint32(req[0:], requestSize)
	host.PutUint16(req[4:], sockDiagByFamily)
	host.PutUint16(req[6:], syscall.NLM_F_REQUEST)
	body := req[syscall.NLMSG_HDRLEN:]
	body[0], body[1] = syscall.AF_INET, syscall.IPPROTO_TCP
	host.PutUint32(body[4:], 0xffffffff) // every state
	binary.BigEndian.PutUint16(body[8:], uint16(from.Port))
	copy(body[12:16], from.IP.To4())
	if to != nil {
		binary.BigEndian.PutUint16(body[10:], uint16(to.Port))
		copy(body[28:32], to.IP.To4())
	}
	for i := 48; i < 56; i++ {
		body[i] = 0xff // INET_DIAG_NOCOOKIE
	}
	if err := syscall.Sendto(fd, req, 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return Owner{}, err
	}
	buf := make([]byte, 4096)
	n, _, err := syscall.Recvfrom(fd, buf, 0)
	if err != nil {
		return Owner{}, err
	}
	msgs, err := syscall.ParseNetlinkMessage(buf[:n])
	if err != nil {
		return Owner{}, err
	}
	for _, m := range msgs {
		if m.Header.Type == sockDiagByFamily && len(m.Data) >= messageInode+4 {
			// A socket without an inode has no process; its uid says nothing.
			return Owner{Known: host.Uint32(m.Data[messageInode:]) != 0, UID: host.Uint32(m.Data[messageUID:])}, nil
		}
	}
	return Owner{}, ErrNoSocket
}
