package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/otlp"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

// maxUnpackedAtOnce bounds what the requests of an account that are under way take together, in bytes.
const maxUnpackedAtOnce = 2 * otlp.MaxUnpacked

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

var signals = map[string]otlp.Signal{"/v1/logs": otlp.Logs, "/v1/traces": otlp.Traces, "/v1/metrics": otlp.Metrics}

// bodyLimitOf returns how many bytes a request of a path may have on the wire.
func bodyLimitOf(path string) int64 {
	_, isOTLP := signals[path]
	if _, isGRPC := services[path]; isOTLP || isGRPC {
		return otlp.MaxBody + grpcPrefix
	}
	return maxBody
}

// mostAtFirst is how many bytes are made room for before the first of them came.
const mostAtFirst = 256 << 10

// unpack reads a body, at most limit bytes after decompression; size is what it has on the wire, -1 where that is not
// known. The caller calls free when it is done with it.
func unpack(account *account, body io.Reader, size int64, gzipped bool, limit int) (data []byte, free func(), err error) {
	first := int(min(max(size+1, 32<<10), mostAtFirst)) // the end shows behind the last byte
	if gzipped {
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, nil, readError(err)
		}
		body = z
	}
	reserved := int64(0)
	free = func() { account.Add(-reserved) }
	buf := []byte(nil)
	for {
		if len(buf) == cap(buf) {
			more := max(first, cap(buf))
			if account.Add(int64(more)) > maxUnpackedAtOnce {
				account.Add(-int64(more))
				free()
				return nil, nil, problem.New(
					problem.RateLimited,
					"Repeat the request after a second.",
					"the requests under way take %d MB together.",
					maxUnpackedAtOnce>>20,
				)
			}
			reserved += int64(more)
			larger := make([]byte, len(buf), cap(buf)+more)
			copy(larger, buf)
			buf = larger
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > limit:
			free()
			return nil, nil, errTooLarge
		case errors.Is(err, io.EOF):
			return buf, free, nil
		case err != nil:
			free()
			if big := (*http.MaxBytesError)(nil); errors.As(err, &big) {
				return nil, nil, errTooLarge
			}
			return nil, nil, readError(err)
		}
	}
}

// account is how many bytes the bodies of requests take that are under way.
type account = atomic.Int64

type accountKey struct{}

// accountOf returns the account of the port that a request came by: other machines have one of their own, so that bodies
// that never end there keep none of this machine's programs waiting.
func (s *Server) accountOf(r *http.Request) *account {
	if a, ok := r.Context().Value(accountKey{}).(*account); ok {
		return a
	}
	return &s.unpacked
}

var errTooLarge = errors.New("the body is too large")

func tooLargeOTLP() error {
	return problem.New(
		problem.TooLarge,
		"Send smaller batches: set OTEL_BSP_MAX_EXPORT_BATCH_SIZE and OTEL_BLRP_MAX_EXPORT_BATCH_SIZE.",
		"a request of OTLP may have %d MB, and %d MB unpacked.",
		otlp.MaxBody>>20,
		otlp.MaxUnpacked>>20,
	)
}

// OTLP is a body that comes in both encodings of OTLP, by its message in JSON.
type OTLP struct{ Message any }

// otlp takes a request of OTLP/HTTP. It answers in the request's encoding.
func (s *Server) otlp(w http.ResponseWriter, r *http.Request) error {
	media := mediaOf(r)
	encoding := otlp.JSON
	switch media {
	case jsonType:
	case protobufType:
		encoding = otlp.Protobuf
	default:
		s.refuseOTLP(w, r, http.StatusUnsupportedMediaType, problem.New(
			problem.InvalidParam,
			"Send "+protobufType+" or "+jsonType+".",
			"the content type %q is none of OTLP.",
			clip(r.Header.Get("Content-Type")),
		))
		return nil
	}
	answer, err := s.takeOTLP(r, signals[r.URL.Path], encoding)
	if err == nil {
		s.write(w, http.StatusOK, media, answer)
		return nil
	}
	p := problem.From(err)
	if limited := (*ingest.Limited)(nil); errors.As(err, &limited) {
		w.Header().Set("Retry-After", retryAfter(limited))
	}
	s.refuseOTLP(w, r, status(p.Code), p)
	return nil
}

