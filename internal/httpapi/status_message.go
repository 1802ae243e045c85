package httpapi

import (
	"encoding/base64"
	"encoding/binary"
	"time"
)

// statusMessage returns a google.rpc.Status in protobuf: what OTLP answers when it refuses a request.
func statusMessage(code int, message string) []byte {
	out := binary.AppendUvarint([]byte{1 << 3}, uint64(code))
	return lengthField(out, 2, []byte(message))
}

// retryDetails returns a status with the time after which a call may be repeated, as the trailer of gRPC has it.
func retryDetails(code int, message string, after time.Duration) string {
	delay := lengthField(nil, 1, binary.AppendUvarint([]byte{1 << 3}, uint64(after/time.Second)))
	detail := lengthField(nil, 1, []byte("type.googleapis.com/google.rpc.RetryInfo"))
	detail = lengthField(detail, 2, delay)
	return base64.RawStdEncoding.EncodeToString(lengthField(statusMessage(code, message), 3, detail))
}

// lengthField appends a field of bytes.
func lengthField(dst []byte, number int, data []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(number)<<3|2)
	return append(binary.AppendUvarint(dst, uint64(len(data))), data...)
}
