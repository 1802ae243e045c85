package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/bug"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/wire"
)

func config(p Place) Config {
	return Config{Place: p, Version: "1.0.0", Log: slog.New(slog.DiscardHandler)}
}

// running is a daemon in this process.
type running struct {
	t      *testing.T
	url    string
	token  string
	client *http.Client // its own: another daemon may have had the address
	cancel context.CancelFunc
	done   chan error
}

func start(t *testing.T, cfg Config) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	d := &running{t: t, cancel: cancel, done: make(chan error, 1), client: &http.Client{Transport: &http.Transport{}}}
	ready := make(chan string, 1)
	cfg.Ready = func(url string) { ready <- url }
	go func() { d.done <- Run(ctx, cfg) }()
	select {
	case d.url = <-ready:
	case err := <-d.done:
		cancel()
		t.Fatal(err)
	}
	token, err := cfg.Token()
	if err != nil {
		t.Fatal(err)
	}
	d.token = token
	t.Cleanup(func() { d.stop(); d.client.CloseIdleConnections() })
	return d
}

// stop ends the daemon; doing so twice is harmless.
func (d *running) stop() error {
	d.cancel()
	select {
	case err, open := <-d.done:
		if open {
			close(d.done)
		}
		return err
	case <-time.After(20 * time.Second):
		d.t.Fatal("the daemon does not stop")
		return nil
	}
}

