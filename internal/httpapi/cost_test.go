package httpapi_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// maxCost is what one request may cost, in bytes that are allocated and stored, for each of its own bytes.
var maxCost = 100

const freeBytes = 4 << 20 // of each request

// costly makes requests of a route that say much once and then little many times, which is what makes a small request dear.
type costly struct {
	path string
	head []string // members, each with %s for a text and %d for a number
	body string   // has %[1]s for the heads and %[2]s for the items
	item []string // the same
}

var costlyRequests = []costly{
	{
		path: "/v1/logs",
		head: []string{
			`{"key":"service.name","value":{"stringValue":"%s"}}`, `{"key":"service.version","value":{"stringValue":"%s"}}`,
			`{"key":"service.instance.id","value":{"stringValue":"%s"}}`, `{"key":"deployment.environment","value":{"stringValue":"%s"}}`,
			`{"key":"deployment.environment.name","value":{"arrayValue":{"values":[{"stringValue":"%s"},{"stringValue":"b"}]}}}`,
			`{"key":"gasoline.run","value":{"kvlistValue":{"values":[{"key":"a","value":{"stringValue":"%s"}}]}}}`,
			`{"key":"host.name","value":{"stringValue":"%s"}}`, `{"key":"host.id","value":{"stringValue":"%s"}}`,
			`{"key":"process.pid","value":{"intValue":"%d"}}`,
		},
		body: `{"resourceLogs":[{"resource":{"attributes":[%[1]s]},"schemaUrl":"x","scopeLogs":[{"scope":{"name":"n"},"logRecords":[%[2]s]}]}]}`,
		item: []string{
			`{}`, `{"attributes":[{"key":"a"}]}`, `{"body":{"stringValue":"a"}}`, `{"severityText":"ERROR"}`,
			`{"attributes":[{"key":"exception.type","value":{"stringValue":"E"}}]}`, `{"body":{"arrayValue":{"values":[{},{},{}]}}}`,
			`{"timeUnixNano":"%d"}`,
		},
	},
	{
		path: "/v1/traces",
		head: []string{
			`{"key":"service.name","value":{"stringValue":"%s"}}`, `{"key":"service.version","value":{"stringValue":"%s"}}`,
			`{"key":"host.name","value":{"stringValue":"%s"}}`,
		},
		body: `{"resourceSpans":[{"resource":{"attributes":[%[1]s]},"scopeSpans":[{"scope":{"name":"n"},"spans":[%[2]s]}]}]}`,
		item: []string{
			`{"traceId":"%032d","spanId":"%016d"}`, `{"traceId":"%032d","spanId":"%016d","events":[{},{},{"name":"exception"}]}`,
			`{"traceId":"%032d","spanId":"%016d","links":[{},{}]}`, `{}`,
		},
	},
	{
		path: "/lines",
		head: []string{`"service":"%s"`, `"instance":"%s"`, `"host":"%s"`},
		body: `{"v":1,"source":"run","client":"c","batch":1,"several":true,"finished":true,%[1]s,"lines":[%[2]s]}`,
		item: []string{
			`{"text":"a"}`, `{"text":"ERROR x"}`, `{"text":"p%d | x"}`, `{"text":"Traceback (most recent call last):"}`, `{"text":"  at x (y:1:1)"}`,
			`{"text":"{\"level\":\"error\"}"}`, `{"text":""}`, `{"binary":%d}`,
		},
	},
	{
		path: "/logs",
		head: []string{`"session":"%s"`, `"page_url":"http://localhost/%s"`, `"service":"%s"`},
		body: `{%[1]s,"entries":[%[2]s]}`,
		item: []string{`{"level":"log","message":"a"}`, `{"level":"error"}`, `{"message":"a","args":[1,2,3]}`, `{}`},
	},
	{
		path: "/enhanced-actions",
		head: []string{`"session":"%s"`, `"page_url":"http://localhost/%s"`},
		body: `{%[1]s,"actions":[%[2]s]}`,
		item: []string{`{"type":"click"}`, `{"type":"input","value":"a"}`, `{}`},
	},
}

// No request costs more than a hundred times its bytes, whatever it repeats.
func TestARequestCostsWhatItWeighs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	one := func(list []string, text string) string {
		s := list[random.IntN(len(list))]
		args := make([]any, 0, 3)
		for i := range len(s) - 1 {
			switch {
			case strings.HasPrefix(s[i:], "%s"):
				args = append(args, text)
			case strings.HasPrefix(s[i:], "%d"), strings.HasPrefix(s[i:], "%0"):
				args = append(args, 1+random.IntN(1<<20))
			}
		}
		return fmt.Sprintf(s, args...)
	}
	for _, c := range costlyRequests {
		accepted := 0
		for round := range 25 {
			r := newRig(t)
			heads, items := []string{}, []string{}
			for range 1 + random.IntN([]int{3, 40}[round%2]) {
				text := strings.Repeat("v", []int{1, 10, 100, 4000, 60_000}[random.IntN(5)])
				heads = append(heads, one(c.head, text))
			}
			same := random.IntN(2) == 0
			item := one(c.item, "")
			for range []int{10, 300, 3000}[round%3] {
				if !same {
					item = one(c.item, "")
				}
				items = append(items, item)
			}
			body := fmt.Sprintf(c.body, strings.Join(heads, ","), strings.Join(items, ","))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := r.do(request{method: "POST", path: c.path, body: body, header: asJSON})
			runtime.ReadMemStats(&after)
			if w.Code/100 == 2 {
				accepted++
			}
			if took := int(after.TotalAlloc - before.TotalAlloc); took > freeBytes+maxCost*len(body) {
				t.Errorf("%s, %d heads, %d items such as %s: %d kB of body take %d kB", c.path, len(heads), len(items), item, len(body)>>10, took>>10)
			}
			if kept := r.store.Stats().Bytes; kept > int64(freeBytes+maxCost*len(body)) {
				t.Errorf("%s, %d heads, %d items such as %s: of %d kB of body %d kB are kept", c.path, len(heads), len(items), item, len(body)>>10, kept>>10)
			}
		}
		if accepted < 5 {
			t.Errorf("%s: %d of 25 requests were taken", c.path, accepted)
		}
	}
}
