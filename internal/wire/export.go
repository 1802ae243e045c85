package wire

import "encoding/json"

// Export is the answer of GET /export: the bodies of two requests of OTLP/JSON, absent when they have no records.
type Export struct {
	Logs      json.RawMessage `json:"logs,omitempty" is:"ExportLogsServiceRequest"`    // for /v1/logs
	Traces    json.RawMessage `json:"traces,omitempty" is:"ExportTraceServiceRequest"` // for /v1/traces
	LogCount  int             `json:"log_count"`
	SpanCount int             `json:"span_count"`
	Cursor    string          `json:"cursor"`
	More      bool            `json:"more"`
	Missed    uint64          `json:"missed"` // events that were evicted since the cursor was given out
}
