package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/httpapi"
	"github.com/brennhill/gasoline/internal/wire"
)

// object is a JSON object of the document.
type object = map[string]any

// openapi writes the HTTP interface as an OpenAPI 3.1 document and as a reference page.
func openapi(root string, files map[string][]byte) error {
	docs := map[string]string{}
	for _, dir := range []string{"internal/wire", "internal/ingest/otlp"} {
		if err := readDocs(filepath.Join(root, dir), docs); err != nil {
			return err
		}
	}
	s := schemas{docs: docs, out: object{}, types: map[string]reflect.Type{}, named: map[string]bool{}}
	problem := object{
		"description": "A refusal",
		"content":     object{"application/json": object{"schema": s.of(reflect.TypeFor[wire.Problem]())}},
	}
	paths := object{}
	for _, r := range httpapi.Routes() {
		methods := []string{r.Method}
		if r.Method == "" {
			methods = []string{"GET", "POST", "DELETE"}
		}
		for _, m := range methods {
			op := object{"summary": r.Doc, "operationId": operation(m, r.Path), "responses": object{"default": problem},
				"x-gasoline-access": object{
					"credential": r.Access.Credential.String(),
					"scope":      r.Access.Scope.String(),
					"origin":     r.Access.Origin.String(),
				}}
			success := object{"description": "Done"}
			if r.Type != "" {
				content := object{}
				for media := range strings.SplitSeq(r.Type, ",") {
					content[media] = object{"schema": object{}}
				}
				success["content"] = content
			} else if r.Out != nil {
				success["content"] = s.content(r.Out)
			}
			answers := op["responses"].(object)
			answers["200"] = success
			if r.In != nil {
				op["requestBody"] = object{"required": true, "content": s.content(r.In)}
			}
			var params []object
			if _, ok := r.In.(httpapi.OTLP); ok {
				for code := range refusals {
					answers[code] = object{"$ref": "#/components/responses/OTLP" + code}
				}
				params = append(params, object{
					"name":        "Content-Encoding",
					"in":          "header",
					"description": "how the body is packed",
					"schema":      object{"type": "string", "enum": []string{"identity", "gzip"}},
				})
			}
			for _, part := range strings.Split(r.Path, "/") {
				if strings.HasPrefix(part, "{") {
					params = append(
						params,
						object{
							"name":     strings.Trim(part, "{}"),
							"in":       "path",
							"required": true,
							"schema":   object{"type": "string"},
						},
					)
				}
			}
			for _, q := range r.Query {
				params = append(
					params,
					object{
						"name":        q.Name,
						"in":          "query",
						"description": q.Doc,
						"required":    q.Required(),
						"schema":      querySchema(q),
					},
				)
			}
			if params != nil {
				op["parameters"] = params
			}
			if r.Access.Credential != httpapi.Token {
				op["security"] = []object{} // none is needed; /health says more with one
			}
			path, ok := paths[r.Path].(object)
			if !ok {
				path = object{}
				paths[r.Path] = path
			}
			path[strings.ToLower(m)] = op
		}
	}
	refused := object{}
	for code := range refusals {
		refused["OTLP"+code] = s.refusal(code)
	}
	if err := s.check(); err != nil {
		return err
	}
	out, err := indented(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Gasoline", "version": fmt.Sprint(wire.Version),
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "The daemon's interface on 127.0.0.1. Every route but /health, /prove and /pair wants " +
				"the token of the state directory.",
		},
		"servers":  []object{{"url": "http://127.0.0.1:7890"}},
		"security": []object{{"token": []string{}}},
		"paths":    paths,
		"components": object{
			"schemas":         s.out,
			"responses":       refused,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}},
		},
	})
	if err != nil {
		return err
	}
	files["schema/openapi.json"] = out
	files["docs/reference/http.md"] = httpPage()
	return nil
}

func operation(method, path string) string {
	return strings.ToLower(method) + strings.NewReplacer("/", "_", "{", "", "}", "", "-", "_", ".", "_").Replace(path)
}

// schemas collects the components.
type schemas struct {
	docs  map[string]string
	out   object
	types map[string]reflect.Type // by the names of their components
	named map[string]bool         // components that are meant by name
	twice []string                // names that two types have
}

// check returns why the components do not hold together, or nil.
func (s *schemas) check() error {
	if len(s.twice) > 0 {
		return fmt.Errorf("two types are named %s", strings.Join(s.twice, ", "))
	}
	for name := range s.named {
		if s.out[name] == nil {
			return fmt.Errorf("a field is said to be a %s, which is no component", name)
		}
	}
	return nil
}

// content returns the media types of a body.
func (s *schemas) content(body any) object {
	both, ok := body.(httpapi.OTLP)
	if !ok {
		return object{"application/json": object{"schema": s.of(reflect.TypeOf(body))}}
	}
	t := reflect.TypeOf(both.Message)
	message := t.Name()
	if t == reflect.TypeFor[wire.RPCStatus]() {
		message = "google.rpc.Status"
	}
	return object{
		"application/json": object{"schema": s.of(t)},
		"application/x-protobuf": object{"schema": object{
			"type": "string", "format": "binary", "description": "the message " + message,
		}},
	}
}

// refusals are the statuses by which a route of OTLP refuses a request.
var refusals = map[string]string{
	"400": "The body is no request of OTLP",
	"401": "A token is needed",
	"403": "The token is of another scope, or a web page asks",
	"413": "The body is too large",
	"415": "The content type is none of OTLP",
	"429": "More than is let in",
	"500": "The daemon failed",
	"503": "The daemon is stopping",
}

