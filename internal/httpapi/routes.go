package httpapi

import (
	"net/http"

	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/wire"
)

// Route describes one endpoint, for the OpenAPI document.
type Route struct {
	Method string // "" is any
	Path   string
	Doc    string
	Query  []Query
	In     any // zero value of the request's body, or an OTLP; nil when there is none
	Out    any // zero value of the answer's body, or an OTLP; nil when it is no JSON
	Access Access
	Type   string // media types of an answer that is no JSON, or JSON of no declared shape, with commas; else ""
}

// Query is one query parameter.
type Query struct{ Name, Type, Doc string }

// queryLimits are the least and the most that a parameter may be: of a number, or of a text's length.
var queryLimits = map[string][2]int{"session": {1, 64}, "wait": {0, 3600}, "limit": {1, 1000}}

// Limits returns the least and the most of a parameter, by its value or its length; 0, 0 when it has none.
func (q Query) Limits() (low, high int) { return queryLimits[q.Name][0], queryLimits[q.Name][1] }

// Required reports whether the parameter has to be given.
func (q Query) Required() bool { return q.Name == "session" }

type route struct {
	Route
	raw    bool // reads the connection itself: no body limit, no deadline
	handle func(s *Server, w http.ResponseWriter, r *http.Request) error
}

// Routes lists every endpoint in the order of the reference.
func Routes() []Route {
	var out []Route
	for _, r := range routes() {
		out = append(out, r.Route)
	}
	return out
}

