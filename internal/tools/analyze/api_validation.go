package analyze

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "api_validation", Reads: true, Limit: 10,
	Doc: "What deviates in API responses: learns the shape of each endpoint's JSON from the captured bodies and names changed types, " +
		"new, missing and null fields with both values, endpoints that began to fail, GraphQL errors; compares with an OpenAPI file or a baseline.",
	Aliases: []string{"api", "contract"}, Example: `{"file":"openapi.yaml"}`,
	Errors: []problem.Code{problem.InvalidParam, problem.MissingParam, problem.NoData, problem.PathNotAllowed, problem.TooLarge, problem.Conflict},
}, apiValidation)

type apiParams struct {
	view.Scoped
	Op        string   `json:"op,omitempty" alias:"operation" enum:"analyze,report,clear" doc:"analyze: what deviates; report: what was learnt; clear: delete the baseline name; default analyze"`
	Limit     int      `json:"limit,omitempty" min:"1" max:"1000" doc:"most entries, 1-1000"`
	URL       string   `json:"url,omitempty" doc:"only endpoints with this in the URL"`
	Ignore    []string `json:"ignore_endpoints,omitempty" length:"50" doc:"not those with one of these in the URL"`
	File      string   `json:"file,omitempty" length:"4096" doc:"OpenAPI 3 document of the project to compare with"`
	Name      string   `json:"name,omitempty" pattern:"^[A-Za-z0-9_.-]{1,64}$" doc:"save what was learnt as a baseline of this name, for the project"`
	Overwrite bool     `json:"overwrite,omitempty" doc:"replace an existing baseline"`
	Baseline  string   `json:"baseline,omitempty" pattern:"^[A-Za-z0-9_.-]{1,64}$" doc:"name of a saved baseline to compare with"`
}

// Bounds of one call.
const (
	apiRequests = 6000    // that are looked at, the newest
	apiBytes    = 200_000 // of bodies that are read; each endpoint has its turn, the newest first
	apiBodies   = 100     // of one endpoint that are read
	apiContract = 4 << 20 // bytes of an OpenAPI document
)

type apiResult struct {
	Op         string          `json:"action"`
	At         string          `json:"analyzed_at"`
	Summary    apiSummary      `json:"summary"`
	Violations []violation     `json:"violations,omitempty"`
	Endpoints  []endpointEntry `json:"endpoints,omitempty"`
	Learning   int             `json:"learning_endpoints"` // that had fewer bodies than it takes to learn
	Contract   *contractEntry  `json:"contract,omitempty"`
	Saved      string          `json:"saved,omitempty"` // name of the baseline
	Cleared    string          `json:"cleared,omitempty"`
	More       int             `json:"more,omitempty"`
	Scope      string          `json:"scope,omitempty"`
	Notes      []string        `json:"notes,omitempty"`

	origin  string
	origins []string
	all     []violation
}

type apiSummary struct {
	Violations int `json:"violations"`
	Endpoints  int `json:"endpoints"`
	Requests   int `json:"total_requests"`
	Bodies     int `json:"bodies_read"`
	Clean      int `json:"clean_endpoints"` // learnt, and nothing deviates
}

// violation is one thing that deviates.
type violation struct {
	Endpoint string `json:"endpoint"`
	Type     string `json:"type"` // type_change, shape_change, null_field, new_field, missing_field, error_spike, graphql_error, contract, undocumented
	Severity string `json:"severity"`
	Path     string `json:"path,omitempty"`
	Was      string `json:"was,omitempty"` // type and value, or what the document says
	Now      string `json:"now,omitempty"`
	WasID    string `json:"was_id,omitempty"` // handles
	NowID    string `json:"now_id,omitempty"`
	Count    int    `json:"count"`
	Of       int    `json:"of"`
	Source   string `json:"against"` // earlier, baseline, file
}

type endpointEntry struct {
	Endpoint    string            `json:"endpoint"`
	Method      string            `json:"method"`
	Calls       int               `json:"call_count"`
	Codes       map[string]int    `json:"status_codes"`
	Bodies      int               `json:"bodies_read"`
	Shape       map[string]string `json:"established_shape,omitempty"`
	Consistency string            `json:"consistency"` // learning, consistent, inconsistent
	First       string            `json:"first_called_at"`
	Last        string            `json:"last_called_at"`
	LastID      string            `json:"last_id"`
}

