package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/wire"
)

func logs(seqs ...int) []wire.Log {
	var out []wire.Log
	for _, n := range seqs {
		out = append(
			out,
			wire.Log{
				Base:    wire.Base{Seq: uint64(n), T: float64(time.Now().UnixMilli())},
				Level:   "log",
				Message: fmt.Sprintf("line %d", n),
			},
		)
	}
	return out
}

func upload(document string, ls []wire.Log) wire.Sync {
	return wire.Sync{
		V:       1,
		Session: "s1",
		Version: "1",
		Groups:  []wire.Group{{Tab: 5, Document: document, PageURL: "http://localhost:3000/", Logs: ls}},
	}
}

func TestSyncAcknowledgesAndLeavesOutRepetitions(t *testing.T) {
	r := newRig(t)
	count := func() int {
		t.Helper()
		return len(into[wire.Timeline](r, r.get("/buffers/timeline?limit=1000")).Events)
	}
	a := r.sync(upload("d1", logs(1, 2, 3)))
	if a.Ack["d1"] != 3 || a.Server.Name != "gasoline" || a.Server.Run != "r1" || a.Settings.Salt != "salt" ||
		a.Settings.BodyLimit == 0 ||
		a.Dropped == nil {
		t.Errorf("%+v", a)
	}
	if a := r.sync(upload("d1", logs(1, 2, 3, 4))); a.Ack["d1"] != 4 || count() != 4 {
		t.Errorf("repeated: %+v, %d events", a, count())
	}
	// Behind a gap nothing is acknowledged until it is filled; another document is its own.
	if a := r.sync(upload("d1", logs(7))); a.Ack["d1"] != 4 && a.Ack["d1"] != 0 {
		t.Errorf("gap: %+v", a)
	}
	if a := r.sync(upload("d1", logs(5, 6))); a.Ack["d1"] != 7 || count() != 7 {
		t.Errorf("filled: %+v, %d events", a, count())
	}
	if a := r.sync(upload("d2", logs(1))); a.Ack["d2"] != 1 || count() != 8 {
		t.Errorf("another document: %+v", a)
	}
	// An upload without events has an answer of the same shape.
	if a := r.sync(wire.Sync{Session: "s1"}); a.Ack == nil || a.Dropped == nil || a.Agents == nil {
		t.Errorf("empty: %+v", a)
	}
}

func TestSyncIsNeverRefusedForItsRate(t *testing.T) {
	r := newRigAt(t, port, 10)
	var many []int
	for i := range 500 {
		many = append(many, i+1)
	}
	a := r.sync(upload("d1", logs(many...)))
	if a.Ack["d1"] != 500 || a.Dropped["log"] == 0 {
		t.Errorf("%+v", a)
	}
	if w := r.get("/metrics"); !strings.Contains(
		w.Body.String(),
		fmt.Sprintf(`gasoline_events_lost_total{kind="log",cause="over_rate"} %d`, a.Dropped["log"]),
	) &&
		!strings.Contains(w.Body.String(), "gasoline_events_lost_total{") {
		t.Errorf("not counted: %s", w.Body)
	}
}

func TestRoutesOfOneKindAreLimited(t *testing.T) {
	r := newRigAt(t, port, 10)
	var entries []string
	for range 40 {
		entries = append(entries, `{"level":"log","message":"x"}`)
	}
	body := `{"source":"ci","entries":[` + strings.Join(entries, ",") + `]}`
	if a := into[wire.Accepted](r, r.post("/logs", body)); a.Accepted != 40 || len(a.Rejected) != 0 {
		t.Errorf("%+v", a)
	}
	w := r.post("/logs", body)
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" ||
		w.Header().Get("Retry-After") == "0" ||
		r.refused(w).Code != "rate_limited" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	if r.api.Counts().TooMany != 1 {
		t.Error("not counted")
	}
	if a := into[wire.Accepted](newRig(t), newRig(t).post("/logs",
		`{"entries":[{"level":"log","message":"x"},5,{"level":"log","message":"y"}]}`)); a.Accepted != 2 ||
		len(a.Rejected) != 1 ||
		a.Rejected[0].Index != 1 ||
		a.Rejected[0].Reason == "" {
		t.Errorf("%+v", a)
	}
}

func TestToolCallsAreLimitedPerClient(t *testing.T) {
	r := newRig(t)
	call := func(client string) int {
		return r.do(
			request{
				method: "POST",
				path:   "/tools/observe",
				body:   `{"what":"who"}`,
				header: http.Header{"X-Gasoline-Client": {client}},
			},
		).Code
	}
	for i := range 500 {
		if code := call("a"); code != 200 {
			t.Fatalf("call %d: %d", i, code)
		}
	}
	if code := call("a"); code != http.StatusTooManyRequests {
		t.Errorf("call 501: %d", code)
	}
	if code := call("b"); code != 200 {
		t.Errorf("another client: %d", code)
	}
}

func TestCommandsAreLeasedUntilTheyArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		c := r.serve(t)()
		poll := func(query string) (wire.Poll, time.Duration) {
			t.Helper()
			start := time.Now()
			r.raw(t, c, "GET", "/pending-queries?session=s1"+query, 0, "")
			var p wire.Poll
			if err := json.NewDecoder(response(t, c).Body).Decode(&p); err != nil || p.Commands == nil {
				t.Fatalf("%+v %v", p, err)
			}
			return p, time.Since(start)
		}
		if p, took := poll("&wait=3"); len(p.Commands) != 0 || took != 3*time.Second {
			t.Errorf("nothing to do: %+v after %v", p, took)
		}
		if p, took := poll("&wait=1000"); len(p.Commands) != 0 || took != 25*time.Second {
			t.Errorf("long: %+v after %v", p, took)
		}
		if _, took := poll(""); took != 0 {
			t.Errorf("no wait: %v", took)
		}
		// A command ends the poll at once, in this session only.
		start := make(chan command.Record, 1)
		time.AfterFunc(2*time.Second, func() {
			for _, s := range []string{"s2", "s1"} {
				rec, err := r.queue.Start(
					command.Request{
						Session:  s,
						Tab:      5,
						Kind:     "get_text",
						Params:   map[string]any{"x": 1},
						Client:   "probe",
						Deadline: time.Now().Add(10 * time.Second),
					},
				)
				if err != nil {
					t.Error(err)
				}
				if s == "s1" {
					start <- rec
				}
			}
		})
		p, took := poll("&wait=25")
		rec := <-start
		if took != 2*time.Second || len(p.Commands) != 1 || p.Commands[0].ID != rec.ID ||
			p.Commands[0].Kind != "get_text" ||
			p.Commands[0].Tab != 5 ||
			string(p.Commands[0].Params) != `{"x":1}` ||
			p.Commands[0].Client != "probe" ||
			p.Commands[0].TimeoutMS != 10_000 ||
			p.Commands[0].CorrelationID != rec.CorrelationID {
			t.Errorf("%+v after %v", p, took)
		}
		// Not acknowledged within 2 s: leased again. Acknowledged: not.
		if p, took := poll("&wait=25"); len(p.Commands) != 1 || took != 2*time.Second {
			t.Errorf("again: %+v after %v", p, took)
		}
		if p, took := poll("&wait=5&ack=nothing," + rec.ID); len(p.Commands) != 0 || took != 5*time.Second {
			t.Errorf("acknowledged: %+v after %v", p, took)
		}
		if b, ok := r.registry.Browser("s1"); !ok || b.Polling || !b.Connected(time.Now()) {
			t.Errorf("browser: %+v", b)
		}
	})
}

