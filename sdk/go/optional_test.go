package gasoline

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// able is a connection and able rows that have what a driver may have besides.
type ableConn struct {
	scriptedConn
	valid bool
	asked []string
}

func (c *ableConn) Ping(context.Context) error {
	c.asked = append(c.asked, "ping")
	return errors.New("pinged")
}
func (c *ableConn) ResetSession(context.Context) error {
	c.asked = append(c.asked, "reset")
	return errors.New("reset")
}
func (c *ableConn) IsValid() bool { return c.valid }
func (c *ableConn) CheckNamedValue(v *driver.NamedValue) error {
	v.Value = "checked"
	return nil
}

type ableRows struct{ scriptedRows }

func (r *ableRows) HasNextResultSet() bool                              { return true }
func (r *ableRows) NextResultSet() error                                { return errors.New("no more") }
func (r *ableRows) ColumnTypeScanType(int) reflect.Type                 { return reflect.TypeOf(1) }
func (r *ableRows) ColumnTypeDatabaseTypeName(int) string               { return "INT" }
func (r *ableRows) ColumnTypeLength(int) (int64, bool)                  { return 7, true }
func (r *ableRows) ColumnTypeNullable(int) (bool, bool)                 { return true, true }
func (r *ableRows) ColumnTypePrecisionScale(i int) (int64, int64, bool) { return int64(i), 2, true }

// A wrapper says what the driver says, and what database/sql would do by itself where the driver says nothing.
func TestWhatADriverCanBesides(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	db := &database{client: c, system: "mysql"}
	ctx := context.Background()
	s := &scriptedMySQL{}
	for _, valid := range []bool{true, false} {
		inner := &ableConn{scriptedConn: scriptedConn{s}, valid: valid}
		w := &conn{inner: inner, db: db}
		v := driver.NamedValue{Value: 1}
		if w.Ping(ctx) == nil || w.ResetSession(ctx) == nil || w.IsValid() != valid || w.CheckNamedValue(&v) != nil || v.Value != "checked" ||
			strings.Join(inner.asked, " ") != "ping reset" {
			t.Errorf("%v %v", inner.asked, v)
		}
	}
	bare := &conn{inner: scriptedConn{s}, db: db}
	if bare.Ping(ctx) != nil || bare.ResetSession(ctx) != nil || !bare.IsValid() || !errors.Is(bare.CheckNamedValue(nil), driver.ErrSkip) {
		t.Error("a bare connection")
	}
	r := &rows{Rows: &ableRows{}}
	length, known := r.ColumnTypeLength(0)
	nullable, ok := r.ColumnTypeNullable(0)
	precision, scale, both := r.ColumnTypePrecisionScale(3)
	if !r.HasNextResultSet() || r.NextResultSet() == nil || r.err == nil || r.ColumnTypeScanType(0) != reflect.TypeOf(1) ||
		r.ColumnTypeDatabaseTypeName(0) != "INT" || length != 7 || !known || !nullable || !ok || precision != 3 || scale != 2 || !both {
		t.Error("able rows")
	}
	r = &rows{Rows: &scriptedRows{s: s}}
	length, known = r.ColumnTypeLength(0)
	nullable, ok = r.ColumnTypeNullable(0)
	precision, scale, both = r.ColumnTypePrecisionScale(0)
	if r.HasNextResultSet() || !errors.Is(r.NextResultSet(), io.EOF) || r.err != nil || r.ColumnTypeScanType(0).Kind() != reflect.Interface ||
		r.ColumnTypeDatabaseTypeName(0) != "" || length != 0 || known || nullable || ok || precision != 0 || scale != 0 || both {
		t.Error("bare rows")
	}
	pool := sql.OpenDB(c.Connector(s))
	defer pool.Close()
	if one, err := pool.Conn(ctx); err != nil || one.Raw(func(raw any) error {
		if _, ok := raw.(interface{ Unwrap() driver.Conn }).Unwrap().(scriptedConn); !ok {
			return errors.New("not the driver's")
		}
		return nil
	}) != nil {
		t.Error(err)
	} else {
		one.Close()
	}
}

// What the program's own handler of slog gets is what it would get without the SDK.
func TestTheNextHandlerGetsTheSame(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	write := func(through func(slog.Handler) slog.Handler) string {
		var out bytes.Buffer
		next := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelInfo, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})
		log := slog.New(through(next)).With("a", 1).WithGroup("g").With("b", 2)
		log.Debug("left out")
		log.Info("in", "c", 3)
		log.Warn("in", slog.Group("h", "d", 4))
		if log.Enabled(context.Background(), slog.LevelDebug) || !log.Enabled(context.Background(), slog.LevelInfo) {
			t.Error("levels")
		}
		return out.String()
	}
	want := write(func(h slog.Handler) slog.Handler { return h })
	if got := write(c.Slog); got != want || !strings.Contains(got, "a=1 g.b=2 g.h.d=4") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d.flush(c)
	logs := d.logs()
	if len(logs) != 2 || logs[0].SeverityText != "INFO" || logs[1].SeverityText != "WARN" {
		t.Fatalf("%+v", logs)
	}
	a := logs[1].attributes()
	if g, _ := a["g"].(map[string]any); a["a"] != int64(1) || g == nil || g["b"] != int64(2) || g["h"].(map[string]any)["d"] != int64(4) {
		t.Errorf("%v", a)
	}
	for level, want := range map[slog.Level]int{
		slog.LevelDebug: rankDebug, slog.LevelInfo - 1: rankDebug, slog.LevelInfo: rankInfo, slog.LevelWarn - 1: rankInfo,
		slog.LevelWarn: rankWarn, slog.LevelError - 1: rankWarn, slog.LevelError: rankError, slog.LevelError + 4: rankError,
	} {
		if rankOf(level) != want {
			t.Error(level, rankOf(level))
		}
	}
}

