package outbound

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Loopback returns a transport that connects to this machine only, whatever a name leads to elsewhere. It hands bodies on
// as they come.
func Loopback() *http.Transport {
	return &http.Transport{DialContext: dialLoopback, DisableCompression: true, MaxIdleConns: 20, IdleConnTimeout: time.Minute}
}

// dialLoopback connects to this machine, whatever a name leads to elsewhere.
func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	var dialer net.Dialer
	if ip, err := netip.ParseAddr(host); err == nil {
		if !ip.Unmap().IsLoopback() {
			return nil, fmt.Errorf("%s is not this machine", host)
		}
		return dialer.DialContext(ctx, network, address)
	}
	conn, err := dialer.DialContext(ctx, "tcp4", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		if six, other := dialer.DialContext(ctx, "tcp6", net.JoinHostPort("::1", port)); other == nil {
			return six, nil
		}
	}
	return conn, err
}
