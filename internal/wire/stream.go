package wire

// StreamProtocol is the value of the Upgrade header by which a connection becomes a stream (GET /stream).
const StreamProtocol = "mcp-ndjson"

// StreamStopping is the method of the notification by which a daemon that stops ends a stream
// (GET /stream): every request that it began has its answer, and those without one may be sent to the
// next daemon. Clients that do not know it see the stream end.
const StreamStopping = "notifications/gasoline/stopping"

// StreamWarning is the method of a notification for the person at the other end's terminal: the bridge writes its
// [Warning] to stderr and hands it to no client.
const StreamWarning = "notifications/gasoline/warning"

// Warning is the params of StreamWarning.
type Warning struct {
	Text string `json:"text"` // one line, in the daemon's own words
}

// Shutdown is the body of POST /shutdown.
type Shutdown struct {
	// Replaced says that another daemon takes this one's place at once, so that clients go on with it. Without it a person
	// wants no daemon: what is under way ends, and clients start none by themselves.
	Replaced bool `json:"replaced,omitempty"`
}