// mediaOf returns a request's media type without its parameters.
func mediaOf(r *http.Request) string {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return media
}

// refuseOTLP writes a problem as OTLP has it: a google.rpc.Status in the request's encoding, JSON when that is none.
func (s *Server) refuseOTLP(w http.ResponseWriter, r *http.Request, status int, p *problem.Problem) {
	s.count(w, p)
	if mediaOf(r) == protobufType {
		s.write(w, status, protobufType, statusMessage(grpcCode(p.Code), sentences(p)))
		return
	}
	s.json(w, status, wire.RPCStatus{Code: grpcCode(p.Code), Message: sentences(p), Problem: problemOut(p)})
}

func (s *Server) takeOTLP(r *http.Request, sig otlp.Signal, encoding otlp.Encoding) ([]byte, error) {
	from := s.from(r) // by the token that was let in, which may end while the body comes
	gzipped, err := isGzipped(r)
	if err != nil {
		return nil, err
	}
	body, free, err := unpack(s.accountOf(r), r.Body, r.ContentLength, gzipped, otlp.MaxUnpacked)
	if errors.Is(err, errTooLarge) {
		err = tooLargeOTLP()
	}
	if err != nil {
		return nil, err
	}
	defer free()
	return s.cfg.OTLP.Take(r.Context(), from, sig, encoding, body)
}

// sentences returns what is wrong and what is to be done.
func sentences(p *problem.Problem) string {
	return strings.TrimSuffix(p.Message, ".") + ". " + p.Fix
}

// The gRPC services of OTLP by their paths.
var services = map[string]otlp.Signal{
	"/opentelemetry.proto.collector.logs.v1.LogsService/Export":       otlp.Logs,
	"/opentelemetry.proto.collector.trace.v1.TraceService/Export":     otlp.Traces,
	"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export": otlp.Metrics,
}

// grpcPrefix is what stands before a message: whether it is packed, and its length.
const grpcPrefix = 5

// The codes of gRPC that are answered; see https://grpc.github.io/grpc/core/md_doc_statuscodes.html.
const (
	grpcCancelled         = 1
	grpcInvalid           = 3
	grpcDeadline          = 4
	grpcPermission        = 7
	grpcResourceExhausted = 8
	grpcUnimplemented     = 12
	grpcInternal          = 13
	grpcUnavailable       = 14
	grpcUnauthenticated   = 16
)

// grpcCode returns the code of gRPC for a problem. What may be repeated is unavailable: exhausted resources are
// not tried again by exporters.
func grpcCode(c problem.Code) int {
	switch c {
	case problem.TooLarge:
		return grpcResourceExhausted
	case problem.RateLimited, problem.QueueFull, problem.Stopping, problem.Stopped:
		return grpcUnavailable
	case problem.Unauthorized:
		return grpcUnauthenticated
	case problem.Forbidden:
		return grpcPermission
	case problem.Internal:
		return grpcInternal
	}
	return grpcInvalid
}