type contractEntry struct {
	File         string `json:"file"`
	Operations   int    `json:"operations"`
	Checked      int    `json:"responses_checked"`
	Undocumented int    `json:"undocumented_endpoints"`
	Unsaid       int    `json:"responses_without_schema"`
	Costly       int    `json:"responses_too_costly,omitempty"` // that were not compared, for it would have taken too long
}

// apiCall is one response, or the answer to one operation of GraphQL.
type apiCall struct {
	id      string
	time    time.Time
	status  int
	failed  bool
	how     string // the status, or how it ended without one
	url     string
	body    string // JSON text, "" when it was not captured
	decoded any
	read    bool
	graphql []analysis.GraphQLOperation
	batch   bool
	part    int // of a batch
}

// path is the one of the call's address, "" where that cannot be read.
func (c *apiCall) path() string {
	u, err := url.Parse(c.url)
	if err != nil {
		return ""
	}
	return u.Path
}

// endpoint is what is one for its callers.
type endpoint struct {
	key, method string
	calls       []*apiCall // oldest first
	shape       analysis.Shape
	found       []violation
}

// savedShapes is a baseline.
type savedShapes struct {
	SavedAt   string                       `json:"saved_at"`
	Endpoints map[string]map[string]string `json:"endpoints"`
}

func apiValidation(ctx context.Context, env Env, p apiParams) (*apiResult, error) {
	out := &apiResult{Op: cmp.Or(p.Op, "analyze"), At: view.Stamp(time.Now())}
	if p.Op == "clear" {
		return out, clearBaseline(env, p, out)
	}
	var contract *analysis.Contract
	var known *savedShapes
	var err error
	if p.File != "" {
		if contract, err = readContract(env, p.File); err != nil {
			return nil, err
		}
	}
	if p.Baseline != "" {
		if known, err = loadShapes(env, p.Baseline); err != nil {
			return nil, err
		}
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	selection.Filter.URL = p.URL
	a := &apiReader{endpoints: map[string]*endpoint{}, ignore: p.Ignore}
	cover, err := a.read(ctx, env, selection.Filter)
	if err != nil {
		return nil, err
	}
	out.Scope = selection.Words
	out.Notes = append(selection.Notes, env.Bodies(selection)...)
	out.Notes = append(out.Notes, env.LossNotes(selection.Filter, event.KindExchange)...)
	out.Notes = append(out.Notes, env.CoverNotes(cover)...)
	list := a.list()
	if err := a.learn(ctx, list); err != nil {
		return nil, err
	}
	out.Notes = append(out.Notes, a.notes()...)
	out.Summary.Requests, out.Summary.Endpoints, out.Summary.Bodies = a.requests, len(list), a.bodies
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e.judge()
		if known != nil {
			e.against(known, p.Baseline)
		}
		if contract != nil {
			e.check(contract, out.contract(p.File, contract))
		}
		out.Summary.Violations += len(e.found)
		switch {
		case len(e.found) > 0:
		case e.shape.Responses >= analysis.Learnt:
			out.Summary.Clean++
		default:
			out.Learning++
		}
		out.origins = append(out.origins, e.origin())
	}
	if len(list) > 0 {
		out.origin = list[0].origin()
	}
	limit := cmp.Or(p.Limit, env.Call.Limit)
	if p.Op == "report" {
		out.report(list, limit)
	} else {
		out.violations(list, limit)
	}
	if p.Name != "" {
		if err := saveShapes(env, p, list, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *apiResult) contract(file string, c *analysis.Contract) *contractEntry {
	if r.Contract == nil {
		r.Contract = &contractEntry{File: file, Operations: c.Operations}
	}
	return r.Contract
}

// apiReader collects calls by endpoint.
type apiReader struct {
	endpoints map[string]*endpoint
	ignore    []string
	requests  int
	bodies    int
	without   int // JSON responses whose body was not captured
	cut       int
	unread    int // bodies that there was no room for
	full      int
	documents analysis.Documents
}

func (a *apiReader) read(ctx context.Context, env Env, f query.Filter) (query.Coverage, error) {
	_, cover, err := query.ReadBodies(ctx, env.Reader, f, query.Page{Limit: 1, Look: apiRequests}, func(x *event.Exchange) bool {
		a.take(x)
		return false
	})
	return cover, err
}

// take notes a request. They come newest first.
func (a *apiReader) take(x *event.Exchange) {
	if slices.ContainsFunc(a.ignore, func(part string) bool { return part != "" && query.Contains(x.URL, part) }) {
		return
	}
	isJSON := strings.Contains(x.ContentType, "json")
	called := slices.Contains([]string{"fetch", "xhr", "beacon"}, x.Initiator.Type)
	if !isJSON && !called || x.Outcome == "pending" || x.Outcome == "aborted" || x.Method == "OPTIONS" {
		return
	}
	a.requests++
	c := apiCall{
		id: query.Handle(event.KindExchange, x.Seq), time: x.Time, status: x.Status, failed: x.Failed(), how: strconv.Itoa(x.Status),
		url: x.URL,
	}
	if x.Status == 0 {
		c.how = cmp.Or(x.Outcome, "no answer")
	}
	switch text := strings.TrimSpace(x.ResponseBody); {
	case x.ResponseBodyNote == "truncated":
		a.cut++
	case text != "" && (text[0] == '{' || text[0] == '[' || isJSON):
		c.body = text
	case isJSON && x.ResponseBodyNote != "" && x.Status != 204:
		a.without++
	}
	var parameters map[string]string
	if x.Method == "GET" && (strings.Contains(x.URL, "query=") || strings.Contains(x.URL, "extensions=")) {
		if u, err := url.Parse(x.URL); err == nil {
			parameters = map[string]string{}
			for name, values := range u.Query() {
				parameters[name] = values[0]
			}
		}
	}
	address := answer.Origin(x.URL) + flow.Route(x.URL)
	if c.graphql, c.batch = a.documents.GraphQL(x.RequestBody, parameters); len(c.graphql) == 0 {
		a.add(x.Method, x.Method+" "+address, &c)
		return
	}
	for i, op := range c.graphql {
		part := c
		part.part = i
		a.add("GRAPHQL", strings.TrimSpace("GRAPHQL "+address+" "+op.Kind)+" "+cmp.Or(op.Name, "without a name"), &part)
	}
}

func (a *apiReader) add(method, key string, c *apiCall) {
	e := a.endpoints[key]
	if e == nil {
		e = &endpoint{key: key, method: method}
		a.endpoints[key] = e
	}
	e.calls = append(e.calls, c)
}

// list returns the endpoints, slugs folded, the one with the most calls first.
func (a *apiReader) list() []*endpoint {
	keys := slices.Sorted(maps.Keys(a.endpoints))
	var plain []string
	for _, k := range keys {
		if a.endpoints[k].method != "GRAPHQL" {
			plain = append(plain, k)
		}
	}
	folded := analysis.FoldSlugs(plain)
	merged := map[string]*endpoint{}
	for _, k := range keys {
		e := a.endpoints[k]
		if to := folded[k]; to != "" {
			e.key = to
		}
		if had := merged[e.key]; had != nil {
			had.calls = append(had.calls, e.calls...)
			continue
		}
		merged[e.key] = e
	}
	list := slices.Collect(maps.Values(merged))
	for _, e := range list {
		slices.SortStableFunc(e.calls, func(x, y *apiCall) int { return y.time.Compare(x.time) })
	}
	slices.SortFunc(list, func(x, y *endpoint) int {
		return cmp.Or(len(y.calls)-len(x.calls), strings.Compare(x.key, y.key))
	})
	return list
}

// learn reads bodies, the newest of each endpoint in turn, and then learns from them, the oldest first. It leaves the calls
// oldest first.
func (a *apiReader) learn(ctx context.Context, list []*endpoint) error {
	left := apiBytes
	for round, more := 0, true; more && round < apiBodies; round++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		more = false
		for _, e := range list {
			if round >= len(e.calls) {
				continue
			}
			more = true
			c := e.calls[round]
			if c.body == "" {
				continue
			}
			if len(c.body) > left {
				continue
			}
			left -= len(c.body)
			if json.Unmarshal([]byte(c.body), &c.decoded) == nil {
				c.read = true
				a.bodies++
			}
		}
	}
	for _, e := range list {
		slices.Reverse(e.calls)
		for _, c := range e.calls {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !c.read {
				if c.body != "" {
					a.unread++
				}
				continue
			}
			if body, ok := c.learnt(); ok {
				e.shape.Learn(c.id, body)
			}
		}
		if e.shape.Full() {
			a.full++
		}
	}
	return nil
}

// learnt returns what of a response tells the shape: bodies of failures have shapes of their own.
func (c *apiCall) learnt() (any, bool) {
	if c.graphql != nil {
		r, ok := c.result()
		return r.Body, ok && r.Error == ""
	}
	return c.decoded, c.status >= 200 && c.status < 300
}

// result returns the answer to the call's operation.
func (c *apiCall) result() (analysis.GraphQLResult, bool) {
	all := analysis.GraphQLResults(c.decoded, len(c.graphql), c.batch)
	switch {
	case !c.read:
	case c.part < len(all):
		return all[c.part], true
	case c.batch:
		if _, list := c.decoded.([]any); !list { // one answer to all of them
			return all[0], true
		}
	}
	return analysis.GraphQLResult{}, false
}

func (a *apiReader) notes() (out []string) {
	if a.without > 0 {
		out = append(out, fmt.Sprintf("%d JSON responses have no body here, so their shape is not known", a.without))
	}
	if a.cut > 0 {
		out = append(out, fmt.Sprintf("%d bodies were cut when they were captured, so their shape is not known", a.cut))
	}
	if a.unread > 0 {
		out = append(out, fmt.Sprintf("%d bodies were not looked into: no JSON, or beyond the newest that fit into %s; url narrows it", a.unread,
			answer.Bytes(apiBytes)))
	}
	if a.full > 0 {
		out = append(out, fmt.Sprintf("%d endpoints have more fields than are learnt", a.full))
	}
	return out
}

func (e *endpoint) origin() string {
	_, address, _ := strings.Cut(e.key, " ")
	return answer.Origin(address)
}

func (e *endpoint) add(v violation) {
	v.Endpoint = e.key
	e.found = append(e.found, v)
}

var deviationSeverity = map[string]string{
	"type_change": "high", "shape_change": "high", "missing_field": "high", "null_field": "medium", "new_field": "low",
}

// judge finds what deviates from what was before.
func (e *endpoint) judge() {
	if e.shape.Responses >= analysis.Learnt {
		for _, d := range e.shape.Deviations() {
			e.deviates(d, "earlier")
		}
	}
	e.spike()
	byError := map[string]int{} // index in found
	for _, c := range e.calls {
		r, ok := c.result()
		if c.graphql == nil || !ok && !(c.batch && c.read) {
			continue
		}
		severity := "medium"
		if r.Failed {
			severity = "high"
		}
		if !ok { // a batch with too few answers
			r.Error, severity = "the batch has no answer to this operation", "high"
		}
		if r.Error == "" {
			continue
		}
		key := analysis.Fingerprint(r.Error) + "\x00" + r.Path
		if at, had := byError[key]; had {
			e.found[at].Count++
			e.found[at].NowID = c.id
			continue
		}
		byError[key] = len(e.found)
		e.add(violation{
			Type: "graphql_error", Severity: severity, Path: r.Path, Now: r.Error, NowID: c.id, Count: 1, Of: len(e.calls), Source: "earlier",
		})
	}
}

func (e *endpoint) deviates(d analysis.Deviation, source string) {
	v := violation{
		Type: d.Type, Severity: deviationSeverity[d.Type], Path: d.Path, Was: example(d.Was), Now: example(d.Now), WasID: d.Was.ID, NowID: d.Now.ID,
		Count: d.Now.Count, Of: d.Of, Source: source,
	}
	e.add(v)
}

// example is a type with its example.
func example(k analysis.Kind) string {
	if k.Type == "null" {
		return "null"
	}
	return strings.TrimSpace(k.Type + " " + k.Value)
}

// spike finds an endpoint that answered and then began to fail: at least two of its newest calls failed in a row, or most of
// them, and hardly any before.
func (e *endpoint) spike() {
	begin := -1 // the first failure of those
	for i := len(e.calls) - 1; i >= 0; i-- {
		if e.calls[i].failed {
			begin = i
			continue
		}
		newer := e.calls[i:]
		if failures(newer)*2 < len(newer) {
			break
		}
	}
	if begin < analysis.Learnt {
		return
	}
	before, after := e.calls[:begin], e.calls[begin:]
	bad := failures(after)
	if bad < 2 || failures(before)*5 > len(before) {
		return
	}
	codes := map[string]int{}
	for _, c := range after {
		if c.failed {
			codes[c.how]++
		}
	}
	e.add(violation{
		Type: "error_spike", Severity: "high", Was: fmt.Sprintf("%d of %d failed", failures(before), len(before)),
		Now: fmt.Sprintf("%d of %d failed (%s)", bad, len(after), view.Counts(codes)), WasID: before[len(before)-1].id, NowID: after[0].id,
		Count: bad, Of: len(after), Source: "earlier",
	})
}

func failures(calls []*apiCall) (n int) {
	for _, c := range calls {
		if c.failed {
			n++
		}
	}
	return n
}

// against compares with a baseline.
func (e *endpoint) against(known *savedShapes, name string) {
	fields, ok := known.Endpoints[e.key]
	if !ok {
		return
	}
	for _, d := range e.shape.Against(fields) {
		e.deviates(d, "baseline "+name)
	}
}

// contractBodies is how many responses of an endpoint and status are compared with a document.
const contractBodies = 5

// check compares with an OpenAPI document, the newest responses first.
func (e *endpoint) check(c *analysis.Contract, told *contractEntry) {
	if e.method == "GRAPHQL" || len(e.calls) == 0 {
		return
	}
	newest := e.calls[len(e.calls)-1]
	if _, ok := c.Operation(e.method, newest.path()); !ok {
		told.Undocumented++
		e.add(violation{
			Type: "undocumented", Severity: "low", Now: e.method + " " + newest.path(), NowID: newest.id, Count: len(e.calls), Of: len(e.calls), Source: "file",
		})
		return
	}
	checked := map[int]int{}
	at := map[string]int{}
	for _, call := range slices.Backward(e.calls) {
		if call.status == 0 || checked[call.status] == contractBodies || call.body != "" && !call.read {
			continue
		}
		if call.body == "" && call.status != 204 {
			continue // what it was is not known
		}
		checked[call.status]++
		found, said, err := c.Check(e.method, call.path(), call.status, call.decoded)
		if errors.Is(err, analysis.ErrCostly) {
			told.Costly++
			continue
		}
		if !said {
			told.Unsaid++
			key := fmt.Sprint("status ", call.status)
			if i, had := at[key]; had {
				e.found[i].Count++
				continue
			}
			at[key] = len(e.found)
			e.add(violation{
				Type: "contract", Severity: "medium", Was: "no such status", Now: key, NowID: call.id, Count: 1, Of: len(e.calls), Source: "file",
			})
			continue
		}
		told.Checked++
		for _, b := range found {
			key := b.Path + "\x00" + b.Says + "\x00" + b.Type
			if i, had := at[key]; had {
				if e.found[i].NowID != call.id { // several items of one response
					e.found[i].Count++
					e.found[i].NowID = call.id
				}
				continue
			}
			at[key] = len(e.found)
			e.add(violation{
				Type: "contract", Severity: "high", Path: b.Path, Was: b.Says, Now: strings.TrimSpace(b.Type + " " + b.Value), NowID: call.id, Count: 1,
				Of: len(e.calls), Source: "file",
			})
		}
	}
}

func readContract(env Env, path string) (*analysis.Contract, error) {
	file, err := save.Of(env.Call, env.Dir).By("file").Read(path, apiContract)
	if err != nil {
		return nil, err
	}
	if file.Data == nil {
		return nil, problem.New(problem.TooLarge, "Give a smaller document.", "%s has %s; at most %s are read.", file.Path,
			answer.Bytes(file.Size), answer.Bytes(apiContract))
	}
	c, err := analysis.ReadContract(file.Data)
	if err != nil {
		return nil, problem.New(problem.InvalidParam, "Give an OpenAPI 3 document, JSON or YAML, whose references stay within it.",
			"%s cannot be used: %s.", file.Path, answer.Cut(answer.Clean(err.Error()), 200))
	}
	return c, nil
}

func loadShapes(env Env, name string) (*savedShapes, error) {
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err != nil {
		return nil, err
	}
	data, err := values.Load(save.ShapesNamespace, name)
	if err != nil {
		return nil, err
	}
	out := &savedShapes{}
	if json.Unmarshal(data, out) != nil || out.Endpoints == nil {
		return nil, problem.New(problem.NoData, `Save it anew: analyze {"what":"api_validation","name":"v1","overwrite":true}.`,
			"%s of the namespace %s is no baseline.", name, save.ShapesNamespace)
	}
	return out, nil
}

func saveShapes(env Env, p apiParams, list []*endpoint, out *apiResult) error {
	kept := savedShapes{SavedAt: out.At, Endpoints: map[string]map[string]string{}}
	for _, e := range list {
		if e.shape.Responses > 0 {
			kept.Endpoints[e.key] = e.shape.Fields()
		}
	}
	if len(kept.Endpoints) == 0 {
		fix := `observe {"what":"network_bodies"} shows which bodies there are.`
		missing := problem.New(problem.NoData, fix, "no JSON body was captured, so there is nothing to save.")
		missing.Details = out.Notes
		return missing
	}
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err != nil {
		return err
	}
	if !p.Overwrite && slices.Contains(values.Keys(save.ShapesNamespace), p.Name) {
		return problem.New(problem.Conflict, "Choose another name, or say overwrite:true.", "there is a baseline %s already.", p.Name)
	}
	data, err := answer.JSON(kept)
	if err != nil {
		return err
	}
	if _, err := values.Save(save.ShapesNamespace, p.Name, data); err != nil {
		return err
	}
	out.Saved = p.Name
	return nil
}

func clearBaseline(env Env, p apiParams, out *apiResult) error {
	if p.Name == "" {
		return problem.New(problem.MissingParam, "Give the baseline's name. Shapes that are learnt are not kept between calls; "+
			`configure {"action":"clear","buffer":"network"} empties what they are learnt from.`, "name is required to clear.")
	}
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err == nil {
		err = values.Remove(save.ShapesNamespace, p.Name)
	}
	out.Cleared = p.Name
	return err
}

func (r *apiResult) violations(list []*endpoint, limit int) {
	for _, e := range list {
		r.Violations = append(r.Violations, e.found...)
	}
	rank := []string{"high", "medium", "low"}
	slices.SortStableFunc(r.Violations, func(a, b violation) int {
		return slices.Index(rank, a.Severity) - slices.Index(rank, b.Severity)
	})
	r.all = r.Violations
	r.More = max(0, len(r.Violations)-limit)
	r.Violations = r.Violations[:len(r.Violations)-r.More]
}

func (r *apiResult) report(list []*endpoint, limit int) {
	for i, e := range list {
		if i == limit {
			r.More = len(list) - limit
			break
		}
		entry := endpointEntry{
			Endpoint: e.key, Method: e.method, Calls: len(e.calls), Codes: map[string]int{}, Bodies: e.shape.Responses, Shape: e.shape.Fields(),
			Consistency: "consistent", First: view.Stamp(e.calls[0].time), Last: view.Stamp(e.calls[len(e.calls)-1].time),
			LastID: e.calls[len(e.calls)-1].id,
		}
		for _, c := range e.calls {
			entry.Codes[c.how]++
		}
		switch {
		case len(e.found) > 0:
			entry.Consistency = "inconsistent"
		case e.shape.Responses < analysis.Learnt:
			entry.Consistency = "learning"
		}
		r.Endpoints = append(r.Endpoints, entry)
	}
}

// contractRules say of the sorts of violations what each is.
var contractRules = map[string]string{
	"type_change": "A field has another type than before", "shape_change": "A response has another shape than before",
	"null_field": "A field is null that was not before", "new_field": "A response has a field that was not there before",
	"missing_field": "A field is missing that was there before", "error_spike": "An endpoint fails that answered before",
	"graphql_error": "A GraphQL operation answers with errors", "contract": "A response is not as the OpenAPI document says",
	"undocumented": "The OpenAPI document does not have the endpoint",
}

// SARIF is what deviates, for a log; where no response was learnt from or compared, there is none.
func (r *apiResult) SARIF(version string) (artifact.SARIFInput, bool) {
	in := artifact.SARIFInput{
		Version: version, Tool: "Gasoline contract check", ToolVersion: version, ToolAt: "https://github.com/brennhill/gasoline",
		About: "contract", URL: r.origin, Lacking: r.Notes,
	}
	at := map[string]int{}
	for _, v := range r.all {
		i, known := at[v.Type]
		if !known {
			i = len(in.Rules)
			at[v.Type] = i
			help := cmp.Or(contractRules[v.Type], v.Type)
			in.Rules = append(in.Rules, artifact.Rule{ID: "contract-" + v.Type, Help: help, Description: help + ".", Impact: v.Severity, Tags: []string{"contract"}})
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{v.Type, shortKey(v.Endpoint, r.origin), v.Path, strings.Fields(v.Source + " -")[0]}, "\x00")))
		evidence := v.NowID
		v.NowID, v.WasID = "", "" // a log outlives handles
		in.Rules[i].Found = append(in.Rules[i].Found, artifact.Finding{
			URL: r.origin, Impact: v.Severity, Message: v.text(r.origin), Place: strings.TrimSpace(shortKey(v.Endpoint, r.origin) + " " + v.Path),
			ID: fmt.Sprintf("%x", sum[:8]), Evidence: evidence,
		})
	}
	return in, len(r.all) > 0 || r.Summary.Clean > 0 || r.Contract != nil && r.Contract.Checked > 0
}

