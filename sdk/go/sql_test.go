package gasoline

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/base64"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// scriptedMySQL is a driver whose calls fail as told.
type scriptedMySQL struct {
	fail map[string]error // by the name of the call
	args []driver.Value   // of the newest call of a statement
}

func (s *scriptedMySQL) Connect(context.Context) (driver.Conn, error) {
	if err := s.fail["connect"]; err != nil {
		return nil, err
	}
	return scriptedConn{s}, nil
}

func (s *scriptedMySQL) Driver() driver.Driver { return s }

func (s *scriptedMySQL) Open(string) (driver.Conn, error) { return s.Connect(context.Background()) }

type scriptedConn struct{ s *scriptedMySQL }

func (c scriptedConn) Prepare(string) (driver.Stmt, error) {
	return scriptedStmt{c.s}, c.s.fail["prepare"]
}
func (c scriptedConn) Close() error              { return nil }
func (c scriptedConn) Begin() (driver.Tx, error) { return scriptedTx{c.s}, c.s.fail["begin"] }

func (c scriptedConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), c.s.fail["exec"]
}

func (c scriptedConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	if err := c.s.fail["query"]; err != nil {
		return nil, err
	}
	return &scriptedRows{s: c.s}, nil
}

type scriptedStmt struct{ s *scriptedMySQL }

func (st scriptedStmt) Close() error  { return nil }
func (st scriptedStmt) NumInput() int { return -1 }
func (st scriptedStmt) Exec(args []driver.Value) (driver.Result, error) {
	st.s.args = args
	return driver.RowsAffected(2), st.s.fail["statement"]
}
func (st scriptedStmt) Query(args []driver.Value) (driver.Rows, error) {
	st.s.args = args
	return &scriptedRows{s: st.s}, st.s.fail["statement"]
}

type scriptedTx struct{ s *scriptedMySQL }

func (t scriptedTx) Commit() error   { return t.s.fail["commit"] }
func (t scriptedTx) Rollback() error { return t.s.fail["rollback"] }

type scriptedRows struct {
	s *scriptedMySQL
	n int
}

func (r *scriptedRows) Columns() []string { return []string{"a"} }
func (r *scriptedRows) Close() error      { return r.s.fail["close"] }
func (r *scriptedRows) Next(dest []driver.Value) error {
	if r.n++; r.n > 2 {
		if err := r.s.fail["next"]; err != nil {
			return err
		}
		return io.EOF
	}
	dest[0] = int64(r.n)
	return nil
}

// Every call of database/sql: what it is called, whether it failed, below which span; alone, only what failed.
func TestCallsOfADriver(t *testing.T) {
	boom := errors.New("boom")
	query := func(ctx context.Context, db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT a FROM items")
		if err != nil {
			return err
		}
		for rows.Next() {
		}
		return errors.Join(rows.Err(), rows.Close())
	}
	exec := func(ctx context.Context, db *sql.DB) error {
		_, err := db.ExecContext(ctx, "UPDATE items SET a = 1")
		return err
	}
	transaction := func(ctx context.Context, db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		return tx.Commit()
	}
	back := func(ctx context.Context, db *sql.DB) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		return tx.Rollback()
	}
	prepared := func(ctx context.Context, db *sql.DB) error {
		st, err := db.PrepareContext(ctx, "DELETE FROM items")
		if err != nil {
			return err
		}
		defer st.Close()
		_, err = st.ExecContext(ctx)
		return err
	}
	for _, k := range []struct {
		name string
		fail map[string]error
		do   func(context.Context, *sql.DB) error
		want string // names of spans within a span; "!" failed
	}{
		{"query", nil, query, "SELECT items"},
		{"exec", nil, exec, "UPDATE items"},
		{"transaction", nil, transaction, "BEGIN, COMMIT"},
		{"rollback", nil, back, "BEGIN, ROLLBACK"},
		{"statement", nil, prepared, "DELETE items"},
		{"connect fails", map[string]error{"connect": boom}, exec, "connect!"},
		{"query fails", map[string]error{"query": boom}, query, "SELECT items!"},
		{"rows fail", map[string]error{"next": boom}, query, "SELECT items!"},
		{"the end of rows fails", map[string]error{"close": boom}, query, "SELECT items!"},
		{"exec fails", map[string]error{"exec": boom}, exec, "UPDATE items!"},
		{"exec is left to a statement", map[string]error{"exec": driver.ErrSkip}, exec, "UPDATE items"},
		{"query is left to a statement", map[string]error{"query": driver.ErrSkip}, query, "SELECT items"},
		{"begin fails", map[string]error{"begin": boom}, transaction, "BEGIN!"},
		{"commit fails", map[string]error{"commit": boom}, transaction, "BEGIN, COMMIT!"},
		{"rollback fails", map[string]error{"rollback": boom}, back, "BEGIN, ROLLBACK!"},
		{"prepare fails", map[string]error{"prepare": boom}, prepared, "DELETE items!"},
		{"statement fails", map[string]error{"statement": boom}, prepared, "DELETE items!"},
	} {
		for _, within := range []bool{true, false} {
			d := newDaemon(t)
			c := d.start(Config{})
			db := sql.OpenDB(c.Connector(&scriptedMySQL{fail: k.fail}))
			ctx, root := context.Background(), (*Span)(nil)
			if within {
				ctx, root = c.Span(ctx, "root")
			}
			if err := k.do(ctx, db); (err != nil) != strings.Contains(k.want, "!") || err != nil && !errors.Is(err, boom) {
				t.Errorf("%s: %v", k.name, err)
			}
			db.Close()
			d.flush(c)
			var got []string
			for _, s := range d.spans() {
				name, a := s.Name, s.attributes()
				if s.Status.Code == 2 {
					name += "!"
					if a["error.type"] != "*errors.errorString" || len(s.Events) != 1 {
						t.Errorf("%s: %v, %d events", k.name, a, len(s.Events))
					}
				}
				if s.Kind != clientSpan || a["db.system.name"] != "mysql" || within && s.ParentSpanID != root.Context().SpanID.String() {
					t.Errorf("%s: %+v", k.name, s)
				}
				got = append(got, name)
			}
			want := strings.Split(k.want, ", ")
			if !within {
				want = slices.DeleteFunc(want, func(name string) bool { return !strings.HasSuffix(name, "!") })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, within a span %v: %q, want %q", k.name, within, got, want)
			}
		}
	}
}

