// Package integration_test tries the SDK with a real database and the built program. It is a module of its own: none of
// what it imports is a dependency of the SDK.
package integration_test

import (
	"compress/gzip"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gasoline "github.com/brennhill/gasoline/sdk/go"
	_ "modernc.org/sqlite"
)

type span struct {
	Name       string
	Kind       int
	TraceID    string
	ParentID   string `json:"parentSpanId"`
	Attributes []struct {
		Key   string
		Value struct{ StringValue string }
	}
	Events []struct {
		Name       string
		Attributes []struct {
			Key   string
			Value struct{ StringValue string }
		}
	}
	Status struct {
		Code    int
		Message string
	}
}

func (s span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue
		}
	}
	return ""
}

// collector keeps the spans that a client sends.
type collector struct {
	mu    sync.Mutex
	spans []span
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		if packed, err := gzip.NewReader(body); err == nil {
			body = packed
		}
	}
	data, _ := io.ReadAll(body)
	if json.Unmarshal(data, &in) == nil && r.URL.Path == "/v1/traces" {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, rs := range in.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				c.spans = append(c.spans, ss.Spans...)
			}
		}
	}
	_, _ = io.WriteString(w, "{}")
}

func (c *collector) take() []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := c.spans
	c.spans = nil
	return out
}

func open(t *testing.T) (*gasoline.Client, *collector, *sql.DB) {
	t.Helper()
	c := &collector{}
	server := httptest.NewServer(c)
	client := gasoline.Start(gasoline.Config{URL: server.URL, Token: "x", Service: "shop", Interval: time.Hour})
	db, err := client.Open("sqlite", filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		_ = client.Close(context.Background())
		server.Close()
	})
	return client, c, db
}

func names(spans []span) (out []string) {
	for _, s := range spans {
		out = append(out, s.Name)
	}
	return out
}

func TestQueriesOfSQLiteAreSpans(t *testing.T) {
	client, c, db := open(t)
	ctx, root := client.Span(context.Background(), "root")
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(db.ExecContext(ctx, "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)"))
	tx, err := db.BeginTx(ctx, nil)
	must(nil, err)
	must(tx.ExecContext(ctx, "INSERT INTO items(name) VALUES (?), (?)", "a", "b"))
	must(nil, tx.Commit())
	rows, err := db.QueryContext(ctx, "SELECT name FROM items WHERE id > @id ORDER BY id", sql.Named("id", 0))
	must(nil, err)
	types, err := rows.ColumnTypes()
	must(nil, err)
	var got []string
	for rows.Next() {
		var name string
		must(nil, rows.Scan(&name))
		got = append(got, name)
	}
	must(nil, rows.Close())
	if !slices.Equal(got, []string{"a", "b"}) || types[0].DatabaseTypeName() != "TEXT" {
		t.Error(got, types[0].DatabaseTypeName())
	}
	stmt, err := db.PrepareContext(ctx, "UPDATE items SET name = ? WHERE id = 1")
	must(nil, err)
	must(stmt.ExecContext(ctx, "c"))
	must(nil, stmt.Close())
	must(nil, db.PingContext(ctx))
	must(db.Exec("DELETE FROM items")) // no span to hang on
	root.End()
	must(nil, client.Flush(context.Background()))
	spans := c.take()
	want := []string{"CREATE", "BEGIN", "INSERT items", "COMMIT", "SELECT items", "UPDATE items", "root"}
	if !slices.Equal(names(spans), want) {
		t.Fatal(names(spans))
	}
	for _, s := range spans[:len(spans)-1] {
		if s.Kind != 3 || s.attribute("db.system.name") != "sqlite" || s.TraceID != root.Context().TraceID.String() ||
			s.ParentID != root.Context().SpanID.String() || s.Status.Code != 0 {
			t.Errorf("%+v", s)
		}
	}
	if q := spans[4].attribute("db.query.text"); q != "SELECT name FROM items WHERE id > @id ORDER BY id" {
		t.Error(q)
	}
}

func TestErrorsOfSQLiteAreCaptured(t *testing.T) {
	client, c, db := open(t)
	ctx, root := client.Span(context.Background(), "root")
	if _, err := db.QueryContext(ctx, "SELECT price FROM items"); err == nil {
		t.Fatal("no error")
	}
	if _, err := db.Exec("INSERT INTO nowhere VALUES (1)"); err == nil { // outside of a span
		t.Fatal("no error")
	}
	root.End()
	if err := client.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	spans := c.take()
	if !slices.Equal(names(spans), []string{"SELECT items", "INSERT nowhere", "root"}) {
		t.Fatal(names(spans))
	}
	for _, s := range spans[:2] {
		if s.Status.Code != 2 || !strings.Contains(s.Status.Message, "no such table") {
			t.Errorf("%+v", s.Status)
		}
	}
}

func TestErrorsBetweenRowsAreCaptured(t *testing.T) {
	client, c, db := open(t)
	ctx, root := client.Span(context.Background(), "root")
	rows, err := db.QueryContext(ctx, "SELECT 1 UNION ALL SELECT abs(-9223372036854775808)")
	if err == nil {
		for rows.Next() {
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	if err == nil {
		t.Fatal("no error")
	}
	root.End()
	if err := client.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s := c.take(); len(s) != 2 || s[0].Status.Code != 2 || !strings.Contains(s[0].Status.Message, "overflow") {
		t.Errorf("%+v", s)
	}
}

func TestTheDriversConnectionCanBeReached(t *testing.T) {
	_, _, db := open(t)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		inner := c.(interface{ Unwrap() driver.Conn }).Unwrap()
		if _, ok := inner.(driver.QueryerContext); !ok {
			t.Errorf("%T", inner)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
