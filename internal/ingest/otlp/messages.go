package otlp

import (
	"fmt"
	"math"
)

// The messages of OTLP as JSON has them: what the OpenAPI document says of the bodies of /v1/logs, /v1/traces and
// /v1/metrics. Nothing is decoded into them, since a walker reads a body in one pass. A test holds the walker to them: it
// reads no member that they have not. What it does not read is there too, because senders may send it.
//
// Names are those of opentelemetry-proto 1.x in lowerCamelCase. Members that are not named here are stepped over.

// Uint64 is a whole number of 64 bits, in a text or as a number.
type Uint64 uint64

// Schema returns what JSON may stand for one.
func (Uint64) Schema() map[string]any {
	return either(
		map[string]any{"type": "string", "pattern": "^" + digitsTo("18446744073709551615") + "$"},
		map[string]any{"type": "integer", "minimum": 0, "maximum": uint64(math.MaxUint64)},
	)
}

// Int64 is a whole number of 64 bits with a sign, in a text or as a number.
type Int64 int64

// Schema returns what JSON may stand for one.
func (Int64) Schema() map[string]any {
	return either(
		map[string]any{"type": "string", "pattern": "^(-?" + digitsTo("9223372036854775807") + "|-9223372036854775808)$"},
		map[string]any{"type": "integer", "minimum": math.MinInt64, "maximum": math.MaxInt64},
	)
}

// Uint32 is a whole number of 32 bits, as a number or in a text.
type Uint32 uint32

// Schema returns what JSON may stand for one.
func (Uint32) Schema() map[string]any {
	return either(
		map[string]any{"type": "integer", "minimum": 0, "maximum": math.MaxUint32},
		map[string]any{"type": "string", "pattern": "^[0-9]{1,10}$"},
	)
}

// Double is a number, or a text for what JSON has no number for.
type Double float64

// Schema returns what JSON may stand for one.
func (Double) Schema() map[string]any {
	return either(
		map[string]any{"type": "number"},
		map[string]any{"type": "string", "enum": []string{"NaN", "Infinity", "-Infinity"}},
	)
}

// SeverityNumber is a severity by its number, from 1 for the least to 24, or by its name.
type SeverityNumber int

// Schema returns what JSON may stand for one.
func (SeverityNumber) Schema() map[string]any { return enumOf(severityNames) }

// SpanKind is the part of a span in its trace, by its number or its name.
type SpanKind int

// Schema returns what JSON may stand for one.
func (SpanKind) Schema() map[string]any { return enumOf(spanKindNames) }

// StatusCode is how a span ended, by its number or its name.
type StatusCode int

// Schema returns what JSON may stand for one.
func (StatusCode) Schema() map[string]any { return enumOf(statusNames) }

// AggregationTemporality is from when the points of a metric count, by its number or its name.
type AggregationTemporality int

// Schema returns what JSON may stand for one.
func (AggregationTemporality) Schema() map[string]any {
	return enumOf([]string{
		"AGGREGATION_TEMPORALITY_UNSPECIFIED", "AGGREGATION_TEMPORALITY_DELTA", "AGGREGATION_TEMPORALITY_CUMULATIVE",
	})
}

// Bytes is base64.
type Bytes string

// Schema returns what JSON may stand for one.
func (Bytes) Schema() map[string]any {
	return map[string]any{"type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/_-]*={0,2}$"}
}

// enumOf describes an enum whose numbers are the indices of its names. Later versions have more numbers.
func enumOf(names []string) map[string]any {
	return either(
		map[string]any{"type": "integer", "minimum": 0, "maximum": math.MaxInt32},
		map[string]any{"type": "string", "enum": names},
	)
}

// digitsTo returns a pattern for the whole numbers up to most, in decimal digits.
func digitsTo(most string) string {
	out := fmt.Sprintf("0*(%s|[0-9]{1,%d}", most, len(most)-1)
	for i, d := range most {
		if d > '0' {
			out += fmt.Sprintf("|%s[0-%c][0-9]{%d}", most[:i], d-1, len(most)-1-i)
		}
	}
	return out + ")"
}

func either(these ...map[string]any) map[string]any { return map[string]any{"anyOf": these} }

// ExportLogsServiceRequest is the body of POST /v1/logs.
type ExportLogsServiceRequest struct {
	ResourceLogs []ResourceLogs `json:"resourceLogs,omitempty"`
}

