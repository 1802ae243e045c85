package analysis_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/analysis"
)

func shapeOf(t *testing.T, bodies ...string) *analysis.Shape {
	t.Helper()
	var s analysis.Shape
	for i, b := range bodies {
		var v any
		if err := json.Unmarshal([]byte(b), &v); err != nil {
			t.Fatal(err)
		}
		s.Learn(fmt.Sprint("r", i+1), v)
	}
	return &s
}

func written(ds []analysis.Deviation) (out []string) {
	for _, d := range ds {
		side := func(k analysis.Kind) string { return strings.Join(strings.Fields(k.Type+" "+k.Value+" "+k.ID), " ") }
		out = append(out, fmt.Sprintf("%s %s: %s → %s %d/%d", d.Type, d.Path, side(d.Was), side(d.Now), d.Now.Count, d.Of))
	}
	return out
}

func TestWhatIsNotAsItWasIsADeviation(t *testing.T) {
	for name, c := range map[string]struct {
		bodies []string
		want   []string
	}{
		"nothing":           {[]string{`{"a":1}`, `{"a":2}`, `{"a":2.5}`, `{"a":-1e9}`}, nil},
		"type":              {[]string{`{"a":1}`, `{"a":2}`, `{"a":"3"}`}, []string{`type_change a: number 2 r2 → string "3" r3 1/3`}},
		"boolean":           {[]string{`[true]`, `[false]`, `["no"]`}, []string{`type_change []: boolean false r2 → string "no" r3 1/3`}},
		"structure":         {[]string{`{"a":{"b":1}}`, `{"a":{"b":1}}`, `{"a":[{"b":1}]}`}, []string{`shape_change a: object {1 fields} r2 → array [1 items] r3 1/3`}},
		"body":              {[]string{`[]`, `[]`, `{}`}, []string{`shape_change : array [0 items] r2 → object {0 fields} r3 1/3`}},
		"null":              {[]string{`{"a":1}`, `{"a":null}`, `{"a":1}`}, []string{`null_field a: number 1 r3 → null null r2 1/3`}},
		"null first":        {[]string{`{"a":null}`, `{"a":1}`, `{"a":1}`}, []string{`null_field a: number 1 r3 → null null r1 1/3`}},
		"only null":         {[]string{`{"a":null}`, `{"a":null}`, `{"a":null}`}, nil},
		"null items":        {[]string{`[{"a":null},{"a":1}]`, `[{"a":1},{"a":null}]`, `[{"a":1}]`}, nil},
		"new":               {[]string{`{}`, `{}`, `{}`, `{"a":1}`, `{"a":2}`}, []string{`new_field a:  → number 2 r4 2/5`}},
		"new too soon":      {[]string{`{}`, `{}`, `{"a":1}`, `{"a":2}`}, nil},
		"new and gone":      {[]string{`{}`, `{}`, `{}`, `{"a":1}`, `{}`}, nil},
		"missing":           {[]string{`{"a":1}`, `{"a":1}`, `{"a":2}`, `{}`, `{}`}, []string{`missing_field a: number 2 r3 → r5 2/5`}},
		"missing after two": {[]string{`{"a":1}`, `{"a":1}`, `{}`, `{}`}, nil},
		"optional":          {[]string{`{"a":1}`, `{"a":1}`, `{"a":1}`, `{}`, `{"a":1}`}, nil},
		"missing below what is null": {[]string{`{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":{"a":1}}`, `{"o":null}`},
			[]string{`null_field o: object {1 fields} r3 → null null r4 1/4`}},
		"of an item":    {[]string{`[{"a":1},{}]`, `[{"a":1}]`, `[{"a":1}]`, `[{}]`}, []string{`missing_field [].a: number 1 r3 → r4 1/4`}},
		"an empty list": {[]string{`[{"a":1}]`, `[{"a":1}]`, `[{"a":1}]`, `[]`}, nil},
		"keys are ids": {[]string{`{"17":{"a":1}}`, `{"18":{"a":1}}`, `{"19":{"a":1}}`, `{"20":{"a":"1"}}`},
			[]string{`type_change *.a: number 1 r3 → string "1" r4 1/4`}},
		"a pseudonym":      {[]string{`{"a":1}`, `{"a":2}`, `{"a":"<card#3>"}`, `{"a":"<token:0a1b>"}`}, nil},
		"no pseudonym":     {[]string{`{"a":1}`, `{"a":2}`, `{"a":"<b c#3>"}`}, []string{`type_change a: number 2 r2 → string "<b c#3>" r3 1/3`}},
		"two types":        {[]string{`{"a":1}`, `{"a":"x"}`, `{"a":"y"}`}, []string{`type_change a: string "y" r3 → number 1 r1 1/3`}},
		"a tie":            {[]string{`{"a":1}`, `{"a":"x"}`}, []string{`type_change a: number 1 r1 → string "x" r2 1/2`}},
		"number to object": {[]string{`{"a":1}`, `{"a":2}`, `{"a":{}}`}, []string{`shape_change a: number 2 r2 → object {0 fields} r3 1/3`}},
		"object to number": {[]string{`{"a":{}}`, `{"a":{}}`, `{"a":1}`}, []string{`shape_change a: object {0 fields} r2 → number 1 r3 1/3`}},
		"new id":           {[]string{`{}`, `{}`, `{}`, `{"17":1}`}, nil},
		"id gone":          {[]string{`{"17":1}`, `{"17":1}`, `{"17":1}`, `{}`}, nil},
		"null is missing":  {[]string{`{"a":null}`, `{"a":null}`, `{"a":null}`, `{}`}, []string{`missing_field a: null null r3 → r4 1/4`}},
		"mostly a number":  {[]string{`{"a":"x"}`, `{"a":1}`, `{"a":2}`, `{}`}, []string{`type_change a: number 2 r3 → string "x" r1 1/3`, `missing_field a: number 2 r3 → r4 1/4`}},
		"short pseudonym":  {[]string{`1`, `2`, `"<` + strings.Repeat("a", 60) + `#>"`}, nil},
		"too long for one": {[]string{`1`, `2`, `"<` + strings.Repeat("a", 61) + `#>"`}, []string{`type_change : number 2 r2 → string "<` + strings.Repeat("a", 59) + `"… r3 1/3`}},
	} {
		if got := written(shapeOf(t, c.bodies...).Deviations()); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

func TestALongValueIsCut(t *testing.T) {
	got := shapeOf(t, `1`, `1`, `"`+strings.Repeat("ä", 60)+`"`).Deviations()
	if len(got) != 1 || got[0].Now.Value != `"`+strings.Repeat("ä", 30)+`"…` {
		t.Errorf("%+v", got)
	}
	if got := shapeOf(t, `1`, `1`, `"`+strings.Repeat("a", 60)+`"`).Deviations(); got[0].Now.Value != `"`+strings.Repeat("a", 60)+`"` {
		t.Errorf("%+v", got)
	}
}

func TestFieldsSayWhatWasLearnt(t *testing.T) {
	got := shapeOf(t, `{"a":[{"b":1,"c":null}],"d":{"17":true},"e":1}`, `{"a":[{"b":1,"c":"x"}],"d":{"18":false}}`).Fields()
	want := map[string]string{
		"": "object", "a": "array", "a[]": "object", "a[].b": "number", "a[].c": "null|string", "d": "object", "d.*": "boolean", "e": "number?",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for want, bodies := range map[string][]string{
		"map[:array []:object [].a:number?]":             {`[{"a":1},{"a":1}]`, `[{"a":1},{"a":1}]`, `[{}]`},
		"map[:object a:null|string d:object d.*:number]": {`{"a":"x","d":{"17":1}}`, `{"a":null,"d":{}}`},
	} {
		if got := fmt.Sprint(shapeOf(t, bodies...).Fields()); got != want {
			t.Errorf("%v: %s, want %s", bodies, got, want)
		}
	}
	if n := len(shapeOf(t).Fields()) + len(shapeOf(t).Deviations()) + len(shapeOf(t).Against(want)); n != 0 {
		t.Errorf("nothing was learnt, and %d things are told", n)
	}
}

func TestAShapeIsComparedWithAnEarlierOne(t *testing.T) {
	before := shapeOf(t, `{"a":[{"b":1,"c":null,"n":null}],"e":1,"gone":true,"o":{"x":1},"h":"<card#1>","l":[]}`,
		`{"a":[{"b":1,"c":"x","n":null}],"gone":true,"o":{"x":1},"h":"<card#1>","l":[]}`).Fields()
	for body, want := range map[string][]string{
		`{"a":[{"b":1,"c":"x","n":1}],"gone":true,"o":{"x":1},"h":3,"l":[{"y":1}]}`:   nil,
		`{"a":[],"gone":false,"o":{"x":1},"h":"x","l":[]}`:                            nil,
		`{"a":[{"b":"1","c":null,"n":null}],"gone":true,"o":{"x":1},"h":"x","l":[]}`:  {`type_change a[].b: number → string "1" r1 1/1`},
		`{"a":[{"b":null,"c":null,"n":null}],"gone":true,"o":{"x":1},"h":"x","l":[]}`: {`null_field a[].b: number → null null r1 1/1`},
		`{"a":{},"gone":true,"o":{"x":1},"h":"x","l":[],"e":2}`:                       {`shape_change a: array → object {0 fields} r1 1/1`},
		`{"a":[],"o":{"x":1,"new":{"z":1}},"h":"x","l":[]}`: {
			`missing_field gone: boolean → r1 1/1`, `new_field o.new:  → object {1 fields} r1 1/1`,
		},
		`{"a":[{"c":null,"n":null}],"gone":true,"o":{},"h":"x","l":[]}`: {
			`missing_field a[].b: number → r1 1/1`, `missing_field o.x: number → r1 1/1`,
		},
		`{"a":[],"gone":{},"o":1,"h":"x","l":[]}`: {
			`shape_change gone: boolean → object {0 fields} r1 1/1`, `shape_change o: object → number 1 r1 1/1`,
		},
		`{"a":[],"gone":true,"o":{"x":1,"17":1},"h":"x","l":[]}`: nil,
		`[]`: {`shape_change : object → array [0 items] r1 1/1`},
	} {
		got := written(shapeOf(t, body).Against(before))
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", body, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestWhatIsLearntOfOneEndpointIsBounded(t *testing.T) {
	var wide, deep strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&wide, `,"%c%s":{"a":1}`, 'a'+i%26, strings.Repeat("x", i/26))
	}
	for range 200 {
		deep.WriteString(`{"a":[`)
	}
	deep.WriteString(strings.Repeat("]}", 200))
	body := `{"z":1` + wide.String() + `}`
	s := shapeOf(t, body, body, `{"b":2}`, deep.String(), "["+strings.Repeat(body+",", 20)+"1]")
	if n := len(s.Fields()); n > 1001 {
		t.Errorf("%d fields were learnt", n)
	}
	if d := shapeOf(t, body, body, body, `{"b":2}`).Deviations(); len(d) > 1 { // the keys are data
		t.Errorf("%v", written(d))
	}
	object := func(fields int) string {
		var out []string
		for i := range fields {
			out = append(out, fmt.Sprintf(`"%c%c":[1]`, 'a'+i/26, 'a'+i%26))
		}
		return "{" + strings.Join(out, ",") + "}"
	}
	for fields, want := range map[int]int{64: 129, 65: 1} { // beyond, the keys are data
		if got := len(shapeOf(t, object(fields)).Fields()); got != want {
			t.Errorf("of %d fields %d places are learnt, want %d", fields, got, want)
		}
	}
	nested := func(objects int) string {
		var out []string
		for i := range objects {
			out = append(out, fmt.Sprintf(`"%c":%s`, 'a'+i, object(60)))
		}
		return "{" + strings.Join(out, ",") + "}"
	}
	for range 5 {
		a, b := shapeOf(t, nested(9)), shapeOf(t, nested(9))
		if n := len(a.Fields()); n != 1001 || !a.Full() || !maps.Equal(a.Fields(), b.Fields()) {
			t.Errorf("%d places are learnt, full: %v, or others the next time", n, a.Full())
		}
	}
	if s := shapeOf(t, nested(8)); s.Full() || len(s.Fields()) != 969 {
		t.Errorf("%d places are too many", len(s.Fields()))
	}
}

func TestNamesThatAreValuesAreFolded(t *testing.T) {
	var posts, words []string
	for _, n := range strings.Fields("the-first another-post on-tea on-mugs a-long-way short averyverylongword last-words more-of-it") {
		posts = append(posts, "GET http://x/posts/"+n+"/likes")
	}
	for _, n := range strings.Fields("users orders items carts pens mugs teas posts pages order-lines") {
		words = append(words, "GET http://x/api/"+n)
	}
	got := analysis.FoldSlugs(append(slices.Clone(posts), words...))
	for _, p := range posts {
		if got[p] != "GET http://x/posts/#/likes" {
			t.Errorf("%s became %s", p, got[p])
		}
	}
	for _, w := range words {
		if got[w] != w {
			t.Errorf("%s became %s", w, got[w])
		}
	}
	var long []string
	for i := range 9 {
		long = append(long, "/a/"+strings.Repeat(string(rune('a'+i)), 15+min(i, 5)/5)) // five of fifteen letters, four of sixteen
	}
	if got := analysis.FoldSlugs(long); got[long[0]] != long[0] {
		t.Errorf("words are folded: %v", got)
	}
	long[0] += "b"
	if got := analysis.FoldSlugs(long); got[long[0]] != "/a/#" || got[long[4]] != "/a/#" {
		t.Errorf("names are not folded: %v", got)
	}
	if few := analysis.FoldSlugs(posts[:8]); few[posts[0]] != posts[0] {
		t.Errorf("eight names are folded: %v", few)
	}
}

func TestGraphQLOperations(t *testing.T) {
	var documents analysis.Documents
	for name, c := range map[string]struct {
		body       string
		parameters map[string]string
		want       string
	}{
		"named":                {`{"query":"# of carts\nfragment F on Cart { id }\nquery Cart { cart { ...F } }","operationName":"Cart"}`, nil, "query Cart"},
		"mutation":             {`{"query":"mutation Pay($a: Int) { pay(a: $a) { ok } }","variables":{"a":1}}`, nil, "mutation Pay"},
		"null name":            {`{"query":"{ me { a } b c d }","operationName":null}`, nil, "query { me, b, c }"},
		"chosen":               {`{"query":"query A { a } query B { b }","operationName":"B"}`, nil, "query B"},
		"batch":                {`[{"query":"{ a }"},{"query":"query B { b }"}]`, nil, "query { a }, query B batch"},
		"persisted":            {`{"operationName":"Cart","extensions":{"persistedQuery":{"sha256Hash":"0a"}}}`, nil, " Cart"},
		"document":             {`{"documentId":"17","operationName":"Cart","variables":{}}`, nil, " Cart"},
		"many":                 {"[" + strings.Repeat(`{"query":"{ a }"},`, 49) + `{"query":"{ a }"}]`, nil, strings.Repeat("query { a }, ", 49) + "query { a } batch"},
		"persisted by GET":     {"", map[string]string{"extensions": `{"persistedQuery":{}}`, "operationName": "Cart"}, " Cart"},
		"by GET":               {"", map[string]string{"query": "{ a }", "operationName": ""}, "query { a }"},
		"cut query":            {`{"operationName":"Cart","variables":{},"query":"query Cart { cart {…"}`, nil, " Cart"},
		"a search":             {`{"query":"mugs and pens"}`, nil, ""},
		"a search with braces": {`{"query":"mugs {"}`, nil, ""},
		"an order":             {`{"operationName":"x"}`, nil, ""},
		"a list":               {`[1,2]`, nil, ""},
		"mixed":                {`[{"query":"{ a }"},{"q":1}]`, nil, ""},
		"no JSON":              {`{"query":`, nil, ""},
		"form":                 {`query=%7Ba%7D`, nil, ""},
		"too many":             {"[" + strings.Repeat(`{"query":"{ a }"},`, 50) + `{"query":"{ a }"}]`, nil, ""},
		"too long":             {`{"query":"{ ` + strings.Repeat("a ", 6000) + `}"}`, nil, ""},
	} {
		ops, batch := documents.GraphQL(c.body, c.parameters)
		var words []string
		for _, o := range ops {
			words = append(words, o.Kind+" "+o.Name)
		}
		got := strings.Join(words, ", ")
		if batch && got != "" {
			got += " batch"
		}
		if got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
	}
}

// An app sends thousands of bodies that are no GraphQL: looking at one decodes nothing.
func TestOtherBodiesAreNotDecoded(t *testing.T) {
	var documents analysis.Documents
	body := `{"items":[` + strings.Repeat(`{"sku":"mug","n":1},`, 100) + `{"sku":"last"}]}`
	if n := testing.AllocsPerRun(10, func() { documents.GraphQL(body, nil) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// So does it send one document many times, of which one operation is meant.
func TestOperationsOfOneDocument(t *testing.T) {
	var documents analysis.Documents
	for _, name := range []string{"A", "B", "A"} {
		ops, _ := documents.GraphQL(`{"query":"query A { a } mutation B { b }","operationName":"`+name+`"}`, nil)
		if len(ops) != 1 || ops[0].Name != name {
			t.Errorf("%s: %v", name, ops)
		}
	}
}

func TestEachAnswerOfABatchIsJudged(t *testing.T) {
	for body, want := range map[string]string{
		`[{"data":{}},{"data":null,"errors":[{"message":"no","path":["a",0,"b"]}]}]`: "[{map[data:map[]] false  } {map[data:<nil> errors:[map[message:no path:[a 0 b]]]] true no a[].b}]",
		`{"errors":[{}]}`:                 "[{map[errors:[map[]]] true an error without a message }]",
		`{"data":{"a":1},"errors":["x"]}`: "[{map[data:map[a:1] errors:[x]] false an error without a message }]",
		`[1,{"errors":[]},3]`:             "[{1 false  } {map[errors:[]] false  }]",
	} {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(analysis.GraphQLResults(v, 2, true)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", body, got, want)
		}
	}
	if got := analysis.GraphQLResults([]any{1.0, 2.0}, 1, false); len(got) != 1 || fmt.Sprint(got[0].Body) != "[1 2]" {
		t.Errorf("a list that answers no batch: %v", got)
	}
}

const contract = `openapi: 3.0.3
info: {title: shop, version: "1"}
servers: [{url: "https://shop.example/api/"}, {url: /api}, {url: /v2}]
paths:
  /orders/{id}:
    get:
      responses:
        "200": {description: a, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
        4XX: {description: a, content: {application/json: {schema: {type: object, required: [error]}}}}
        "204": {description: a}
  /orders/open:
    get:
      responses:
        default: {description: a, content: {application/json: {schema: {type: array, items: {type: string}}}}}
  /{kind}/{id}:
    get: {responses: {default: {description: a}}}
  /{kind}/open:
    get: {responses: {default: {description: a}}}
  /orders/{id}/lines/{n}: {get: {responses: {default: {description: a}}}}
  /orders/{id}/lines/new: {get: {responses: {default: {description: a}}}}
  /files/{name}.json:
    get: {responses: {"200": {description: a, content: {text/plain: {schema: {type: string}}}}}}
components:
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: {type: integer}
        lines: {type: array, items: {type: object, properties: {n: {type: number, nullable: true}, size: {type: string, enum: [s, m]}}}}
`

func TestADocumentIsCompared(t *testing.T) {
	c, err := analysis.ReadContract([]byte(contract))
	if err != nil || c.Operations != 7 {
		t.Fatal(c, err)
	}
	for name, x := range map[string]struct {
		method, path string
		status       int
		body, want   string
	}{
		"as it says":      {"GET", "/api/orders/7", 200, `{"id":7,"lines":[{"n":null,"size":"s"}]}`, "true []"},
		"other base":      {"get", "/v2/orders/7", 200, `{"id":7}`, "true []"},
		"no base":         {"GET", "/orders/7", 200, `{}`, "false []"},
		"no id":           {"GET", "/api/orders/", 200, `{}`, "false []"},
		"longer":          {"GET", "/api/orders/7/a", 200, `{}`, "false []"},
		"other method":    {"POST", "/api/orders/7", 200, `{}`, "false []"},
		"type and null":   {"GET", "/api/orders/7", 200, `{"id":"7","lines":[{"n":"1"}]}`, `true [{id integer "7" string} {lines[].n number or null "1" string}]`},
		"missing":         {"GET", "/api/orders/7", 200, `{}`, `true [{id it is required nothing }]`},
		"enum":            {"GET", "/api/orders/7", 200, `{"id":1,"lines":[{"size":"l"}]}`, `true [{lines[].size value is not one of the allowed values ["s","m"] "l" string}]`},
		"hidden":          {"GET", "/api/orders/7", 200, `{"id":"<card#1>"}`, "true []"},
		"class of status": {"GET", "/api/orders/7", 404, `{}`, `true [{error it is required nothing }]`},
		"no such status":  {"GET", "/api/orders/7", 500, `{}`, "false []"},
		"no body":         {"GET", "/api/orders/7", 204, `null`, "true []"},
		"names win":       {"GET", "/api/orders/open", 200, `[1]`, `true [{[] string 1 number}]`},
		"part of a name":  {"GET", "/api/files/a.json", 200, `1`, "true []"},
		"other ending":    {"PUT", "/api/files/a.xml", 200, `1`, "false []"},
	} {
		var v any
		if err := json.Unmarshal([]byte(x.body), &v); err != nil {
			t.Fatal(err)
		}
		found, told, err := c.Check(x.method, x.path, x.status, v)
		slices.SortFunc(found, func(a, b analysis.Breach) int { return strings.Compare(a.Path, b.Path) })
		if got := fmt.Sprint(told, " ", found); got != x.want || err != nil {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, x.want)
		}
	}
	if path, ok := c.Operation("GET", "/api/orders/7"); !ok || path != "/orders/{id}" {
		t.Errorf("%q %v", path, ok)
	}
	for path, want := range map[string]string{
		"/api/orders/7/lines/new": "/orders/{id}/lines/new", "/v2/orders/7/lines/3": "/orders/{id}/lines/{n}", "/api/carts/open": "/{kind}/open",
		"/api/carts/7": "/{kind}/{id}", "/api/orders/open": "/orders/open", "/api/files/a.json": "/files/{name}.json",
	} {
		if got, _ := c.Operation("GET", path); got != want {
			t.Errorf("%s is %s", path, got)
		}
	}
	bare, err := analysis.ReadContract([]byte(strings.Replace(contract, `servers: [{url: "https://shop.example/api/"}, {url: /api}, {url: /v2}]`, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := bare.Operation("GET", "/orders/7"); got != "/orders/{id}" {
		t.Errorf("without servers /orders/7 is %q", got)
	}
	if _, ok := c.Operation("GET", "/nowhere"); ok {
		t.Error("a path that the document does not have is one of its")
	}
	var v any = []any{}
	for i := range 100 {
		v = append(v.([]any), float64(i))
	}
	if found, _, _ := c.Check("GET", "/api/orders/open", 200, v); len(found) != 20 {
		t.Errorf("%d places are told", len(found))
	}
}

// The library that compares stops for nothing, and a repository wrote the document.
func TestADocumentCostsNoMoreThanItMay(t *testing.T) {
	const head = `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"a","content":` +
		`{"application/json":{"schema":{"$ref":"#/components/schemas/S0"}}}}}}}},"components":{"schemas":{`
	chain := func(form string, n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, form, i, i+1)
		}
		return head + out.String() + fmt.Sprintf(`"S%d":{"type":"string"}}}}`, n)
	}
	long := strings.Repeat("x", 100_000)
	numbers := strings.Repeat("1,", 50_000)
	for name, x := range map[string]struct{ document, body string }{
		"each twice the next, one": {chain(`"S%d":{"oneOf":[{"$ref":"#/components/schemas/S%[2]d"},{"$ref":"#/components/schemas/S%[2]d"}]},`, 40), `1`},
		"each twice the next, any": {chain(`"S%d":{"anyOf":[{"$ref":"#/components/schemas/S%[2]d"}]},`, 40), `"a"`},
		"each twice the next, all": {chain(`"S%d":{"allOf":[{"$ref":"#/components/schemas/S%[2]d"},{"$ref":"#/components/schemas/S%[2]d"}]},`, 40), `"a"`},
		"twice for each value": {head + `"S0":{"oneOf":[{"$ref":"#/components/schemas/S1"},{"$ref":"#/components/schemas/S2"}]},` +
			`"S1":{"items":{"$ref":"#/components/schemas/S0"}},"S2":{"items":{"$ref":"#/components/schemas/S0"}}}}}`,
			strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		"many allowed values": {head + `"S0":{"items":{"type":"number","enum":[` + strings.Repeat("2,", 100_000) + `3]}}}}}`, `[` + numbers + `1]`},
		"many names":          {head + `"S0":{"items":{"type":"object","required":[` + strings.Repeat(`"a",`, 100_000) + `"b"]}}}}}`, `[` + strings.Repeat("{},", 9000) + `{}]`},
		"a long pattern":      {head + `"S0":{"type":"string","pattern":"` + strings.Repeat("((a?){30}){30}", 300) + `"}}}}`, `"` + long + `"`},
		"unique items, again": {head + `"S0":{"anyOf":[` + strings.Repeat(`{"type":"array","uniqueItems":true},`, 3000) + `{}]}}}}`, `[` + numbers + `1]`},
	} {
		c, err := analysis.ReadContract([]byte(x.document))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(x.body), &v); err != nil {
			t.Fatal(err)
		}
		if found, told, err := c.Check("GET", "/a", 200, v); !errors.Is(err, analysis.ErrCostly) || !told || found != nil {
			t.Errorf("%s: %v %v %v", name, len(found), told, err)
		}
	}
	wide := strings.Replace(head, `"paths"`, `"servers":[`+servers(2000)+`],"paths"`, 1)
	paths := `"/a":{`
	var more strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&more, `"/a%d":{"get":{"responses":{}}},`, i)
	}
	wide = strings.Replace(wide, paths, more.String()+paths, 1) + `"S0":{}}}}`
	if c, err := analysis.ReadContract([]byte(wide)); err == nil || !strings.Contains(err.Error(), "more than 100000 operations") {
		t.Errorf("2000 operations at 2000 servers: %v %v", c != nil, err)
	}
	for n, refused := range map[int]bool{190: false, 200: true, 9000: true} {
		deep := head + `"S0":` + strings.Repeat(`{"not":`, n) + `{"description":"]}\"]}"}` + strings.Repeat("}", n) + `}}}`
		if _, err := analysis.ReadContract([]byte(deep)); (err != nil) != refused || err != nil && !strings.Contains(err.Error(), "more than 200 values within each other") {
			t.Errorf("%d within each other: %v", n, err)
		}
	}
	dense := `"x-a":[` + strings.Repeat("[],", 400_000) + `1]`
	if _, err := analysis.ReadContract([]byte(head[:1] + dense + "," + head[1:] + `"S0":{}}}}`)); err != nil {
		t.Errorf("a long list in JSON: %v", err)
	}
	if _, err := analysis.ReadContract([]byte("openapi: 3.0.3\n" + dense)); err == nil || !strings.Contains(err.Error(), "as JSON it may") {
		t.Errorf("a long list in YAML: %v", err)
	}
	choice := head + `"S0":{"type":"string","enum":["` + strings.Repeat("é", 1000) + `"]}}}}`
	c, err := analysis.ReadContract([]byte(choice))
	if err != nil {
		t.Fatal(err)
	}
	if found, _, err := c.Check("GET", "/a", 200, "b"); err != nil || len(found) != 1 || len(found[0].Says) > 410 || !utf8.ValidString(found[0].Says) {
		t.Errorf("a long value that is allowed: %v %v", found, err)
	}
}

func servers(n int) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `{"url":"/v%d"},`, i)
	}
	return strings.TrimSuffix(out.String(), ",")
}

func TestNullHasBothSpellings(t *testing.T) {
	newer := strings.NewReplacer("3.0.3", "3.1.0", "type: number, nullable: true", `type: [number, "null"]`).Replace(contract)
	for _, document := range []string{contract, newer} {
		c, err := analysis.ReadContract([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		for body, want := range map[string]int{`{"id":1,"lines":[{"n":null}]}`: 0, `{"id":null}`: 1} {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
			if found, _, _ := c.Check("GET", "/api/orders/7", 200, v); len(found) != want {
				t.Errorf("%.14s, %s: %v", document, body, found)
			}
		}
	}
}

func TestADocumentThatCannotBeUsedIsRefused(t *testing.T) {
	for _, document := range []string{
		"", "{", "a: b", `{"swagger":"2.0","paths":{}}`, `{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{"/a":{"$ref":"/etc/passwd"}}}`,
	} {
		if c, err := analysis.ReadContract([]byte(document)); err == nil {
			t.Errorf("%q is taken: %v", document, c)
		}
	}
}