// Text writes the findings for a reader.
func (r *apiResult) Text(w *answer.Writer) {
	if r.Cleared != "" {
		w.Head("api validation: the baseline %s is deleted", r.Cleared)
		return
	}
	s := r.Summary
	w.Head("api validation: %d deviations of %d endpoints, %d requests, %d bodies read, %s", s.Violations, s.Endpoints, s.Requests, s.Bodies, r.Scope)
	if s.Endpoints > 0 {
		w.Head("%d endpoints are as they were, %d had fewer than %d bodies to learn from", s.Clean, r.Learning, analysis.Learnt)
	}
	if c := r.Contract; c != nil {
		w.Head("%s: %d operations; %d responses compared, %d endpoints it does not have", c.File, c.Operations, c.Checked, c.Undocumented)
		if c.Costly > 0 {
			w.Note("note: %d responses were not compared, for what the document says of them takes too long to go through; url narrows it", c.Costly)
		}
	}
	if r.Saved != "" {
		w.Note(`saved as baseline %s: analyze {"what":"api_validation","baseline":%q} compares with it, also after a restart`, r.Saved, r.Saved)
	}
	for _, n := range r.Notes {
		w.Note("note: %s", n)
	}
	if s.Requests == 0 && len(r.Notes) == 0 {
		w.Head("no page has asked an API for anything that fits")
	}
	var entries []answer.Entry
	for _, v := range r.Violations {
		entries = append(entries, answer.Entry{Text: v.text(r.origin)})
	}
	for _, e := range r.Endpoints {
		entries = append(entries, answer.Entry{Text: e.text(r.origin)})
	}
	w.Page(r.origins...)
	from, to := w.Entries(answer.Oldest, entries)
	if more := len(entries) - (to - from) + r.More; more > 0 {
		w.Note("%d more; raise limit or budget", more)
	}
}

