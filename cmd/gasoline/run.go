package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/wire"
)

// exited is the error of a command whose child ended with an exit code of its own.
type exited int

func (e exited) Error() string { return "the command ended with exit code " + strconv.Itoa(int(e)) }

const whatRunDoes = "Run a program as you do, and let agents read what it writes. Its output goes to the terminal first. " +
	"The daemon gets a copy and reads times, levels, stacks and trace ids from it; it is started when none runs. The " +
	"program gets the variables by which an OpenTelemetry SDK finds the daemon; variables that you set stay. Programs of " +
	"Node and Python load an SDK that reports their requests, queries and logs as well; GASOLINE=off keeps it out.\n\n" +
	"Without a command, it runs the project's own: the script dev or start of package.json, a compose file, a Procfile, " +
	"or the target dev or run of a Makefile.\n\n" +
	"Ctrl-C and signals go to the program. If it has not ended after 5 seconds, it is killed with all that it started. " +
	"The exit code is the program's, or 128 and the number of the signal that ended it."

func runCommand(s *settings) *cobra.Command {
	var name string
	var otel bool
	cmd := &cobra.Command{
		Use: "run [flags] [--] [COMMAND…]", Short: "Run a program of yours, and let agents read what it writes",
		GroupID: "services", Long: wrapped(whatRunDoes),
		Example: "  gasoline run -- npm run dev\n  gasoline run --name api --otel -- node server.js",
		Args:    cobra.ArbitraryArgs,
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the service (default OTEL_SERVICE_NAME, or the project's name)")
	cmd.Flags().BoolVar(&otel, "otel", false, "load OpenTelemetry's instrumentation that the project has (Node, Python)")
	cmd.Flags().SetInterspersed(false) // flags behind the program are the program's
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runProgram(cmd, s, name, otel, args) }
	return cmd
}

// found returns the command that the project declares.
func found(dir string, stderr io.Writer) (launch.Candidate, error) {
	all, err := launch.Detect(dir)
	if err != nil {
		return launch.Candidate{}, err
	}
	if len(all) > 1 {
		text := "there are several commands; type one of these:"
		for _, c := range all {
			text += "\n  " + answer.Clean(c.Line()) + "\n    " + answer.Clean(c.Found)
		}
		return launch.Candidate{}, errors.New(text)
	}
	fmt.Fprintf(stderr, "gasoline: %s; running %s\n", answer.Clean(all[0].Found), answer.Clean(shell.Line(all[0].Command...)))
	return all[0], nil
}

func runProgram(cmd *cobra.Command, s *settings, name string, otel bool, command []string) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fail{code: exitError, err: err}
	}
	stderr := cmd.ErrOrStderr()
	if len(command) == 0 {
		candidate, err := found(dir, stderr)
		if err != nil {
			return err
		}
		if command = candidate.Command; name == "" {
			name = candidate.Name
		}
	}
	env := os.Environ()
	if name != "" {
		env = append(env, "OTEL_SERVICE_NAME="+name) // the flag is nearer than the environment
	} else if name = os.Getenv("OTEL_SERVICE_NAME"); name == "" {
		name = launch.ServiceOf(dir)
	}
	instance := launch.InstanceOf(env)
	if instance == "" {
		instance = randomName()
	}
	leave, end, err := s.leaveToSend()
	if err != nil {
		complain(stderr, fmt.Errorf("the program gets no token, so that OpenTelemetry's data is refused: %w", err))
	}
	defer end()
	env = launch.Environment(env, launch.Identity{
		Service: name, Instance: instance, URL: c.url(), Token: leave.text, TokenFile: leave.file,
	})
	project := launch.Project{Dir: dir, Command: command, Env: env, Keep: s.keep}
	if otel {
		if err := launch.Instrument(&project); err != nil {
			return fail{code: exitUsage, err: err}
		}
	} else if otel, err = launch.Load(&project); err != nil {
		complain(stderr, fmt.Errorf("the SDK is not loaded: %w", err)) // the program runs as it would without
		otel = false
	}
	sender := launch.NewSender(
		wire.Lines{
			V: 1, Service: name, Instance: instance, Source: "run", Client: randomName(), OTLP: otel, Host: hostname(),
			Several: launch.Several(command),
		},
		c.postLines,
	)
	go func() { _ = c.ensure(cmd.Context(), io.Discard) }() // the report tells when lines do not arrive
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passedOn...)
	defer signal.Stop(signals)
	unread := make(chan os.Signal, 1) // a write that nobody reads is an error then, and does not end this process
	signal.Notify(unread, syscall.SIGPIPE)
	defer signal.Stop(unread)
	code, err := launch.Run(cmd.Context(), launch.Config{
		Command: project.Command, Env: project.Env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Signals: signals,
		Sender: sender,
	})
	if err != nil {
		code := 126
		if errors.Is(err, exec.ErrNotFound) {
			code = 127
		}
		return fail{code: code, err: fmt.Errorf("run %s: %w", command[0], err)}
	}
	if report := sender.Report(); report != "" {
		complain(stderr, report)
	}
	if code != 0 {
		return exited(code)
	}
	return nil
}