// slog's own default handler is replaced by one that writes the same lines to the same place.
func TestTheDefaultHandlersLines(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	flags, to := log.Flags(), log.Writer()
	defer log.SetFlags(flags)
	defer log.SetOutput(to)
	log.SetFlags(0)
	write := func(h slog.Handler) string {
		var out bytes.Buffer
		log.SetOutput(&out)
		log := slog.New(h).With("a", 1, "msg", "x").WithGroup("g")
		log.Info("hello", "b", 2)
		log.Warn("bare")
		log.Debug("left out")
		slog.New(h).Info("named alike", "level", 3, "time", "noon", "msg", "")
		slog.New(h).Error("nothing besides")
		return out.String()
	}
	want := write(slog.Default().Handler())
	var out bytes.Buffer
	log.SetOutput(&out)
	through := c.Slog(slog.Default().Handler())
	write(through)
	if got := out.String(); got != want || !strings.HasPrefix(got, "INFO hello a=1 msg=x g.b=2\nWARN bare a=1 msg=x\n") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if off := (&Client{}).Slog(slog.Default().Handler()); off != slog.Default().Handler() {
		t.Errorf("a client that is off changes the handler to %T", off)
	}
}

type closer struct{ closed int }

func (c *closer) CloseIdleConnections() { c.closed++ }
func (c *closer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: http.NoBody, Header: r.Header}, nil
}

func TestATransportsEdges(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	inner := &closer{}
	client := &http.Client{Transport: c.Transport(inner)}
	client.CloseIdleConnections()
	u, err := url.Parse("http://127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Transport(inner).RoundTrip(&http.Request{Method: "GET", URL: u}) // without headers
	if err != nil || res.Header.Get("Traceparent") == "" || inner.closed != 1 {
		t.Error(err, inner.closed)
	}
	for host, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.1.1": true, "172.16.0.1": true, "169.254.1.1": true, "fe80::1": true,
		"fd00::1": true, "8.8.8.8": false, "172.32.0.1": false, "2001:db8::1": false, "localhost": true, "db": true, "shop.local": true,
		"shop.LOCAL": true, "a.svc.cluster.local": true, "a.svc": true, "x.internal": true, "a.localhost": true, "shop.example": false,
		"local.example": false,
	} {
		if internalHost(host) != want {
			t.Error(host, !want)
		}
	}
}

func TestAnAnswerWithoutAStatusIs200(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := serve(t, c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flush":
			w.(http.Flusher).Flush()
		case "/write":
			_, _ = io.WriteString(w, "x")
		case "/early":
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	for _, path := range []string{"/nothing", "/write", "/flush", "/early"} {
		get(t, http.DefaultClient, s.URL+path)
	}
	d.flush(c)
	for i, want := range []int64{200, 200, 200, 202} {
		if got := d.spans()[i].attributes()["http.response.status_code"]; got != want {
			t.Errorf("%d: %v", i, got)
		}
	}
}

// A daemon that understands nothing, or to which everything is too large, is not asked without end.
func TestWhoRefusesEverythingIsLeftInPeace(t *testing.T) {
	for _, status := range []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge} {
		d := newDaemon(t)
		var asked atomic.Int64
		d.refuse(func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			asked.Add(1)
			w.WriteHeader(status)
			return true
		})
		c := d.start(Config{Interval: time.Millisecond})
		log := slog.New(c.Slog(nil))
		for i := 0; i < 3; i++ {
			log.Info("x")
		}
		d.flush(c)
		time.Sleep(50 * time.Millisecond)
		if s := c.Stats(); s.Problem != fmt.Sprintf("%d for /v1/logs", status) || s.Dropped != 3 || asked.Load() > 10 {
			t.Errorf("%+v after %d requests", s, asked.Load())
		}
	}
}

func TestHeadersAndAddressesAreMasked(t *testing.T) {
	c := newRedactor()
	for _, k := range []struct{ name, value, want string }{
		{"Authorization", "Bearer hunter22", "Bearer <*>"}, {"Authorization", "hunter22", "<*>"},
		{"Authorization", strings.Repeat("x", 12) + " hunter22", "<*>"}, {"Cookie", "sid=abc", "<*>"}, {"X-Request-Id", "42", "42"},
		{"X-Acme-Token", "abc", "<*>"}, {"Accept", "a/b", "a/b"}, {"Cookie", "<cookie:01234567>", "<cookie:01234567>"},
	} {
		got := c.header(k.name, k.value)
		if got = pseudonyms.ReplaceAllString(got, "<*>"); got != strings.Replace(k.want, "<cookie:01234567>", "<*>", 1) {
			t.Errorf("%s: %s became %s", k.name, k.value, got)
		}
	}
	u, err := url.Parse("http://ann:hunter22@shop.example/a?x=1&token=abc#token=hunter22")
	if err != nil {
		t.Fatal(err)
	}
	if got := pseudonyms.ReplaceAllString(c.url(u), "<*>"); got != "http://shop.example/a?x=1&token=<*>" {
		t.Error(got)
	}
}