func routes() []route {
	session := Query{"session", "string", "the browser profile's run"}
	return []route{
		{
			Route{
				"POST",
				"/sync",
				"Everything that one browser profile has to say; answered at once.",
				nil,
				wire.Sync{},
				wire.SyncAnswer{},
				asBrowser,
				"",
			},
			false,
			(*Server).sync,
		},
		{
			Route{
				"GET",
				"/pending-queries",
				"Long poll for commands.",
				[]Query{
					session,
					{"wait", "integer", "seconds to wait for one, at most 25"},
					{"ack", "string", "comma-separated ids of commands that arrived"},
				},
				nil,
				wire.Poll{},
				asBrowser,
				"",
			},
			false,
			(*Server).pending,
		},
		{
			Route{
				"POST",
				"/query-result",
				"The result of a command; idempotent by id.",
				nil,
				wire.Result{},
				wire.ResultAnswer{},
				asBrowser,
				"",
			},
			false,
			(*Server).result,
		},
		{
			Route{
				"POST",
				"/dom-result",
				"Alias of /query-result.",
				nil,
				wire.Result{},
				wire.ResultAnswer{},
				asBrowser,
				"",
			},
			false,
			(*Server).result,
		},
		{
			Route{
				"GET",
				"/completed",
				"Results of finished commands.",
				[]Query{{"correlation_id", "string", "only this command's"}},
				nil,
				wire.Completed{},
				asBrowser,
				"",
			},
			false,
			(*Server).completed,
		},
		{
			Route{
				"GET",
				"/completed-results",
				"Alias of /completed.",
				[]Query{{"correlation_id", "string", "only this command's"}},
				nil,
				wire.Completed{},
				asBrowser,
				"",
			},
			false,
			(*Server).completed,
		},
		{
			Route{
				"POST",
				"/prove",
				"The daemon proves that it knows a key, before anything is sent to it.",
				nil,
				wire.ProveRequest{},
				wire.ProveAnswer{},
				introduction,
				"",
			},
			false,
			(*Server).prove,
		},
		{
			Route{
				"POST",
				"/pair",
				"Pair a browser that knows a code; it shows that by a proof.",
				nil,
				wire.PairProof{},
				wire.PairAnswer{},
				introduction,
				"",
			},
			false,
			(*Server).pair,
		},
		{
			Route{
				"POST",
				"/pair/code",
				"Make a code that the user pastes into the extension's popup.",
				nil,
				nil,
				wire.PairCode{},
				control,
				"",
			},
			false,
			(*Server).pairCode,
		},
		{
			Route{
				"POST",
				"/pair/key",
				"Make a browser's key, for the native messaging host.",
				nil,
				wire.PairRequest{},
				wire.PairKey{},
				control,
				"",
			},
			false,
			(*Server).pairKey,
		},
		{
			Route{
				"POST",
				"/tracking",
				"Which tab the user wants agents to use; answered with the agents and their tabs.",
				nil,
				wire.Tracking{},
				wire.TrackingAnswer{},
				asBrowser,
				"",
			},
			false,
			(*Server).tracking,
		},
		{
			Route{
				"POST",
				"/tools/{tool}",
				"Call a tool's mode with the same parameters as over MCP.",
				[]Query{{"uncut", "boolean", "no budget"}},
				map[string]any{},
				nil,
				queries,
				"text/plain,application/json",
			},
			false,
			(*Server).tool,
		},
		{
			Route{
				"POST",
				"/generate/{format}",
				"Make an artifact; the format is the mode of the tool generate.",
				nil,
				map[string]any{},
				nil,
				control,
				"text/plain,application/json",
			},
			false,
			(*Server).generate,
		},
		{
			Route{
				"POST",
				"/logs",
				"Console lines and exceptions.",
				nil,
				wire.Logs{},
				wire.Accepted{},
				ingestEvents,
				"",
			},
			false,
			(*Server).ingestRoute,
		},
		{
			Route{"POST", "/network-bodies", "HTTP exchanges.", nil, wire.Bodies{}, wire.Accepted{}, ingestEvents, ""},
			false,
			(*Server).ingestRoute,
		},
		{
			Route{
				"POST",
				"/network-waterfall",
				"Resource timing.",
				nil,
				wire.Waterfall{},
				wire.Accepted{},
				ingestEvents,
				"",
			},
			false,
			(*Server).ingestRoute,
		},
		{
			Route{
				"POST",
				"/websocket-events",
				"WebSocket and EventSource events.",
				nil,
				wire.Frames{},
				wire.Accepted{},
				ingestEvents,
				"",
			},
			false,
			(*Server).ingestRoute,
		},
		{
			Route{"POST", "/enhanced-actions", "User actions.", nil, wire.Actions{}, wire.Accepted{}, ingestEvents, ""},
			false,
			(*Server).ingestRoute,
		},
		{
			Route{
				"POST",
				"/performance-snapshots",
				"Performance snapshots.",
				nil,
				wire.Snapshots{},
				wire.Accepted{},
				ingestEvents,
				"",
			},
			false,
			(*Server).ingestRoute,
		},
		otlpRoute(
			"/v1/logs",
			"Logs of services by OTLP/HTTP: protobuf or JSON, plain or gzip.",
			otlp.ExportLogsServiceRequest{},
			otlp.ExportLogsServiceResponse{},
		),
		otlpRoute(
			"/v1/traces",
			"Spans of services by OTLP/HTTP: protobuf or JSON, plain or gzip.",
			otlp.ExportTraceServiceRequest{},
			otlp.ExportTraceServiceResponse{},
		),
		otlpRoute(
			"/v1/metrics",
			"Metrics by OTLP/HTTP: they are counted and left out.",
			otlp.ExportMetricsServiceRequest{},
			otlp.ExportMetricsServiceResponse{},
		),
		{
			Route{
				"POST",
				"/lines",
				"Text that a program wrote; the daemon reads times, levels and ids from it.",
				nil,
				wire.Lines{},
				wire.LinesAnswer{},
				ingestServices,
				"",
			},
			false,
			(*Server).lines,
		},
		{
			Route{
				"POST",
				"/ingest-port",
				"Open the port on which services of other machines give logs and spans, for a while.",
				nil,
				wire.IngestPort{},
				wire.IngestPortAnswer{},
				control,
				"",
			},
			false,
			(*Server).openIngest,
		},
		{
			Route{
				"POST",
				"/screenshots",
				"Keep an image below the state directory.",
				nil,
				wire.Screenshot{},
				wire.ScreenshotAnswer{},
				ingestEvents,
				"",
			},
			false,
			(*Server).screenshot,
		},
		{
			Route{
				"POST",
				"/films",
				"Pictures of a film of a tab, kept below the state directory.",
				nil,
				wire.Film{},
				wire.FilmAnswer{},
				asBrowser,
				"",
			},
			false,
			(*Server).film,
		},
		{
			Route{
				"POST",
				"/films/begin",
				"The user begins a film of a tab.",
				nil,
				wire.FilmBegin{},
				wire.FilmBegun{},
				asBrowser,
				"",
			},
			false,
			(*Server).beginFilm,
		},
		{
			Route{
				"GET",
				"/snapshot",
				"All captured state in one answer.",
				snapshotQuery,
				nil,
				wire.Snapshot{},
				queries,
				"",
			},
			false,
			(*Server).snapshot,
		},
		{
			Route{
				"POST",
				"/clear",
				"Empty the buffers, or one test's part of them.",
				nil,
				wire.Clear{},
				wire.Cleared{},
				control,
				"",
			},
			false,
			(*Server).clear,
		},
		{
			Route{
				"POST",
				"/test-boundary",
				"Mark the start or end of a test.",
				nil,
				wire.Boundary{},
				wire.BoundaryAnswer{},
				control,
				"",
			},
			false,
			(*Server).boundary,
		},
		{
			Route{
				"GET",
				"/buffers/timeline",
				"All kinds merged in order of time.",
				timelineQuery(),
				nil,
				wire.Timeline{},
				queries,
				"",
			},
			false,
			(*Server).timeline,
		},
		{
			Route{
				"GET",
				"/trace/{id}",
				"One operation through page and services, by its trace id or the handle of one of its events, with the probable cause.",
				nil,
				nil,
				wire.Trace{},
				queries,
				"",
			},
			false,
			(*Server).trace,
		},
		{
			Route{
				"GET",
				"/export",
				"What is kept as requests of OTLP/JSON, the oldest first, to be sent on.",
				exportQuery(),
				nil,
				wire.Export{},
				queries,
				"",
			},
			false,
			(*Server).export,
		},
		{
			Route{
				"GET",
				"/query",
				"Rows of a filter expression.",
				expressionQuery(),
				nil,
				wire.Rows{},
				queries,
				"",
			},
			false,
			(*Server).query,
		},
		{
			Route{
				"POST",
				"/query",
				"Rows of a filter expression.",
				nil,
				wire.Query{},
				wire.Rows{},
				queries,
				"",
			},
			false,
			(*Server).query,
		},
		{
			Route{
				"",
				"/mcp",
				"Model Context Protocol over Streamable HTTP, both generations.",
				nil,
				nil,
				nil,
				ownPages,
				"",
			},
			true,
			(*Server).mcp,
		},
		{
			Route{
				"GET",
				"/stream",
				"Upgrade to mcp-ndjson: newline-delimited JSON-RPC for the stdio bridge.",
				nil,
				nil,
				nil,
				control,
				"",
			},
			true,
			(*Server).stream,
		},
		{
			Route{"GET", "/health", "Whether the daemon runs; more with a token.", nil, nil, wire.Health{}, anyone, ""},
			false,
			(*Server).health,
		},
		{
			Route{"GET", "/doctor", "Readiness checks, each with its fix.", nil, nil, nil, control, "application/json"},
			false,
			(*Server).doctor,
		},
		{
			Route{
				"GET",
				"/sources",
				"What the daemon reads of services by itself, and how each source stands.",
				nil,
				nil,
				wire.Sources{},
				control,
				"",
			},
			false,
			(*Server).sources,
		},
		{
			Route{"GET", "/metrics", "Counters in Prometheus text format.", nil, nil, nil, control, "text/plain"},
			false,
			(*Server).metrics,
		},
		{
			Route{"GET", "/openapi.json", "This interface as OpenAPI 3.1.", nil, nil, nil, control, "application/json"},
			false,
			(*Server).openapi,
		},
		{
			Route{"POST", "/shutdown", "Stop the daemon.", nil, wire.Shutdown{}, map[string]bool{}, control, ""},
			false,
			(*Server).shutdown,
		},
	}
}

