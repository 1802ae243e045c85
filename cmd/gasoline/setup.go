package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/project"
	"github.com/brennhill/gasoline/internal/setup"
	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/toolset"
)

// setupRun is one run of "gasoline setup".
type setupRun struct {
	check, dryRun, remove, yes, project, json bool

	machine setup.Machine
	want    setup.Want
	place   []string // the flags that name it, as they were given
	in      io.Reader
	out     io.Writer
	asks    bool // a person can answer

	unpaired bool // no browser has ever paired with the daemon of this place
	port     int
}

func setupCommand(s *settings) *cobra.Command {
	var r setupRun
	cmd := &cobra.Command{
		Use: "setup [CLIENT…]", Short: "Write this program into your agent's settings", GroupID: "daemon",
		Long: wrapped(
			"Write this program into the settings of MCP clients, each in its own file, with a copy of the old " +
				"file beside it. " +
				"Without names it finds the clients that are installed, shows what it would write and asks once. " +
				"observe and analyze are approved where a client can be told so; what acts is asked for each time.\n\n" +
				"Clients: " + strings.Join(
				targetNames(),
				", ",
			) + ".",
		),
		Example: "  gasoline setup                 what is installed, with a question\n" +
			"  gasoline setup codex           this one, without\n" +
			"  gasoline setup --check         what stands where",
		Args: func(_ *cobra.Command, args []string) error {
			for _, a := range args {
				if setup.Find(a) == nil {
					if near := catalog.Nearest(a, targetNames()); near != "" {
						return fmt.Errorf("there is no client %q; did you mean %q?", a, near)
					}
					return fmt.Errorf("there is no client %q; there are %s", a, strings.Join(targetNames(), ", "))
				}
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(targetNames(), cobra.ShellCompDirectiveNoFileComp),
	}
	flags := cmd.Flags()
	flags.BoolVar(&r.check, "check", false, "say what stands where, and write nothing")
	flags.BoolVar(&r.dryRun, "dry-run", false, "show what would be written")
	flags.BoolVar(&r.remove, "remove", false, "take it out again")
	flags.BoolVar(&r.yes, "yes", false, "do not ask")
	flags.BoolVar(&r.project, "project", false, "the project's own file, in this folder, instead of yours")
	flags.StringVar(&s.toolset, "toolset", "", "tools that the agent is shown: "+strings.Join(toolset.Names, ", ")+" (GASOLINE_TOOLSET)")
	flags.BoolVar(&r.json, "json", false, "with --check: print it as JSON")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := errors.Join(apart(cmd, "check", "dry-run"), apart(cmd, "check", "remove")); err != nil {
			return err
		}
		if r.json && !r.check {
			return errors.New("--json prints what --check says; give both")
		}
		want, err := s.want()
		if err != nil {
			return err
		}
		if r.machine, err = thisMachine(); err != nil {
			return fail{code: exitError, err: err}
		}
		want.Remove, want.Project = r.remove, r.project
		r.want, r.in, r.out = want, cmd.InOrStdin(), cmd.OutOrStdout()
		r.place = s.given()
		place, err := s.place()
		if err != nil {
			return err
		}
		if r.project {
			if r.machine.Dir, err = project.Root(r.machine.Dir, place.StateDir); err != nil {
				return fail{code: exitUser, err: fmt.Errorf("this folder is no project: %w", err)}
			}
		}
		r.unpaired, r.port = paired(place) == 0, place.Port
		r.asks = isTerminal(r.out) && launch.IsTerminal(os.Stdin)
		if r.check {
			return r.tell(args)
		}
		return r.write(cmd.Context(), args)
	}
	return cmd
}

func targetNames() []string {
	var out []string
	for _, t := range setup.Targets() {
		out = append(out, t.Name())
	}
	return out
}

// want is what is to stand in the settings: this program, and the place where it is not the default.
func (s settings) want() (setup.Want, error) {
	place, err := s.place()
	if err != nil {
		return setup.Want{}, err
	}
	want := setup.Want{Program: lasting(place.Program)}
	port, dir, memory := s.inForce()
	if port.From != "default" && port.Value != defaultPort {
		want.Args = append(want.Args, "--port", port.Value)
	}
	if dir.From != "default" {
		want.Args = append(want.Args, "--state-dir", place.StateDir)
	}
	if memory.From != "default" {
		want.Args = append(want.Args, "--memory", memory.Value)
	}
	tools, err := s.tools()
	if tools != "" {
		want.Args = append(want.Args, "--toolset", tools)
	}
	return want, err
}

// lasting is the path by which this program is found after an update too: that of PATH, when it leads here.
func lasting(program string) string {
	found, err := exec.LookPath("gasoline")
	if err != nil {
		return program
	}
	if found, err = filepath.Abs(found); err != nil {
		return program
	}
	x, err := os.Stat(found)
	if err != nil {
		return program
	}
	if y, err := os.Stat(program); err == nil && os.SameFile(x, y) {
		return found
	}
	return program
}

func thisMachine() (setup.Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return setup.Machine{}, fmt.Errorf("find your home directory: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return setup.Machine{}, fmt.Errorf("find the working directory: %w", err)
	}
	return setup.Machine{OS: runtime.GOOS, Home: home, Dir: dir, Env: os.Getenv, Look: exec.LookPath}, nil
}

// confirmed asks a person; what is no yes is a no, and so is the end of the input. A signal ends the question with the
// context's error. All questions of the program are asked here.
func confirmed(ctx context.Context, in io.Reader, out io.Writer, question string) (bool, error) {
	fmt.Fprintf(out, "\n%s [y/N] ", question)
	answer, err := launch.ReadLine(ctx, in)
	if err != nil {
		fmt.Fprintln(out) // the cursor stands behind the question
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil && !errors.Is(err, io.EOF):
		return false, fail{code: exitError, err: fmt.Errorf("read the answer: %w", err)}
	}
	a := strings.ToLower(strings.TrimSpace(answer))
	return a == "y" || a == "yes", nil
}

// targets are those that were named, or those that are installed.
func (r *setupRun) targets(names []string) (out []setup.Target) {
	for _, n := range names {
		out = append(out, setup.Find(n))
	}
	if len(names) > 0 {
		return out
	}
	for _, t := range setup.Targets() {
		if t.Installed(r.machine) {
			out = append(out, t)
		}
	}
	return out
}

// tell prints what stands in the settings. Something that does not work makes it fail.
func (r *setupRun) tell(names []string) error {
	type line struct {
		Name string `json:"name"`
		setup.Report
	}
	var all []line
	bad := 0
	targets := r.targets(names)
	if len(names) == 0 {
		targets = setup.Targets()
	}
	for _, t := range targets {
		l := line{t.Name(), t.Check(r.machine, r.want)}
		all = append(all, l)
		switch l.State {
		case setup.Other, setup.Missing, setup.Args:
			bad++
		case setup.Unset, setup.Absent, setup.Broken:
			if len(names) > 0 {
				bad++
			}
		}
	}
	if r.json {
		if err := printJSON(r.out, all); err != nil {
			return err
		}
	}
	for _, l := range all {
		if r.json {
			break
		}
		text := fmt.Sprintf("%-12s %-14s", l.Name, l.State)
		if l.State != setup.Absent {
			text += " " + l.Path
		}
		if len(l.Command) > 0 && l.State != setup.Ready {
			text += ": " + shell.Line(l.Command...)
		}
		if l.Note != "" {
			text += " (" + l.Note + ")"
		}
		fmt.Fprintln(r.out, strings.TrimRight(answer.Clean(text), " "))
	}
	if bad > 0 {
		return fail{exitError, fmt.Errorf("%d of %d are not in order", bad, len(all)), len(names) == 0 || r.json}
	}
	return nil
}

// again is the command that does what this run shows.
func (r *setupRun) again(more ...string) string {
	words := append([]string{"gasoline", "setup"}, r.place...)
	if r.project {
		words = append(words, "--project")
	}
	if r.remove {
		words = append(words, "--remove")
	}
	return shell.Line(append(words, more...)...)
}

// say returns the word for what is done: it is written or removed.
func (r *setupRun) say(written, removed string) string {
	if r.remove {
		return removed
	}
	return written
}

// plan is what would be done to a target.
type plan struct {
	target  setup.Target
	changes []setup.Change
}

// preview shows what would change, and counts the files: those that would be written and those that cannot be.
func (r *setupRun) preview(targets []setup.Target, named bool) (plans []plan, needed, refused int) {
	for _, t := range targets {
		changes, err := t.Plan(r.machine, r.want)
		if err != nil {
			fmt.Fprintf(r.out, "%s: %v\n", t.Title(), err)
			if named { // one that was only found has no place for it, and is left out
				refused++
			}
			continue
		}
		fmt.Fprintf(r.out, "%s\n", t.Title())
		if named && !t.Installed(r.machine) {
			fmt.Fprintln(r.out, "  it was not found on this machine; its file is "+r.say("written", "looked at")+" all the same")
		}
		for _, c := range changes {
			for l := range strings.SplitSeq(strings.TrimSuffix(c.Preview(), "\n"), "\n") {
				fmt.Fprintln(r.out, "  "+answer.Clean(l)) // files of a project are others'
			}
			switch {
			case c.Err != nil:
				refused++
				if r.remove {
					fmt.Fprintln(r.out, "    mend it and repeat, or take gasoline out of it by hand")
				}
			case c.Needed():
				needed++
			}
		}
		plans = append(plans, plan{t, changes})
	}
	return plans, needed, refused
}

// write shows what would change, and changes it when it was asked for by name, by --yes or by the answer
// to one question. A file that cannot be changed is a failure when something was to be written, or when its
// client was named.
func (r *setupRun) write(ctx context.Context, names []string) error {
	targets := r.targets(names)
	if len(targets) == 0 {
		return fail{code: exitError, err: fmt.Errorf("no client was found%s; name one: %s",
			r.say("", ", so there is nothing to remove"), strings.Join(targetNames(), ", "))}
	}
	named := len(names) > 0
	plans, needed, refused := r.preview(targets, named)
	var left error
	if refused > 0 {
		left = fail{code: exitError, err: fmt.Errorf("%s could not be %s; see above", plural(refused, "file"),
			r.say("written", "changed"))}
	}
	unless := left // where nothing is written
	if !named && (r.dryRun || !r.yes) {
		unless = nil // nobody asked for that file
	}
	switch {
	case needed == 0:
		if refused == 0 {
			fmt.Fprintln(r.out, "\nThere is nothing to "+r.say("write", "remove")+".")
		}
		return unless
	case r.dryRun:
		fmt.Fprintln(r.out, "\nNothing was "+r.say("written", "removed")+": this is what would be.")
		return unless
	case named || r.yes:
	case !r.asks:
		fmt.Fprintf(r.out, "\nNothing was %s. \"%s\" %s this, \"%s NAME\" one of them.\n", r.say("written", "removed"),
			r.again("--yes"), r.say("writes", "removes"), r.again())
		return unless
	default:
		ok, err := confirmed(ctx, r.in, r.out, r.say("Write this?", "Remove this?"))
		if err != nil {
			return err
		}
		if !ok {
			fmt.Fprintln(r.out, "Nothing was "+r.say("written", "removed")+".")
			return unless
		}
	}
	if err := r.apply(plans); err != nil {
		return err
	}
	fmt.Fprintln(r.out, r.say("Start your agent anew and ask it to look at the browser.",
		"An agent that runs keeps it until you start it anew."))
	if r.unpaired && !r.remove {
		fmt.Fprintln(r.out, "No browser has ever paired, and its answers are empty until one has. "+loadExtension(r.port))
	}
	return left
}

func (r *setupRun) apply(plans []plan) error {
	now := time.Now()
	fmt.Fprintln(r.out)
	for _, p := range plans {
		for _, c := range p.changes {
			if !c.Needed() {
				continue
			}
			backup, err := c.Apply(now)
			if err != nil {
				return fail{code: exitError, err: fmt.Errorf("%s: %w", p.target.Title(), err)}
			}
			fmt.Fprint(r.out, "wrote ", c.Path, r.say("", " without gasoline"))
			if backup != "" {
				fmt.Fprintf(r.out, " (before: %s)", backup)
			}
			fmt.Fprintln(r.out)
		}
	}
	return nil
}