// leave is a token that only lets send, and the file with it.
type leave struct{ text, file string }

// leaveToSend makes a token for a program that is run. It lasts until end is called; when this process is killed, until the
// next one or a daemon starts.
func (s settings) leaveToSend() (l leave, end func(), err error) {
	_, dir, err := s.openState()
	if err != nil {
		return leave{}, func() {}, err
	}
	text, made, err := pairing.NewToken(dir, pairing.Token{Scope: pairing.Ingest, Events: runRate, Bytes: runBytes},
		pairing.DefaultLife)
	if err != nil {
		return leave{}, func() { _ = dir.Close() }, err // nothing was written
	}
	done := make(chan struct{})
	let, err := pairing.HoldToken(dir, made.ID)
	end = func() {
		close(done)
		let()
		_ = pairing.RevokeToken(dir, made.ID) // it ends by itself, too
		_ = dir.Close()
	}
	if err != nil {
		return leave{}, end, err
	}
	file, err := pairing.KeepText(dir, made.ID, text)
	if err != nil {
		return leave{}, end, err
	}
	go func() {
		tick := time.NewTicker(time.Hour)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = pairing.ExtendToken(dir, made.ID, pairing.DefaultLife) // the next hour has another try
			}
		}
	}()
	return leave{text, file}, end, nil
}

// A program of the user's own on this machine has the limits of its service, which are the daemon's.
const (
	runRate  = 1_000_000
	runBytes = 256 << 20
)

func hostname() string {
	name, err := os.Hostname()
	if err != nil {
		return "" // then times are by the daemon's clock
	}
	return name
}

func randomName() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return hex.EncodeToString(b[:])
}

// keep writes a file into the state directory and returns its path.
func (s settings) keep(name string, data []byte) (string, error) {
	place, err := s.place()
	if err != nil {
		return "", err
	}
	dir, err := place.Open()
	if err != nil {
		return "", err
	}
	defer dir.Close()
	if old, err := dir.Read(name); err == nil && bytes.Equal(old, data) {
		return dir.Path(name), nil
	}
	return dir.Path(name), dir.Write(name, data)
}

func (c *client) url() string { return "http://127.0.0.1:" + strconv.Itoa(c.place.Port) }

// postLines hands over a batch of lines, as a sender wants it.
func (c *client) postLines(ctx context.Context, batch wire.Lines) error {
	body, err := json.Marshal(batch)
	if err != nil {
		return errors.Join(launch.ErrRefused, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url()+"/lines", bytes.NewReader(body))
	if err != nil {
		return errors.Join(launch.ErrRefused, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "gasoline-cli/"+version)
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("it is not there: %w", err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	switch {
	case res.StatusCode == http.StatusOK:
		return nil
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode == http.StatusServiceUnavailable:
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		if err != nil {
			seconds = 1
		}
		return &launch.Later{After: time.Duration(max(1, seconds)) * time.Second}
	case res.StatusCode >= 500:
		return fmt.Errorf("it answers %s", res.Status)
	}
	var p wire.Problem
	if json.Unmarshal(text, &p) == nil && p.Error.Message != "" {
		return fmt.Errorf("%w: %s", launch.ErrRefused, p.Error.Message)
	}
	return fmt.Errorf("%w: %s", launch.ErrRefused, res.Status)
}

// serviceOfFile is the service whose log a file is: its name, or that of its folder when it is like many others.
func serviceOfFile(path string) string {
	base := filepath.Base(path)
	base, _, _ = strings.Cut(base, ".")
	switch base {
	case "", "log", "logs", "access", "error", "out", "err", "output", "stdout", "stderr", "development", "production", "app":
		parent := filepath.Base(filepath.Dir(path))
		if parent == "log" || parent == "logs" {
			parent = filepath.Base(filepath.Dir(filepath.Dir(path)))
		}
		if parent != "." && parent != string(filepath.Separator) {
			return parent
		}
	}
	if base == "" {
		return "tail-" + runtime.GOOS
	}
	return base
}
