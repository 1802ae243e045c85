package project_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/project"
)

type options struct {
	Path  string `json:"path" required:"true" doc:"what to read"`
	Begin bool   `json:"begin,omitempty"`
	Most  int    `json:"most,omitempty" min:"1" max:"10"`
}

func check(kind string, raw json.RawMessage) (string, bool, error) {
	if kind != "file" {
		return "", false, nil
	}
	var o options
	field, err := catalog.Options(&o, raw)
	return field, true, err
}

func TestAProjectsFile(t *testing.T) {
	got, err := project.Parse("p/gasoline.json", []byte(`{
  "$schema": "x",
  "services": {
    "web": {"sdk": true},
    "api": {
      "sources": [
        {"type": "file", "path": "logs/*.log"},
        {"type": "file",
         "path": "more", "begin": true}
      ]
    }
  }
}`), []string{"file", "loki"}, check)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Name != "web" || !got[0].SDK || got[1].Name != "api" || len(got[1].Sources) != 2 {
		t.Fatalf("services: %+v", got)
	}
	if s := got[1].Sources[1]; s.Type != "file" || s.Line != 8 || string(s.Options) != `{"begin":true,"path":"more"}` {
		t.Fatalf("source: %+v %s", s, s.Options)
	}
}

func TestWhatIsWrongIsNamedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "line 1: the file ends too early",
		"[]":                               "line 1: [] is no object",
		"{\n// no\n}":                      "line 2: invalid character",
		"{\n\"services\": {\n\"api\": {}}": "line 3: the file ends too early",
		strings.Repeat("[", 90_000):        "too deep",
		"{\"services\": {\"a\":{\"sdk\":true},\n\"a.sdk\":{\"x\":1}}}": `line 2: there is no "x"`,
		"{}\n{}":                          "something follows",
		"{\n\"sevices\": {}}":             `line 2: there is no "sevices" here (Did you mean services?`,
		"{\"services\":\n[]}":             "services must be object",
		"{\"services\": {\n\"api\": []}}": "line 2: [] is no object",
		"{\"services\": {\"api\":{\n\"sdk\":\"yes\"}}}":                                              "line 2: sdk must be boolean",
		"{\"services\": {\"api\":{\n\"skd\":true}}}":                                                 `line 2: there is no "skd"`,
		"{\"services\": {\n\"api\":{},\n\"api\":{}}}":                                                `line 3: "api" is there twice`,
		"{\"services\": {\"api\":{\"sources\":[\n{\"path\":\"x\"}]}}}":                               "line 2: the source has no type (Give one of: file, loki.)",
		"{\"services\": {\"api\":{\"sources\":[{\n\"type\":\"files\"}]}}}":                           `line 2: there is no source of type "files" (Did you mean file?`,
		"{\"services\": {\"api\":{\"sources\":[\n{\"type\":\"file\"}]}}}":                            "line 2: path is required",
		"{\"services\": {\"api\":{\"sources\":[{\"type\":\"file\",\n\n\"path\":5}]}}}":               "line 3: path must be string, not 5",
		"{\"services\": {\"api\":{\"sources\":[{\"type\":\"file\",\"path\":\"x\",\n\"most\":11}]}}}": "line 2: most is 11; it must be 1–10",
		"{\"services\": {\"api\":{\"sources\":[{\"type\":\"file\",\"path\":\"x\",\n\"pth\":1}]}}}":   `line 2: there is no "pth" here (Did you mean path?`,
		"{\"services\": {\"api\":{\"sources\":[5]}}}":                                                "sources",
		"{\"services\": {\"\":{}}}":                                                                  "a service's name has 0 bytes",
	} {
		_, err := project.Parse("gasoline.json", []byte(text), []string{"file", "loki"}, check)
		p := problem.From(err)
		if p == nil {
			t.Errorf("%q: no problem: %v", text, err)
			continue
		}
		if got := p.Message + " (" + p.Fix + ")"; !strings.Contains(got, want) || !strings.HasPrefix(got, "gasoline.json line ") {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"services": {"api": {"sources": [{"type": "file", "path": "x"}]}}}`)
	f.Add(`{"services":{"a":{"sources":[[{}]]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := project.Parse("gasoline.json", []byte(text), []string{"file"}, check)
		if err != nil && problem.From(err) == nil {
			t.Fatalf("%q gives no problem but %v", text, err)
		}
	})
}
