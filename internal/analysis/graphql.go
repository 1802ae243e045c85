package analysis

import (
	"encoding/json"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// GraphQLOperation is one operation of a request.
type GraphQLOperation struct {
	Kind string // query, mutation, subscription; "" unknown
	Name string // that it is called, else its first fields; "" unknown
}

// GraphQLResult is the answer to one operation.
type GraphQLResult struct {
	Body   any    // of the operation, as its shape is learnt
	Failed bool   // there are errors and no data
	Error  string // the first error; "" none
	Path   string // of the first error
}

const (
	graphqlTokens = 5000
	graphqlBatch  = 50 // operations of one request
)

// Documents has the operations of GraphQL documents by their text: an app sends few of them, each many times. The zero value is
// ready to use; it holds as many as it was asked for.
type Documents struct {
	parsed map[string]ast.OperationList
}

func (d *Documents) operations(text string) ast.OperationList {
	list, had := d.parsed[text]
	if had {
		return list
	}
	if doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, graphqlTokens); err == nil {
		list = doc.Operations
	}
	if d.parsed == nil {
		d.parsed = map[string]ast.OperationList{}
	}
	d.parsed[text] = list
	return list
}

// GraphQL returns the operations of a request's body or, for GET, of its parameters, in the order of their answers, and whether
// they came as a batch; none when it is no GraphQL.
func (d *Documents) GraphQL(body string, parameters map[string]string) (ops []GraphQLOperation, batch bool) {
	// Most bodies are of other kinds. They are not decoded, for that takes longer than all the rest of looking at a request.
	if len(parameters) == 0 && !strings.Contains(body, `"query"`) && !strings.Contains(body, `"operationName"`) &&
		!strings.Contains(body, `"extensions"`) {
		return nil, false
	}
	type request struct {
		Query      *string         `json:"query"`
		Name       *string         `json:"operationName"`
		Extensions json.RawMessage `json:"extensions"`
		ID         json.RawMessage `json:"id"`
		Document   json.RawMessage `json:"documentId"`
		Variables  json.RawMessage `json:"variables"`
	}
	var all []request
	switch trimmed := strings.TrimSpace(body); {
	case strings.HasPrefix(trimmed, "["):
		if json.Unmarshal([]byte(trimmed), &all) != nil || len(all) > graphqlBatch {
			return nil, false
		}
		batch = true
	case strings.HasPrefix(trimmed, "{"):
		all = make([]request, 1)
		if json.Unmarshal([]byte(trimmed), &all[0]) != nil {
			return nil, false
		}
	case parameters["query"] != "" || parameters["extensions"] != "":
		query, name := parameters["query"], parameters["operationName"]
		all = []request{{Query: &query, Name: &name, Extensions: json.RawMessage(parameters["extensions"])}}
	}
	for _, r := range all {
		op := GraphQLOperation{}
		if r.Name != nil {
			op.Name = *r.Name
		}
		persisted := strings.Contains(string(r.Extensions), "persistedQuery") || op.Name != "" && (r.ID != nil || r.Document != nil)
		if r.Query != nil && *r.Query != "" {
			operations := d.operations(*r.Query)
			if len(operations) == 0 {
				if op.Name == "" || r.Variables == nil { // another body with a field of this name
					return nil, false
				}
			} else {
				chosen := operations[0]
				for _, o := range operations {
					if o.Name == op.Name {
						chosen = o
					}
				}
				op.Kind, op.Name = string(chosen.Operation), chosen.Name
				if op.Name == "" {
					op.Name = selected(chosen.SelectionSet)
				}
			}
		} else if !persisted {
			return nil, false
		}
		ops = append(ops, op)
	}
	return ops, batch
}

// selected names an operation without a name by its first fields: "{ cart, user }".
func selected(set ast.SelectionSet) string {
	var names []string
	for _, s := range set {
		if f, ok := s.(*ast.Field); ok && len(names) < 3 {
			names = append(names, f.Name)
		}
	}
	return "{ " + strings.Join(names, ", ") + " }"
}

// GraphQLResults returns the answers to n operations. One answer to a batch is that of all of them, as where it is refused.
func GraphQLResults(body any, n int, batch bool) []GraphQLResult {
	list, isList := body.([]any)
	if !batch || !isList {
		list = []any{body}
	}
	out := make([]GraphQLResult, 0, n)
	for i, answer := range list {
		if i == n {
			break
		}
		r := GraphQLResult{Body: answer}
		fields, ok := answer.(map[string]any)
		if errors, _ := fields["errors"].([]any); ok && len(errors) > 0 {
			r.Failed = fields["data"] == nil
			r.Error = "an error without a message"
			if first, ok := errors[0].(map[string]any); ok {
				if message, ok := first["message"].(string); ok {
					r.Error = message
				}
				var path []string
				steps, _ := first["path"].([]any)
				for _, s := range steps {
					if name, ok := s.(string); ok {
						path = append(path, name)
					} else {
						path = append(path, "[]")
					}
				}
				r.Path = strings.ReplaceAll(strings.Join(path, "."), ".[]", "[]")
			}
		}
		out = append(out, r)
	}
	return out
}
