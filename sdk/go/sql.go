package gasoline

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"strings"
	"time"
)

// Open is sql.Open with spans of what is asked, for contexts that have a span. Failures are captured in any case.
func (c *Client) Open(driverName, dataSourceName string) (*sql.DB, error) {
	db, err := sql.Open(driverName, dataSourceName)
	if err != nil || !c.on() {
		return db, err
	}
	d := db.Driver()
	if err := db.Close(); err != nil {
		return nil, err
	}
	if dc, ok := d.(driver.DriverContext); ok {
		made, err := dc.OpenConnector(dataSourceName)
		if err != nil {
			return nil, err
		}
		return sql.OpenDB(c.Connector(made)), nil
	}
	return sql.OpenDB(c.Connector(opener{d, dataSourceName})), nil
}

// opener is the connector of a driver that has none.
type opener struct {
	driver driver.Driver
	name   string
}

func (o opener) Connect(context.Context) (driver.Conn, error) { return o.driver.Open(o.name) }
func (o opener) Driver() driver.Driver                        { return o.driver }

// Connector wraps a connector for sql.OpenDB. Connections have an Unwrap method for sql.Conn.Raw.
func (c *Client) Connector(inner driver.Connector) driver.Connector {
	if !c.on() {
		return inner
	}
	return &connector{inner, &database{client: c, system: systemOf(inner.Driver())}}
}

// database is what the spans of one connector have in common.
type database struct {
	client *Client
	system string
}

// systems are the names of databases as drivers' types and packages contain them, and as OpenTelemetry writes them.
var systems = [][2]string{
	{"sqlite", "sqlite"}, {"pgx", "postgresql"}, {"postgres", "postgresql"}, {"lib/pq", "postgresql"},
	{"mysql", "mysql"}, {"mssql", "microsoft.sql_server"}, {"sqlserver", "microsoft.sql_server"},
	{"clickhouse", "clickhouse"}, {"oracle", "oracle.db"}, {"godror", "oracle.db"}, {"snowflake", "snowflake"},
	{"duckdb", "duckdb"}, {"pq.", "postgresql"},
}

func systemOf(d driver.Driver) string {
	t := reflect.TypeOf(d)
	if t == nil {
		return "other_sql"
	}
	name := t.String()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name = strings.ToLower(t.PkgPath() + " " + name)
	for _, s := range systems {
		if strings.Contains(name, s[0]) {
			return s[1]
		}
	}
	return "other_sql"
}

const maxQuery = 4 << 10 // bytes of a query

// call is a use of the database that is under way.
type call struct {
	db    *database
	ctx   context.Context
	start time.Time
	query string
	verb  string
	span  *Span
	again bool // database/sql asks another connection when this one is bad
}

// begin starts a call. Without a span in ctx there is one only when it fails.
func (db *database) begin(ctx context.Context, verb, query string) call {
	k := call{db: db, ctx: ctx, verb: verb, query: query}
	if !db.client.on() {
		return k
	}
	k.start = time.Now()
	if l := fromContext(ctx); l != nil && l.span != nil {
		_, k.span = db.client.begin(ctx, k.name(), clientSpan, k.attributes())
	}
	return k
}

func (k *call) name() string {
	if k.query == "" {
		return k.verb
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(k.query), " ")
	word = strings.ToUpper(clip(word, 24))
	if table := tableOf(word, rest); table != "" {
		return word + " " + table
	}
	return word
}

// tableOf returns the name behind FROM, INTO or UPDATE.
func tableOf(word, rest string) string {
	fields := strings.Fields(clip(rest, 512))
	if word == "UPDATE" && len(fields) > 0 {
		return clip(strings.Trim(fields[0], "\"`[]"), 64)
	}
	for i := 0; i+1 < len(fields); i++ {
		if f := strings.ToUpper(fields[i]); (f == "FROM" || f == "INTO") && fields[i+1][0] != '(' {
			name, _, _ := strings.Cut(fields[i+1], "(")
			return clip(strings.Trim(name, "\"`[];,)"), 64)
		}
	}
	return ""
}

func (k *call) attributes() []Attr {
	out := []Attr{String("db.system.name", k.db.system)}
	if k.query != "" {
		out = append(out, String("db.query.text", clip(k.query, maxQuery)))
	}
	return out
}