// ResourceLogs is the logs of one service.
type ResourceLogs struct {
	Resource  *Resource   `json:"resource,omitempty"`
	ScopeLogs []ScopeLogs `json:"scopeLogs,omitempty"`
	SchemaURL string      `json:"schemaUrl,omitempty"`
}

// ScopeLogs is the logs of one logger.
type ScopeLogs struct {
	Scope      *InstrumentationScope `json:"scope,omitempty"`
	LogRecords []LogRecord           `json:"logRecords,omitempty"`
	SchemaURL  string                `json:"schemaUrl,omitempty"`
}

// LogRecord is one log.
type LogRecord struct {
	Time       Uint64         `json:"timeUnixNano,omitempty"`
	Observed   Uint64         `json:"observedTimeUnixNano,omitempty"` // counts when there is no other time
	Severity   SeverityNumber `json:"severityNumber,omitempty"`
	Level      string         `json:"severityText,omitempty"`
	Body       *AnyValue      `json:"body,omitempty"`
	Attributes []KeyValue     `json:"attributes,omitempty"`
	Dropped    Uint32         `json:"droppedAttributesCount,omitempty"`
	Flags      Uint32         `json:"flags,omitempty"`
	TraceID    string         `json:"traceId,omitempty" pattern:"^([0-9A-Fa-f]{32})?$"`
	SpanID     string         `json:"spanId,omitempty" pattern:"^([0-9A-Fa-f]{16})?$"`
	Event      string         `json:"eventName,omitempty"`
}

// ExportTraceServiceRequest is the body of POST /v1/traces.
type ExportTraceServiceRequest struct {
	ResourceSpans []ResourceSpans `json:"resourceSpans,omitempty"`
}

// ResourceSpans is the spans of one service.
type ResourceSpans struct {
	Resource   *Resource    `json:"resource,omitempty"`
	ScopeSpans []ScopeSpans `json:"scopeSpans,omitempty"`
	SchemaURL  string       `json:"schemaUrl,omitempty"`
}

// ScopeSpans is the spans of one instrumentation.
type ScopeSpans struct {
	Scope     *InstrumentationScope `json:"scope,omitempty"`
	Spans     []Span                `json:"spans,omitempty"`
	SchemaURL string                `json:"schemaUrl,omitempty"`
}

// Span is one step of a trace. One without its ids, or with ids of zeros, is refused alone.
type Span struct {
	TraceID           string      `json:"traceId" pattern:"^[0-9A-Fa-f]*[1-9A-Fa-f][0-9A-Fa-f]*$" min:"32" max:"32"`
	SpanID            string      `json:"spanId" pattern:"^[0-9A-Fa-f]*[1-9A-Fa-f][0-9A-Fa-f]*$" min:"16" max:"16"`
	TraceState        string      `json:"traceState,omitempty"`
	Parent            string      `json:"parentSpanId,omitempty" pattern:"^([0-9A-Fa-f]{16})?$"`
	Flags             Uint32      `json:"flags,omitempty"`
	Name              string      `json:"name,omitempty"`
	Kind              SpanKind    `json:"kind,omitempty"`
	Start             Uint64      `json:"startTimeUnixNano,omitempty"`
	End               Uint64      `json:"endTimeUnixNano,omitempty"`
	Attributes        []KeyValue  `json:"attributes,omitempty"`
	DroppedAttributes Uint32      `json:"droppedAttributesCount,omitempty"`
	Events            []SpanEvent `json:"events,omitempty"`
	DroppedEvents     Uint32      `json:"droppedEventsCount,omitempty"`
	Links             []SpanLink  `json:"links,omitempty"`
	DroppedLinks      Uint32      `json:"droppedLinksCount,omitempty"`
	Status            *SpanStatus `json:"status,omitempty"`
}

// SpanEvent is what happened at one time within a span, such as an exception.
type SpanEvent struct {
	Time       Uint64     `json:"timeUnixNano,omitempty"`
	Name       string     `json:"name,omitempty"`
	Attributes []KeyValue `json:"attributes,omitempty"`
	Dropped    Uint32     `json:"droppedAttributesCount,omitempty"`
}

// SpanLink names another span that has to do with one. One without ids is left out.
type SpanLink struct {
	TraceID    string     `json:"traceId,omitempty" pattern:"^([0-9A-Fa-f]{32})?$"`
	SpanID     string     `json:"spanId,omitempty" pattern:"^([0-9A-Fa-f]{16})?$"`
	TraceState string     `json:"traceState,omitempty"`
	Attributes []KeyValue `json:"attributes,omitempty"`
	Dropped    Uint32     `json:"droppedAttributesCount,omitempty"`
	Flags      Uint32     `json:"flags,omitempty"`
}

