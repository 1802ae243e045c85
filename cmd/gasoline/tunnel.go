package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/wire"
)

const whatTunnelDoes = "Lead a port of another machine to this machine's daemon, by your own ssh, and print the variables " +
	"that a service there needs. The port there takes connections of that machine only. Here it leads to a port that " +
	"takes logs and spans and answers no questions. Its token belongs to this tunnel and ends after a day, or by " +
	"--expires.\n\nIf the tunnel breaks, the command makes it anew, until Ctrl-C. ssh must be able to log in without a " +
	"question: by a key or an agent. Options behind -- go to ssh."

// The daemon keeps the port open for tunnelLease after it was asked last.
const (
	tunnelLease = time.Minute
	tunnelRenew = 5 * time.Second
)

func tunnelCommand(s *settings) *cobra.Command {
	want := pairing.Token{Scope: pairing.Ingest, Events: pairing.DefaultEvents, Bytes: pairing.DefaultBytes}
	var life time.Duration
	var remote int
	cmd := &cobra.Command{
		Use: "tunnel [USER@]HOST [-- SSH-OPTION…]", Short: "Let services of another machine send to this one",
		GroupID: "services", Long: wrapped(whatTunnelDoes), Args: atLeastOne("a host", "gasoline tunnel me@staging"),
		Example: "  gasoline tunnel me@staging\n  gasoline tunnel me@staging --service api -- -p 2222 -i ~/.ssh/staging",
	}
	flags := cmd.Flags()
	flags.IntVar(&remote, "remote-port", 7890, "the port on the other machine")
	flags.StringVar(&want.Service, "service", "", "service.name of all its events (default the sender's)")
	flags.StringVar(&want.Environment, "env", "", "deployment.environment.name of all its events")
	flags.DurationVar(&life, "expires", pairing.DefaultLife, "how long the token is valid")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if at := cmd.ArgsLenAtDash(); at > 1 || at < 0 && len(args) > 1 {
			return fmt.Errorf("give one host; options for ssh stand behind --")
		}
		if remote < 1 || remote > 65535 {
			return fmt.Errorf("port %d is not between 1 and 65535", remote)
		}
		c, err := s.client()
		if err != nil {
			return err
		}
		if err := c.ensure(cmd.Context(), cmd.ErrOrStderr()); err != nil {
			return err
		}
		_, dir, err := s.openState()
		if err != nil {
			return err
		}
		defer dir.Close()
		text, made, err := pairing.NewToken(dir, want, life)
		if err != nil {
			return refusedHere(err)
		}
		let, err := pairing.HoldToken(dir, made.ID)
		defer func() {
			let()
			_ = pairing.RevokeToken(dir, made.ID) // it ends by itself, too
		}()
		if err != nil {
			return refusedHere(err)
		}
		return runTunnel(cmd, c, &launch.Tunnel{Program: "ssh", Options: args[1:], Host: args[0], Remote: remote}, text, made)
	}
	return cmd
}

// runTunnel keeps a tunnel up until the command is interrupted.
func runTunnel(cmd *cobra.Command, c *client, t *launch.Tunnel, token string, made pairing.Token) error {
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	var mu sync.Mutex // of what is written
	stderr := cmd.ErrOrStderr()
	t.Tell = func(sentence string) {
		mu.Lock()
		defer mu.Unlock()
		complain(stderr, sentence)
	}
	port := &tunnelPort{client: c, changed: make(chan struct{}, 1)}
	t.Local, t.Again = port.begin, port.changed
	told := false
	t.Up = func() {
		if !told {
			told = true
			mu.Lock()
			printEnvironment(cmd.OutOrStdout(), fmt.Sprintf("http://127.0.0.1:%d", t.Remote), token)
			printExporter(cmd.OutOrStdout(), fmt.Sprintf("http://127.0.0.1:%d", t.Remote), token)
			mu.Unlock()
			t.Tell(fmt.Sprintf("the tunnel to %s stands; give these variables to the service there. The token lets send until %s "+
				"or until this command ends. Ctrl-C ends it.", t.Host, made.Expires.Local().Format(time.DateTime)))
			return
		}
		t.Tell("the tunnel to " + t.Host + " stands again")
	}
	var renewing sync.WaitGroup
	renewing.Go(func() { port.keep(ctx, t.Tell) })
	err := t.Run(ctx)
	stop()
	renewing.Wait()
	if err != nil {
		return fail{code: exitError, err: err}
	}
	return nil
}

// printExporter prints the variables of OpenTelemetry's exporters.
func printExporter(w io.Writer, url, token string) {
	fmt.Fprintf(w, "OTEL_EXPORTER_OTLP_ENDPOINT=%s\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\n"+
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%%20%s\n", url, token)
}

// tunnelPort is the daemon's port for services of other machines.
type tunnelPort struct {
	client  *client
	changed chan struct{} // the daemon has another port than before, or is away
	away    bool          // of look

	mu   sync.Mutex
	port int
}

// renew asks for the port for another while, and returns it.
func (p *tunnelPort) renew(ctx context.Context) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out, err := p.client.quick(ctx, http.MethodPost, "/ingest-port",
		wire.IngestPort{Port: p.port, Seconds: int(tunnelLease / time.Second)})
	if err != nil {
		return 0, err
	}
	var answer wire.IngestPortAnswer
	if err := json.Unmarshal(out, &answer); err != nil || answer.Port == 0 {
		return 0, fmt.Errorf("the daemon names no port: %w", err)
	}
	if p.port != 0 && p.port != answer.Port {
		p.end()
	}
	p.port = answer.Port
	return answer.Port, nil
}

// begin returns the port for a new connection, which nothing ends that was seen before.
func (p *tunnelPort) begin(ctx context.Context) (int, error) {
	port, err := p.renew(ctx)
	select {
	case <-p.changed:
	default:
	}
	return port, err
}

// end has the connection that stands end.
func (p *tunnelPort) end() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// keep renews the port until ctx ends, and tells when the daemon is away and when it is back.
func (p *tunnelPort) keep(ctx context.Context, tell func(string)) {
	tick := time.NewTicker(tunnelRenew)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p.look(ctx, tell)
	}
}

// look renews the port once. Without the daemon the connection ends: it would lead to whoever takes the port by then.
func (p *tunnelPort) look(ctx context.Context, tell func(string)) {
	switch _, err := p.renew(ctx); {
	case ctx.Err() != nil:
		return
	case err != nil && !p.away:
		p.away = true
		p.end()
		tell(fmt.Sprintf("logs and spans do not arrive: %v", err))
	case err == nil && p.away:
		p.away = false
		tell("the daemon is back")
	}
}
