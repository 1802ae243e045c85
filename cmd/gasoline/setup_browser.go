package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/setup"
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
		Use: "browser", Short: "Let browsers pair the extension by themselves", Args: cobra.NoArgs,
		Long: wrapped(
			"Write the file by which each Chromium-family browser of this user finds this program (a native messaging host). " +
				"The extension then pairs with the daemon without a code: the browser starts this program for the " +
				"Gasoline extension only. " +
				"A daemon in the default state directory does this when it starts; --remove undoes it and keeps it from doing so.",
		),
		Example: "  gasoline setup browser\n  gasoline setup browser --profile /tmp/profile",
	}
	profile := cmd.Flags().String("profile", "", "only for a browser that is started with this --user-data-dir")
	check := cmd.Flags().Bool("check", false, "only say what is there")
	remove := cmd.Flags().Bool("remove", false, "take it away")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := s.host()
		if err != nil {
			return err
		}
		browsers := setup.Browsers()
		if *profile != "" {
			dir, err := filepath.Abs(*profile)
			if err != nil {
				return err
			}
			browsers = []setup.Browser{setup.InProfile(dir)}
		}
		if len(browsers) == 0 {
			return fail{
				code: exitUser,
				err: errors.New(
					"no Chromium-family browser has a profile here; start one, or give --profile its --user-data-dir",
				),
			}
		}
		if !*check && *profile == "" {
			if err := h.Keep(!*remove); err != nil {
				return fail{code: exitError, err: err}
			}
		}
		missing := false
		for _, b := range browsers {
			there := h.Check(b)
			var changed bool
			switch {
			case *check:
				missing = missing || !there
			case *remove:
				changed, err = h.Remove(b)
			default:
				changed, err = h.Install(b)
			}
			if err != nil {
				return fail{code: exitError, err: err}
			}
			fmt.Fprintf(
				cmd.OutOrStdout(),
				"%s: %s (%s)\n",
				b.Name,
				setupWord(*remove, changed, there || !*check),
				h.File(b),
			)
		}
		if missing {
			return fail{code: exitUser, err: errors.New("incomplete"), quiet: true}
		}
		return nil
	}
	return cmd
}

func setupWord(removed, changed, there bool) string {
	switch {
	case removed && changed:
		return "removed"
	case removed:
		return "was not there"
	case changed:
		return "written"
	case there:
		return "is there"
	}
	return "not set up"
}