// SpanStatus is how a span ended.
type SpanStatus struct {
	Code    StatusCode `json:"code,omitempty"`
	Message string     `json:"message,omitempty"`
}

// Resource is the service that gives what stands beside it.
type Resource struct {
	Attributes []KeyValue `json:"attributes,omitempty"`
	Dropped    Uint32     `json:"droppedAttributesCount,omitempty"`
}

// InstrumentationScope is the library that made what stands beside it.
type InstrumentationScope struct {
	Name       string     `json:"name,omitempty"`
	Version    string     `json:"version,omitempty"`
	Attributes []KeyValue `json:"attributes,omitempty"`
	Dropped    Uint32     `json:"droppedAttributesCount,omitempty"`
}

// KeyValue is one attribute.
type KeyValue struct {
	Key   string    `json:"key,omitempty"`
	Value *AnyValue `json:"value,omitempty"`
}

// AnyValue is a value of any type. It has one member, or none for an empty value; of several the last counts.
type AnyValue struct {
	String *string       `json:"stringValue,omitempty"`
	Bool   *bool         `json:"boolValue,omitempty"`
	Int    *Int64        `json:"intValue,omitempty"`
	Double *Double       `json:"doubleValue,omitempty"`
	Array  *ArrayValue   `json:"arrayValue,omitempty"`
	Pairs  *KeyValueList `json:"kvlistValue,omitempty"`
	Bytes  *Bytes        `json:"bytesValue,omitempty"`
}

// ArrayValue is a list of values.
type ArrayValue struct {
	Values []AnyValue `json:"values,omitempty"`
}

// KeyValueList is a map.
type KeyValueList struct {
	Values []KeyValue `json:"values,omitempty"`
}

// ExportMetricsServiceRequest is the body of POST /v1/metrics. Its metrics are counted and left out.
type ExportMetricsServiceRequest struct {
	ResourceMetrics []ResourceMetrics `json:"resourceMetrics,omitempty"`
}

// ResourceMetrics is the metrics of one service.
type ResourceMetrics struct {
	Resource     *Resource      `json:"resource,omitempty"`
	ScopeMetrics []ScopeMetrics `json:"scopeMetrics,omitempty"`
	SchemaURL    string         `json:"schemaUrl,omitempty"`
}

// ScopeMetrics is the metrics of one meter.
type ScopeMetrics struct {
	Scope     *InstrumentationScope `json:"scope,omitempty"`
	Metrics   []Metric              `json:"metrics,omitempty"`
	SchemaURL string                `json:"schemaUrl,omitempty"`
}

// Metric is one metric with its points. It has one of the five kinds of points.
type Metric struct {
	Name                 string                `json:"name,omitempty"`
	Description          string                `json:"description,omitempty"`
	Unit                 string                `json:"unit,omitempty"`
	Gauge                *Gauge                `json:"gauge,omitempty"`
	Sum                  *Sum                  `json:"sum,omitempty"`
	Histogram            *Histogram            `json:"histogram,omitempty"`
	ExponentialHistogram *ExponentialHistogram `json:"exponentialHistogram,omitempty"`
	Summary              *Summary              `json:"summary,omitempty"`
	Metadata             []KeyValue            `json:"metadata,omitempty"`
}

// Gauge is values as they are.
type Gauge struct {
	Points []NumberDataPoint `json:"dataPoints,omitempty"`
}

// Sum is values that add up.
type Sum struct {
	Points      []NumberDataPoint      `json:"dataPoints,omitempty"`
	Temporality AggregationTemporality `json:"aggregationTemporality,omitempty"`
	Monotonic   bool                   `json:"isMonotonic,omitempty"`
}

// Histogram is counts of values by their bounds.
type Histogram struct {
	Points      []HistogramDataPoint   `json:"dataPoints,omitempty"`
	Temporality AggregationTemporality `json:"aggregationTemporality,omitempty"`
}

// ExponentialHistogram is counts of values by bounds that grow by one factor.
type ExponentialHistogram struct {
	Points      []ExponentialHistogramDataPoint `json:"dataPoints,omitempty"`
	Temporality AggregationTemporality          `json:"aggregationTemporality,omitempty"`
}

// Summary is quantiles of values.
type Summary struct {
	Points []SummaryDataPoint `json:"dataPoints,omitempty"`
}