// end ends the call's span with its error. What database/sql asks the driver for in another way then, or another
// connection for, and the end of rows, are no errors.
func (k *call) end(err error) {
	if k.again && errors.Is(err, driver.ErrBadConn) {
		return
	}
	if err != nil && (errors.Is(err, driver.ErrSkip) || errors.Is(err, io.EOF)) {
		if errors.Is(err, driver.ErrSkip) {
			return
		}
		err = nil
	}
	c := k.db.client
	if k.span == nil && err != nil && c.on() && !k.start.IsZero() {
		l := fromContext(k.ctx)
		if !c.admits(l) && !c.errors.pass(time.Now()) {
			return
		}
		if l != nil && l.Valid() && !l.Sampled {
			return
		}
		s := &Span{client: c, name: k.name(), kind: clientSpan, start: k.start, attributes: k.attributes()}
		s.local.SpanID, s.local.Sampled, s.local.TraceID = newSpanID(), true, newTraceID()
		if l != nil && l.Valid() {
			s.local.TraceID, s.parent = l.TraceID, l.SpanID
		}
		k.span = s
	}
	if err != nil {
		k.span.Set(String("error.type", typeName(err)))
		k.span.Error(err)
	}
	k.span.End()
}

type connector struct {
	inner driver.Connector
	db    *database
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	k := c.db.begin(ctx, "connect", "")
	k.span = nil // a connection that works says nothing
	inner, err := c.inner.Connect(ctx)
	if err != nil {
		if l := fromContext(ctx); l != nil && l.span != nil {
			_, k.span = c.db.client.begin(ctx, "connect", clientSpan, k.attributes())
		}
		k.end(err)
		return nil, err
	}
	return &conn{inner: inner, db: c.db}, nil
}

func (c *connector) Driver() driver.Driver { return c.inner.Driver() }

// Close is for sql.DB.Close.
func (c *connector) Close() error {
	if closer, ok := c.inner.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// conn is a connection. For each optional interface that the driver's has not, it does what database/sql does then.
type conn struct {
	inner driver.Conn
	db    *database
	used  bool // it was in the pool: it may have gone bad there
	inTx  bool
}

func (c *conn) begin(ctx context.Context, verb, query string) call {
	k := c.db.begin(ctx, verb, query)
	k.again = c.used && !c.inTx
	return k
}

// Unwrap returns the driver's connection.
func (c *conn) Unwrap() driver.Conn { return c.inner }

func (c *conn) Close() error              { return c.inner.Close() }
func (c *conn) Begin() (driver.Tx, error) { return c.BeginTx(context.Background(), driver.TxOptions{}) }

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	k := c.begin(ctx, "prepare", query)
	k.span = nil
	var s driver.Stmt
	var err error
	if p, ok := c.inner.(driver.ConnPrepareContext); ok {
		s, err = p.PrepareContext(ctx, query)
	} else if s, err = c.inner.Prepare(query); err == nil {
		select {
		case <-ctx.Done():
			s.Close()
			return nil, ctx.Err()
		default:
		}
	}
	if err != nil {
		if l := fromContext(ctx); l != nil && l.span != nil {
			_, k.span = c.db.client.begin(ctx, k.name(), clientSpan, k.attributes())
		}
		k.end(err)
		return nil, err
	}
	out := &stmt{inner: s, conn: c, query: query}
	if cc, ok := s.(driver.ColumnConverter); ok { //nolint:staticcheck // drivers have it
		return struct {
			*stmt
			driver.ColumnConverter
		}{out, cc}, nil
	}
	return out, nil
}

func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	k := c.begin(ctx, "BEGIN", "")
	var t driver.Tx
	var err error
	if b, ok := c.inner.(driver.ConnBeginTx); ok {
		t, err = b.BeginTx(ctx, opts)
	} else {
		switch {
		case opts.Isolation != driver.IsolationLevel(sql.LevelDefault):
			err = errors.New("sql: driver does not support non-default isolation level")
		case opts.ReadOnly:
			err = errors.New("sql: driver does not support read-only transactions")
		default:
			t, err = c.inner.Begin() //nolint:staticcheck // drivers have it
			if err == nil && ctx.Err() != nil {
				_ = t.Rollback()
				t, err = nil, ctx.Err()
			}
		}
	}
	k.end(err)
	if err != nil {
		return nil, err
	}
	c.inTx = true
	return &tx{t, c, ctx}, nil
}

type tx struct {
	inner driver.Tx
	conn  *conn
	ctx   context.Context
}

func (t *tx) Commit() error {
	k := t.conn.begin(t.ctx, "COMMIT", "")
	err := t.inner.Commit()
	t.conn.inTx = false
	k.end(err)
	return err
}

func (t *tx) Rollback() error {
	k := t.conn.begin(t.ctx, "ROLLBACK", "")
	err := t.inner.Rollback()
	t.conn.inTx = false
	k.end(err)
	return err
}

func (c *conn) Ping(ctx context.Context) error {
	p, ok := c.inner.(driver.Pinger)
	if !ok {
		return nil
	}
	return p.Ping(ctx)
}

