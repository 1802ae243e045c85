package gasoline

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	crand "crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	batchCount  = 200
	batchBytes  = 256 << 10
	packAbove   = 4 << 10 // bytes of a body
	dialWithin  = 2 * time.Second
	sendWithin  = 5 * time.Second
	firstDelay  = 500 * time.Millisecond
	longest     = 30 * time.Second // between two tries
	openAfter   = 5                // failures in a row
	longestWait = time.Minute      // that a Retry-After is followed
)

// request is a body that is to be sent. It is sent with the same bytes until it is taken, so that the daemon knows a
// repeated one.
type request struct {
	path    string
	body    []byte
	packed  bool
	records []record
	dropped [ranks]uint64
}

// sender is the only goroutine of a client. It takes batches from the queue and posts them, one request at a time.
type sender struct {
	queue    *queue
	resource []byte
	clean    *redactor
	base     *url.URL
	token    func() (token string, prove bool)
	client   *http.Client
	interval time.Duration
	wake     chan struct{} // there is something
	hurry    chan struct{} // it should leave now
	flushes  chan chan struct{}
	stop     chan struct{}
	ended    chan struct{}

	todo     []request // of the batch under way
	failures int
	sent     atomic.Uint64
	refused  atomic.Uint64
	problem  atomic.Value // string: why the newest request failed
	foreign  bool         // stderr has a line on the wrong key
}

func newSender(q *queue, resource []byte, clean *redactor, paired pairing,
	token func() (string, bool), interval time.Duration, config *tls.Config) *sender {
	if paired.pin != nil {
		config = pinned(config, paired.pin)
	}
	s := &sender{
		queue: q, resource: resource, clean: clean, base: paired.base, token: token, interval: interval,
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), flushes: make(chan chan struct{}),
		stop: make(chan struct{}), ended: make(chan struct{}),
	}
	s.client = &http.Client{
		Timeout: sendWithin,
		Transport: &http.Transport{
			DialContext: s.dial, TLSClientConfig: config, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute,
			TLSHandshakeTimeout: dialWithin, DisableCompression: true, WriteBufferSize: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s
}

// run sends until it is stopped.
func (s *sender) run() {
	defer close(s.ended)
	defer s.client.CloseIdleConnections()
	var asked []chan struct{}
	for {
		if len(asked) == 0 {
			select {
			case <-s.wake:
				if !s.pause(s.interval, s.hurry, &asked) {
					return
				}
			case <-s.hurry:
			case f := <-s.flushes:
				asked = append(asked, f)
			case <-s.stop:
				return
			}
		}
		for s.next() {
			wait := s.send()
			if wait <= 0 {
				continue
			}
			for _, f := range asked {
				close(f)
			}
			asked = nil
			if !s.pause(wait, nil, &asked) {
				return
			}
		}
		for _, f := range asked {
			close(f)
		}
		asked = nil
	}
}

// pause waits until d has passed, or somebody hurries or asks for a flush. false means that the sender is to end.
func (s *sender) pause(d time.Duration, hurry <-chan struct{}, asked *[]chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-hurry:
	case f := <-s.flushes:
		*asked = append(*asked, f)
	case <-s.stop:
		return false
	}
	return true
}

// next reports whether there is a request to send, after it took a batch when there was none.
func (s *sender) next() bool {
	if len(s.todo) > 0 {
		return true
	}
	records, dropped := s.queue.take(batchCount, batchBytes)
	if len(records) == 0 && sum(dropped) == 0 {
		return false
	}
	s.add(records, dropped)
	return true
}

// add makes the requests of a batch.
func (s *sender) add(records []record, dropped [ranks]uint64) {
	var logs, spans []record
	for _, r := range records {
		if r.kind == 0 {
			logs = append(logs, r)
		} else {
			spans = append(spans, r)
		}
	}
	if len(spans) > 0 {
		body := encodeSpans(s.resource, spans, s.clean)
		s.todo = append(s.todo, pack(request{path: "/v1/traces", body: body, records: spans}))
	}
	if len(logs) > 0 || sum(dropped) > 0 {
		body := encodeLogs(s.resource, logs, dropped, time.Now(), s.clean)
		s.todo = append(s.todo, pack(request{path: "/v1/logs", body: body, records: logs, dropped: dropped}))
	}
}

func pack(r request) request {
	if len(r.body) <= packAbove {
		return r
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return r
	}
	if _, err := z.Write(r.body); err != nil || z.Close() != nil {
		return r
	}
	r.body, r.packed = out.Bytes(), true
	return r
}

// send posts the first request. It returns how long to wait before the next one; 0 when the request is done with.
func (s *sender) send() time.Duration {
	r := s.todo[0]
	status, after, answer, err := s.post(r)
	switch {
	case err == nil && status/100 == 2:
		s.sent.Add(uint64(len(r.records)))
		s.refused.Add(uint64(decodeRefused(answer)))
		s.todo = s.todo[1:]
		s.worked()
		return 0
	case err == nil && status == http.StatusRequestEntityTooLarge && len(r.records) > 1:
		s.split(r)
		s.worked()
		return 0
	case err == nil && status == http.StatusTooManyRequests:
		s.problem.Store("429 Too Many Requests")
		if after <= 0 {
			after = s.backOff()
		}
		return after
	case err == nil && status/100 == 4 && status != http.StatusUnauthorized && status != http.StatusForbidden &&
		status != http.StatusRequestTimeout:
		s.problem.Store(fmt.Sprintf("%d for %s", status, r.path))
		s.queue.giveBack(r.dropped)
		s.queue.lost(r.records)
		s.todo = s.todo[1:]
		if s.failures == 0 {
			s.failures++
			return 0 // the next one may be better; the report of the loss is one
		}
		return s.failed()
	}
	if err != nil {
		s.problem.Store(err.Error())
		if errors.Is(err, errPin) && !s.foreign {
			s.foreign = true
			complain(errPin)
		}
	} else {
		s.problem.Store(fmt.Sprintf("%d for %s", status, r.path))
	}
	return s.failed()
}