// short is an endpoint without the origin that most have.
func shortKey(key, origin string) string {
	method, rest, _ := strings.Cut(key, " ")
	return method + " " + answer.Local(rest, origin, 100)
}

func (v violation) text(origin string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s", v.Severity, v.Type, shortKey(v.Endpoint, origin))
	if v.Path != "" {
		out.WriteString(" " + answer.Cut(answer.Clean(v.Path), 100))
	}
	out.WriteString(":")
	id := func(handle string) string {
		if handle == "" {
			return ""
		}
		return " (" + handle + ")"
	}
	now, was := answer.Cut(answer.Clean(v.Now), 160), answer.Cut(answer.Clean(v.Was), 160)
	switch {
	case v.Type == "undocumented":
		out.WriteString(" not in the document" + id(v.NowID))
	case v.Type == "contract":
		out.WriteString(" " + now + id(v.NowID) + ", the document says " + was)
	case now == "":
		out.WriteString(" gone" + id(v.NowID) + ", was " + was + id(v.WasID))
	case was == "":
		out.WriteString(" " + now + id(v.NowID))
	default:
		out.WriteString(" " + now + id(v.NowID) + ", was " + was + id(v.WasID))
	}
	if v.Type != "error_spike" && v.Count > 0 {
		fmt.Fprintf(&out, "; %d of %d", v.Count, v.Of)
	}
	if strings.HasPrefix(v.Source, "baseline ") {
		out.WriteString("; against " + v.Source)
	}
	return out.String()
}

func (e endpointEntry) text(origin string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %d calls (%s), %s, %s", shortKey(e.Endpoint, origin), e.Calls, answer.Clean(view.Counts(e.Codes)), e.Consistency, e.LastID)
	var fields []string
	for _, path := range slices.Sorted(maps.Keys(e.Shape)) {
		if kind := e.Shape[path]; kind != "object" && kind != "array" {
			fields = append(fields, answer.Cut(answer.Clean(cmp.Or(path, "(body)")), 60)+" "+kind)
		}
	}
	if len(fields) > 0 {
		out.WriteString("\n  " + answer.Cut(strings.Join(fields, ", "), 400))
	}
	return out.String()
}