// grpc takes a call of OTLP/gRPC: one message in, one out, the status in the trailer. It needs no more of gRPC
// than HTTP/2 and a frame around the message.
func (s *Server) grpc(w http.ResponseWriter, r *http.Request) error {
	media := mediaOf(r)
	if r.ProtoMajor != 2 || media != "application/grpc" && media != "application/grpc+proto" {
		s.malformed.Add(1)
		s.refuseAs(w, http.StatusUnsupportedMediaType, problem.New(
			problem.InvalidParam,
			"Call it by gRPC with protobuf, or POST to /v1/logs, /v1/traces or /v1/metrics.",
			"this is no call of gRPC.",
		))
		return nil
	}
	w.Header().Set("Content-Type", "application/grpc+proto")
	w.Header().Set("Grpc-Accept-Encoding", "gzip,identity")
	ctx, end := r.Context(), context.CancelFunc(func() {})
	if d, ok := grpcTimeout(r.Header.Get("Grpc-Timeout")); ok {
		ctx, end = context.WithTimeout(ctx, d)
	}
	defer end()
	s.deadline(http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeAnswer)))
	answer, err := s.receive(r.WithContext(ctx))
	code, message := 0, ""
	switch {
	case err == nil:
		var frame [grpcPrefix]byte
		binary.BigEndian.PutUint32(frame[1:], uint32(len(answer)))
		if _, err := w.Write(append(frame[:], answer...)); err != nil {
			s.cfg.Log.Debug("write answer", "error", err.Error())
		}
	case errors.Is(err, context.DeadlineExceeded):
		code, message = grpcDeadline, "the call's deadline has passed"
	case errors.Is(err, context.Canceled):
		code, message = grpcCancelled, "the call was cancelled"
	case errors.Is(err, errPacked):
		code, message = grpcUnimplemented, err.Error()
	default:
		p := problem.From(err)
		s.count(w, p)
		w.Header().Del("Retry-After")
		code, message = grpcCode(p.Code), sentences(p)
		if limited := (*ingest.Limited)(nil); errors.As(err, &limited) {
			w.Header().Set(http.TrailerPrefix+"Grpc-Status-Details-Bin", retryDetails(code, message, limited.RetryAfter))
		}
	}
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(code))
	if message != "" {
		w.Header().Set(http.TrailerPrefix+"Grpc-Message", percent(message))
	}
	return nil
}

var errPacked = errors.New("messages may be packed by gzip only")

// receive reads the one message of a call and takes it.
func (s *Server) receive(r *http.Request) ([]byte, error) {
	from := s.from(r) // as in takeOTLP
	var prefix [grpcPrefix]byte
	if _, err := io.ReadFull(r.Body, prefix[:]); err != nil {
		return nil, broken(err)
	}
	size := binary.BigEndian.Uint32(prefix[1:])
	if size > otlp.MaxBody {
		return nil, tooLargeOTLP()
	}
	gzipped := prefix[0] == 1
	switch packed := r.Header.Get("Grpc-Encoding"); {
	case prefix[0] > 1:
		return nil, broken(errors.New("the frame's first byte is neither 0 nor 1"))
	case gzipped && packed != "gzip":
		return nil, errPacked
	}
	message := io.LimitedReader{R: r.Body, N: int64(size)}
	body, free, err := unpack(s.accountOf(r), &message, -1, gzipped, otlp.MaxUnpacked)
	if errors.Is(err, errTooLarge) {
		err = tooLargeOTLP()
	}
	if err != nil {
		return nil, err
	}
	defer free()
	if rest, err := io.Copy(io.Discard, &message); err != nil || rest > 0 || message.N > 0 {
		return nil, broken(errors.New("the message is not as long as its frame says"))
	}
	if n, err := r.Body.Read(prefix[:1]); n > 0 || !errors.Is(err, io.EOF) {
		return nil, broken(errors.New("a call has one message"))
	}
	return s.cfg.OTLP.Take(r.Context(), from, services[r.URL.Path], otlp.Protobuf, body)
}

func broken(err error) error {
	return problem.New(
		problem.InvalidParam,
		"Send one message in one frame.",
		"the call is not understood: %s.",
		err.Error(),
	)
}

// grpcTimeout reads a timeout such as 500m: at most eight digits and a unit.
func grpcTimeout(s string) (time.Duration, bool) {
	if len(s) < 2 || len(s) > 9 {
		return 0, false
	}
	unit, ok := map[byte]time.Duration{
		'H': time.Hour, 'M': time.Minute, 'S': time.Second, 'm': time.Millisecond, 'u': time.Microsecond,
		'n': time.Nanosecond,
	}[s[len(s)-1]]
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 32)
	if !ok || err != nil {
		return 0, false
	}
	return min(time.Duration(n), 24*time.Hour/unit) * unit, true
}

// percent writes a status message as gRPC wants it.
func percent(s string) string {
	var out bytes.Buffer
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c <= '~' && c != '%' {
			out.WriteByte(c)
		} else {
			out.WriteString("%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15]))
		}
	}
	return out.String()
}
