package collector_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func victoriaLogs(t testing.TB) string {
	t.Helper()
	at := address(t)
	run(t, nil, built(t, "victoria-logs-1.121.0"), "-storageDataPath="+t.TempDir(), "-httpListenAddr="+at, "-inmemoryDataFlushInterval=1s")
	until(t, "VictoriaLogs is ready", func() bool { return answers("http://" + at + "/health") })
	return "http://" + at
}

// The logs of a trace go through the collector to VictoriaLogs, and a daemon that has nothing but this source tells them.
func TestLogsAreReadBackFromVictoriaLogs(t *testing.T) {
	url := victoriaLogs(t)
	to, _ := collector(t, "victorialogs.yaml", "VICTORIALOGS="+url)
	from := start(t, "")
	shop(t, from)
	out, err := from.cli("export", "--otlp", to, "--signals", "logs")
	if err != nil || !strings.Contains(out, "gasoline: 4 logs and 0 spans were handed over\n") {
		t.Fatalf("%v: %s", err, out)
	}
	fresh := start(t, `{"services": {"shop": {"sources": [{"type": "victorialogs", "url": "`+url+`", "query": "service.name:*"}]}}}`)
	logs := func(d *daemon) string {
		var out strings.Builder
		got, _ := d.trace(ownTrace)
		for _, n := range got.Nodes {
			if n.Kind == "log" || n.Kind == "exception" {
				fmt.Fprintf(&out, "%s %s: %s\n", n.Service, n.Kind, n.Summary)
			}
		}
		return out.String()
	}
	got := ""
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		if got = logs(fresh); strings.Count(got, "\n") >= 4 {
			break
		}
	}
	t.Logf("\n%sas it was:\n%s", got, logs(from))
	for _, want := range []string{
		"browser log: error cart is odd, key <stripe_key", "orders log: error charge failed", "orders log: info charging with <stripe_key",
		"orders log: error SqliteError: NOT NULL constraint failed: payments.currency",
	} {
		if !strings.Contains(got, want) {
			sources, _ := fresh.cli("sources")
			t.Errorf("%q is not read back:\n%s%s", want, got, sources)
		}
	}
	if text := ask(t, url+"/select/logsql/query?query=*"); !strings.Contains(text, "orders") || strings.Contains(text, secret) {
		t.Errorf("a secret has left, or nothing came: %s", text)
	}

	// It takes no OTLP in JSON, and who exports to it is told what to do.
	out, err = from.cli("export", "--otlp", url+"/insert/opentelemetry", "--signals", "logs")
	if err == nil || !strings.Contains(out, "json encoding isn't supported") || !strings.Contains(out, "put an OpenTelemetry Collector between") {
		t.Errorf("%v: %s", err, out)
	}
}