// Point is what points of all kinds have.
type Point struct {
	Attributes []KeyValue `json:"attributes,omitempty"`
	Start      Uint64     `json:"startTimeUnixNano,omitempty"`
	Time       Uint64     `json:"timeUnixNano,omitempty"`
	Flags      Uint32     `json:"flags,omitempty"`
}

// NumberDataPoint is one value.
type NumberDataPoint struct {
	Point
	Double    *Double    `json:"asDouble,omitempty"`
	Int       *Int64     `json:"asInt,omitempty"`
	Exemplars []Exemplar `json:"exemplars,omitempty"`
}

// HistogramDataPoint is one histogram.
type HistogramDataPoint struct {
	Point
	Count     Uint64     `json:"count,omitempty"`
	Sum       *Double    `json:"sum,omitempty"`
	Counts    []Uint64   `json:"bucketCounts,omitempty"`
	Bounds    []Double   `json:"explicitBounds,omitempty"`
	Exemplars []Exemplar `json:"exemplars,omitempty"`
	Min       *Double    `json:"min,omitempty"`
	Max       *Double    `json:"max,omitempty"`
}

// ExponentialHistogramDataPoint is one histogram whose bounds grow by one factor.
type ExponentialHistogramDataPoint struct {
	Point
	Count         Uint64     `json:"count,omitempty"`
	Sum           *Double    `json:"sum,omitempty"`
	Scale         int32      `json:"scale,omitempty"`
	ZeroCount     Uint64     `json:"zeroCount,omitempty"`
	Positive      *Buckets   `json:"positive,omitempty"`
	Negative      *Buckets   `json:"negative,omitempty"`
	Exemplars     []Exemplar `json:"exemplars,omitempty"`
	Min           *Double    `json:"min,omitempty"`
	Max           *Double    `json:"max,omitempty"`
	ZeroThreshold Double     `json:"zeroThreshold,omitempty"`
}

// Buckets is the counts on one side of zero.
type Buckets struct {
	Offset int32    `json:"offset,omitempty"`
	Counts []Uint64 `json:"bucketCounts,omitempty"`
}

// SummaryDataPoint is the quantiles at one time.
type SummaryDataPoint struct {
	Point
	Count     Uint64     `json:"count,omitempty"`
	Sum       Double     `json:"sum,omitempty"`
	Quantiles []Quantile `json:"quantileValues,omitempty"`
}

// Quantile is the value that so many are not above.
type Quantile struct {
	Quantile Double `json:"quantile,omitempty"` // 0 to 1
	Value    Double `json:"value,omitempty"`
}

// Exemplar is one value that was measured, with the span in which it was.
type Exemplar struct {
	Attributes []KeyValue `json:"filteredAttributes,omitempty"`
	Time       Uint64     `json:"timeUnixNano,omitempty"`
	Double     *Double    `json:"asDouble,omitempty"`
	Int        *Int64     `json:"asInt,omitempty"`
	SpanID     string     `json:"spanId,omitempty" pattern:"^([0-9A-Fa-f]{16})?$"`
	TraceID    string     `json:"traceId,omitempty" pattern:"^([0-9A-Fa-f]{32})?$"`
}

// ExportLogsServiceResponse answers POST /v1/logs; it is empty when all was taken.
type ExportLogsServiceResponse struct {
	Partial *ExportLogsPartialSuccess `json:"partialSuccess,omitempty"`
}

// ExportLogsPartialSuccess says what was not taken. Without refused logs its message is a warning.
type ExportLogsPartialSuccess struct {
	Rejected Int64  `json:"rejectedLogRecords"`
	Message  string `json:"errorMessage"`
}

// ExportTraceServiceResponse answers POST /v1/traces; it is empty when all was taken.
type ExportTraceServiceResponse struct {
	Partial *ExportTracePartialSuccess `json:"partialSuccess,omitempty"`
}

// ExportTracePartialSuccess says what was not taken. Without refused spans its message is a warning.
type ExportTracePartialSuccess struct {
	Rejected Int64  `json:"rejectedSpans"`
	Message  string `json:"errorMessage"`
}

// ExportMetricsServiceResponse answers POST /v1/metrics.
type ExportMetricsServiceResponse struct {
	Partial *ExportMetricsPartialSuccess `json:"partialSuccess,omitempty"`
}

// ExportMetricsPartialSuccess says what was not taken.
type ExportMetricsPartialSuccess struct {
	Rejected Int64  `json:"rejectedDataPoints"`
	Message  string `json:"errorMessage"`
}
