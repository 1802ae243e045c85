package collector_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// project is examples/export/gasoline.json with the addresses of a test.
func project(t testing.TB, jaeger, loki store) string {
	t.Helper()
	text, err := os.ReadFile(configs + "gasoline.json")
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("http://127.0.0.1:16686", jaeger.query, "http://127.0.0.1:3100", loki.query).Replace(string(text))
}

const (
	ownTrace    = "4bf92f3577b34da6a3ce929d0e0e4736" // of a request that carried ids of its own
	sharedTrace = "5bf92f3577b34da6a3ce929d0e0e4737" // that two requests of one visit carried, with one span id
	secret      = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
)

// pair writes one of OTLP/JSON.
func pair(key, value string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
}

func resourceOf(name, host string) string {
	return `"resource":{"attributes":[` + pair("service.name", name) + "," + pair("service.instance.id", name+"-1") + "," +
		pair("host.name", host) + `]}`
}

// shop fills a daemon with what a browser and two services did: the second service is on a machine whose clock is 2.7 s
// ahead.
func shop(t testing.TB, d *daemon) {
	t.Helper()
	at := time.Now().Add(-20 * time.Second)
	ms := func(n int) string { return fmt.Sprintf("%d.25", at.UnixMilli()+int64(n)) }
	ns := func(n int) string { return fmt.Sprint(at.Add(time.Duration(n) * time.Millisecond).UnixNano()) }
	here, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	d.post("/sync", `{"v":1,"session":"s-1","tabs":[{"id":5,"url":"http://localhost:3000/","active":true,"focused":true,"granted":true,"status":"complete"}],
		"groups":[{"tab":5,"frame":0,"document":"A1B2C3D4E5F60718293A4B5C6D7E8F90","page_url":"http://localhost:3000/","since":"document_start",
		"logs":[{"seq":1,"t":`+ms(0)+`,"mono":1,"level":"error","message":"cart is odd, key `+secret+`","trace_id":"`+ownTrace+`"}],
		"network":[
		{"seq":2,"t":`+ms(140)+`,"mono":2,"request_id":"q1","method":"POST","url":"http://localhost:3000/api/pay?token=`+secret+`","status":500,"started":`+ms(0)+`,"duration":140,
			"outcome":"http_error","initiator":{"type":"fetch"},"trace_id":"`+ownTrace+`","span_id":"00000000000000a1"},
		{"seq":3,"t":`+ms(60)+`,"mono":3,"request_id":"q2","method":"GET","url":"http://localhost:3000/api/cart","status":200,"started":`+ms(10)+`,"duration":50,
			"outcome":"ok","initiator":{"type":"fetch"},"trace_id":"`+sharedTrace+`","span_id":"00000000000000e1"},
		{"seq":4,"t":`+ms(80)+`,"mono":4,"request_id":"q3","method":"GET","url":"http://localhost:3000/api/user","status":200,"started":`+ms(20)+`,"duration":60,
			"outcome":"ok","initiator":{"type":"fetch"},"trace_id":"`+sharedTrace+`","span_id":"00000000000000e1"}]}]}`)
	span := func(trace, id, parent, name, kind string, from, to int, rest string) string {
		return `{"traceId":"` + trace + `","spanId":"` + id + `","parentSpanId":"` + parent + `","name":"` + name + `","kind":` + kind +
			`,"startTimeUnixNano":"` + ns(from) + `","endTimeUnixNano":"` + ns(to) + `"` + rest + `}`
	}
	http := func(method, path, status string) string {
		return `,"attributes":[` + pair("http.request.method", method) + "," + pair("url.path", path) +
			`,{"key":"http.response.status_code","value":{"intValue":"` + status + `"}},{"key":"cart.sizes","value":{"arrayValue":{"values":[{"intValue":"1"}]}}}]`
	}
	const ahead = 2700
	d.post("/v1/traces", `{"resourceSpans":[{`+resourceOf("web", here)+`,"scopeSpans":[{"scope":{"name":"http"},"spans":[`+strings.Join([]string{
		span(ownTrace, "00000000000000b1", "00000000000000a1", "POST /api/pay", "2", 10, 130, http("POST", "/api/pay", "500")+`,"status":{"code":2}`),
		span(ownTrace, "00000000000000b2", "00000000000000b1", "POST /orders", "3", 20, 120, http("POST", "/orders", "500")+`,"status":{"code":2}`),
		span(sharedTrace, "00000000000000c1", "00000000000000e1", "GET /api/cart", "2", 15, 55, http("GET", "/api/cart", "200")),
		span(sharedTrace, "00000000000000c2", "00000000000000e1", "GET /api/user", "2", 25, 75, http("GET", "/api/user", "200")),
	}, ",")+`]}]},{`+resourceOf("orders", "db-host")+`,"scopeSpans":[{"scope":{"name":"sql"},"spans":[`+strings.Join([]string{
		span(ownTrace, "00000000000000d1", "00000000000000b2", "POST /orders", "2", ahead+30, ahead+110, http("POST", "/orders", "500")+`,"status":{"code":2}`),
		span(ownTrace, "00000000000000d2", "00000000000000d1", "INSERT payments", "3", ahead+40, ahead+100, `,"attributes":[`+
			pair("db.system.name", "sqlite")+","+pair("db.query.text", "INSERT INTO payments VALUES (?)")+`],"status":{"code":2,"message":"NOT NULL constraint failed"},
			"events":[{"timeUnixNano":"`+ns(ahead+99)+`","name":"exception","attributes":[`+pair("exception.type", "SqliteError")+","+
			pair("exception.message", "NOT NULL constraint failed: payments.currency")+`]}]`),
	}, ",")+`]}]}]}`)
	d.post("/v1/logs", `{"resourceLogs":[{`+resourceOf("orders", "db-host")+`,"scopeLogs":[{"scope":{"name":"orders.pay"},"logRecords":[
		{"timeUnixNano":"`+ns(ahead+101)+`","severityNumber":17,"severityText":"ERROR","body":{"stringValue":"charge failed"},"attributes":[`+
		pair("order.id", "o-1")+`],"traceId":"`+ownTrace+`","spanId":"00000000000000d1"},
		{"timeUnixNano":"`+ns(ahead+35)+`","severityNumber":9,"severityText":"INFO","body":{"stringValue":"charging with `+secret+`"},
		"traceId":"`+ownTrace+`","spanId":"00000000000000d1"}]}]}]}`)
}

