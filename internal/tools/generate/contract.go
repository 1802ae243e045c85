package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
)

// Bounds of what is compared with a contract.
const (
	contractBytes  = 4 << 20 // of the document
	contractLooked = 2000    // newest requests
	contractEach   = 5       // bodies of one operation with one status
	contractBodies = 1 << 20 // bytes of a body
)

// contract tells where answers since a number are not as an OpenAPI document of the project says; false where none was compared.
func (env Env) contract(ctx context.Context, reader query.Reader, path string, f query.Filter, from event.Seq) (artifact.ReportSection, error) {
	section := artifact.ReportSection{Title: "Contract"}
	file, err := env.places().By("file").Read(path, contractBytes)
	if err != nil {
		return section, err
	}
	if file.Data == nil {
		return section, problem.New(problem.TooLarge, "Give a smaller document.", "%s has %s; at most %s are read.", file.Path,
			answer.Bytes(file.Size), answer.Bytes(contractBytes))
	}
	c, err := analysis.ReadContract(file.Data)
	if err != nil {
		return section, problem.New(problem.InvalidParam, "Give an OpenAPI 3 document, JSON or YAML, whose references stay within it.",
			"%s cannot be used: %s.", file.Path, answer.Cut(answer.Clean(err.Error()), 200))
	}
	breaches, unknown := artifact.ReportList{Title: "Not as it says"}, artifact.ReportList{Title: "Not in it"}
	compared, costly := map[string]int{}, 0
	seen := map[string]bool{}
	add := func(list *artifact.ReportList, item artifact.ReportItem) {
		if key := list.Title + item.Code + item.Why; !seen[key] {
			seen[key] = true
			list.Items = append(list.Items, item)
		}
	}
	bodies := 0
	_, _, err = query.ReadBodies(ctx, reader, f, query.Page{Limit: 1, Look: contractLooked}, func(x *event.Exchange) bool {
		u, err := page.ParseURL(x.URL)
		if err != nil || x.Seq < from || x.Status == 0 || !strings.Contains(x.ContentType, "json") {
			return false
		}
		operation, known := c.Operation(x.Method, u.Path)
		if !known {
			add(&unknown, artifact.ReportItem{Code: answer.Clean(x.Method + " " + answer.Origin(x.URL) + u.Path)})
			return false
		}
		what := fmt.Sprintf("%s %s", x.Method, operation)
		key := fmt.Sprintf("%s %d", what, x.Status)
		var body any
		if compared[key] >= contractEach || len(x.ResponseBody) > contractBodies || x.ResponseBodyNote != "" ||
			json.Unmarshal([]byte(x.ResponseBody), &body) != nil {
			return false
		}
		compared[key]++
		found, told, err := c.Check(x.Method, u.Path, x.Status, body)
		switch {
		case errors.Is(err, analysis.ErrCostly):
			costly++
			return false
		case !told:
			add(&breaches, artifact.ReportItem{Code: answer.Clean(what), After: fmt.Sprintf("has no status %d", x.Status)})
			return false
		}
		bodies++
		for _, b := range found {
			why := b.Says
			if b.Type != "" {
				why += "; it is " + b.Type
			}
			add(&breaches, artifact.ReportItem{Code: answer.Clean(key + " " + b.Path), Why: answer.Clean(why)})
		}
		return false
	})
	if err != nil {
		return section, err
	}
	section.Lists = []artifact.ReportList{breaches, unknown}
	section.Lines = []string{fmt.Sprintf("Bodies that were compared with %s: %d.", artifact.Code(answer.Clean(path)), bodies)}
	if costly > 0 {
		section.Lines[0] += fmt.Sprintf(" Too costly to compare: %d.", costly)
	}
	return section, nil
}
