package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Dir is the state directory. Files are 0600 in 0700 directories; names are slash-separated and
// cannot leave it, not even through symlinks. Safe for concurrent use.
type Dir struct {
	path string
	root *os.Root
}

// OpenDir opens the state directory and makes it if it is not there.
func OpenDir(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve state directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("make state directory: %w", err)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open state directory: %w", err)
	}
	return &Dir{path: path, root: root}, nil
}

// Close releases the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Path returns the absolute path of a name, for people and for answers; files are opened through d.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Read returns a file's contents. A file that is not there is fs.ErrNotExist.
func (d *Dir) Read(name string) ([]byte, error) { return d.root.ReadFile(name) }

// Write replaces a file as a whole: readers see the old or the new contents, never a part.
func (d *Dir) Write(name string, data []byte) error {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if err := d.root.MkdirAll(name[:i], 0o700); err != nil {
			return fmt.Errorf("make %s: %w", d.Path(name[:i]), err)
		}
	}
	tmp := fmt.Sprintf("%s.%s.tmp", name, randomHex(4))
	if err := d.root.WriteFile(tmp, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", d.Path(name), err)
	}
	if err := d.root.Rename(tmp, name); err != nil {
		_ = d.root.Remove(tmp) // the rename's error is the one to tell
		return fmt.Errorf("replace %s: %w", d.Path(name), err)
	}
	return nil
}

// Append opens a file for appending.
func (d *Dir) Append(name string) (*os.File, error) {
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		if err := d.root.MkdirAll(name[:i], 0o700); err != nil {
			return nil, fmt.Errorf("make %s: %w", d.Path(name[:i]), err)
		}
	}
	return d.root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}

// Trim deletes the oldest files of a folder, by name, until at most keep are left. Names that begin
// with a time sort by it.
func (d *Dir) Trim(folder string, keep int) error {
	entries, err := fs.ReadDir(d.root.FS(), folder)
	if err != nil {
		return fmt.Errorf("list %s: %w", d.Path(folder), err)
	}
	for _, e := range entries[:max(0, len(entries)-keep)] {
		if err := d.Remove(folder + "/" + e.Name()); err != nil {
			return fmt.Errorf("trim %s: %w", d.Path(folder), err)
		}
	}
	return nil
}

// Remove deletes a file; one that is not there is no error.
func (d *Dir) Remove(name string) error {
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// secret returns the file's contents, made of n random bytes in hexadecimal when it is not there. A
// file with anything else in it is an error, not replaced: a daemon that runs may still go by it.
func (d *Dir) secret(name string, n int) (string, error) {
	data, err := d.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = d.place(name, randomHex(n)+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", fmt.Errorf("write %s: %w", d.Path(name), err)
		}
		data, err = d.Read(name)
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", d.Path(name), err)
	}
	secret := strings.TrimSpace(string(data))
	if _, err := hex.DecodeString(secret); err != nil || len(secret) < 16 {
		return "", fmt.Errorf(`%s is damaged: it has to hold at least 16 hexadecimal digits; delete it, and end the daemon if one runs`, d.Path(name))
	}
	return secret, nil
}

// place makes a file with these contents, or fails with fs.ErrExist. Of several processes that do it at
// once one succeeds, and nobody ever sees a part: the file gets its name when it is whole.
func (d *Dir) place(name, contents string) error {
	tmp := fmt.Sprintf("%s.%s.tmp", name, randomHex(4))
	if err := d.root.WriteFile(tmp, []byte(contents), 0o600); err != nil {
		return err
	}
	err := d.root.Link(tmp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without links. Two that start at this very moment may now disagree, once.
		return d.root.Rename(tmp, name)
	}
	return errors.Join(err, d.root.Remove(tmp))
}

// Token returns the token of this install, made on first use. It opens every door but pairing.
func (d *Dir) Token() (string, error) { return d.secret("token", 32) }

// Salt returns what keys the pseudonyms that pages make, made on first use.
func (d *Dir) Salt() (string, error) { return d.secret("salt", 16) }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails; see crypto/rand
	return hex.EncodeToString(b)
}