// shape is a tree without what differs where a page's requests are read back as spans: handles, links, words of summaries.
func shape(d *daemon, of tree) string {
	var out strings.Builder
	for _, n := range of.Nodes {
		service, summary := n.Service, n.Summary
		switch {
		case n.Kind == "exchange":
			service = "browser"
			summary, _, _ = strings.Cut(summary, " ")
		case n.Kind == "span" && service == "browser":
			_, summary, _ = strings.Cut(summary, " ")
			summary, _, _ = strings.Cut(summary, " ")
		case service == "":
			service = "browser"
		}
		if n.Kind != "log" {
			summary += fmt.Sprintf(" %g ms", n.Duration)
		}
		fmt.Fprintf(&out, "%s%s %s: %s failed=%t moved=%g\n", strings.Repeat("  ", n.Depth), service,
			strings.Replace(n.Kind, "exchange", "span", 1), summary, n.Failed, n.Adjusted)
	}
	return out.String()
}

// What a browser and services did goes through the collector to Jaeger and Loki, and a daemon that has nothing but these
// sources tells the same as the one that it comes from.
func TestTheSameTreeIsReadBack(t *testing.T) {
	traces, logs := jaeger(t), loki(t)
	to, _ := collector(t, "collector.yaml", "JAEGER_OTLP="+traces.otlp, "LOKI_OTLP="+logs.otlp)
	from := start(t, project(t, traces, logs)) // which searches there for what failed, and knows its own
	shop(t, from)
	out, err := from.cli("export", "--otlp", to)
	if err != nil || !strings.Contains(out, "gasoline: 3 logs and 9 spans were handed over\n") {
		t.Fatalf("%v: %s", err, out)
	}
	fresh, asItWas := start(t, project(t, traces, logs)), map[string]string{}
	if _, text := fresh.ask("POST", "/tools/observe", `{"what":"timeline","trace":"`+ownTrace+`"}`); !strings.Contains(text, "it is searched for in shop/jaeger, shop/loki") {
		t.Errorf("who asks for what is not here is told %s", text)
	}
	for _, id := range []string{ownTrace, sharedTrace} {
		want, ok := from.trace(id)
		if !ok {
			t.Fatal("the trace is not where it was sent")
		}
		wanted, got := shape(from, want), ""
		asItWas[id] = wanted
		for end := time.Now().Add(40 * time.Second); got != wanted && time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
			if back, ok := fresh.trace(id); ok {
				got = shape(fresh, back)
			}
		}
		if got != wanted {
			sources, _ := fresh.cli("sources")
			t.Errorf("read back:\n%s\nas it was:\n%s\nsources:\n%s", got, wanted, sources)
		}
		t.Logf("\n%s", got)
		back, _ := fresh.trace(id)
		if (want.Cause == nil) != (back.Cause == nil) ||
			want.Cause != nil && (want.Cause.Service != back.Cause.Service || want.Cause.Message != back.Cause.Message) {
			t.Errorf("the cause is %+v, it was %+v", back.Cause, want.Cause)
		}
	}
	for _, text := range []string{ask(t, traces.query+"/api/v3/traces/"+ownTrace), ask(t, logs.query+"/loki/api/v1/query_range?query=%7Bservice_name%3D~%22.%2B%22%7D")} {
		if !strings.Contains(text, "orders") || strings.Contains(text, secret) {
			t.Errorf("a secret has left, or nothing came: %s", text)
		}
	}
	// What a daemon has exported itself does not come back to it.
	until(t, "the daemon has read what it exported", func() bool {
		_, text := from.ask("GET", "/sources", "")
		return strings.Count(text, `"repeated":`)-strings.Count(text, `"repeated":0`) == 2
	})
	for id, was := range asItWas {
		if now, _ := from.trace(id); shape(from, now) != was {
			t.Errorf("what was exported has come back:\n%s\nit was\n%s", shape(from, now), was)
		}
	}
	// What came from a store is not handed on to one.
	if out, err := fresh.cli("export", "--otlp", to); err != nil || !strings.Contains(out, "0 logs and 0 spans") {
		t.Errorf("%v: %s", err, out)
	}
	// Both stores also take what is exported without a collector between.
	for _, args := range [][]string{{logs.otlp, "logs", "4 logs and 0 spans"}, {traces.otlp, "traces", "0 logs and 9 spans"}} {
		if out, err := from.cli("export", "--otlp", args[0], "--signals", args[1]); err != nil || !strings.Contains(out, args[2]) {
			t.Errorf("%v: %s", err, out)
		}
	}
	sources, err := fresh.cli("sources")
	if err != nil || !strings.Contains(sources, "shop/jaeger: idle") || !strings.Contains(sources, "shop/loki: idle") {
		t.Errorf("%v: %s", err, sources)
	}
}
