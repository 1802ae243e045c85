package proof

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/brennhill/gasoline/internal/wire"
)

const (
	within    = time.Second // from dialling to the proof
	maxAnswer = 4 << 10     // bytes of the answer to a challenge, with its header
)

// Dialer opens connections to the daemon on a port of this machine. A connection that it returns leads
// to a program that knows the token. Nothing but the challenge was sent on it.
type Dialer struct {
	Port     int
	StateDir string // for errors
	Token    func() (string, error)

	// Connect opens a connection to the port; nil stands for TCP to the loopback address. Its context ends
	// after a second. When nobody listens, its error is that of package net.
	Connect func(context.Context) (net.Conn, error)
}

// Errors of a port whose holder gave no proof. Foreign wraps Silent and Closes where they are the cause.
var (
	ErrSilent = errors.New("it accepts connections and does not answer")
	ErrCloses = errors.New("it closes every connection")
)

// Foreign is the error for a port that a program holds which did not prove to be the daemon. It was
// sent a challenge and nothing else.
type Foreign struct {
	Port     int
	StateDir string
	Claims   string // "gasoline 0.1.0" when it says so; it may lie
	Cause    error
}

func (f *Foreign) Error() string {
	if f.Claims != "" {
		return f.What() + ". Else end " + f.way()
	}
	return f.What() + ". To go on, end " + f.way()
}

// What says who holds the port, and what that means when it says that it is a daemon.
func (f *Foreign) What() string {
	text := fmt.Sprintf("another program holds port %d: %s. Nothing was sent to it", f.Port, f.Cause)
	if f.Claims != "" {
		text += fmt.Sprintf(". It says that it is %s: if you started it with another state directory than %s, "+
			"give that one by --state-dir", f.Claims, f.StateDir)
	}
	return text
}

// Fix says what the user can do about another program.
func (f *Foreign) Fix() string { return "End " + f.way() + "." }

func (f *Foreign) way() string {
	return fmt.Sprintf("it (%s shows who it is), or use another port with --port and in the extension's options",
		holderCommand(f.Port))
}

func (f *Foreign) Unwrap() error { return f.Cause }

// holderCommand is what shows the user who listens on a port.
func holderCommand(port int) string {
	switch runtime.GOOS {
	case "linux":
		return fmt.Sprintf(`"ss -ltnp sport = :%d"`, port)
	case "windows":
		return fmt.Sprintf(`"Get-NetTCPConnection -LocalPort %d"`, port)
	default:
		return fmt.Sprintf(`"lsof -nP -iTCP:%d -sTCP:LISTEN"`, port)
	}
}

// DialContext opens a connection and has the daemon prove itself on it. Network and address are those
// of http.Transport and are not used: there is one daemon. It takes at most a second. A refused
// connection is the error of package net.
func (d Dialer) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	conn, _, err := d.Dial(ctx)
	return conn, err
}

// Dial is DialContext, and tells who answered.
func (d Dialer) Dial(ctx context.Context) (net.Conn, wire.Server, error) {
	token, err := d.Token()
	if err != nil {
		return nil, wire.Server{}, err
	}
	end := time.Now().Add(within)
	conn, err := d.connect(ctx, end)
	if err != nil {
		var timeout net.Error
		if ctx.Err() == nil && errors.As(err, &timeout) && timeout.Timeout() {
			return nil, wire.Server{}, d.foreign("", ErrSilent)
		}
		return nil, wire.Server{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // ends a read under way
	server, err := d.challenge(conn, []byte(token), end)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = conn.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = conn.Close() // the error says more
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, server, err
	}
	return conn, server, nil
}

// connect opens a connection to whoever listens.
func (d Dialer) connect(ctx context.Context, end time.Time) (net.Conn, error) {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	if d.Connect != nil {
		return d.Connect(ctx)
	}
	var tcp net.Dialer
	return tcp.DialContext(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(d.Port)))
}

func (d Dialer) foreign(claims string, cause error) error {
	return &Foreign{Port: d.Port, StateDir: d.StateDir, Claims: claims, Cause: cause}
}

// challenge asks for the proof on a fresh connection, and leaves the connection ready for a request.
func (d Dialer) challenge(conn net.Conn, key []byte, end time.Time) (wire.Server, error) {
	var none wire.Server
	if at, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		// A connection that was not accepted yet has no owner; its listener has.
		if owner, err := SocketOwner(at, nil); err == nil && owner.Known && owner.UID != uint32(os.Getuid()) {
			return none, d.foreign("", fmt.Errorf("it belongs to another user of this machine (uid %d)", owner.UID))
		}
	}
	if err := conn.SetDeadline(end); err != nil {
		return none, err
	}
	nonce := Nonce()
	body, err := json.Marshal(wire.ProveRequest{Nonce: nonce})
	if err != nil {
		return none, err
	}
	var req bytes.Buffer
	fmt.Fprintf(
		&req,
		"POST /prove HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		net.JoinHostPort("127.0.0.1", strconv.Itoa(d.Port)),
		len(body),
	)
	req.Write(body)
	if _, err = conn.Write(req.Bytes()); err != nil {
		return none, d.failed(err)
	}
	in := bufio.NewReaderSize(io.LimitReader(conn, maxAnswer), maxAnswer)
	res, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
	if err != nil {
		return none, d.failed(err)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return none, d.failed(err)
	}
	var answer wire.ProveAnswer
	if res.StatusCode != http.StatusOK || json.Unmarshal(text, &answer) != nil {
		return none, d.foreign("", fmt.Errorf("it answers a challenge with %q", clip(res.Status)))
	}
	if !Same(answer.Proof, OfDaemon(key, nonce, d.Port, answer.Server.Run, answer.Boot, "")) {
		claims := ""
		if answer.Server.Name == "gasoline" {
			claims = "gasoline " + clip(answer.Server.Version)
		}
		return none, d.foreign(claims, errors.New("it did not prove that it knows your token"))
	}
	if in.Buffered() > 0 {
		return none, d.foreign("", errors.New("it does not keep to HTTP"))
	}
	if res.Close { // it was just told to stop
		return none, d.foreign("", ErrCloses)
	}
	return answer.Server, nil
}

// failed tells apart who is silent or slow, who closes, and who speaks something else.
func (d Dialer) failed(err error) error {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return d.foreign("", ErrSilent)
	case errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return d.foreign("", ErrCloses)
	}
	return d.foreign("", errors.New("it does not speak HTTP"))
}

// clip bounds what a stranger sent before it stands in an error.
func clip(s string) string {
	if len(s) > 60 {
		s = s[:60] + "…"
	}
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if r >= 0x20 && r < 0x7f || r == '…' {
			out = append(out, r)
		}
	}
	return string(out)
}