func (d *running) ask(method, path, body string) (int, string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	res, err := d.client.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

func (d *running) seqs() []string {
	d.t.Helper()
	_, out := d.ask("GET", "/buffers/timeline?limit=1000", "")
	var tl wire.Timeline
	if err := json.Unmarshal([]byte(out), &tl); err != nil {
		d.t.Fatal(err)
	}
	var handles []string
	for _, e := range tl.Events {
		handles = append(handles, e.Handle)
	}
	return handles
}

func TestEventNumbersGoOnAfterARestart(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	var all []string
	for range 3 {
		d := start(t, config(p))
		if code, out := d.ask("POST", "/logs",
			`{"entries":[{"level":"log","message":"a"},{"level":"log","message":"b"}]}`); code != 200 {
			t.Fatalf("%d %s", code, out)
		}
		all = append(all, d.seqs()...)
		if err := d.stop(); err != nil {
			t.Fatal(err)
		}
	}
	// A clean stop loses no number.
	if got := strings.Join(all, " "); got != "l1 l2 l3 l4 l5 l6" {
		t.Errorf("handles: %s", got)
	}
}

// Two projects may have a daemon each, on ports of their own.
func TestDaemonsOfOneStateDirectoryNumberTheirOwnEvents(t *testing.T) {
	p, q := place(t), place(t)
	q.StateDir = p.StateDir
	p.Port, q.Port = testkit.Port(t), testkit.Port(t)
	first, second := start(t, config(p)), start(t, config(q))
	for _, d := range []*running{first, second} {
		if code, out := d.ask("POST", "/logs", `{"entries":[{"level":"log","message":"a"}]}`); code != 200 {
			t.Fatalf("%d %s", code, out)
		}
	}
	second.ask("POST", "/logs", `{"entries":[{"level":"log","message":"b"}]}`)
	for _, d := range []*running{second, first} {
		if err := d.stop(); err != nil {
			t.Fatal(err)
		}
	}
	for place, want := range map[Place]string{p: "l2", q: "l3"} {
		d := start(t, config(place))
		d.ask("POST", "/logs", `{"entries":[{"level":"log","message":"c"}]}`)
		if got := strings.Join(d.seqs(), " "); got != want {
			t.Errorf("port %d goes on with %s, want %s", place.Port, got, want)
		}
	}
}

func TestHealthCountsTheCallsOfEveryTransport(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	for range 2 {
		d.ask("POST", "/tools/observe", `{"what":"logs"}`)
	}
	d.ask("POST", "/tools/observe", `{"what":"no such thing"}`)
	d.ask("POST", "/generate/har", `{}`)
	_, out := d.ask("POST", "/tools/configure", `{"action":"health","as":"json"}`)
	var h struct {
		Audit struct {
			Total  int            `json:"total_calls"`
			Errors int            `json:"total_errors"`
			ByTool map[string]int `json:"calls_per_tool"`
		} `json:"audit"`
	}
	if err := json.Unmarshal([]byte(out), &h); err != nil {
		t.Fatal(err)
	}
	if a := h.Audit; a.Total != 4 || a.Errors < 1 || a.ByTool["observe"] != 3 || a.ByTool["generate"] != 1 {
		t.Errorf("audit: %+v in %s", a, out)
	}
}

// Without MCP the artifact is the document and nothing else, however long it is.
func TestGenerateGivesTheWholeArtifact(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	const n = 120
	for i := range n {
		if code, out := d.ask("POST", "/network-bodies",
			fmt.Sprintf(`{"bodies":[{"url":"http://localhost/%d","method":"GET","status":200,"response_body":%q}]}`,
				i, strings.Repeat("x", 1000))); code != 200 {
			t.Fatalf("%d %s", code, out)
		}
	}
	_, out := d.ask("POST", "/generate/har", "")
	var har struct {
		Log struct {
			Entries []struct {
				Started time.Time `json:"startedDateTime"`
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &har); err != nil || len(har.Log.Entries) != n {
		t.Fatalf("%d entries, %v: %.200s", len(har.Log.Entries), err, out)
	}
	if age := time.Since(har.Log.Entries[0].Started); age < 0 || age > time.Minute {
		t.Errorf("the first began %v ago", age)
	}
}

func TestOneDaemonForAPort(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	if err := Run(t.Context(), config(p)); !errors.Is(err, ErrRunning) {
		t.Errorf("second: %v", err)
	}
	other := place(t)
	other.Port = p.Port
	if err := Run(t.Context(), config(other)); err == nil || errors.Is(err, ErrRunning) ||
		!strings.Contains(err.Error(), "--port") {
		t.Errorf("of another state directory: %v", err)
	}
	if code, _ := d.ask("GET", "/health", ""); code != 200 {
		t.Errorf("the first answers %d", code)
	}
}

// Many stop and start at one place without a pause: whoever comes waits for the one who goes.
func TestRestartsInARow(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	for range 5 {
		d := start(t, config(p))
		code, _ := d.ask("POST", "/shutdown", "")
		if err := <-d.done; err != nil || code != 200 {
			t.Fatalf("%d %v", code, err)
		}
		close(d.done)
	}
}

func TestStoppingEndsWhatWaits(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	address := strings.TrimPrefix(d.url, "http://")
	stream, err := net.Dial("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	fmt.Fprintf(
		stream,
		"GET /stream HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: mcp-ndjson\r\n\r\n",
		address,
		d.token,
	)
	in := bufio.NewReader(stream)
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", res, err)
	}
	var polls sync.WaitGroup
	for i := range 3 {
		polls.Go(func() {
			if code, out := d.ask("GET", fmt.Sprintf("/pending-queries?wait=25&session=s%d", i), ""); code != 200 ||
				!strings.Contains(out, `"commands":[]`) {
				t.Errorf("poll: %d %s", code, out)
			}
		})
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		_, out := d.ask("GET", "/health", "")
		var h wire.Health
		if json.Unmarshal([]byte(out), &h) == nil && len(h.Browsers) == 3 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("polls are not open: %s", out)
		}
	}
	began := time.Now()
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	polls.Wait()
	if last, err := io.ReadAll(in); err != nil ||
		string(last) != `{"jsonrpc":"2.0","method":"`+wire.StreamStopping+`"}`+"\n" {
		t.Errorf("the stream ends with %q %v", last, err)
	}
}

func TestIdleStopsOnlyTheIdle(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	cfg := config(p)
	cfg.IdleExit = 300 * time.Millisecond
	d := start(t, cfg)
	poll := make(chan string, 1)
	go func() {
		_, out := d.ask("GET", "/pending-queries?wait=1&session=s1", "")
		poll <- out
	}()
	select {
	case <-d.done:
		t.Fatal("it stopped with a browser that polls")
	case <-poll:
	}
	// The browser counts as there for a while after its poll, so ask for nothing more.
	select {
	case err := <-d.done:
		t.Fatalf("it stopped with a browser that was just there: %v", err)
	case <-time.After(time.Second):
	}

	p = place(t)
	p.Port = testkit.Port(t)
	cfg.Place = p
	lonely := start(t, cfg)
	select {
	case err := <-lonely.done:
		close(lonely.done)
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it does not stop")
	}
}

// A password that a page masked itself is known by its hash, which the daemon's salt keys.
func TestWhatAPageMaskedIsMaskedInResults(t *testing.T) {
	const password = "Tr0ub4dor&3"
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	sync := func(title string) string {
		body, err := json.Marshal(
			wire.Sync{V: 1, Session: "s1", Version: "1", Settings: &wire.ExtensionSettings{Pilot: true},
				Tabs: []wire.Tab{
					{
						ID:      5,
						URL:     "http://localhost/",
						Title:   title,
						Active:  true,
						Focused: true,
						Granted: true,
						Status:  "complete",
					},
				}},
		)
		if err != nil {
			t.Fatal(err)
		}
		_, out := d.ask("POST", "/sync", string(body))
		return out
	}
	var settings struct{ Settings wire.DaemonSettings }
	if err := json.Unmarshal([]byte(sync("")), &settings); err != nil || settings.Settings.Salt == "" {
		t.Fatalf("no salt: %v", err)
	}
	fnv := func(text string) uint32 {
		h := uint32(0x811c9dc5)
		for _, c := range []byte(text) {
			h = (h ^ uint32(c)) * 0x01000193
		}
		return h
	}
	mix := func(h uint32) uint32 {
		h = (h ^ h>>16) * 0x85ebca6b
		h = (h ^ h>>13) * 0xc2b2ae35
		return h ^ h>>16
	}
	sync(fmt.Sprintf("typed <password:%08x>", mix(mix(fnv(password))^fnv(settings.Settings.Salt))))
	answer := make(chan string, 1)
	go func() {
		_, out := d.ask("POST", "/tools/interact", `{"action":"get_text"}`)
		answer <- out
	}()
	var poll wire.Poll
	_, out := d.ask("GET", "/pending-queries?wait=10&session=s1", "")
	if err := json.Unmarshal([]byte(out), &poll); err != nil || len(poll.Commands) != 1 {
		t.Fatalf("%s %v", out, err)
	}
	d.ask("POST", "/query-result", fmt.Sprintf(
		`{"id":%q,"session":"s1","status":"complete","result":{"value":"Signed in with %s, ok","url":"http://localhost/"}}`,
		poll.Commands[0].ID,
		password,
	))
	if text := <-answer; !strings.Contains(text, "Signed in with <password#1>, ok") {
		t.Errorf("get_text: %s", text)
	}
}

// What a page's secrets look like in the answers of every tool and route.
func TestSecretsReachNoAnswer(t *testing.T) {
	const secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	body, err := json.Marshal(
		wire.Sync{
			V:        1,
			Session:  "s1",
			Version:  "1",
			Settings: &wire.ExtensionSettings{Pilot: true, LastError: "Bearer " + secret},
			Tabs: []wire.Tab{
				{
					ID:      5,
					URL:     "http://localhost:3000/?token=" + secret,
					Title:   "Key " + secret,
					Active:  true,
					Focused: true,
					Granted: true,
					Status:  "complete",
				},
			},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if code, out := d.ask("POST", "/sync", string(body)); code != 200 {
		t.Fatalf("%d %s", code, out)
	}
	answer := make(chan string, 1)
	go func() {
		_, out := d.ask("POST", "/tools/interact", `{"action":"get_text"}`)
		answer <- out
	}()
	var poll wire.Poll
	_, out := d.ask("GET", "/pending-queries?wait=10&session=s1", "")
	if err := json.Unmarshal([]byte(out), &poll); err != nil || len(poll.Commands) != 1 {
		t.Fatalf("%s %v", out, err)
	}
	d.ask(
		"POST",
		"/query-result",
		fmt.Sprintf(
			`{"id":%q,"session":"s1","status":"complete","result":{"value":"Your key: %s, keep it","url":"http://localhost:3000/?token=%s"}}`,
			poll.Commands[0].ID,
			secret,
			secret,
		),
	)
	text := <-answer
	if !strings.Contains(text, "Your key: <") || !strings.Contains(text, "keep it") {
		t.Errorf("get_text: %s", text)
	}
	answers := map[string]string{"get_text": text}
	for _, path := range []string{"/completed", "/health", "/doctor", "/metrics", "/snapshot", "/buffers/timeline"} {
		_, answers[path] = d.ask("GET", path, "")
	}
	for tool, modes := range map[string][]string{"observe": {"tabs", "page", "pilot", "pending_commands",
		"failed_commands", "errors", "timeline"}, "configure": {"health", "doctor"}} {
		for _, mode := range modes {
			key := map[string]string{"observe": "what", "configure": "action"}[tool]
			_, answers[tool+" "+mode] = d.ask("POST", "/tools/"+tool, fmt.Sprintf(`{%q:%q}`, key, mode))
		}
	}
	for what, text := range answers {
		if strings.Contains(text, secret) {
			t.Errorf("%s: %s", what, text)
		}
	}
	if n := bug.Count(); n != 0 {
		t.Errorf("%d bugs", n)
	}
}

// What a service prints of Gasoline's own secrets opens nothing: an agent that reads its lines does not get them.
func TestItsOwnSecretsReachNoAnswer(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	dir, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	salt, err := dir.Salt()
	if err != nil {
		t.Fatal(err)
	}
	var code wire.PairCode
	if _, out := d.ask("POST", "/pair/code", ""); json.Unmarshal([]byte(out), &code) != nil || code.Code == "" {
		t.Fatal(out)
	}
	for what, secret := range map[string]string{"token": d.token, "salt": salt, "code": code.Code} {
		d.ask("POST", "/logs", fmt.Sprintf(`{"service":"api","entries":[{"level":"error","message":"found %s there"}]}`, secret))
		_, out := d.ask("GET", "/buffers/timeline?limit=10", "")
		if strings.Contains(out, secret) || !strings.Contains(out, "found ") {
			t.Errorf("%s: %s", what, out)
		}
	}
}
