package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/mcp"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/wire"
)

// envelope is the answer of /tools/{tool} to "Accept: application/vnd.gasoline+json": the text with
// its images, or the problem as agents read it.
type envelope struct {
	Text   string          `json:"text"`
	Images []envelopeImage `json:"images,omitempty"`
	Error  string          `json:"error,omitempty"` // problem code
}

// envelopeImage is one image, base64 in JSON.
type envelopeImage struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

const envelopeType = "application/vnd.gasoline+json"

func (s *Server) tool(w http.ResponseWriter, r *http.Request) error {
	args, err := s.body(r)
	if err != nil {
		return err
	}
	if name := r.PathValue("tool"); !holds(s.bearer(r), Control) && writesFile(args) {
		return problem.New(
			problem.Forbidden,
			"Leave save_to out, or use a token of the scope admin.",
			"a token that only reads may not have %s write files.",
			clip(name),
		)
	}
	uncut, _ := strconv.ParseBool(r.URL.Query().Get("uncut")) // absent or nonsense: no
	return s.call(w, r, r.PathValue("tool"), args, uncut)
}

// readingTools are the tools that a token of the scope query opens.
var readingTools = map[string]bool{"observe": true, "analyze": true}

// writesFile reports whether a call asks for a file, by any spelling that tools take.
func writesFile(args []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) != nil {
		return false // what cannot be read is refused as such
	}
	for name := range fields {
		if catalog.Named(name, "save_to") {
			return true
		}
	}
	return false
}

// generate calls the tool of that name with the format from the path.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) error {
	fields := map[string]any{}
	if err := s.decode(r, &fields); err != nil {
		return err
	}
	if fields == nil { // "null"
		fields = map[string]any{}
	}
	fields["format"] = r.PathValue("format")
	fields["as"] = "json" // the artifact as it is
	args, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return s.call(w, r, "generate", args, true)
}

func (s *Server) call(w http.ResponseWriter, r *http.Request, name string, args []byte, uncut bool) error {
	var tool *catalog.Bound
	var names []string
	for _, t := range s.cfg.Tools {
		names = append(names, t.Name)
		if t.Name == name {
			tool = t
		}
	}
	if tool == nil {
		return problem.New(
			problem.UnknownMode,
			"One of: "+strings.Join(names, ", ")+".",
			"there is no tool %q.",
			clip(name),
		)
	}
	call := catalog.Call{
		Client: session.Requests + "-" + clip(r.Header.Get("X-Gasoline-Client")),
		Name:   clip(r.UserAgent()),
	}
	if folder := r.Header.Get("X-Gasoline-Project"); folder != "" {
		call.Folders = []string{folder}
	}
	if call.Client == session.Requests+"-" {
		call.Client, call.Sessionless = session.Requests, true
	}
	a, p := s.cfg.Calls.Run(r.Context(), tool, call, args, answer.Options{Uncut: uncut})
	if s.cfg.Lost != nil && p == nil && !a.JSON {
		if lost := s.cfg.Lost(call.Client); lost != "" {
			a.Text += "\n" + lost
		}
	}
	if strings.Contains(r.Header.Get("Accept"), envelopeType) {
		e := envelope{Text: a.Text}
		for _, im := range a.Images {
			e.Images = append(e.Images, envelopeImage(im))
		}
		if p != nil {
			e.Error = string(p.Code)
		}
		s.json(w, http.StatusOK, e)
		return nil
	}
	if p != nil {
		return p
	}
	contentType := "text/plain; charset=utf-8"
	if a.JSON {
		contentType = "application/json"
	}
	s.write(w, http.StatusOK, contentType, []byte(a.Text))
	return nil
}

func (s *Server) mcp(w http.ResponseWriter, r *http.Request) error {
	s.cfg.MCP.ServeHTTP(w, r)
	return nil
}

// before returns when a bridge was last in contact with another run of the daemon, which it says as
// "run;milliseconds since 1970"; zero when with none, or with this one.
func (s *Server) before(r *http.Request) time.Time {
	run, at, _ := strings.Cut(r.Header.Get("X-Gasoline-Before"), ";")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || run == s.cfg.Run {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// stream upgrades the connection to raw newline-delimited JSON-RPC and serves it until it ends.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("Upgrade") != wire.StreamProtocol {
		w.Header().Set("Upgrade", wire.StreamProtocol)
		return problem.New(
			problem.InvalidParam,
			`Send "Connection: Upgrade" and "Upgrade: mcp-ndjson".`,
			"/stream is not read without an upgrade.",
		)
	}
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return fmt.Errorf("take over connection: %w", err)
	}
	head := fmt.Sprintf(
		"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\nX-Gasoline-Version: "+
			"%s\r\nX-Gasoline-Run: %s\r\nX-Gasoline-Pid: %d\r\n\r\n",
		wire.StreamProtocol,
		s.cfg.Version,
		s.cfg.Run,
		os.Getpid(),
	)
	if _, err := conn.Write([]byte(head)); err != nil {
		s.cfg.Log.Debug("answer upgrade", "error", err.Error())
		return closeQuietly(conn)
	}
	// Bytes that the client sent behind its request are in buf.
	rwc := &upgraded{Conn: conn, buffered: buf.Reader}
	peer := mcp.Peer{Root: r.Header.Get("X-Gasoline-Project"), PID: r.Header.Get("X-Gasoline-Pid"), Before: s.before(r),
		Undone: r.Header.Get("X-Gasoline-Undone") != "", Toolset: r.Header.Get("X-Gasoline-Toolset")}
	if err := s.cfg.Stream(s.cfg.Context, rwc, peer); err != nil {
		s.cfg.Log.Debug("stream ended", "error", err.Error())
	}
	return closeQuietly(conn)
}
