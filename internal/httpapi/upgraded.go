package httpapi

import (
	"bufio"
	"net"
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

// closeQuietly closes a connection that may be closed already; the request has been answered.
func closeQuietly(c net.Conn) error {
	_ = c.Close()
	return nil
}