// refusal returns one of these as a component.
func (s *schemas) refusal(code string) object {
	out := object{"description": refusals[code], "content": s.content(httpapi.OTLP{Message: wire.RPCStatus{}})}
	if code == "429" {
		out["headers"] = object{"Retry-After": object{
			"description": "seconds after which the request may be repeated",
			"required":    true,
			"schema":      object{"type": "integer", "minimum": 1},
		}}
	}
	return out
}

// described is a type that says itself what its JSON is.
type described interface{ Schema() map[string]any }

// of returns the schema of a type; structs become components, and types that say themselves what they are.
func (s *schemas) of(t reflect.Type) object {
	if t.Kind() != reflect.Pointer && t.Name() != "" {
		if d, ok := reflect.Zero(t).Interface().(described); ok {
			return s.component(t, func(into object) {
				for k, v := range d.Schema() {
					into[k] = v
				}
			})
		}
	}
	switch {
	case t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Interface:
		return object{}
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case t.Kind() == reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case t.Kind() == reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case t.Kind() == reflect.String || t == pageText:
		return object{"type": "string"}
	case t.Kind() == reflect.Bool:
		return object{"type": "boolean"}
	case t.Kind() == reflect.Float64:
		return object{"type": "number"}
	case t.Kind() != reflect.Struct:
		return object{"type": "integer"}
	}
	return s.component(t, func(into object) {
		into["type"] = "object"
		properties := object{}
		if required := s.fields(t, properties); len(required) > 0 {
			into["required"] = required
		}
		into["properties"] = properties
	})
}

// component returns a reference to the component of a type, which fill makes the first time.
func (s *schemas) component(t reflect.Type, fill func(into object)) object {
	name := t.Name()
	ref := object{"$ref": "#/components/schemas/" + name}
	if known, ok := s.types[name]; ok {
		if known != t {
			s.twice = append(s.twice, name)
		}
		return ref
	}
	component := object{}
	s.types[name], s.out[name] = t, component // before the fields: types may contain themselves
	if doc := s.docs[name]; doc != "" {
		component["description"] = doc
	}
	fill(component)
	return ref
}

// fields adds the properties of a struct, and returns the names of those that are always there.
func (s *schemas) fields(t reflect.Type, into object) (required []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			required = append(required, s.fields(f.Type, into)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		p := s.of(f.Type)
		if is := f.Tag.Get("is"); is != "" {
			s.named[is] = true
			p = object{"$ref": "#/components/schemas/" + is}
		}
		if f.Tag.Get("words") != "" {
			p = object{
				"anyOf": []object{{"type": "string"}, {"type": "array", "items": object{"type": "string"}}},
			}
		}
		if doc := s.docs[t.Name()+"."+f.Name]; doc != "" {
			bare := p
			p = object{}
			for k, v := range bare {
				p[k] = v
			}
			p["description"] = doc
		}
		if bounds := boundsOf(f.Tag); bounds != nil {
			for k, v := range p {
				bounds[k] = v
			}
			p = bounds
		}
		into[name] = p
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") && f.Type.Kind() != reflect.Pointer {
			required = append(required, name)
		}
	}
	return required
}

// boundsOf returns what the tags of a field say of its text; nil when they say nothing.
func boundsOf(tag reflect.StructTag) object {
	out := object{}
	if v := tag.Get("pattern"); v != "" {
		out["pattern"] = v
	}
	if v := tag.Get("enum"); v != "" {
		out["enum"] = strings.Split(v, ",")
	}
	for name, key := range map[string]string{"min": "minLength", "max": "maxLength"} {
		if n, err := strconv.Atoi(tag.Get(name)); err == nil {
			out[key] = n
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// querySchema returns the schema of a query parameter with its limits.
func querySchema(q httpapi.Query) object {
	out := object{"type": q.Type}
	if low, high := q.Limits(); high > 0 {
		if q.Type == "integer" {
			out["minimum"], out["maximum"] = low, high
		} else {
			out["minLength"], out["maxLength"] = low, high
		}
	}
	return out
}

// httpPage lists the routes for people.
func httpPage() []byte {
	var b strings.Builder
	b.WriteString(generated)
	b.WriteString(
		"# HTTP\n\nThe daemon listens on 127.0.0.1 only. Every route but those marked *open* wants `Authorization: " +
			"Bearer` with the contents of the token file; web pages are refused whatever they send. ",
	)
	b.WriteString(
		"A refusal is `{\"error\":{\"code\",\"message\",\"fix\"}}`. The types are in " +
			"[openapi.json](../../schema/openapi.json), which the daemon serves at `/openapi.json`.\n\n",
	)
	b.WriteString("| Route | | Body | Answer |\n|---|---|---|---|\n")
	for _, r := range httpapi.Routes() {
		method := r.Method
		if method == "" {
			method = "any"
		}
		doc := escape(r.Doc)
		if r.Access.Credential != httpapi.Token {
			doc += " *open*"
		}
		for i, q := range r.Query {
			if i == 0 {
				doc += " Query:"
			}
			doc += fmt.Sprintf(" `%s` (%s)", q.Name, escape(q.Doc))
			if i < len(r.Query)-1 {
				doc += ","
			}
		}
		fmt.Fprintf(&b, "| `%s %s` | %s | %s | %s |\n", method, r.Path, doc, typeOf(r.In), typeOf(r.Out))
	}
	return []byte(b.String())
}

func typeOf(v any) string {
	if v == nil {
		return ""
	}
	if both, ok := v.(httpapi.OTLP); ok {
		v = both.Message
	}
	t := reflect.TypeOf(v)
	if t.Name() == "" {
		return "object"
	}
	return t.Name()
}
