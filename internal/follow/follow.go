// Package follow reads files that grow, such as logs: from where it stopped, through rotation by renaming and by
// copying and truncating, one line after the other.
//
// It looks at the files again and again, since notifications of the system get lost on network and container file
// systems. It starts nothing: [Follow] runs until its context ends.
package follow

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	shortest = 100 * time.Millisecond // between two looks while lines come
	longest  = time.Second            // between two looks when none came for a while
	partial  = 500 * time.Millisecond // after which a line without its newline is handed on
	draining = 5 * time.Second        // for how long a file that was renamed is still read after the last that came
	gone     = time.Minute            // the same for one that was deleted, or is no longer among the first
	headSize = 256                    // bytes by which a file is known again
	maxFiles = 256
	maxTurn  = 1 << 20         // bytes of one file that are read before the others have their turn
	maxEmit  = 200             // lines that are handed on at once
	promptly = 5 * time.Second // after which what is read was not written just now
	endSize  = 4 << 10         // bytes of a file's end that are handed on with its first line
)

// Line is a line of a file.
type Line struct {
	Path string
	Time time.Time // when it was read
	Text string    // at most maxLine bytes
	Size int       // bytes that it has, when it was cut; else 0
	Live bool      // it was written shortly before
	End  *End      // of the file as it was opened, with the first line that it had then; else nil
}

// End is how a file ended, and when it was written to last.
type End struct {
	Text string // whole lines, at most endSize bytes
	Time time.Time
}

// Mark is how far a file was read. It is kept between runs.
type Mark struct {
	File   string `json:"file,omitempty"` // device and number of the file, "" where the system does not tell
	Head   uint64 `json:"head"`           // hash of the first bytes
	Length int    `json:"length"`         // how many bytes Head is of, at most 256
	Offset int64  `json:"offset"`         // the first byte that was not handed on
	Tail   uint64 `json:"tail,omitempty"` // hash of at most 256 bytes before Offset; 0 in marks of old versions
}

// Config says what to follow.
type Config struct {
	Patterns []string        // paths and globs
	Marks    map[string]Mark // by path, from an earlier run; may be nil
	// Open opens a path for reading, without waiting for the other end of a pipe; nil follows links wherever they lead.
	Open  func(path string) (*os.File, error)
	Begin bool // read files without a mark from their beginning; else from their end
	// Emit takes lines, in order for each file. An error ends Follow.
	Emit func(context.Context, []Line) error
	// Save takes the marks after lines were taken. It may be nil.
	Save func(map[string]Mark) error
	// Ready is told how many files are followed when each was looked at once. It may be nil.
	Ready func(files int)
	// Note takes what the user should know: a file that cannot be read. It may be nil.
	Note func(string)
}

// follower is one Follow.
type follower struct {
	Config
	files   map[string]*file // by path
	marks   map[string]Mark  // of paths without an open file: of an earlier run, or left
	old     []*file          // renamed files that may still be written to
	first   bool             // the first look
	noted   map[string]bool
	pending []Line
	unsaved bool // lines were taken since the marks were saved
	buf     []byte
}

// file is one open file.
type file struct {
	path    string // under which it was found first
	handle  *os.File
	info    os.FileInfo // as it was opened: it tells whether another path means the same file
	id      string
	head    uint64
	length  int    // of head
	read    int64  // bytes that were read
	given   int64  // bytes of which lines were handed on
	last    []byte // the newest of the bytes that were read, at most headSize
	tail    uint64 // of the bytes before tailOf
	tailOf  int64
	split   Splitter
	wide    wide
	until   time.Time // for a renamed file: when it is given up, if nothing comes
	active  time.Time // when it was looked at by its path, or something came
	caught  time.Time // when it was read to its end
	live    bool      // what was read last was written just before
	end     *End      // as it was opened; nil once it was handed on
	checked time.Time // modification time when head was compared
	size    int64     // then
}

// Compressed reports whether a file's name says that it is compressed, so that it is not followed.
func Compressed(path string) bool {
	switch filepath.Ext(path) {
	case ".gz", ".bz2", ".xz", ".zst":
		return true
	}
	return false
}