func otlpRoute(path, doc string, in, out any) route {
	return route{Route{"POST", path, doc, nil, OTLP{in}, OTLP{out}, ingestServices, ""}, false, (*Server).otlp}
}

// grpcRoutes are the calls of OTLP/gRPC. They are no part of the OpenAPI document, whose requests they do not take.
func grpcRoutes() []route {
	var out []route
	for path := range services {
		out = append(out, route{Route{"POST", path, "", nil, nil, nil, ingestServices, ""}, false, (*Server).grpc})
	}
	return out
}

var snapshotQuery = []Query{
	{"since", "string", "RFC 3339 time"},
	{"test_id", "string", "only this test's"},
	{"worker", "string", "only this worker's"},
}

func timelineQuery() []Query {
	return []Query{
		{"since", "string", "RFC 3339 time, or a duration back such as 30s"}, {"until", "string", "RFC 3339 time"},
		{"kinds", "string", "comma-separated kinds"}, {"trace_id", "string", "only this trace"},
		{
			"test_id",
			"string",
			"only this test",
		}, {"tab", "integer", "only this tab"}, {"service", "string", "only this service"},
		{"action", "string", "only what this action led to"},
		{
			"q",
			"string",
			"text that the event contains",
		}, {"cursor", "string", "continue after this"}, {"limit", "integer", "most events, 1–1000; 100"},
	}
}

func expressionQuery() []Query {
	return []Query{
		{
			"kinds",
			"string",
			"comma-separated kinds",
		}, {"where", "string", "filter expression"}, {"select", "string", "comma-separated fields"},
		{
			"group",
			"string",
			"field to count by",
		}, {"since", "string", "RFC 3339 time, or a duration back such as 30s"},
		{"cursor", "string", "continue after this"}, {"limit", "integer", "most rows, 1–1000; 100"},
	}
}
