package configure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/memory"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
)

// selectors is the namespace of names of elements, which the project's own file keeps.
const selectors = "selectors"

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "store",
	Doc: "Keep values for this project by namespace and key. The namespace selectors names elements, in gasoline_memory.json of the project, " +
		"for the parameter named of interact.",
	Aliases: []string{"learn_selector", "memory"}, Wait: 5 * time.Second,
	Example: `{"operation":"save","namespace":"selectors","key":"checkout_submit","ref":"e17"}`,
	Errors: []problem.Code{
		problem.NoData, problem.InvalidParam, problem.MissingParam, problem.TooLarge, "invalid_memory", problem.Conflict, "permission_denied",
		problem.PathNotAllowed, problem.NotFound, problem.Ambiguous, problem.NoTab, problem.ExtensionOffline,
	},
}, store)

type storeParams struct {
	Operation string          `json:"operation,omitempty" alias:"store_action,op" enum:"list,save,load,delete,stats" doc:"what to do; default list"`
	Namespace string          `json:"namespace,omitempty" pattern:"^[A-Za-z0-9_-]{1,64}$" doc:"letters, digits, _ and -; selectors for names of elements; default session"`
	Key       string          `json:"key,omitempty" length:"200" alias:"semantic_name" doc:"letters, digits, _, - and ."`
	Data      json.RawMessage `json:"data,omitempty" doc:"what to save, as JSON"`
	Value     string          `json:"value,omitempty" length:"1000000" doc:"what to save, as a text"`
	command.Search
	Unchecked bool `json:"unchecked,omitempty" doc:"without a browser keep the selector as it is; it is looked for when it is used first"`

	Tab int `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// aimed reports whether an element is named.
func (p storeParams) aimed() bool {
	return p.Search != command.Search{}
}

func store(ctx context.Context, env Env, p storeParams) (answer.Texter, error) {
	if p.Namespace == "" {
		p.Namespace = "session"
		if p.aimed() {
			p.Namespace = selectors
		}
	}
	if strings.EqualFold(p.Namespace, selectors) { // names that differ in case are one to some file systems
		p.Namespace = selectors
	}
	if p.Operation == "" {
		p.Operation = "list"
	}
	if p.Key == "" && (p.Operation == "save" || p.Operation == "load" || p.Operation == "delete") {
		return nil, problem.New(problem.MissingParam, `Give it as string, as in "key":"checkout_submit".`,
			"key is required to %s.", p.Operation)
	}
	if p.Namespace == selectors && p.Operation != "stats" {
		return env.selectors(ctx, p)
	}
	if p.aimed() {
		return nil, problem.New(problem.InvalidParam, `Give "namespace":"selectors", or leave out what names the element.`,
			"elements are kept in the namespace selectors, not in %s.", p.Namespace)
	}
	if err := memory.CheckName(p.Key); p.Key != "" && err != nil {
		return nil, problem.New(problem.InvalidParam, `Use 1 to 64 of a-z, A-Z, 0-9, "_", "-" and ".".`, "%.80q cannot be a key.", p.Key)
	}
	values, err := save.ValuesOf(env.Call, env.Dir)
	if err != nil {
		return nil, err
	}
	one := &storedOne{Namespace: p.Namespace, Key: p.Key}
	switch p.Operation {
	case "save":
		data, err := p.data()
		if err != nil {
			return nil, err
		}
		one.Status = "saved"
		one.Replaced, err = values.Save(p.Namespace, p.Key, data)
		return one, err
	case "load":
		one.Status = "loaded"
		one.Data, err = values.Load(p.Namespace, p.Key)
		return one, err
	case "delete":
		one.Status = "deleted"
		return one, values.Remove(p.Namespace, p.Key)
	case "stats":
		return stats(env, values)
	}
	return &storedKeys{p.Namespace, values.Keys(p.Namespace)}, nil
}

// data is what is to be saved.
func (p storeParams) data() ([]byte, error) {
	data := []byte(p.Data)
	if len(data) == 0 && p.Value != "" {
		var err error
		if data, err = answer.JSON(p.Value); err != nil {
			return nil, err
		}
	}
	if len(data) == 0 || string(data) == "null" {
		return nil, problem.New(problem.MissingParam, "Give data (JSON) or value (a text).", "there is nothing to save.")
	}
	return data, nil
}

func stats(env Env, values *save.Values) (answer.Texter, error) {
	out := &storedStats{}
	out.Namespaces, out.Bytes = values.Stats()

	out.Sessions = out.Namespaces["session"]
	m, err := env.Drive.Memory(env.Call)
	if err != nil {
		return nil, err
	}
	all, err := m.All()
	if err != nil {
		out.Problem = problem.From(err).Message
		return out, nil
	}
	if len(all) > 0 {
		out.Namespaces[selectors] = len(all)
	}
	return out, nil
}

// storedOne is what became of one key.
type storedOne struct {
	Status    string          `json:"status"` // saved, loaded, deleted
	Namespace string          `json:"namespace"`
	Key       string          `json:"key"`
	Data      json.RawMessage `json:"data,omitempty"`
	Replaced  bool            `json:"replaced,omitempty"`
}

// Text writes the result for a reader.
func (s *storedOne) Text(w *answer.Writer) {
	word := s.Status
	if s.Replaced {
		word = "replaced"
	}
	w.Head("store: %s of %s is %s", s.Key, s.Namespace, word)
	if s.Data == nil {
		return
	}
	w.Page("") // an agent wrote it, perhaps from what a page said
	var entries []answer.Entry
	var pretty bytes.Buffer
	text := string(s.Data)
	if json.Unmarshal(s.Data, &text) != nil && json.Indent(&pretty, s.Data, "", " ") == nil {
		text = pretty.String()
	}
	for l := range strings.Lines(text) {
		entries = append(entries, answer.Entry{Text: answer.Clean(strings.TrimRight(l, "\n"))})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d lines; a larger budget shows more", to-from, len(entries))
	}
}

// storedKeys are the keys of a namespace.
type storedKeys struct {
	Namespace string   `json:"namespace"`
	Keys      []string `json:"keys"`
}

// Text writes the keys for a reader.
func (s *storedKeys) Text(w *answer.Writer) {
	w.Head("store: %d keys in %s", len(s.Keys), s.Namespace)
	w.Own()
	var entries []answer.Entry
	for _, k := range s.Keys {
		entries = append(entries, answer.Entry{Text: k})
	}
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d; a larger budget shows more", to-from, len(entries))
	}
}

// storedStats says how much a project stores.
type storedStats struct {
	Bytes      int64          `json:"total_bytes"` // names of elements apart
	Sessions   int            `json:"session_count"`
	Namespaces map[string]int `json:"namespaces"`        // keys of each
	Problem    string         `json:"problem,omitempty"` // why the names of elements are not counted
}

// Text writes the counts for a reader.
func (s *storedStats) Text(w *answer.Writer) {
	w.Head("store: %s of at most %s in %d namespaces", answer.Bytes(s.Bytes), answer.Bytes(save.MaxValues), len(s.Namespaces))
	w.Own()
	var entries []answer.Entry
	for _, n := range sorted(s.Namespaces) {
		entries = append(entries, answer.Entry{Text: fmt.Sprintf("%s: %d", n, s.Namespaces[n])})
	}
	w.Entries(answer.Oldest, entries)
	if s.Problem != "" {
		w.Note("%s", s.Problem)
	}
}