// Expand returns the files that the patterns mean now, in order and each once. Compressed files are left out.
func Expand(patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("the pattern %q: %w", p, err)
		}
		if len(found) == 0 && !strings.ContainsAny(p, "*?[") {
			found = []string{p} // it may come
		}
		for _, f := range found {
			if info, err := os.Stat(f); err == nil && info.IsDir() {
				continue
			}
			if !Compressed(f) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Follow reads until ctx ends, whose error it returns, or Emit fails. Lines that were handed on are not handed on
// again by a later call with the marks of this one, unless it was ended between Emit and Save.
func Follow(ctx context.Context, c Config) error {
	f := &follower{Config: c, files: map[string]*file{}, marks: map[string]Mark{}, first: true, noted: map[string]bool{}, buf: make([]byte, 64<<10)}
	if f.Open == nil {
		f.Open = OpenShared
	}
	maps.Copy(f.marks, c.Marks)
	defer func() {
		if f.unsaved { // what was taken does not come again
			_ = f.save() // the error of Follow says more
		}
		for _, o := range f.opened() {
			_ = o.handle.Close() // it was only read
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	wait := shortest
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		busy, err := f.turn(ctx)
		if err != nil {
			return err
		}
		if f.first && f.Ready != nil {
			f.Ready(len(f.files))
		}
		if f.first = false; busy {
			wait = shortest
		} else {
			wait = min(longest, wait+wait/4)
		}
		timer.Reset(wait)
	}
}

// opened returns the files in the order in which they are read: those that were renamed, then the others by path.
func (f *follower) opened() []*file {
	out := slices.Clone(f.old)
	for _, path := range slices.Sorted(maps.Keys(f.files)) {
		out = append(out, f.files[path])
	}
	return out
}

func (f *follower) note(key, text string) {
	if !f.noted[key] && f.Note != nil && len(f.noted) < 2*maxFiles {
		f.noted[key] = true
		f.Note(text)
	}
}

// turn looks at every file once and reports whether there was anything to read.
func (f *follower) turn(ctx context.Context) (busy bool, err error) {
	paths, err := Expand(f.Patterns)
	if err != nil {
		return false, err
	}
	all := paths
	if len(paths) > maxFiles {
		f.note("", fmt.Sprintf("%d files match; the %d that were written to last are followed", len(paths), maxFiles))
		paths = newest(slices.Clone(paths))
	}
	if f.first { // those without a mark may be what others were renamed to
		marked := func(path string) int { return cmp.Compare(f.marks[path].File, "") }
		slices.SortStableFunc(paths, func(a, b string) int { return marked(a) - marked(b) })
	}
	for _, path := range paths {
		if err := f.look(path); err != nil {
			f.note(path, fmt.Sprintf("%s cannot be read: %v", path, err))
		}
	}
	if f.first && !f.Begin {
		f.pass(all)
	}
	now := time.Now()
	f.leave(paths, now)
	for _, o := range f.opened() {
		if err := ctx.Err(); err != nil {
			return busy, err
		}
		for more := true; more; {
			n, err := f.read(ctx, o)
			if err != nil {
				return busy, err
			}
			if busy = busy || n > 0; n > 0 {
				o.active = now
				if !o.until.IsZero() {
					o.until = now.Add(draining)
				}
			}
			more = n > 0 && !o.until.IsZero() // a renamed file is read to its end
		}
		o.split.Idle(now.Add(-partial), func(p Piece) { f.take(o, p) })
		if len(f.pending) > 0 {
			busy = true
		}
		if err := f.give(ctx, o); err != nil {
			return busy, err
		}
	}
	kept := f.old[:0]
	for _, o := range f.old {
		if now.Before(o.until) {
			kept = append(kept, o)
			continue
		}
		o.split.Close(func(p Piece) { f.take(o, p) })
		if err := f.give(ctx, o); err != nil {
			return busy, err
		}
		_ = o.handle.Close() // it was only read
	}
	f.old = kept
	if busy {
		err = f.save()
	}
	return busy, err
}

// newest returns the maxFiles of the files that were written to last, in the order of their names.
func newest(paths []string) []string {
	type written struct {
		path string
		at   time.Time
	}
	all := make([]written, len(paths))
	for i, path := range paths {
		all[i].path = path
		if info, err := os.Stat(path); err == nil {
			all[i].at = info.ModTime()
		}
	}
	slices.SortStableFunc(all, func(a, b written) int { return b.at.Compare(a.at) })
	paths = paths[:0]
	for _, w := range all[:maxFiles] {
		paths = append(paths, w.path)
	}
	slices.Sort(paths)
	return paths
}

// pass marks the ends of files that cannot be followed now, so that what they have is not taken for new later.
func (f *follower) pass(paths []string) {
	nothing := fnv.New64a().Sum64()
	for _, path := range paths {
		_, known := f.marks[path]
		if info, err := os.Stat(path); err == nil && !known && f.files[path] == nil && info.Mode().IsRegular() {
			f.marks[path] = Mark{File: identity(info), Head: nothing, Offset: info.Size()}
		}
	}
}

// leave closes files to which nothing came for a while and that were deleted, or are not among those that are to be
// followed. One that was renamed stays: nobody has opened its path anew yet.
func (f *follower) leave(paths []string, now time.Time) {
	wanted := make(map[string]bool, len(paths))
	for _, path := range paths {
		wanted[path] = true
	}
	for path, o := range f.files {
		there, err := os.Stat(path)
		switch {
		case wanted[path] && err == nil:
			o.active = now
		case now.Sub(o.active) < gone:
		case err == nil && os.SameFile(there, o.info):
			f.marks[path] = o.mark()
			fallthrough
		case deleted(o.handle):
			_ = o.handle.Close() // it was only read
			delete(f.files, path)
		}
	}
}

func (f *follower) save() error {
	f.unsaved = false
	if f.Save == nil {
		return nil
	}
	marks := make(map[string]Mark, len(f.files)+len(f.marks))
	for path, mark := range f.marks { // it may come again
		if len(marks) < maxFiles {
			marks[path] = mark
		}
	}
	for path, o := range f.files {
		marks[path] = o.mark()
	}
	return f.Save(marks)
}

// look opens a path that is new or was renamed, and notices a file that was truncated.
func (f *follower) look(path string) error {
	info, err := os.Stat(path)
	o := f.files[path]
	if err != nil {
		if errors.Is(err, os.ErrNotExist) { // renamed, and not made anew yet: go on with what is open
			return nil
		}
		return err
	}
	if o != nil {
		same, err := o.handle.Stat()
		if err != nil {
			return err
		}
		if os.SameFile(info, same) {
			return o.truncated(info)
		}
		o.until = time.Now().Add(draining)
		f.old = append(f.old, o)
		delete(f.files, path)
	}
	if f.another(path, info) {
		return nil
	}
	handle, err := f.Open(path)
	if err != nil {
		return err
	}
	info, err = handle.Stat()
	if err != nil {
		_ = handle.Close() // the error says more
		return err
	}
	if !info.Mode().IsRegular() {
		_ = handle.Close() // it was only opened
		return errors.New("it is no regular file")
	}
	o = &file{path: path, handle: handle, info: info, id: identity(info), split: Splitter{holes: true}}
	f.files[path] = o
	mark, known := f.markOf(o)
	switch {
	case known && o.is(mark) && mark.Offset <= info.Size():
		o.read = mark.Offset
	case known:
		f.rotated(path, mark)
	case f.first && !f.Begin:
		o.read = info.Size()
	} // else it is new: from its beginning
	o.given = o.read
	o.begin()
	if err := o.remember(); err != nil {
		return err
	}
	if o.read < info.Size() {
		o.end = o.ending(info)
	}
	_, err = o.handle.Seek(o.read, io.SeekStart)
	return err
}

// ending returns how the file ends: whole lines only. nil: there are none.
func (o *file) ending(info os.FileInfo) *End {
	buf := make([]byte, min(info.Size(), endSize))
	n, _ := o.handle.ReadAt(buf, info.Size()-int64(len(buf))) // what cannot be read is no line
	buf = buf[:n]
	if int64(n) < info.Size() {
		_, buf, _ = bytes.Cut(buf, []byte{'\n'})
	}
	last := bytes.LastIndexByte(buf, '\n')
	if last < 0 {
		return nil
	}
	return &End{strings.ToValidUTF8(string(buf[:last]), "\ufffd"), info.ModTime()}
}

// another reports whether a path without an open file is another name of one that is open. A file that was renamed is
// read on by its new path; one that still has the path at which it was found is not read by a second.
func (f *follower) another(path string, info os.FileInfo) bool {
	for i, o := range f.old {
		if os.SameFile(info, o.info) {
			o.until = time.Time{}
			f.old, f.files[path] = slices.Delete(f.old, i, i+1), o
			return true
		}
	}
	for first, o := range f.files {
		if !os.SameFile(info, o.info) {
			continue
		}
		if now, err := os.Stat(first); err != nil || !os.SameFile(now, o.info) {
			delete(f.files, first)
			f.files[path] = o
		}
		return true
	}
	return false
}

// markOf takes the mark of a file out of those of an earlier run: that of its path, else that of the path which it had
// then.
func (f *follower) markOf(o *file) (Mark, bool) {
	mark, known := f.marks[o.path]
	delete(f.marks, o.path) // what has the path later is another file
	if known && o.is(mark) || o.id == "" {
		return mark, known
	}
	for path, m := range f.marks {
		if m.Length > 0 && o.is(m) {
			f.marks[path] = Mark{File: elsewhere}
			return m, true
		}
	}
	return mark, known
}

// elsewhere is in the mark of a path whose file is read by another path. What has the path now is new.
const elsewhere = "elsewhere"

// rotated opens the file that had a path at the time of its mark, so that its end is read.
func (f *follower) rotated(path string, mark Mark) {
	near, err := filepath.Glob(escaped(path) + "*")
	if err != nil {
		return
	}
	for _, name := range near {
		if name == path || filepath.Ext(name) == ".gz" {
			continue
		}
		handle, err := f.Open(name)
		if err != nil {
			continue
		}
		info, err := handle.Stat()
		o := &file{path: path, handle: handle, info: info, read: mark.Offset, given: mark.Offset, until: time.Now().Add(draining)}
		if err == nil && info.Mode().IsRegular() {
			o.id = identity(info)
			o.begin()
			if o.is(mark) && info.Size() >= mark.Offset {
				o.end = o.ending(info)
				if _, err := handle.Seek(mark.Offset, io.SeekStart); err == nil && o.remember() == nil {
					f.old = append(f.old, o)
					return
				}
			}
		}
		_ = handle.Close() // it was only looked at
	}
}

func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// is reports whether the file is the one of a mark.
func (o *file) is(m Mark) bool {
	if m.File != o.id || m.Length > headSize {
		return false
	}
	head, n, err := o.hash(m.Length)
	return err == nil && n == m.Length && head == m.Head && (m.Tail == 0 || o.tailAt(m.Offset) == m.Tail)
}

// tailAt returns the hash of the bytes before an offset, which tells files that begin with the same lines apart.
func (o *file) tailAt(offset int64) uint64 {
	buf := make([]byte, min(offset, headSize))
	n, _ := o.handle.ReadAt(buf, offset-int64(len(buf))) // what cannot be read is other than what was
	h := fnv.New64a()
	_, _ = h.Write(buf[:n]) // a hash does not fail
	return h.Sum64()
}

// mark returns how far the file was read.
func (o *file) mark() Mark {
	if o.tail == 0 || o.tailOf != o.given {
		o.tail, o.tailOf = o.tailAt(o.given), o.given
	}
	return Mark{File: o.id, Head: o.head, Length: o.length, Offset: o.given, Tail: o.tail}
}

// hash returns the hash of the first bytes, and of how many it is.
func (o *file) hash(length int) (uint64, int, error) {
	buf := make([]byte, length)
	n, err := o.handle.ReadAt(buf, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write(buf[:n]) // a hash does not fail
	return h.Sum64(), n, nil
}

// remember notes the first bytes, as many as there are.
func (o *file) remember() (err error) {
	o.head, o.length, err = o.hash(headSize)
	return err
}

// truncated begins anew with a file that was emptied, and maybe written to again.
func (o *file) truncated(info os.FileInfo) error {
	if info.Size() == o.size && info.ModTime().Equal(o.checked) {
		return nil
	}
	o.size, o.checked = info.Size(), info.ModTime()
	again := info.Size() < o.read
	if !again {
		head, n, err := o.hash(o.length)
		if err != nil {
			return err
		}
		again = n != o.length || head != o.head || !o.holds()
	}
	if again {
		o.split = Splitter{holes: true}
		o.read, o.given, o.last, o.tail = 0, 0, nil, 0
		if _, err := o.handle.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	if again || o.length < headSize {
		return o.remember()
	}
	return nil
}

// holds reports whether the file still has what was read last where it was read.
func (o *file) holds() bool {
	buf := make([]byte, len(o.last))
	_, err := o.handle.ReadAt(buf, o.read-int64(len(buf)))
	return err == nil && bytes.Equal(buf, o.last)
}

// read reads what is new of a file, at most maxTurn bytes, and hands on its lines.
func (f *follower) read(ctx context.Context, o *file) (total int, err error) {
	for total < maxTurn {
		now := time.Now() // handing on may have taken long
		n, err := o.handle.Read(f.buf)
		if n > 0 {
			o.live = now.Sub(o.caught) <= promptly
			total += n
			if o.read == 0 {
				o.begin()
			}
			text, before := o.text(f.buf[:n]), o.split.Open()
			o.split.Write(text, now, func(p Piece) { f.take(o, p) })
			o.wide.wrote(text, before, o.split.Open())
			o.read += int64(n)
			o.last = append(o.last, f.buf[max(0, n-headSize):n]...)
			o.last = append(o.last[:0], o.last[max(0, len(o.last)-headSize):]...)
			if err := f.give(ctx, o); err != nil {
				return total, err
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				f.note(o.path, fmt.Sprintf("%s cannot be read: %v", o.path, err))
			} else {
				o.caught = now
			}
			break
		}
	}
	return total, nil
}

func (f *follower) take(o *file, p Piece) {
	f.pending = append(f.pending, Line{Path: o.path, Time: p.Time, Text: string(p.Text), Size: p.Size, Live: o.live, End: o.end})
	o.end = nil
}

// give hands on what was taken, which is of one file.
func (f *follower) give(ctx context.Context, o *file) error {
	for part := range slices.Chunk(f.pending, maxEmit) {
		if err := f.Emit(ctx, part); err != nil {
			return err
		}
		f.unsaved = true
	}
	clear(f.pending)
	f.pending = f.pending[:0]
	o.given = o.read - o.unread()
	return nil
}
