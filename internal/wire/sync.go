// Package wire is the JSON on the daemon's port, field for field. TypeScript types are generated
// from it (schema/ts/wire.gen.ts), the OpenAPI document as well, and schema/fixtures holds examples
// that Go and TypeScript tests both read.
//
// Readers ignore unknown fields and senders may add some. Times are epoch milliseconds as floats
// ("t") beside performance.now milliseconds ("mono"); sizes are bytes; -1 means unknown. The
// package holds declarations only.
package wire

import "encoding/json"

// Version is the "v" of every envelope.
const Version = 1

// Sync is the body of POST /sync: everything that one browser profile has to say.
type Sync struct {
	V              int                `json:"v"`
	CaptureVersion string             `json:"capture_version"`
	Session        string             `json:"session"`        // one browser profile's run, ≤ 64 characters
	Version        string             `json:"version"`        // of the extension
	Sent           float64            `json:"sent,omitempty"` // epoch ms at sending, by the sender's clock; corrects its times
	Settings       *ExtensionSettings `json:"settings,omitempty"`
	Tabs           []Tab              `json:"tabs,omitempty"` // all tabs that the extension may see; absent means unchanged
	Groups         []Group            `json:"groups,omitempty"`
	Results        []Result           `json:"results,omitempty"` // as POST /query-result, idempotent by id
}

// ExtensionSettings is what the user decided in the extension. Only the extension enforces it.
type ExtensionSettings struct {
	Pilot bool `json:"pilot"` // AI Web Pilot: agents may act in all pages
	// Origins where agents may act while they may not act everywhere, such as "https://app.example"; at most 100.
	PilotSites  []string `json:"pilot_sites,omitempty"`
	Bodies      bool     `json:"bodies"`       // request and response bodies are captured
	Grants      []string `json:"grants"`       // origin patterns that are captured, such as "http://localhost/*"
	ScriptHosts []string `json:"script_hosts"` // origins outside loopback where execute_js was granted
	UserScripts bool     `json:"user_scripts"` // chrome.userScripts can be used
	// Chrome shows the extension every request: also those of workers, headers that pages are not shown, and the names of
	// failures. Absent means false.
	NetworkDetail bool   `json:"network_detail,omitempty"`
	LastError     string `json:"last_error,omitempty"`
	Name          string `json:"name,omitempty"` // of the browser profile, as the user sees it
}

// Tab is one tab of the browser.
type Tab struct {
	ID        int    `json:"id"`
	Index     int    `json:"index"`
	Window    int    `json:"window"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Active    bool   `json:"active"`
	Focused   bool   `json:"focused,omitempty"` // active tab of the window that was focused last
	Discarded bool   `json:"discarded,omitempty"`
	Status    string `json:"status,omitempty"` // loading, complete
	Granted   bool   `json:"granted"`          // its origin is captured
	CSP       string `json:"csp,omitempty"`    // none, script_exec, page_blocked
	Stale     bool   `json:"stale,omitempty"`  // capture needs a reload of the page

	// NoPageScript says where the capture's script in the page's own world is missing, so that console, exceptions,
	// sockets and bodies are not captured: page, or frames when the page itself has it.
	NoPageScript string `json:"no_page_script,omitempty"`
}

// Group is what happened in one document. The extension's worker stamps tab, frame and document
// from the sender of the message; a page cannot choose them.
type Group struct {
	Tab           int              `json:"tab"`
	Frame         int              `json:"frame"`
	Document      string           `json:"document"`
	PageURL       string           `json:"page_url"`
	Since         string           `json:"since"`             // document_start, or late
	Dropped       map[string]int   `json:"dropped,omitempty"` // by kind: lost before they could be sent
	Logs          []Log            `json:"logs,omitempty"`
	Exceptions    []Exception      `json:"exceptions,omitempty"`
	Network       []Exchange       `json:"network,omitempty"`
	Waterfall     []ResourceTiming `json:"waterfall,omitempty"`
	WebSocket     []Message        `json:"websocket,omitempty"`
	Actions       []Action         `json:"actions,omitempty"`
	DOM           []DOM            `json:"dom,omitempty"`
	Lifecycle     []Lifecycle      `json:"lifecycle,omitempty"`
	Performance   []Performance    `json:"performance,omitempty"`
	ExtensionLogs []ExtensionLog   `json:"extension_logs,omitempty"`
	Marks         []Mark           `json:"marks,omitempty"`
}

// SyncAnswer answers POST /sync. Events over a limit are acknowledged and counted in dropped.
type SyncAnswer struct {
	Ack      map[string]uint64 `json:"ack"`     // document → highest seq up to which all are stored or refused
	Dropped  map[string]int    `json:"dropped"` // by kind: refused by a limit in this request
	Settings DaemonSettings    `json:"settings"`
	Agents   []Agent           `json:"agents"`
	Insecure string            `json:"insecure,omitempty"` // origin of the server whose pages are shown without their policy
	Server   Server            `json:"server"`
}

// Agent is a client of the daemon as the user of one browser sees it.
type Agent struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`    // of its program, ≤ 64 characters
	Project string `json:"project,omitempty"` // name of its project's folder, ≤ 64 characters
	Tab     int    `json:"tab,omitempty"`     // its tab in use in this browser
}

// Tracking is the body of POST /tracking: which tab the user wants agents to use. Without use and release it only asks.
type Tracking struct {
	Session string `json:"session"`
	Agent   string `json:"agent,omitempty"`   // id of the one that is meant; absent: all
	Use     int    `json:"use,omitempty"`     // tab that becomes the one in use
	Release int    `json:"release,omitempty"` // tab that is the one in use no longer
}

