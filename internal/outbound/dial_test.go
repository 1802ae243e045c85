package outbound

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
)

// zone answers questions of DNS from a table of names with a final dot; every other name does not exist.
func zone(names map[string]string) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			for { // the pipe is no packet connection: each message has its length before it
				size := make([]byte, 2)
				if _, err := io.ReadFull(there, size); err != nil {
					return
				}
				ask := make([]byte, binary.BigEndian.Uint16(size))
				if _, err := io.ReadFull(there, ask); err != nil {
					return
				}
				if _, err := there.Write(reply(names, ask)); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
}

func reply(names map[string]string, ask []byte) []byte {
	var name strings.Builder
	at := 12
	for ask[at] != 0 {
		name.Write(ask[at+1 : at+1+int(ask[at])])
		name.WriteByte('.')
		at += 1 + int(ask[at])
	}
	kind := binary.BigEndian.Uint16(ask[at+1:])
	end := at + 5
	out := append([]byte{}, ask[:2]...)
	ip, known := names[name.String()]
	addr := netip.Addr{}
	if known {
		addr = netip.MustParseAddr(ip)
	}
	answers := byte(0)
	if known && (kind == 1) == addr.Is4() && (kind == 1 || kind == 28) {
		answers = 1
	}
	flags := []byte{0x81, 0x80}
	if !known {
		flags[1] = 0x83 // NXDOMAIN
	}
	out = append(out, flags...)
	out = append(out, 0, 1, 0, answers, 0, 0, 0, 0)
	out = append(out, ask[12:end]...)
	if answers == 1 {
		raw := addr.AsSlice()
		out = append(out, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 60, 0, byte(len(raw)))
		out = append(out, raw...)
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...)
}

// Everything that a name resolves to is looked at: loopback is for names of loopback, other private ranges for nobody.
func TestNamesDoNotLeadInside(t *testing.T) {
	asked := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Host
		w.Write([]byte("hello"))
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{
		"rebound.example.": "127.0.0.1", "far.example.": "127.9.9.9", "six.example.": "::1",
		"mapped.example.": "::ffff:127.0.0.1", "cgnat.example.": "100.64.1.2", "cgnat-end.example.": "100.127.255.254",
		"nat64.example.": "64:ff9b::7f00:1", "nat64-local.example.": "64:ff9b:1::a00:1", "link.example.": "169.254.169.254",
		"link6.example.": "fe80::1", "none.example.": "0.0.0.0", "none6.example.": "::", "cast.example.": "224.0.0.1",
		"cast6.example.": "ff02::1", "private.example.": "10.1.2.3", "unique.example.": "fd00::1",
		"mapped-cgnat.example.": "::ffff:100.64.1.2", "mapped-link.example.": "::ffff:169.254.169.254",
		"localhost.example.": "127.0.0.1", "notlocalhost.": "127.0.0.1", "this.example.": "0.1.2.3",
		"6to4.example.": "2002:7f00:1::", "compatible.example.": "::127.0.0.1", "all.example.": "255.255.255.255",
	}
	f := Fetcher{Allowed: func(string) bool { return true }, resolver: zone(names)}
	hosts := []string{
		"0.0.0.0", "[::]", "100.100.1.1", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "169.254.1.1", "[fe80::1]", "239.1.1.1",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:100.64.0.1]", "[::ffff:10.0.0.1]", "[::ffff:0.0.0.0]",
	}
	for name := range names {
		hosts = append(hosts, strings.TrimSuffix(name, "."))
	}
	for _, host := range hosts {
		asked = ""
		_, err := f.Get(t.Context(), "http://"+host+":"+at.Port()+"/")
		if p := problem.From(err); p == nil || p.Code != problem.OriginNotAllowed {
			t.Errorf("%s: %v, want %s", host, err, problem.OriginNotAllowed)
		}
		if asked != "" {
			t.Errorf("%s was fetched", host)
		}
	}
	names["localhost."] = "127.0.0.1" // for machines whose hosts file has no such line
	for _, host := range []string{"localhost", "LOCALHOST", "localhost.", "app.localhost", "a.b.localhost", "127.0.0.1"} {
		asked = ""
		if res, err := f.Get(t.Context(), "http://"+host+":"+at.Port()+"/"); err != nil || string(res.Body) != "hello" ||
			!strings.EqualFold(asked, host+":"+at.Port()) {
			t.Errorf("%s: %v, asked of %q", host, err, asked)
		}
	}
}

// Which addresses a connection may lead to, for names of loopback and for others.
func TestAddressesByTheirNetwork(t *testing.T) {
	for ip, want := range map[string][2]bool{ // for another name, for one of loopback
		"127.0.0.1": {false, true}, "127.255.255.254": {false, true}, "::1": {false, true},
		"1.1.1.1": {true, false}, "2606:4700::1111": {true, false}, "100.63.255.255": {true, false},
		"100.128.0.0": {true, false}, "100.64.0.0": {false, false}, "64:ff9b::1": {false, false},
		"64:ff9b:2::1": {true, false}, "64:ff9b:1:2::1": {false, false}, "fe80::1%eth0": {false, false},
		"192.168.0.1": {false, false}, "172.16.0.1": {false, false}, "172.32.0.1": {true, false},
		"::ffff:8.8.8.8": {true, false}, "::ffff:192.168.0.1": {false, false},
	} {
		addr := netip.MustParseAddr(ip)
		if got := [2]bool{reachable(addr, false) == nil, reachable(addr, true) == nil}; got != want {
			t.Errorf("%s: %v, want %v", ip, got, want)
		}
	}
	for host, want := range map[string]bool{
		"localhost": true, "x.localhost": true, "127.1.2.3": true, "::1": true, "::ffff:127.0.0.1": false,
		"localhost.example": false, "xlocalhost": false, "1.1.1.1": false, "": false,
	} {
		if loopbackName(host) != want {
			t.Errorf("%q is a name of loopback: %v", host, !want)
		}
	}
}
