package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/export"
	"github.com/brennhill/gasoline/internal/wire"
)

const whatExportDoes = "Send kept events to an OpenTelemetry collector or to a store that takes OTLP: logs, exceptions and spans of " +
	"services, and of browsers the console and exceptions as logs and requests as client spans. Secrets were replaced before " +
	"the events were stored. This command alone opens the connection, for as long as it runs, to the address that you " +
	"give; the daemon opens none."

const exportPage = 500 // events

func exportCommand(s *settings) *cobra.Command {
	var to, since, service string
	var headers, signals []string
	var follow bool
	cmd := &cobra.Command{
		Use: "export --otlp URL", Short: "Send kept events to a collector or a store, by OTLP", GroupID: "services",
		Long: wrapped(whatExportDoes), Args: noArgs,
		Example: "  gasoline export --otlp http://127.0.0.1:4318 --since 10m\n" +
			"  gasoline export --otlp https://collector.example --header 'x-api-key: …' --follow",
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "otlp", "", "address of the collector, as OTEL_EXPORTER_OTLP_ENDPOINT has it")
	flags.StringVar(&since, "since", "", "a duration back, or an RFC 3339 time (default all kept events)")
	flags.StringVar(&service, "service", "", "only this service")
	flags.StringArrayVar(&headers, "header", nil, "a header of each request, such as 'authorization: Bearer …'; may be repeated")
	flags.StringSliceVar(&signals, "signals", []string{"logs", "traces"}, "signals that the other side takes: logs, traces")
	flags.BoolVar(&follow, "follow", false, "go on with new events, until Ctrl-C")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if to == "" {
			return errors.New("gasoline export needs an address, as in: gasoline export --otlp http://127.0.0.1:4318")
		}
		header := http.Header{}
		for _, h := range headers {
			name, value, ok := strings.Cut(h, ":")
			if !ok || strings.TrimSpace(name) == "" {
				return errors.New("a header has the form 'name: value'")
			}
			header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
		target, err := export.NewTarget(to, header, waiting{http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}, cmd.ErrOrStderr()})
		if err != nil {
			return err
		}
		for _, signal := range signals {
			if signal != "logs" && signal != "traces" {
				return fmt.Errorf("there is no signal %q; there are logs and traces", signal)
			}
		}
		if !slices.Contains(signals, "logs") {
			target.Logs = ""
		}
		if !slices.Contains(signals, "traces") {
			target.Traces = ""
		}
		told := ""
		target.Again = func(err error, after time.Duration) {
			if text := err.Error(); text != told { // once for each reason
				told = text
				complain(cmd.ErrOrStderr(), fmt.Sprintf("%s; trying again in %s", text, after.Round(100*time.Millisecond)))
			}
		}
		c, err := s.client()
		if err != nil {
			return err
		}
		run := exporting{client: c, target: target, query: url.Values{
			"limit": {fmt.Sprint(exportPage)}, "signals": {strings.Join(signals, ",")},
		}}
		for name, value := range map[string]string{"since": since, "service": service} {
			if value != "" {
				run.query.Set(name, value)
			}
		}
		err = run.all(cmd.Context(), follow)
		if follow && cmd.Context().Err() != nil {
			err = nil // the user has ended it
		}
		complain(cmd.ErrOrStderr(), run.report())
		if err != nil {
			if refused := (fail{}); errors.As(err, &refused) { // the daemon says what is wrong with what was asked for
				return refused
			}
			return fail{code: exitError, err: err}
		}
		return nil
	}
	return cmd
}

// waiting sends requests, and says so when an answer takes long.
type waiting struct {
	http.Client
	stderr io.Writer
}

// Do is export.Doer's.
func (w waiting) Do(r *http.Request) (*http.Response, error) {
	slow := time.AfterFunc(2*time.Second, func() { fmt.Fprintf(w.stderr, "gasoline: waiting for %s …\n", r.URL.Host) })
	defer slow.Stop()
	return w.Client.Do(r)
}

// exporting is one run of the command.
type exporting struct {
	client *client
	target *export.Target
	query  url.Values

	sent    export.Counts
	refused int
	missed  uint64
	reason  string
}

// all hands over page after page, until there are no more, or without an end.
func (e *exporting) all(ctx context.Context, follow bool) error {
	for {
		page, err := e.page(ctx)
		if err != nil {
			return err
		}
		// What could not be handed over is not left out: the cursor stays where it was.
		if err := e.post(ctx, page); err != nil {
			return err
		}
		if e.query.Get("cursor") != "" {
			e.missed += page.Missed // what was evicted before the first page was never asked for
		}
		e.query.Set("cursor", page.Cursor)
		if page.More {
			continue
		}
		if !follow {
			return nil
		}
		if err := e.target.Wait(ctx, time.Second); err != nil {
			return err
		}
	}
}

func (e *exporting) page(ctx context.Context) (page wire.Export, err error) {
	out, err := e.client.do(ctx, http.MethodGet, "/export?"+e.query.Encode(), nil, nil)
	if err != nil {
		return page, err
	}
	if err := json.Unmarshal(out, &page); err != nil {
		return page, fmt.Errorf("read /export: %w", err)
	}
	return page, nil
}

func (e *exporting) post(ctx context.Context, page wire.Export) error {
	for _, one := range []struct {
		to    string
		body  []byte
		count int
		sent  *int
	}{
		{e.target.Logs, page.Logs, page.LogCount, &e.sent.Logs},
		{e.target.Traces, page.Traces, page.SpanCount, &e.sent.Spans},
	} {
		if len(one.body) == 0 || one.to == "" {
			continue
		}
		refused, reason, err := e.target.Post(ctx, one.to, one.body)
		if err != nil {
			return err
		}
		refused = min(refused, one.count) // another program's word
		*one.sent += one.count - refused
		e.refused += refused
		if reason != "" {
			e.reason = reason
		}
	}
	return nil
}

func (e *exporting) report() string {
	out := fmt.Sprintf("%d logs and %d spans were handed over", e.sent.Logs, e.sent.Spans)
	if e.refused > 0 {
		out += fmt.Sprintf("; %d were refused there", e.refused)
		if e.reason != "" {
			out += " (" + e.reason + ")"
		}
	}
	if e.missed > 0 {
		out += fmt.Sprintf("; %d were gone before they could be handed over", e.missed)
	}
	return out
}
