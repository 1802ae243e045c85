package victorialogs

import (
	"strings"
	"testing"
)

func FuzzRead(f *testing.F) {
	f.Add(`{"_time":"2026-05-04T03:02:01.000000007Z","_stream_id":"s","_msg":"a","severity":"Info2","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}`)
	f.Add("{\"_time\":\"2026-05-04T03:02:01+02:00\",\"_msg\":\"\",\"x\":[1]}\n\n{\"_time\":\"2026-05-04T03:02:01Z\"}\r\n")
	f.Add("remoteAddr: x; requestURI: y; why")
	f.Add(`{"_time":null,"severity_number":1e9}`)
	f.Fuzz(func(t *testing.T, body string) {
		var a answer
		err := a.read(strings.NewReader(body))
		if err == nil && (a.cut || a.bytes < int64(len(strings.TrimSpace(body)))) {
			t.Errorf("of %d bytes %d were read", len(body), a.bytes)
		}
		for _, r := range a.rows {
			if r.Text == "" || r.Time.UnixNano() < 0 || r.Severity < 0 || r.Severity > 24 || (r.Level == "") != (r.Severity == 0) {
				t.Errorf("%+v", r)
			}
		}
	})
}
