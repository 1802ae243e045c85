package observe_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

// busyPage is a page with errors of its own: a worker's twice a second, an iframe's, failed images, polls and
// log lines. A checkout fails in it after a click.
func busyPage() string {
	at := float64(testkit.Begin.Add(-30 * time.Second).UnixMilli())
	var exceptions, logs, network, actions, inner []string
	seq, innerSeq := 0, 0
	next := func() int { seq++; return seq }
	for i := range 60 {
		t := at + float64(500*i)
		exceptions = append(exceptions, fmt.Sprintf(
			`{"seq":%d,"t":%f,"type":"Error","message":"analytics worker %d: queue is full","mechanism":"worker","url":"http://localhost:3000/w.js","line":3}`,
			next(),
			t,
			i,
		))
		for j := range 4 {
			logs = append(
				logs,
				fmt.Sprintf(
					`{"seq":%d,"t":%f,"level":"info","message":"tick %d of %d, all is well"}`,
					next(),
					t+float64(100*j),
					j,
					i,
				),
			)
		}
		network = append(
			network,
			fmt.Sprintf(
				`{"seq":%d,"t":%f,"method":"GET","url":"http://localhost:3000/api/poll","status":204,"started":%f,"duration":12,
			"request_size":-1,"response_size":0,"transfer_size":-1,"initiator":{"type":"fetch"},"outcome":"ok"}`,
				next(),
				t+40,
				t+28,
			),
		)
		if i%7 == 0 {
			innerSeq++
			inner = append(inner, fmt.Sprintf(
				`{"seq":%d,"t":%f,"type":"TypeError","message":"ad %d did not fill","mechanism":"onerror","url":"http://localhost:3000/ad.js","line":9}`,
				innerSeq,
				t+70,
				i,
			))
			logs = append(
				logs,
				fmt.Sprintf(
					`{"seq":%d,"t":%f,"level":"error","severity":17,"message":"banner %d is missing"}`,
					next(),
					t+80,
					i,
				),
			)
		}
	}
	click := at + 25_000
	actions = append(actions, fmt.Sprintf(
		`{"seq":%d,"t":%f,"type":"click","by":"user","role":"button","name":"Pay now","locators":[{"kind":"testid","value":"pay","matches":1,"score":0}]}`,
		next(),
		click,
	))
	network = append(
		network,
		fmt.Sprintf(
			`{"seq":%d,"t":%f,"method":"POST","url":"http://localhost:3000/api/pay","status":500,"started":%f,"duration":80,
		"response_body":"{\"error\":\"no such order\",\"order\":8812}","request_size":-1,"response_size":37,"transfer_size":-1,"initiator":{"type":"fetch"},"outcome":"http_error"}`,
			next(),
			click+180,
			click+100,
		),
	)
	exceptions = append(
		exceptions,
		fmt.Sprintf(
			`{"seq":%d,"t":%f,"type":"TypeError","message":"Cannot read properties of undefined (reading 'total')","mechanism":"unhandledrejection",
		"url":"http://localhost:3000/app.js","line":1,"stack":[{"function":"pay","url":"http://localhost:3000/app.js","line":1,"column":12345,"source":"src/checkout/pay.ts","source_line":48,"source_column":13,"in_app":true}]}`,
			next(),
			click+200,
		),
	)
	list := func(xs []string) string { return "[" + strings.Join(xs, ",") + "]" }
	return fmt.Sprintf(
		`{"v":1,"capture_version":"1","session":"s1","version":"1","settings":{"pilot":false,"bodies":true,"grants":["http://localhost/*"],"script_hosts":[],"user_scripts":false},
		"tabs":[{"id":12,"index":0,"window":1,"url":"http://localhost:3000/","title":"Shop","active":true,"focused":true,"granted":true}],
		"groups":[{"tab":12,"frame":0,"document":"D","page_url":"http://localhost:3000/","since":"document_start","exceptions":%s,"logs":%s,"network":%s,"actions":%s},
		{"tab":12,"frame":7,"document":"F","page_url":"http://localhost:3000/ad","since":"document_start","exceptions":%s}]}`,
		list(exceptions),
		list(logs),
		list(network),
		list(actions),
		list(inner),
	)
}

// An agent that knows nothing of the page has the cause of the failing checkout in two calls and 2.5 kB.
func TestAColdAgentFindsTheCauseOnABusyPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		h := testkit.NewDaemon(t, 0)
		if err := h.Sync([]byte(busyPage())); err != nil {
			t.Fatal(err)
		}
		bound := catalog.Bind(observe.Tool, func(c catalog.Call) observe.Env {
			return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
		}, nil)
		var calls calls.Runner
		ask := func(args string) string {
			a, p := calls.Run(
				t.Context(),
				bound,
				catalog.Call{Client: "agent"},
				json.RawMessage(args),
				answer.Options{Fence: "f3"},
			)
			if p != nil {
				t.Fatal(p)
			}
			return a.Text
		}
		first := ask(`{"what":"error_bundles"}`)
		t.Logf("%d bytes\n%s", len(first), first)
		for _, want := range []string{"reading 'total'", "src/checkout/pay.ts:48", `click button "Pay now"`,
			"POST 500", "no such order"} {
			if !strings.Contains(first, want) {
				t.Errorf("the first answer lacks %q", want)
			}
		}
		lines := strings.Split(first, "\n")
		if len(lines) < 4 || !strings.Contains(lines[3], "reading 'total'") {
			t.Errorf("the checkout's error is not the first")
		}
		for _, noise := range []string{"queue is full", "did not fill", "is missing"} {
			if n := strings.Count(first, noise); n != 1 {
				t.Errorf("%q stands %d times, want once", noise, n)
			}
		}
		id, _, _ := strings.Cut(lines[3], " ")
		second := ask(`{"what":"errors","id":"` + id + `"}`)
		if size := len(first) + len(second); size > 2500 {
			t.Errorf("%d and %d bytes, want 2500 in all\n%s\n%s", len(first), len(second), first, second)
		}
	})
}