// TrackingAnswer answers POST /tracking with what is so afterwards.
type TrackingAnswer struct {
	Agents   []Agent `json:"agents"`
	Insecure string  `json:"insecure,omitempty"` // as in SyncAnswer
}

// DaemonSettings is what the daemon asks of the extension. Nothing here can switch the pilot or
// bodies on.
type DaemonSettings struct {
	Salt      string `json:"salt"`       // keys what pages mask; the worker keeps it
	BodyLimit int    `json:"body_limit"` // bytes of a captured body
}

// Server names the daemon.
type Server struct {
	Name    string  `json:"name"` // "gasoline"
	Version string  `json:"version"`
	Run     string  `json:"run"` // changes with each start
	Time    float64 `json:"time"`
}

// PairRequest is the body of POST /pair/key: a program that has the token asks for a browser's key.
type PairRequest struct {
	Session string `json:"session" min:"1" max:"64"` // of the browser profile
	Name    string `json:"name,omitempty"`
	KeyID   string `json:"key_id,omitempty"` // the key that the browser had before, which ends
}

// PairKey answers POST /pair/key.
type PairKey struct {
	KeyID string `json:"key_id"`
	Key   string `json:"key"` // 64 hexadecimal digits
}

// PairCode answers POST /pair/code: what the user pastes into the extension's popup. It is good once.
type PairCode struct {
	Code    string `json:"code"`       // 8 characters that name it, then 24 that are secret
	Seconds int    `json:"expires_in"` // from now
}

// PairProof is the body of POST /pair: a browser shows that it knows a code, without sending it.
type PairProof struct {
	CodeID  string `json:"code_id" min:"8" max:"8"` // first 8 characters of the code
	Nonce   string `json:"nonce" pattern:"^[0-9a-f]{64}$"`
	MAC     string `json:"mac" pattern:"^[0-9a-f]{64}$"` // HMAC-SHA-256 of the nonce by the code's secret
	Session string `json:"session" min:"1" max:"64"`
	Name    string `json:"name,omitempty"`
	KeyID   string `json:"key_id,omitempty"` // the key that the browser had before, which ends
}

// PairAnswer answers POST /pair.
type PairAnswer struct {
	KeyID  string `json:"key_id"`
	Nonce  string `json:"nonce"`  // of the daemon
	Sealed string `json:"sealed"` // the browser's key, hidden by the code's secret
	MAC    string `json:"mac"`    // that the daemon sealed it
}

// NativeRequest is what the extension writes to the native messaging host.
type NativeRequest struct {
	Port    int    `json:"port"`
	Session string `json:"session"`
	Name    string `json:"name,omitempty"`
	KeyID   string `json:"key_id,omitempty"`
}

// NativeAnswer is what the native messaging host writes back: a key, or why there is none.
type NativeAnswer struct {
	KeyID   string       `json:"key_id,omitempty"`
	Key     string       `json:"key,omitempty"`
	Problem *ProblemBody `json:"problem,omitempty"` // code foreign_port, no_daemon, or another
}

// Poll is the answer of GET /pending-queries.
type Poll struct {
	Commands []Command `json:"commands"`
	Cancel   []string  `json:"cancel,omitempty"` // ids of commands to end: nobody waits for them any more
}

// Command is one thing that the extension is to do. Its params have the shape of its kind
// (commands.gen.ts).
type Command struct {
	ID            string          `json:"id"`
	CorrelationID string          `json:"correlation_id"`
	Kind          string          `json:"kind"`
	Params        json.RawMessage `json:"params"`
	Tab           int             `json:"tab"`        // 0: the command needs none
	TimeoutMS     float64         `json:"timeout_ms"` // until the deadline, counted from when this was sent
	Client        string          `json:"client,omitempty"`
	Site          string          `json:"site,omitempty"` // origin that the tab's page has to be of where the command acts in it
}

// Result is the body of POST /query-result.
type Result struct {
	ID            string          `json:"id"`
	CorrelationID string          `json:"correlation_id"`
	Session       string          `json:"session,omitempty"`
	Status        string          `json:"status"` // complete, error, timeout, cancelled, interrupted
	Result        json.RawMessage `json:"result,omitempty"`
	Error         *CommandError   `json:"error,omitempty"`
	ElapsedMS     float64         `json:"elapsed_ms,omitempty"`
	Tab           *Tab            `json:"effective_tab,omitempty"` // where it really ran, afterwards
}

// CommandError says why a command failed, in the words of the page.
type CommandError struct {
	Code       string      `json:"code"`
	Message    string      `json:"message"`
	Candidates []Candidate `json:"candidates,omitempty"` // ≤ 8, for ambiguous_target and element_not_found
	Blocker    string      `json:"blocker,omitempty"`    // the element in the way
}

// Candidate is an element that might have been meant.
type Candidate struct {
	Ref      string `json:"ref"`
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"`
	Selector string `json:"selector,omitempty"`
	In       string `json:"in,omitempty"` // where it stands that others of its name do not: row "17 Ada", dialog "Delete?"
	Visible  bool   `json:"visible"`
	Frame    string `json:"frame,omitempty"` // number of its iframe in the order of the document
}

// ResultAnswer answers POST /query-result.
type ResultAnswer struct {
	Status string `json:"status"` // ok, duplicate, unknown
}

// Completed is the answer of GET /completed.
type Completed struct {
	Results []Result `json:"results"`
}
