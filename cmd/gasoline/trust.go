package main

import (
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

	"github.com/brennhill/gasoline/internal/certificate"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/shell"
)

const whatTrustDoes = "Let this user's programs accept the daemon's HTTPS. The daemon speaks HTTP and HTTPS on the same " +
	"port. Plain HTTP is enough on this machine, so you rarely need this. Each state directory has an authority of its " +
	"own, whose certificate is good for localhost, 127.0.0.1 and ::1 only.\n\n" +
	"Programs with a setting of their own need no trust of the system: give the printed file to NODE_EXTRA_CA_CERTS, " +
	"SSL_CERT_FILE or curl --cacert, or the printed pin to curl --pinnedpubkey."

// trustStep is one command that changes what is trusted.
type trustStep struct {
	What    string
	Command []string
	Manual  bool // it needs rights that this process has not, or a program that is not there
}

// trustMachine is what is known of the machine whose trust is to change.
type trustMachine struct {
	OS, Home string
	Root     bool
	Has      func(path string) bool // a file, or a program when it has no slash
}

// trustSteps returns what makes a machine trust the authority in a file, or not trust it any more.
func trustSteps(m trustMachine, file string, remove bool) []trustStep {
	switch m.OS {
	case "darwin":
		chain := filepath.Join(m.Home, "Library", "Keychains", "login.keychain-db")
		if remove {
			return []trustStep{{"your login keychain", []string{"security", "remove-trusted-cert", file}, false}}
		}
		return []trustStep{{
			"your login keychain",
			[]string{"security", "add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", chain, file},
			false,
		}}
	case "windows":
		if remove {
			return []trustStep{{
				"your certificate store", []string{"certutil", "-user", "-delstore", "Root", certificate.Name}, false,
			}}
		}
		return []trustStep{{"your certificate store", []string{"certutil", "-user", "-addstore", "Root", file}, false}}
	}
	var out []trustStep
	nss := filepath.Join(m.Home, ".pki", "nssdb")
	change := []string{"certutil", "-d", "sql:" + nss, "-A", "-t", "C,,", "-n", certificate.Name, "-i", file}
	if remove {
		change = []string{"certutil", "-d", "sql:" + nss, "-D", "-n", certificate.Name}
	}
	if !remove && !m.Has(filepath.Join(nss, "cert9.db")) {
		out = append(out, trustStep{"a certificate database for Chrome", []string{"mkdir", "-p", nss}, false})
		create := []string{"certutil", "-d", "sql:" + nss, "-N", "--empty-password"}
		out = append(out, trustStep{"a certificate database for Chrome", create, !m.Has("certutil")})
	}
	if !remove || m.Has(filepath.Join(nss, "cert9.db")) {
		out = append(out, trustStep{"Chrome and Chromium", change, !m.Has("certutil")})
	}
	for _, s := range []struct{ folder, update, clear string }{
		{"/usr/local/share/ca-certificates", "update-ca-certificates", "--fresh"}, // which takes the links away, too
		{"/etc/pki/ca-trust/source/anchors", "update-ca-trust", ""},
	} {
		if !m.Has(s.folder) || !m.Has(s.update) {
			continue
		}
		into := filepath.Join(s.folder, "gasoline.crt")
		copying, update := []string{"cp", file, into}, []string{s.update}
		if remove {
			if s.clear != "" {
				update = append(update, s.clear)
			}
			if !m.Has(into) {
				continue
			}
			copying = []string{"rm", into}
		}
		for _, c := range [][]string{copying, update} {
			if !m.Root {
				c = append([]string{"sudo"}, c...)
			}
			out = append(out, trustStep{"all programs of the system", c, !m.Root})
		}
		break
	}
	return out
}

func trustCommand(s *settings) *cobra.Command {
	var yes, remove, dryRun bool
	cmd := &cobra.Command{
		Use: "trust", Short: "Let your programs accept the daemon's HTTPS", GroupID: "daemon", Args: noArgs,
		Long: wrapped(whatTrustDoes),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done")
	cmd.Flags().BoolVar(&remove, "remove", false, "take it back")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, dir, err := s.openState()
		if err != nil {
			return err
		}
		defer dir.Close()
		certs := certificate.New(dir, time.Now)
		authority, err := certs.Authority()
		if err != nil {
			return fail{code: exitError, err: err}
		}
		pin, err := certs.Pin()
		if err != nil {
			return fail{code: exitError, err: err}
		}
		file := dir.Path(certificate.PublicFile)
		out := cmd.OutOrStdout()
		fmt.Fprintf(out, "authority  %s\nvalid to   %s\npin        sha256//%s\n", file,
			authority.NotAfter.Format(time.DateOnly), pin)
		m, err := trustedMachine()
		if err != nil {
			return fail{code: exitError, err: err}
		}
		steps := trustSteps(m, file, remove)
		if len(steps) == 0 {
			fmt.Fprintln(out, "\nThere is nothing to be done.")
			return nil
		}
		tellTrust(out, steps)
		if dryRun {
			return nil
		}
		if !yes {
			if !isTerminal(out) || !launch.IsTerminal(os.Stdin) {
				return fail{code: exitUser, err: errors.New(`nobody can be asked here; "gasoline trust --yes" does it`)}
			}
			ok, err := confirmed(cmd.Context(), cmd.InOrStdin(), out, "Run these commands?")
			if err != nil {
				return err
			}
			if !ok {
				fmt.Fprintln(out, "Nothing was run.")
				return nil
			}
		}
		return applyTrust(cmd, steps)
	}
	return cmd
}

func trustedMachine() (trustMachine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return trustMachine{}, err
	}
	return trustMachine{OS: runtime.GOOS, Home: home, Root: os.Geteuid() == 0, Has: func(path string) bool {
		if strings.ContainsRune(path, filepath.Separator) {
			_, err := os.Stat(path)
			return err == nil
		}
		_, err := exec.LookPath(path)
		return err == nil
	}}, nil
}

func tellTrust(w io.Writer, steps []trustStep) {
	what := ""
	for _, s := range steps {
		if s.What != what {
			what = s.What
			fmt.Fprintf(w, "\n%s:\n", what)
		}
		note := ""
		if s.Manual {
			note = "   # run this yourself"
		}
		fmt.Fprintf(w, "  %s%s\n", shell.Line(s.Command...), note)
	}
}

func applyTrust(cmd *cobra.Command, steps []trustStep) error {
	out := cmd.OutOrStdout()
	done, left := 0, 0
	for _, s := range steps {
		if s.Manual {
			left++
			continue
		}
		if text, err := exec.CommandContext(cmd.Context(), s.Command[0], s.Command[1:]...).CombinedOutput(); err != nil {
			return fail{code: exitError, err: fmt.Errorf("%s: %w\n%s", shell.Line(s.Command...), err, strings.TrimSpace(string(text)))}
		}
		done++
	}
	fmt.Fprintf(out, "\n%d of %d commands were run.", done, len(steps))
	if left > 0 {
		fmt.Fprint(out, " The others are yours: they need more rights, or a program that is not installed.")
	}
	fmt.Fprintln(out)
	return nil
}
