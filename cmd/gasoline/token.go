package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/certificate"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

const whatTokensAre = "Tokens with limited rights. The scope ingest may send logs and spans and read nothing; query may read " +
	"timelines, traces and the tools observe and analyze, and change nothing; admin may do all that the install's own token " +
	"may. Each token has an end and limits. Its text is shown once, and the daemon keeps a hash."

func tokenCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "token", Short: "Make, list and revoke tokens with a scope and an end", GroupID: "services",
		Long: wrapped(whatTokensAre), Args: unknownCommand,
	}
	cmd.AddCommand(tokenCreateCommand(s), tokenListCommand(s), tokenRevokeCommand(s))
	return cmd
}

// openState opens the state directory of the place that the settings mean.
func (s settings) openState() (daemon.Place, *state.Dir, error) {
	place, err := s.place()
	if err != nil {
		return place, nil, err
	}
	dir, err := place.Open()
	if err != nil {
		return place, nil, fail{code: exitError, err: err}
	}
	return place, dir, nil
}

func tokenCreateCommand(s *settings) *cobra.Command {
	var scope string
	var want pairing.Token
	var life time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use: "create", Short: "Make a token and print what its program needs", Args: noArgs,
		Example: "  gasoline token create --scope ingest --service api\n  gasoline token create --scope query --expires 1h",
	}
	flags := cmd.Flags()
	flags.StringVar(&scope, "scope", string(pairing.Ingest), "ingest, query or admin")
	flags.StringVar(&want.Service, "service", "", "service.name of all its events (default the sender's)")
	flags.StringVar(&want.Environment, "env", "", "deployment.environment.name of all its events")
	flags.DurationVar(&life, "expires", pairing.DefaultLife, "how long it is valid")
	flags.IntVar(&want.Events, "rate", pairing.DefaultEvents, "events per second; ten seconds' worth may come at once")
	flags.IntVar(&want.Bytes, "bytes", pairing.DefaultBytes, "bytes per second; ten seconds' worth may come at once")
	flags.BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		place, dir, err := s.openState()
		if err != nil {
			return err
		}
		defer dir.Close()
		want.Scope = pairing.Scope(scope)
		text, made, err := pairing.NewToken(dir, want, life)
		if err != nil {
			return refusedHere(err)
		}
		pin, err := certificate.New(dir, time.Now).Pin()
		if err != nil {
			return fail{code: exitError, err: err}
		}
		pair, err := pairingOf(place, text, pin)
		if err != nil {
			return fail{code: exitError, err: err}
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), struct {
				pairing.Token
				Hash    string `json:"hash,omitempty"` // hides the token's own
				Text    string `json:"token"`
				URL     string `json:"url"`
				Pin     string `json:"pin"`
				Pairing string `json:"pairing"`
			}{Token: made, Text: text, URL: urlOf(place), Pin: pin, Pairing: pair})
		}
		out := cmd.OutOrStdout()
		if made.Scope == pairing.Ingest {
			fmt.Fprintln(out, "# For Gasoline's SDKs: HTTPS, with the token and the pin of the daemon's key.")
			fmt.Fprintf(out, "GASOLINE_URL=%s\n# For OpenTelemetry's SDKs.\n", pair)
			printExporter(out, urlOf(place), text)
		} else {
			printEnvironment(out, urlOf(place), text)
			fmt.Fprintf(out, "# By HTTPS: https://127.0.0.1:%d; its key's pin: sha256//%s\n", place.Port, pin)
		}
		fmt.Fprintf(out, "# %s, to %s; \"gasoline token revoke %s\" ends it.\n", describeToken(made),
			made.Expires.Local().Format(time.DateTime), made.ID)
		return nil
	}
	return cmd
}

func urlOf(p daemon.Place) string { return fmt.Sprintf("http://127.0.0.1:%d", p.Port) }

// pairingOf returns the one string that a program needs to send by HTTPS: the address with the token as user, and the
// SHA-256 of the key's SubjectPublicKeyInfo in base64url without padding. pin is what [certificate.Store.Pin] returns.
func pairingOf(p daemon.Place, token, pin string) (string, error) {
	hash, err := base64.StdEncoding.DecodeString(pin)
	if err != nil {
		return "", fmt.Errorf("the pin of the daemon's key: %w", err)
	}
	u := url.URL{
		Scheme: "https", User: url.User(token), Host: fmt.Sprintf("127.0.0.1:%d", p.Port), Path: "/",
		RawQuery: "pin=" + base64.RawURLEncoding.EncodeToString(hash),
	}
	return u.String(), nil
}

// printEnvironment prints what a program needs to send to an address.
func printEnvironment(w io.Writer, url, token string) {
	fmt.Fprintf(w, "GASOLINE_URL=%s\nGASOLINE_TOKEN=%s\n", url, token)
}

func describeToken(t pairing.Token) string {
	out := string(t.Scope)
	for _, part := range []struct{ word, value string }{{"service", t.Service}, {"environment", t.Environment}} {
		if part.value != "" {
			out += " for " + part.word + " " + part.value
		}
	}
	return out
}

// refusedHere is the error for what is refused without the daemon.
func refusedHere(err error) error {
	var p *problem.Problem
	if !errors.As(err, &p) {
		return fail{code: exitError, err: err}
	}
	return fail{code: exitOf(string(p.Code)), err: plain(p, "")}
}

func tokenListCommand(s *settings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the tokens, without their text", Args: noArgs}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, dir, err := s.openState()
		if err != nil {
			return err
		}
		defer dir.Close()
		all, err := pairing.Tokens(dir)
		if err != nil {
			return fail{code: exitError, err: err}
		}
		if asJSON {
			for i := range all {
				all[i].Hash = ""
			}
			return printJSON(cmd.OutOrStdout(), all)
		}
		if len(all) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), `There are none; "gasoline token create" makes one.`)
			return nil
		}
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "ID\tOPENS\tEVENTS/s\tBYTES/s\tENDS")
		for _, t := range all {
			ends := t.Expires.Local().Format(time.DateTime)
			if !time.Now().Before(t.Expires) {
				ends = "ended"
			}
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", t.ID, describeToken(t), t.Events, t.Bytes, ends)
		}
		return w.Flush()
	}
	return cmd
}

func tokenRevokeCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID…", Short: "End tokens now", Args: atLeastOne("an id of \"gasoline token list\"", "gasoline token revoke ID"),
		RunE: func(cmd *cobra.Command, ids []string) error {
			_, dir, err := s.openState()
			if err != nil {
				return err
			}
			defer dir.Close()
			for _, id := range ids {
				if err := pairing.RevokeToken(dir, strings.TrimSpace(id)); err != nil {
					return refusedHere(err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s is revoked\n", id)
			}
			return nil
		},
	}
}
