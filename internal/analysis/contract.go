package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Contract is an OpenAPI document.
type Contract struct {
	Operations int
	routes     []contractRoute
	left       budget
}

type contractRoute struct {
	method    string
	parts     []string
	path      string // as the document writes it
	operation *openapi3.Operation
}

// Breach is a place of a body where it is not what the document says.
type Breach struct {
	Path  string // items[].price
	Says  string // what the document wants there
	Value string // what was there, at most 60 bytes
	Type  string
}

const (
	maxBreaches = 20      // of one body
	maxSays     = 400     // bytes of what the document wants at a place
	maxRoutes   = 100_000 // of a document: each operation at each server
	maxMarks    = 500_000 // of YAML: signs that may begin a token
	maxNested   = 200     // values within each other, of JSON: the library reads each once for every one around it
)

// ReadContract reads an OpenAPI 3 document, JSON or YAML. It follows references within the document only.
func ReadContract(data []byte) (*Contract, error) {
	doc, err := load(data)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, fmt.Errorf("it is no OpenAPI 3 document (openapi: %.20q)", doc.OpenAPI)
	}
	bases := map[string]bool{}
	for _, s := range doc.Servers {
		base := ""
		if u, err := url.Parse(s.URL); err == nil {
			base = strings.TrimSuffix(u.Path, "/")
		}
		bases[base] = true
	}
	if len(bases) == 0 {
		bases[""] = true
	}
	out := &Contract{left: budget{steps: contractSteps, texts: map[*openapi3.Schema]int{}}}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			out.Operations++
			if out.Operations*len(bases) > maxRoutes {
				return nil, fmt.Errorf("it has more than %d operations, each counted once for each of its %d servers", maxRoutes, len(bases))
			}
			for base := range bases {
				out.routes = append(out.routes, contractRoute{method, strings.Split(base+path, "/"), path, operation})
			}
		}
	}
	// Of two paths that fit, the one with names where the other has parameters is meant.
	slices.SortFunc(out.routes, func(a, b contractRoute) int {
		if n := strings.Count(a.path, "{") - strings.Count(b.path, "{"); n != 0 {
			return n
		}
		return strings.Compare(a.path, b.path)
	})
	return out, nil
}

// load reads JSON as JSON: as YAML, which the loader takes it for, each value of a list costs a kilobyte and more.
func load(data []byte) (*openapi3.T, error) {
	if json.Valid(data) {
		if nested(data) > maxNested {
			return nil, fmt.Errorf("it has more than %d values within each other", maxNested)
		}
		doc := &openapi3.T{}
		if err := json.Unmarshal(data, doc); err != nil {
			return nil, err
		}
		return doc, openapi3.NewLoader().ResolveRefsIn(doc, nil)
	}
	marks := 0
	for _, c := range data {
		if strings.IndexByte("[]{},:-?&*", c) >= 0 {
			marks++
		}
	}
	if marks > maxMarks {
		return nil, fmt.Errorf("it has %d brackets, commas and colons, more than the %d that are read of YAML; as JSON it may have them", marks, maxMarks)
	}
	return openapi3.NewLoader().LoadFromData(data)
}

// nested is how many objects and lists of JSON are within each other.
func nested(data []byte) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			depth++
			most = max(most, depth)
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
	}
	return most
}

// Operation returns the document's path for a request, and whether it has one with this method.
func (c *Contract) Operation(method, path string) (string, bool) {
	if r := c.find(method, path); r != nil {
		return r.path, true
	}
	return "", false
}

func (c *Contract) find(method, path string) *contractRoute {
	parts := strings.Split(path, "/")
	for i := range c.routes {
		r := &c.routes[i]
		if !strings.EqualFold(r.method, method) || len(r.parts) != len(parts) {
			continue
		}
		fits := true
		for j, p := range r.parts {
			from, to := strings.IndexByte(p, '{'), strings.LastIndexByte(p, '}')
			switch {
			case from >= 0 && to > from:
				fits = fits && parts[j] != "" && strings.HasPrefix(parts[j], p[:from]) && strings.HasSuffix(parts[j], p[to+1:])
			default:
				fits = fits && p == parts[j]
			}
		}
		if fits {
			return r
		}
	}
	return nil
}

// ErrCostly is of a comparison that would take more than is left for one document.
var ErrCostly = errors.New("it would take too long to compare")

// Check returns where a response is not what the document says. told reports whether it says anything of this status. The
// error is ErrCostly.
func (c *Contract) Check(method, path string, status int, body any) (out []Breach, told bool, err error) {
	r := c.find(method, path)
	if r == nil {
		return nil, false, nil
	}
	response := r.operation.Responses.Status(status)
	if response == nil {
		response = r.operation.Responses.Default()
	}
	if response == nil || response.Value == nil {
		return nil, false, nil
	}
	media := response.Value.Content.Get("application/json")
	if media == nil || media.Schema == nil || media.Schema.Value == nil {
		return nil, true, nil
	}
	if !c.left.visit(media.Schema, body, 0) {
		return nil, true, ErrCostly
	}
	// The message of an error is made at once for each schema around it. The schema in it is as long as the document.
	err = media.Schema.Value.VisitJSON(body, openapi3.MultiErrors(), openapi3.DisableSchemaErrorDetails())
	return breaches(err, nil), true, nil
}

func breaches(err error, out []Breach) []Breach {
	var many openapi3.MultiError
	var one *openapi3.SchemaError
	switch {
	case err == nil || len(out) == maxBreaches:
	case errors.As(err, &many):
		for _, e := range many {
			out = breaches(e, out)
		}
	case errors.As(err, &one):
		if typeOf(one.Value) == "hidden" {
			return out // redaction took the value
		}
		b := Breach{pointed(one.JSONPointer()), says(one), sample(one.Value), typeOf(one.Value)}
		if one.SchemaField == "required" {
			b.Says, b.Value, b.Type = "it is required", "nothing", ""
		}
		out = append(out, b)
	default:
		out = append(out, Breach{Says: err.Error()})
	}
	return out
}

func says(e *openapi3.SchemaError) string {
	if e.SchemaField == "type" && e.Schema != nil && e.Schema.Type != nil {
		types := slices.Clone(e.Schema.Type.Slice())
		if e.Schema.Nullable {
			types = append(types, "null")
		}
		return strings.Join(types, " or ")
	}
	if len(e.Reason) > maxSays { // it lists what is allowed
		return strings.ToValidUTF8(e.Reason[:maxSays], "") + "…"
	}
	return e.Reason
}

// pointed is a JSON pointer as paths are written here.
func pointed(parts []string) string {
	var out strings.Builder
	for _, p := range parts {
		if _, err := strconv.Atoi(p); err == nil {
			out.WriteString("[]")
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('.')
		}
		out.WriteString(p)
	}
	return out.String()
}