// What a statement is given reaches the driver, and its rows reach the program.
func TestAStatementsArguments(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	s := &scriptedMySQL{}
	db := sql.OpenDB(c.Connector(s))
	defer db.Close()
	st, err := db.Prepare("SELECT a FROM items WHERE b = ? AND c = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var a int
	if err := st.QueryRow("x", 7).Scan(&a); err != nil || a != 1 || !slices.Equal(s.args, []driver.Value{"x", int64(7)}) {
		t.Error(err, a, s.args)
	}
	if done, err := st.Exec("y"); err != nil || !slices.Equal(s.args, []driver.Value{"y"}) {
		t.Error(err, s.args)
	} else if n, err := done.RowsAffected(); n != 2 || err != nil {
		t.Error(n, err)
	}
}

type panics struct{}

func (panics) String() string { panic("no") }

func TestAValueThatPanicsIsNamed(t *testing.T) {
	if got := fromAny(panics{}); got.text != "!PANIC: gasoline.panics" {
		t.Error(got.text)
	}
	if got := fromAny(make([]byte, maxText+1)); got.kind != bytesKind || len(got.text) != base64.StdEncoding.EncodedLen(maxText) {
		t.Error(len(got.text))
	}
	if got := messageOf(panicking{}); got != "!PANIC: gasoline.panicking" {
		t.Error(got)
	}
}

type panicking struct{}

func (panicking) Error() string { panic("no") }

type staleConn struct{ s *stale }

// stale makes connections that are bad at the uses that bad has.
type stale struct {
	uses int
	bad  map[int]bool
}

type noRows struct{}

func (noRows) Columns() []string         { return []string{"a"} }
func (noRows) Close() error              { return nil }
func (noRows) Next([]driver.Value) error { return io.EOF }

func (c staleConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("not prepared") }
func (c staleConn) Close() error                        { return nil }
func (c staleConn) Begin() (driver.Tx, error)           { return c, nil }
func (c staleConn) Commit() error                       { return nil }
func (c staleConn) Rollback() error                     { return nil }
func (c staleConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	if c.s.uses++; c.s.bad[c.s.uses] {
		return nil, driver.ErrBadConn
	}
	return noRows{}, nil
}

func (s *stale) Connect(context.Context) (driver.Conn, error) { return staleConn{s}, nil }
func (s *stale) Driver() driver.Driver                        { return nil }

// A connection that went bad in the pool is no failure: database/sql takes another one, and the program sees nothing of it.
func TestAConnectionThatWentBadInThePool(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	query := func(on interface {
		QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	}) error {
		rows, err := on.QueryContext(context.Background(), "SELECT 1")
		if err == nil {
			err = rows.Close()
		}
		return err
	}
	db := sql.OpenDB(c.Connector(&stale{bad: map[int]bool{2: true}}))
	defer db.Close()
	for i := 0; i < 2; i++ {
		if err := query(db); err != nil {
			t.Fatal(err)
		}
	}
	d.flush(c)
	if spans := d.spans(); len(spans) != 0 {
		t.Errorf("%+v", spans)
	}
	// A new one that is bad, and one that goes bad within a transaction, fail.
	bad := sql.OpenDB(c.Connector(&stale{bad: map[int]bool{1: true, 2: true, 3: true}}))
	defer bad.Close()
	if err := query(bad); !errors.Is(err, driver.ErrBadConn) {
		t.Fatal(err)
	}
	within := sql.OpenDB(c.Connector(&stale{bad: map[int]bool{2: true}}))
	defer within.Close()
	if err := query(within); err != nil {
		t.Fatal(err)
	}
	tx, err := within.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := query(tx); !errors.Is(err, driver.ErrBadConn) {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Log(err) // database/sql closed the connection
	}
	d.flush(c)
	if spans := d.spans(); len(spans) != 4 {
		t.Errorf("%+v", spans)
	}
}
