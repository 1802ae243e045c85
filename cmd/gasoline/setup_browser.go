package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/setup"
	"github.com/brennhill/gasoline/internal/shell"
)

// host is the native messaging host that the settings mean.
func (s settings) host() (setup.Host, error) {
	place, err := s.place()
	if err != nil {
		return setup.Host{}, err
	}
	id, err := daemon.ExtensionID()
	if err != nil {
		return setup.Host{}, err
	}
	return setup.Host{
		Program:     place.Program,
		StateDir:    place.StateDir,
		Default:     isDefaultStateDir(place.StateDir),
		ExtensionID: id,
	}, nil
}

// isDefaultStateDir reports whether a program that is told nothing takes this state directory.
func isDefaultStateDir(dir string) bool {
	home, err := os.UserHomeDir()
	return err == nil && dir == filepath.Join(home, ".gasoline")
}

// introduce lets the browsers of this user find the program.
func (s settings) introduce() error {
	h, err := s.host()
	if err != nil || !h.Wanted() {
		return err
	}
	for _, b := range setup.Browsers() {
		if _, failed := h.Install(b); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return err
}

func setupBrowserCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use: "browser", Short: "Let browsers pair the extension by themselves", Args: noArgs,
		Long: wrapped(
			"Write the file by which each Chromium-family browser of this user finds this program (a native messaging host). " +
				"The extension then pairs with the daemon without a code: the browser starts this program for the " +
				"Gasoline extension only. " +
				"A daemon in the default state directory does this when it starts; --remove undoes it and keeps it from doing so.",
		),
		Example: "  gasoline setup browser\n  gasoline setup browser --profile /tmp/profile",
	}
	var r browserRun
	flags := cmd.Flags()
	flags.StringVar(&r.profile, "profile", "", "only for a browser that is started with this --user-data-dir")
	flags.BoolVar(&r.check, "check", false, "only say what is there")
	flags.BoolVar(&r.dryRun, "dry-run", false, "only say what would be done")
	flags.BoolVar(&r.remove, "remove", false, "take it away")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := errors.Join(apart(cmd, "check", "dry-run"), apart(cmd, "check", "remove")); err != nil {
			return err
		}
		h, err := s.host()
		if err != nil {
			return err
		}
		r.again = shell.Line(append([]string{"gasoline", "setup", "browser"}, s.given()...)...)
		return r.run(h, cmd.OutOrStdout())
	}
	return cmd
}

// browserRun is one run of "gasoline setup browser".
type browserRun struct {
	profile               string
	check, dryRun, remove bool
	again                 string // the command that writes the files
}

func (r browserRun) run(h setup.Host, out io.Writer) error {
	browsers := setup.Browsers()
	if r.profile != "" {
		dir, err := filepath.Abs(r.profile)
		if err != nil {
			return err
		}
		browsers = []setup.Browser{setup.InProfile(dir)}
	}
	if len(browsers) == 0 && !r.remove {
		return fail{
			code: exitUser,
			err: errors.New(
				"no Chromium-family browser has a profile here; start one, or give --profile its --user-data-dir",
			),
		}
	}
	changes := !r.check && !r.dryRun
	if changes && r.profile == "" {
		if err := h.Keep(!r.remove); err != nil {
			return fail{code: exitError, err: err}
		}
	}
	missing, changed := false, 0
	for _, b := range browsers {
		word, did, err := r.one(h, b)
		if err != nil {
			return fail{code: exitError, err: err}
		}
		if did {
			changed++
		}
		missing = missing || r.check && !h.Check(b)
		fmt.Fprintf(out, "%s: %s (%s)\n", b.Name, word, h.File(b))
	}
	switch {
	case missing:
		return fail{code: exitUser, err: fmt.Errorf("a browser is not set up; \"%s\" writes its file", r.again)}
	case !changes:
	case r.remove && r.profile == "":
		fmt.Fprintf(out, "The daemon leaves browsers alone from now on; \"%s\" undoes that.\n", r.again)
	case !r.remove && changed > 0:
		fmt.Fprintln(out, "Open the extension's popup: it pairs by itself.")
	}
	return nil
}

// one does to a browser what is to be done, and says it in a word.
func (r browserRun) one(h setup.Host, b setup.Browser) (word string, changed bool, err error) {
	_, missing := os.Lstat(h.File(b))
	switch there := h.Check(b); {
	case r.check && there:
		return "is there", false, nil
	case r.check:
		return "not set up", false, nil
	case r.dryRun && r.remove && missing == nil:
		return "would be removed", false, nil
	case r.dryRun && r.remove:
		return "is not there", false, nil
	case r.dryRun && !there:
		return "would be written", false, nil
	case r.dryRun:
		return "is there", false, nil
	case r.remove:
		if changed, err = h.Remove(b); changed {
			return "removed", true, err
		}
		return "was not there", false, err
	}
	if changed, err = h.Install(b); changed {
		return "written", true, err
	}
	return "is there", false, err
}