// failed returns how long to wait after one more failure.
func (s *sender) failed() time.Duration {
	s.failures++
	if s.failures >= openAfter {
		s.queue.away(true)
		return longest
	}
	return s.backOff()
}

func (s *sender) worked() {
	if s.failures >= openAfter {
		s.queue.away(false)
	}
	s.failures = 0
	s.problem.Store("")
}

// backOff returns a time between nothing and a bound that doubles with each failure.
func (s *sender) backOff() time.Duration {
	bound := firstDelay << uint(s.failures)
	if bound > longest {
		bound = longest
	}
	return time.Millisecond + time.Duration(rand.Int63n(int64(bound)))
}

// split makes two requests of one that is too large.
func (s *sender) split(r request) {
	s.todo = s.todo[1:]
	rest := s.todo
	s.todo = nil
	half := len(r.records) / 2
	s.add(r.records[:half], r.dropped)
	s.add(r.records[half:], [ranks]uint64{})
	s.todo = append(s.todo, rest...)
}

func (s *sender) post(r request) (status int, after time.Duration, answer []byte, err error) {
	token, _ := s.token()
	if token == "" {
		return 0, 0, nil, errNoToken
	}
	u := *s.base
	u.Path = strings.TrimSuffix(u.Path, "/") + r.path
	req, err := http.NewRequest(http.MethodPost, u.String(), bytes.NewReader(r.body))
	if err != nil {
		return 0, 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "gasoline-go")
	if r.packed {
		req.Header.Set("Content-Encoding", "gzip")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := s.client.Do(req)
	if err != nil {
		return 0, 0, nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return 0, 0, nil, err
	}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		after = time.Duration(seconds) * time.Second
		if after > longestWait {
			after = longestWait
		}
	}
	return res.StatusCode, after, answer, nil
}

// dial opens a connection. Where the token is from a file of this machine, who listens has to prove that it knows the
// token before anything is sent.
func (s *sender) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialWithin}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	token, prove := s.token()
	if !prove || s.base.Scheme != "http" {
		return conn, nil
	}
	if err := challenge(conn, token); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

var (
	errNoToken = errors.New("there is no token: start the daemon once, or set GASOLINE_TOKEN")
	errForeign = errors.New("who listens did not prove to be the daemon of this user; nothing was sent to it")
)

// challenge has the daemon prove on a fresh connection that it knows the token.
func challenge(conn net.Conn, token string) error {
	if err := conn.SetDeadline(time.Now().Add(dialWithin)); err != nil {
		return err
	}
	var random [32]byte
	if _, err := crand.Read(random[:]); err != nil {
		return err
	}
	nonce := hex.EncodeToString(random[:])
	key, keyID := proofKey(token)
	body := `{"nonce":"` + nonce + `","key_id":"` + keyID + `"}`
	_, err := fmt.Fprintf(conn, "POST /prove HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Content-Length: %d\r\n\r\n%s", conn.RemoteAddr(), len(body), body)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.LimitReader(conn, 4<<10), 4<<10)
	res, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
	if err != nil {
		return errForeign
	}
	text, err := io.ReadAll(res.Body)
	var answer struct {
		Proof, Boot string
		Server      struct{ Run string }
	}
	_, port, _ := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil || res.StatusCode != 200 || res.Close || in.Buffered() > 0 || json.Unmarshal(text, &answer) != nil {
		return errForeign
	}
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "gasoline 1 daemon\n%s\n%s\n%s\n%s\n%s", nonce, port, answer.Server.Run, answer.Boot, keyID)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(answer.Proof)) {
		return errForeign
	}
	return conn.SetDeadline(time.Time{})
}

// proofKey returns what the daemon proves that it knows, and its id: the install's token itself, and the hash of one that
// "gasoline run" gave, since the daemon keeps no more of it.
func proofKey(token string) (key, id string) {
	if parts := strings.Split(token, "_"); len(parts) == 4 && parts[0] == "gasoline" {
		sum := sha256.Sum256([]byte(parts[3]))
		return hex.EncodeToString(sum[:]), "token-" + parts[2]
	}
	return token, ""
}

// givenToken returns the token that was set: in the configuration, else in GASOLINE_TOKEN, else in the address; "" when
// none was.
func givenToken(configured, ofAddress string) string {
	if configured != "" {
		return configured
	}
	if token := strings.TrimSpace(os.Getenv("GASOLINE_TOKEN")); token != "" {
		return token
	}
	return ofAddress
}

// tokens returns the function that finds the token for a daemon's address: given; else, for this machine only, in a file
// of the user's, whose holder has to prove itself.
func tokens(given string, base *url.URL) func() (string, bool) {
	if given != "" {
		return func() (string, bool) { return given, false }
	}
	if host := base.Hostname(); host != "localhost" && !net.ParseIP(host).IsLoopback() {
		return func() (string, bool) { return "", false }
	}
	path := os.Getenv("GASOLINE_TOKEN_FILE")
	if path == "" {
		dir := os.Getenv("GASOLINE_STATE_DIR")
		if dir == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return func() (string, bool) { return "", false }
			}
			dir = filepath.Join(home, ".gasoline")
		}
		path = filepath.Join(dir, "token")
	}
	return func() (string, bool) {
		data, err := os.ReadFile(path)
		token := strings.TrimSpace(string(data))
		return token, err == nil && token != ""
	}
}
