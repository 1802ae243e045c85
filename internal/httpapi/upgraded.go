package httpapi

import (
	"bufio"
	"errors"
	"net"
	"time"
)

// upgraded is a connection whose first bytes were already read into a buffer.
type upgraded struct {
	net.Conn
	buffered *bufio.Reader
}

func (u *upgraded) Read(p []byte) (int, error) {
	if n := u.buffered.Buffered(); n > 0 {
		return u.buffered.Read(p[:min(n, len(p))])
	}
	return u.Conn.Read(p)
}

// Write gives the client a bounded time to read: one that never does must not hold the calls of a
// session, with their answers, for as long as it likes.
func (u *upgraded) Write(p []byte) (int, error) {
	if err := u.SetWriteDeadline(time.Now().Add(writeAnswer)); err != nil {
		return 0, err
	}
	return u.Conn.Write(p)
}

// CloseWrite ends our half: the client reads to the end of what was written.
func (u *upgraded) CloseWrite() error {
	half, ok := u.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// closeQuietly closes a connection that may be closed already; the request has been answered.
func closeQuietly(c net.Conn) error {
	_ = c.Close()
	return nil
}