func TestResultsAreIdempotent(t *testing.T) {
	r := newRig(t)
	rec, err := r.queue.Start(command.Request{Session: "s1", Kind: "get_text", Deadline: time.Now().Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	if got := into[wire.Completed](r, r.get("/completed?correlation_id="+rec.CorrelationID)); len(got.Results) != 0 {
		t.Errorf("before: %+v", got)
	}
	body := func(id, session, value string) string {
		return fmt.Sprintf(
			`{"id":%q,"correlation_id":%q,"session":%q,"status":"complete","result":{"value":%q},"elapsed_ms":3.5,"effective_tab":{"id":5,"url":"http://localhost/"}}`,
			id,
			rec.CorrelationID,
			session,
			value,
		)
	}
	for _, tt := range []struct{ path, body, want string }{
		{"/query-result", body("r0-9", "s1", "a"), "unknown"},
		{"/query-result", body(rec.ID, "s2", "a"), "unknown"},
		{"/query-result", body(rec.ID, "s1", "first"), "ok"},
		{"/query-result", body(rec.ID, "s1", "second"), "duplicate"},
		{"/dom-result", body(rec.ID, "s1", "third"), "duplicate"},
	} {
		if got := into[wire.ResultAnswer](r, r.do(request{method: "POST", path: tt.path, body: tt.body,
			token: r.browser})); got.Status != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.path, tt.body, got.Status, tt.want)
		}
	}
	for _, path := range []string{"/completed?correlation_id=" + rec.CorrelationID, "/completed", "/completed-results"} {
		got := into[wire.Completed](r, r.get(path))
		if len(got.Results) != 1 || string(got.Results[0].Result) != `{"value":"first"}` ||
			got.Results[0].Status != "complete" ||
			got.Results[0].ID != rec.ID {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if w := r.get("/completed?correlation_id=c9-r1"); w.Code != 404 || r.refused(w).Fix == "" {
		t.Errorf("unknown: %d %s", w.Code, w.Body)
	}
	// The same by /sync.
	second, err := r.queue.Start(
		command.Request{Session: "s1", Kind: "get_text", Deadline: time.Now().Add(time.Minute)},
	)
	if err != nil {
		t.Fatal(err)
	}
	r.sync(
		wire.Sync{
			Session: "s1",
			Results: []wire.Result{
				{
					ID:     second.ID,
					Status: "error",
					Error: &wire.CommandError{Code: "element_not_found", Message: "no #pay",
						Candidates: []wire.Candidate{{Ref: "e1", Role: "button", Name: "Pay", Selector: "#pay2", In: `row "17 Ada"`}}},
				},
			},
		},
	)
	if got, ok := r.queue.Get(second.ID); !ok || got.Status != command.Failed ||
		got.Failure.Code != "element_not_found" ||
		len(got.Failure.Details) != 1 ||
		got.Failure.Details[0] != `e1 button "Pay" #pay2 in row "17 Ada" (not visible)` {
		t.Errorf("%+v", got)
	}
}

// A page can hold secrets where no event is: in its title, its address, what a command reads of it.
func TestNoSecretOfAPageIsKept(t *testing.T) {
	const secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJtZSIsImV4cCI6MTc2MzYzNjQwMH0.c2lnbmF0dXJlc2lnbmF0dXJlc2ln"
	r := newRig(t)
	clean := func(what, s string) {
		t.Helper()
		for _, x := range []string{secret, jwt, "hunter2"} {
			if strings.Contains(s, x) {
				t.Errorf("%s holds %s: %s", what, x, s)
			}
		}
	}
	tab := wire.Tab{
		ID:      5,
		URL:     "http://localhost:3000/reset?token=" + secret + "#access_token=" + jwt,
		Title:   "Your key is " + secret,
		Granted: true,
		Active:  true,
	}
	r.sync(
		wire.Sync{
			Session: "s1",
			Version: "1",
			Tabs:    []wire.Tab{tab},
			Settings: &wire.ExtensionSettings{
				LastError: "fetch with Authorization: Bearer " + jwt + " failed",
				Name:      "Profile " + secret,
			},
		},
	)
	b, _ := r.registry.Browser("s1")
	clean("the browser", fmt.Sprintf("%+v", b))
	if len(b.Tabs) != 1 || !strings.HasPrefix(b.Tabs[0].URL, "http://localhost:3000/reset?token=") ||
		!strings.HasPrefix(b.Tabs[0].Title, "Your key is ") {
		t.Errorf("tab: %+v", b.Tabs)
	}
	clean("health", r.get("/health").Body.String())

	answer := func(kind string, in wire.Result) string {
		t.Helper()
		out := make(chan string, 1)
		go func() { out <- r.post("/tools/observe", `{"what":"ask","kind":"`+kind+`"}`).Body.String() }()
		cmds := r.queue.Take(t.Context(), command.Poll{Session: "s1"}, 10*time.Second).Commands
		if len(cmds) != 1 {
			t.Fatalf("commands: %+v", cmds)
		}
		in.ID, in.Session = cmds[0].ID, "s1"
		body, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if w := r.do(request{method: "POST", path: "/query-result", body: string(body), token: r.browser}); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		text := <-out
		clean(kind, text)
		clean(kind+" kept", r.get("/completed").Body.String())
		return text
	}
	result := func(v any) wire.Result {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return wire.Result{Status: "complete", Result: raw}
	}
	if text := answer("get_text", result(command.TextResult{Value: "Total 5 EUR. Key: " + secret + ", " + jwt,
		URL: tab.URL, Sections: []command.Section{{Header: secret, Content: `{"password":"hunter2"}`}}})); !strings.Contains(
		text,
		"Total 5 EUR",
	) {
		t.Errorf("get_text: %s", text)
	}
	answer(
		"execute_js",
		result(
			command.ScriptResult{
				Result: json.RawMessage(`{"password":"hunter2","deep":[{"authorization":"Bearer ` + jwt + `"}]}`),
			},
		),
	)
	answer("execute_js", result(secret))
	failed := wire.Result{
		Status: "error",
		Error: &wire.CommandError{
			Code:    "ambiguous_target",
			Message: "matches " + secret,
			Blocker: "div " + secret,
			Candidates: []wire.Candidate{
				{Ref: "e1", Role: "button", Name: "Copy " + secret, Selector: `[data-key="` + secret + `"]`, In: "row " + secret},
			},
		},
	}
	failed.Tab = &tab
	answer("click", failed)
	b, _ = r.registry.Browser("s1")
	clean("the tab of a result", fmt.Sprintf("%+v", b.Tabs))

	// An image is passed on byte for byte, whatever its base64 looks like; its address is not.
	image := base64.StdEncoding.EncodeToString(
		[]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x10\x83\x10\x51\x87", 2000)),
	)
	text := answer(
		"screenshot",
		result(
			command.ScreenshotResult{Format: "png", Data: image, Width: 8, Height: 8, URL: tab.URL, Title: tab.Title},
		),
	)
	if !strings.Contains(text, image) {
		t.Error("the image was changed")
	}
}

// A browser that knows a code gets a key, and can use it; the code is not sent by either side.
func TestPairing(t *testing.T) {
	r := newRig(t)
	code := into[wire.PairCode](r, r.post("/pair/code", "")).Code
	nonce := proof.Nonce()
	ask := func(mac string) *httptest.ResponseRecorder {
		body, _ := json.Marshal(
			wire.PairProof{CodeID: code[:8], Nonce: nonce, MAC: mac, Session: "s2", Name: "Chromium \u0007two"},
		)
		return r.do(
			request{
				method: "POST",
				path:   "/pair",
				body:   string(body),
				token:  "-",
				header: http.Header{"Origin": {extensionOrigin}},
			},
		)
	}
	if w := ask(proof.Of([]byte("another"), proof.Pair, nonce)); w.Code != 400 {
		t.Errorf("wrong code: %d", w.Code)
	}
	w := ask(proof.Of([]byte(code[8:]), proof.Pair, nonce))
	a := into[wire.PairAnswer](r, w)
	key, _ := r.pairings.Key(a.KeyID)
	if strings.Contains(w.Body.String(), proof.Hex(key)) || strings.Contains(w.Body.String(), code[8:]) {
		t.Error("a secret was sent")
	}
	if w := r.do(request{method: "GET", path: "/pending-queries?session=s2",
		token: a.KeyID + "." + proof.Of(key, proof.Bearer, r.pairings.Boot())}); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, path := range []string{"/pair/code", "/pair/key"} {
		if w := r.do(request{method: "POST", path: path, body: `{"session":"s3"}`,
			token: r.browser}); w.Code != http.StatusForbidden {
			t.Errorf("a browser made itself a key by %s: %d", path, w.Code)
		}
	}
	if k := into[wire.PairKey](r, r.post("/pair/key", `{"session":"s3","name":"Chromium"}`)); len(k.Key) != 64 {
		t.Errorf("%+v", k)
	}
}

// The daemon proves that it knows the token, a browser's key, or a code; and nothing else to nobody.
func TestProve(t *testing.T) {
	r := newRig(t)
	code := r.pairings.NewCode()
	id, _, _ := strings.Cut(r.browser, ".")
	for what, c := range map[string]struct {
		id  string
		key []byte
	}{
		"the token": {"", []byte(r.token)}, "a browser": {id, r.key}, "a code": {"code-" + code[:8], []byte(code[8:])},
		"an unknown browser": {"0123456789abcdef", nil}, "an unknown code": {"code-00000000", nil},
	} {
		nonce := proof.Nonce()
		w := r.do(
			request{
				method: "POST",
				path:   "/prove",
				body:   `{"nonce":"` + nonce + `","key_id":"` + c.id + `"}`,
				token:  "-",
			},
		)
		a := into[wire.ProveAnswer](r, w)
		want := ""
		if c.key != nil {
			want = proof.OfDaemon(c.key, nonce, port, "r1", a.Boot, c.id)
		}
		if a.Proof != want || a.Server.Run != "r1" || !proof.IsNonce(a.Boot) {
			t.Errorf("%s: %+v", what, a)
		}
	}
	for _, nonce := range []string{"", "00", strings.Repeat("0", 63), strings.Repeat("x", 64),
		strings.Repeat("0", 128), strings.Repeat("\\n", 64)} {
		if w := r.do(request{method: "POST", path: "/prove", body: `{"nonce":"` + nonce + `"}`, token: "-"}); w.Code != 400 {
			t.Errorf("%q: %d", nonce, w.Code)
		}
	}
}

// A loop that asks for proofs must not make browsers take the daemon for a stranger.
func TestProofsAreGivenHoweverManyAreAskedFor(t *testing.T) {
	r := newRig(t)
	for range 2000 {
		if w := r.do(request{method: "POST", path: "/prove", body: `{"nonce":"` + strings.Repeat("0", 64) + `"}`,
			token: "-"}); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

// What a browser sends because of a proof reaches the daemon that gave it: this one keeps its port for two seconds, and
// gives nobody another proof meanwhile.
func TestADaemonThatStopsWaitsForWhoTrustsIt(t *testing.T) {
	r := newRig(t)
	prove := func(origin string) (code int) {
		defer func() {
			if p := recover(); p == http.ErrAbortHandler {
				code = 0 // the connection is cut
			}
		}()
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		body := `{"nonce":"` + strings.Repeat("0", 64) + `"}`
		return r.do(request{method: "POST", path: "/prove", body: body, token: "-", header: header}).Code
	}
	browser := "chrome-extension://" + extensionID
	synctest.Test(t, func(t *testing.T) {
		if code := prove(browser); code != http.StatusOK {
			t.Fatalf("a proof before the end: %d", code)
		}
		time.Sleep(400 * time.Millisecond)
		if left := r.api.EndProofs(); left != 1600*time.Millisecond {
			t.Errorf("it is trusted for %v more", left)
		}
		for _, origin := range []string{browser, ""} {
			if code := prove(origin); code != 0 {
				t.Errorf("a proof at the end for %q: %d", origin, code)
			}
		}
		time.Sleep(1500 * time.Millisecond)
		if left := r.api.EndProofs(); left != 100*time.Millisecond {
			t.Errorf("then for %v more", left)
		}
	})
	r = newRig(t)
	synctest.Test(t, func(t *testing.T) {
		if code := prove(""); code != http.StatusOK {
			t.Fatalf("a proof for a program: %d", code)
		}
		if left := r.api.EndProofs(); left != 0 {
			t.Errorf("%v for nobody", left)
		}
	})
}

// A browser sees of each answer, a refusal too, that it is the daemon's; nobody else gets a proof.
func TestAnswersToABrowserAreProven(t *testing.T) {
	r := newRig(t)
	for what, c := range map[string]struct {
		path, token, nonce string
		want               bool
	}{
		"an answer":       {"/pending-queries?session=s1", r.browser, proof.Nonce(), true},
		"a refusal":       {"/metrics", r.browser, proof.Nonce(), true},
		"a bad request":   {"/pending-queries", r.browser, proof.Nonce(), true},
		"no nonce":        {"/pending-queries?session=s1", r.browser, "", false},
		"a short nonce":   {"/pending-queries?session=s1", r.browser, "00", false},
		"an unknown key":  {"/pending-queries?session=s1", "0123456789abcdef.00", proof.Nonce(), false},
		"the user's own":  {"/metrics", "", proof.Nonce(), false},
		"without a token": {"/health", "-", proof.Nonce(), false},
	} {
		w := r.do(
			request{method: "GET", path: c.path, token: c.token, header: http.Header{"X-Gasoline-Nonce": {c.nonce}}},
		)
		want := ""
		if c.want {
			want = proof.Of(r.key, proof.Answer, c.nonce, r.pairings.Boot())
		}
		if once := w.Header().Get("Connection") == "close"; once != c.want {
			t.Errorf("%s: the connection is used once: %v", what, once)
		}
		if got := w.Header().Get("X-Gasoline-Proof"); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
}

func TestBoundariesSnapshotAndClear(t *testing.T) {
	r := newRig(t)
	boundary := func(body string) (int, string) {
		w := r.post("/test-boundary", body)
		return w.Code, w.Body.String()
	}
	if code, out := boundary(`{"test_id":"t1","action":"end"}`); code != http.StatusConflict {
		t.Errorf("end without start: %d %s", code, out)
	}
	for _, bad := range []string{`{"test_id":"t1","action":"begin"}`, `{"test_id":"","action":"start"}`,
		`{"test_id":"t1","action":"start","timestamp":"yesterday"}`} {
		if code, out := boundary(bad); code != 400 {
			t.Errorf("%s: %d %s", bad, code, out)
		}
	}
	if code, out := boundary(`{"test_id":"t1","action":"start","worker":"0"}`); code != 200 ||
		!strings.Contains(out, `"acknowledged":true`) {
		t.Errorf("start: %d %s", code, out)
	}
	post := func(path, body string) {
		t.Helper()
		if a := into[wire.Accepted](r, r.post(path, body)); a.Accepted == 0 {
			t.Errorf("%s %s: %+v", path, body, a)
		}
	}
	post(
		"/logs",
		`{"entries":[{"level":"warn","message":"careful"},{"level":"error","message":"it broke"},{"level":"error","mechanism":"onerror","type":"TypeError","message":"x is undefined"}]}`,
	)
	if code, out := boundary(`{"test_id":"t1","action":"end","worker":"0"}`); code != 200 {
		t.Errorf("end: %d %s", code, out)
	}
	post("/logs", `{"test_id":"t2","entries":[{"level":"log","message":"another test"}]}`)
	post(
		"/network-bodies",
		`{"test_id":"t2","bodies":[{"method":"GET","url":"http://localhost/api","status":500,"response_body":"oops","content_type":"text/plain"}]}`,
	)
	post(
		"/websocket-events",
		`{"test_id":"t2","events":[{"connection":"c1","event":"message","direction":"incoming","url":"ws://localhost/","data":"hi"}]}`,
	)
	post("/enhanced-actions", `{"test_id":"t2","actions":[{"type":"click","name":"Pay"}]}`)

	all := into[wire.Snapshot](r, r.get("/snapshot"))
	if len(all.Logs) != 4 || len(all.NetworkBodies) != 1 || len(all.WebSocketEvents) != 1 ||
		len(all.EnhancedActions) != 1 ||
		all.Timestamp == "" ||
		all.Stats != (wire.SnapshotStats{ErrorCount: 2, WarningCount: 1, NetworkFailures: 1, WSConnections: 1}) {
		t.Errorf("%+v", all)
	}
	one := into[wire.Snapshot](r, r.get("/snapshot?test_id=t1"))
	if len(one.Logs) != 3 || len(one.NetworkBodies)+len(one.WebSocketEvents)+len(one.EnhancedActions) != 0 ||
		one.TestID != "t1" ||
		one.NetworkBodies == nil ||
		one.Stats.ErrorCount != 2 {
		t.Errorf("t1: %+v", one)
	}
	if none := into[wire.Snapshot](r, r.get("/snapshot?test_id=t1&worker=7")); len(none.Logs) != 0 {
		t.Errorf("another worker: %+v", none)
	}
	if none := into[wire.Snapshot](r, r.get("/snapshot?since="+time.Now().Add(time.Hour).UTC().Format(time.RFC3339))); len(
		none.Logs,
	) != 0 {
		t.Errorf("since the future: %+v", none)
	}
	if w := r.get("/snapshot?since=today"); w.Code != 400 {
		t.Errorf("since today: %d", w.Code)
	}

	if c := into[wire.Cleared](r, r.post("/clear", `{"test_id":"t1"}`)); !c.Cleared || c.EntriesRemoved != 3 ||
		c.Timestamp == "" {
		t.Errorf("clear t1: %+v", c)
	}
	if left := into[wire.Snapshot](r, r.get("/snapshot")); len(left.Logs) != 1 || len(left.NetworkBodies) != 1 {
		t.Errorf("left: %+v", left)
	}
	// Unscoped, commands go as well, and their callers hear it.
	if _, err := r.queue.Start(command.Request{Session: "s1", Kind: "get_text",
		Deadline: time.Now().Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if c := into[wire.Cleared](r, r.post("/clear", ``)); c.EntriesRemoved < 5 {
		t.Errorf("clear: %+v", c)
	}
	if left := into[wire.Timeline](r, r.get("/buffers/timeline")); len(left.Events) != 0 {
		t.Errorf("left: %+v", left)
	}
	if _, done, _ := r.queue.Lists(); len(done) != 1 || done[0].Status != command.Cancelled {
		t.Errorf("commands: %+v", done)
	}
}

func TestTimelineAndQueryPage(t *testing.T) {
	r := newRig(t)
	for i := range 25 {
		into[wire.Accepted](
			r,
			r.post(
				"/logs",
				fmt.Sprintf(
					`{"tab":%d,"entries":[{"level":%q,"message":"line %d"}]}`,
					i%2,
					[]string{"log", "error"}[i%5/4],
					i,
				),
			),
		)
	}
	page := into[wire.Timeline](r, r.get("/buffers/timeline?limit=10"))
	if len(page.Events) != 10 || page.Events[9].Summary == "" || page.Cursor == "" ||
		!strings.Contains(page.Events[9].Summary, "line 24") {
		t.Fatalf("newest: %+v", page)
	}
	into[wire.Accepted](r, r.post("/logs", `{"entries":[{"level":"log","message":"after"}]}`))
	next := into[wire.Timeline](r, r.get("/buffers/timeline?limit=10&cursor="+page.Cursor))
	if len(next.Events) != 1 || !strings.Contains(next.Events[0].Summary, "after") || next.Missed != 0 {
		t.Errorf("next: %+v", next)
	}
	if got := into[wire.Timeline](r, r.get("/buffers/timeline?q=line+13&tab=1")); len(got.Events) != 1 ||
		got.Events[0].Tab != 1 ||
		!strings.HasPrefix(got.Events[0].ID, "r1-") ||
		!strings.HasPrefix(got.Events[0].Handle, "l") {
		t.Errorf("filtered: %+v", got)
	}
	for _, bad := range []string{"limit=0", "limit=1001", "limit=x", "tab=x", "kinds=log,nonsense", "until=x",
		"since=x", "cursor=nonsense"} {
		if w := r.get("/buffers/timeline?" + bad); w.Code != 400 || r.refused(w).Fix == "" {
			t.Errorf("%s: %d %s", bad, w.Code, w.Body)
		}
	}
	type rows struct {
		Columns []string
		Rows    [][]any
		Cursor  string
		More    bool
	}
	got := into[rows](r, r.post("/query", `{"kinds":["log"],"group":"level"}`))
	if len(got.Rows) != 2 {
		t.Errorf("grouped: %+v", got)
	}
	same := into[rows](r, r.get("/query?kinds=log&group=level"))
	if fmt.Sprint(same.Rows) != fmt.Sprint(got.Rows) {
		t.Errorf("by GET %v, by POST %v", same.Rows, got.Rows)
	}
	if w := r.post("/query", `{"where":"this is ( no expression"}`); w.Code != 400 || r.refused(w).Fix == "" {
		t.Errorf("bad expression: %d %s", w.Code, w.Body)
	}
}

func TestScreenshotsAreKept(t *testing.T) {
	r := newRig(t)
	png := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 100)
	a := into[wire.ScreenshotAnswer](r, r.do(request{method: "POST", path: "/screenshots", token: r.browser,
		body: `{"session":"s1","tab":5,"format":"png","data":"` + base64.StdEncoding.EncodeToString(
			[]byte(png),
		) + `"}`}))
	data, err := os.ReadFile(a.Path)
	if err != nil || string(data) != png || !strings.HasSuffix(a.Path, a.Filename) {
		t.Errorf("%+v: %q %v", a, data, err)
	}
	for _, bad := range []string{
		`{"format":"png","data":""}`, `{"format":"png","data":"%%"}`, `{"format":"svg","data":"AAAA"}`,
		`{"format":"../x","data":"AAAA"}`, `{}`,
		`{"format":"png","data":"` + base64.StdEncoding.EncodeToString([]byte("<script>")) + `"}`,
		`{"format":"jpeg","data":"` + base64.StdEncoding.EncodeToString([]byte(png)) + `"}`,
	} {
		if w := r.post("/screenshots", bad); w.Code != 400 || r.refused(w).Fix == "" {
			t.Errorf("%.80s: %d %s", bad, w.Code, w.Body)
		}
	}
}

func TestToolsOverHTTP(t *testing.T) {
	r := newRig(t)
	with := func(path, body string, header http.Header) (int, string) {
		w := r.do(request{method: "POST", path: path, body: body, header: header})
		return w.Code, w.Body.String()
	}
	cli := http.Header{"X-Gasoline-Client": {"cli"}, "X-Gasoline-Project": {"/home/me/shop"}}
	if code, out := with("/tools/observe", `{"what":"who"}`, cli); code != 200 || out != "http-cli|/home/me/shop" {
		t.Errorf("%d %q", code, out)
	}
	if code, out := with("/tools/nothing", `{}`, cli); code != 404 || !strings.Contains(out, "observe, generate") {
		t.Errorf("%d %q", code, out)
	}
	if code, out := with("/tools/observe", `{"what":"nothing"}`, cli); code != 404 {
		t.Errorf("%d %q", code, out)
	}
	for _, body := range []string{`{}`, `null`, ``} {
		if code, out := with("/generate/har", body, cli); code != 200 || out != `"a HAR"` {
			t.Errorf("generate with %q: %d %q", body, code, out)
		}
	}
	if code, out := with("/generate/nothing", `{}`, cli); code != 404 {
		t.Errorf("%d %q", code, out)
	}
	envelope := http.Header{"Accept": {"application/vnd.gasoline+json"}}
	var e struct {
		Text, Error string
		Images      []struct{ MIME string }
	}
	if code, out := with("/tools/observe", `{"what":"picture"}`, envelope); code != 200 ||
		json.Unmarshal([]byte(out), &e) != nil ||
		len(e.Images) != 1 ||
		e.Images[0].MIME != "image/png" ||
		e.Text == "" {
		t.Errorf("%d %q", code, out)
	}
	if code, out := with("/tools/observe", `{"what":"nothing"}`, envelope); code != 200 ||
		json.Unmarshal([]byte(out), &e) != nil ||
		e.Error != "unknown_mode" ||
		!strings.HasPrefix(e.Text, "error=unknown_mode") {
		t.Errorf("%d %q", code, out)
	}
}

func TestTheDaemonDescribesItself(t *testing.T) {
	r := newRig(t)
	if h := into[wire.Health](r, r.get("/health")); h.Server.Version != "1.2.3" || h.PID != 4711 || h.Status != "ok" ||
		h.Budget == 0 {
		t.Errorf("%+v", h)
	}
	w := r.get("/metrics")
	for _, line := range strings.Split(strings.TrimSpace(w.Body.String()), "\n") {
		if !strings.HasPrefix(line, "# ") && len(strings.Fields(line)) < 2 {
			t.Errorf("no metric: %q", line)
		}
	}
	for _, name := range []string{"gasoline_requests_refused_total", "gasoline_ring_entries{ring=",
		"gasoline_memory_bytes ", "gasoline_commands_total{status="} {
		if !strings.Contains(w.Body.String(), name) {
			t.Errorf("no %s", name)
		}
	}
	doc := into[map[string]any](r, r.get("/openapi.json"))
	if doc == nil {
		t.Error("no document")
	}
	if got := into[map[string]bool](r, r.post("/shutdown", "")); !got["stopping"] || r.stopped.Load() != 1 {
		t.Errorf("%v, stopped %d", got, r.stopped.Load())
	}
	if w := r.get("/nothing"); w.Code != 404 || r.refused(w).Fix == "" ||
		w.Header().Get("X-Content-Type-Options") != "nosniff" ||
		w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
}

// Where a misspelt name would ask for too much, it is refused; a problem tells all that its fix speaks of.
func TestMisspeltNamesAreRefused(t *testing.T) {
	r := newRig(t)
	r.post("/logs", `{"entries":[{"level":"log","message":"kept"}]}`)
	for _, w := range []*httptest.ResponseRecorder{
		r.post("/clear", `{"testid":"x"}`), r.post("/query", `{"wher":"level=error"}`),
		r.post("/query", `{"kinds":5}`), r.post("/query", `{"limit":-3}`),
		r.get("/query?q=kept"), r.get("/buffers/timeline?kind=log"), r.get("/snapshot?test=x"),
	} {
		if p := r.refused(w); w.Code != http.StatusBadRequest || p.Code != "invalid_param" || p.Fix == "" ||
			p.Retry != "never" {
			t.Errorf("%d %+v", w.Code, p)
		}
	}
	if tl := into[wire.Timeline](r, r.get("/buffers/timeline?q=kept")); len(tl.Events) != 1 {
		t.Errorf("cleared all the same: %+v", tl)
	}
}

func TestTheUserChoosesTheTabThatAgentsUse(t *testing.T) {
	r := newRig(t)
	r.sync(wire.Sync{Session: "s1", Tabs: []wire.Tab{{ID: 1, Granted: true, Active: true}, {ID: 2, Granted: true}}})
	r.registry.Named("stream-1", "claude-code", "/home/u/shop")
	r.registry.Track("stream-1", "s1", 1)
	ask := func(body string) *httptest.ResponseRecorder {
		return r.do(request{method: "POST", path: "/tracking", body: body, token: r.browser})
	}
	check := func(what string, got []wire.Agent, tab int) {
		t.Helper()
		if len(got) != 1 || got[0] != (wire.Agent{ID: "stream-1", Name: "claude-code", Project: "shop", Tab: tab}) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	check("asked", into[wire.TrackingAnswer](r, ask(`{"session":"s1"}`)).Agents, 1)
	check("used", into[wire.TrackingAnswer](r, ask(`{"session":"s1","use":2,"agent":"stream-1"}`)).Agents, 2)
	check("told with the next upload", r.sync(wire.Sync{Session: "s1"}).Agents, 2)
	check("released", into[wire.TrackingAnswer](r, ask(`{"session":"s1","release":2}`)).Agents, 0)
	for body, want := range map[string]string{
		`{"session":"s1","use":9}`:              "tab_gone",
		`{"session":"s1","use":1,"agent":"no"}`: "no_data",
		`{"use":1}`:                             "missing_param",
	} {
		if p := r.refused(ask(body)); p.Code != want {
			t.Errorf("%s: %+v", body, p)
		}
	}
}

// Clearing a test that has ended keeps it to be read; clearing one that goes on does not.
func TestAFinishedTestIsArchivedWhenItIsCleared(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		test string
		end  bool
	}{{"done", true}, {"going", false}} {
		r.post("/test-boundary", `{"test_id":"`+tt.test+`","action":"start"}`)
		r.post(
			"/network-bodies",
			`{"test_id":"`+tt.test+`","bodies":[{"url":"http://localhost/a","method":"GET","status":200}]}`,
		)
		if tt.end {
			r.post("/test-boundary", `{"test_id":"`+tt.test+`","action":"end"}`)
		}
		if c := into[wire.Cleared](r, r.post("/clear", `{"test_id":"`+tt.test+`"}`)); c.EntriesRemoved != 1 {
			t.Errorf("%s: %+v", tt.test, c)
		}
		if _, ok := r.archive.Open(tt.test); ok != tt.end {
			t.Errorf("%s: archived is %v", tt.test, ok)
		}
	}
}

// A path that there is, with a method that it has not, is told which it has.
func TestOtherMethodsAreNamed(t *testing.T) {
	r := newRig(t)
	for path, allow := range map[string]string{"/sync": "POST", "/metrics": "GET", "/query": "GET, POST",
		"/tools/observe": "POST", "/generate/har": "POST"} {
		for _, method := range []string{"PUT", "DELETE", "PATCH", "XYZZY"} {
			w := r.do(request{method: method, path: path})
			if p := r.refused(w); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allow ||
				p.Fix == "" {
				t.Errorf("%s %s: %d, Allow %q, %+v", method, path, w.Code, w.Header().Get("Allow"), p)
			}
		}
	}
	for _, path := range []string{"/nothing", "/tools", "/tools/", "/tools/a/b", "/sync/"} {
		if w := r.do(request{method: "PUT", path: path}); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// Text of pages stands in JSON as it does in a fence: a terminal or a model would take what nobody sees for something else.
func TestJSONOfRoutesHidesNothing(t *testing.T) {
	r := newRig(t)
	into[wire.Accepted](r, r.post("/logs", `{"entries":[{"level":"error","message":"a\u202eb\u009b31m\udb40\udc41"}]}`))
	out := r.get("/buffers/timeline?limit=10").Body.String()
	if strings.ContainsAny(out, "\u202e\u009b\U000e0041") || !strings.Contains(out, `a\u202eb\u009b31m\udb40\udc41`) {
		t.Errorf("%q", out)
	}
}