func (c *conn) ResetSession(ctx context.Context) error {
	c.used = true
	if r, ok := c.inner.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

func (c *conn) IsValid() bool {
	if v, ok := c.inner.(driver.Validator); ok {
		return v.IsValid()
	}
	return true
}

func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := c.inner.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (res driver.Result, err error) {
	k := c.begin(ctx, "exec", query)
	defer func() { k.end(err) }()
	if e, ok := c.inner.(driver.ExecerContext); ok {
		return e.ExecContext(ctx, query, args)
	}
	e, ok := c.inner.(driver.Execer) //nolint:staticcheck // drivers have it
	if !ok {
		return nil, driver.ErrSkip
	}
	plain, err := unnamed(ctx, args)
	if err != nil {
		return nil, err
	}
	return e.Exec(query, plain)
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	k := c.begin(ctx, "query", query)
	if q, ok := c.inner.(driver.QueryerContext); ok {
		return k.rows(q.QueryContext(ctx, query, args))
	}
	q, ok := c.inner.(driver.Queryer) //nolint:staticcheck // drivers have it
	if !ok {
		return nil, driver.ErrSkip
	}
	plain, err := unnamed(ctx, args)
	if err != nil {
		return k.rows(nil, err)
	}
	return k.rows(q.Query(query, plain))
}

// unnamed returns the arguments for a driver that knows neither names nor contexts.
func unnamed(ctx context.Context, args []driver.NamedValue) ([]driver.Value, error) {
	out := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("sql: driver does not support the use of Named Parameters")
		}
		out[i] = a.Value
	}
	return out, ctx.Err()
}

type stmt struct {
	inner driver.Stmt
	conn  *conn
	query string
}

func (s *stmt) Close() error  { return s.inner.Close() }
func (s *stmt) NumInput() int { return s.inner.NumInput() }

// Exec and Query are there for the interface; database/sql calls those with a context.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

func named(args []driver.Value) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		out[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

func (s *stmt) CheckNamedValue(v *driver.NamedValue) error {
	if n, ok := s.inner.(driver.NamedValueChecker); ok {
		return n.CheckNamedValue(v)
	}
	return s.conn.CheckNamedValue(v)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (res driver.Result, err error) {
	k := s.conn.begin(ctx, "exec", s.query)
	defer func() { k.end(err) }()
	if e, ok := s.inner.(driver.StmtExecContext); ok {
		return e.ExecContext(ctx, args)
	}
	plain, err := unnamed(ctx, args)
	if err != nil {
		return nil, err
	}
	return s.inner.Exec(plain) //nolint:staticcheck // drivers have it
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	k := s.conn.begin(ctx, "query", s.query)
	if q, ok := s.inner.(driver.StmtQueryContext); ok {
		return k.rows(q.QueryContext(ctx, args))
	}
	plain, err := unnamed(ctx, args)
	if err != nil {
		return k.rows(nil, err)
	}
	return k.rows(s.inner.Query(plain)) //nolint:staticcheck // drivers have it
}

// rows ends the call when there are none, or has their end end it.
func (k *call) rows(inner driver.Rows, err error) (driver.Rows, error) {
	if err != nil || inner == nil {
		k.end(err)
		return inner, err
	}
	r := &rows{Rows: inner, call: *k}
	return withScanner(r, inner), nil
}

// rows end the span of their query when they are closed. For each optional interface that the driver's have not, they
// do what database/sql does then.
type rows struct {
	driver.Rows
	call  call
	ended bool
	err   error
}

func (r *rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err
}

func (r *rows) Close() error {
	err := r.Rows.Close()
	if !r.ended {
		r.ended = true
		if r.err == nil {
			r.err = err
		}
		r.call.end(r.err)
	}
	return err
}

func (r *rows) HasNextResultSet() bool {
	n, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && n.HasNextResultSet()
}

func (r *rows) NextResultSet() error {
	n, ok := r.Rows.(driver.RowsNextResultSet)
	if !ok {
		return io.EOF
	}
	err := n.NextResultSet()
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err
}

func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	if t, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return t.ColumnTypeScanType(i)
	}
	return reflect.TypeOf(new(any)).Elem()
}

func (r *rows) ColumnTypeDatabaseTypeName(i int) string {
	if t, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return t.ColumnTypeDatabaseTypeName(i)
	}
	return ""
}

func (r *rows) ColumnTypeLength(i int) (int64, bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return t.ColumnTypeLength(i)
	}
	return 0, false
}

func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypeNullable); ok {
		return t.ColumnTypeNullable(i)
	}
	return false, false
}

func (r *rows) ColumnTypePrecisionScale(i int) (precision, scale int64, ok bool) {
	if t, ok := r.Rows.(driver.RowsColumnTypePrecisionScale); ok {
		return t.ColumnTypePrecisionScale(i)
	}
	return 0, 0, false
}

// scanner is driver.RowsColumnScanner of newer Go versions.
type scanner interface {
	ScanColumn(dest any, index int) error
}

func withScanner(r *rows, inner driver.Rows) driver.Rows {
	if s, ok := inner.(scanner); ok {
		return struct {
			*rows
			scanner
		}{r, s}
	}
	return r
}
