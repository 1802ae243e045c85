package lines_test

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// The output of programs as they come, and what a person reads in it. A file of testdata/programs is one program:
//
//	# name version
//	# written by the program, or where else it is from
//	═══ title | begin end      of the run; one time where it is not known: when the lines were read
//	output, with ␛ ␇ ␍ for what a terminal is told
//	───
//	error @ shop.api | could not pay                       level, @: a time of its own, the logger, the message
//	error @ ! ValueError: no stock left < pay app.py:7     an exception, and the first place in the user's own code
//	info *                                                 as many records of that level as there are: text for people
//	wrong: what is read wrongly, where something is
//
// A message that ends with … goes on. A block that is read wrongly without a line that says so fails, and so does one that
// is right in spite of such a line.
type program struct {
	ecosystem, name, from string
	blocks                []block
}

type block struct {
	title      string
	begin, end time.Time
	arrived    time.Time
	output     string
	want       []said
	wrong      string
}

// said is a record as a person reads it.
type said struct {
	level, logger, text, place string
	at                         string // "" : no time of its own, "@": one within the run, else the time
	thrown                     bool   // it is an exception
	any                        bool   // as many as there are
}

// tally counts what is right of how much.
type tally struct{ right, of int }

func (c *tally) add(right bool) {
	c.of++
	if right {
		c.right++
	}
}

func (c *tally) plus(o tally) { c.right, c.of = c.right+o.right, c.of+o.of }

func (c tally) percent() float64 { return 100 * float64(c.right) / float64(max(c.of, 1)) }

func (c tally) String() string {
	if c.right == c.of {
		return fmt.Sprint(c.of)
	}
	return fmt.Sprintf("%d of %d", c.right, c.of)
}

// score is how well something was read.
type score struct {
	records, levels, errors, places tally
	alarms                          int // records that are no error and were read as one
	faults                          []string
}

func (s *score) plus(o score) {
	s.records.plus(o.records)
	s.levels.plus(o.levels)
	s.errors.plus(o.errors)
	s.places.plus(o.places)
	s.alarms += o.alarms
}

func readPrograms(t *testing.T) []program {
	t.Helper()
	files, err := filepath.Glob("testdata/programs/*/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []program
	for _, file := range files {
		ecosystem := filepath.Base(filepath.Dir(file))
		if ecosystem == "make" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.Split("\n"+string(data), "\n═══ ")
		name, from, _ := strings.Cut(strings.TrimSpace(parts[0]), "\n")
		p := program{ecosystem: ecosystem, name: strings.TrimPrefix(name, "# "), from: strings.TrimPrefix(from, "# ")}
		for _, part := range parts[1:] {
			p.blocks = append(p.blocks, readBlock(t, file, part))
		}
		all = append(all, p)
	}
	return all
}

func readBlock(t *testing.T, file, text string) (b block) {
	t.Helper()
	head, rest, _ := strings.Cut(text, "\n")
	title, when, _ := strings.Cut(head, " | ")
	b.title = title
	times := strings.Fields(when)
	for i, into := range []*time.Time{&b.begin, &b.end} {
		at, err := time.Parse(time.RFC3339Nano, times[min(i, len(times)-1)])
		if err != nil {
			t.Fatalf("%s: %s: %v", file, title, err)
		}
		*into = at
	}
	b.arrived = b.end
	if b.begin.Before(b.end) {
		b.arrived = b.end.Add(5 * time.Minute) // so that a line's own time is told from it
	}
	output, truth, ok := strings.Cut(rest, "\n───")
	if !ok {
		t.Fatalf("%s: %s: it does not end", file, title)
	}
	b.output = strings.NewReplacer("␛", "\x1b", "␇", "\a", "␍", "\r").Replace(output)
	for row := range strings.SplitSeq(strings.Trim(truth, "\n"), "\n") {
		if reason, ok := strings.CutPrefix(row, "wrong: "); ok {
			b.wrong = reason
		} else if row != "" {
			b.want = append(b.want, readTruth(row))
		}
	}
	return b
}

func readTruth(row string) (r said) {
	head, text, ok := strings.Cut(row, " | ")
	if before, thrown, found := strings.Cut(row, " ! "); found && len(before) < len(head) {
		head, text, r.thrown = before, thrown, true
		text, r.place, _ = strings.Cut(text, " < ")
	} else if !ok {
		head = strings.TrimSuffix(row, " |")
	}
	r.text = text
	for i, word := range strings.Fields(head) {
		switch {
		case i == 0:
			r.level = word
		case word == "*":
			r.any = true
		case strings.HasPrefix(word, "@"):
			r.at = word
		default:
			r.logger = word
		}
	}
	return r
}

// got is an event as a person would write it.
func got(e event.Event, b block) (r said) {
	switch e := e.(type) {
	case *event.Log:
		r.level, r.logger, r.text = e.Level, strings.ReplaceAll(e.Logger, " ", "_"), e.Message
	case *event.Exception:
		r.level, r.thrown, r.text = "error", true, strings.TrimPrefix(e.Type+": "+e.Message, ": ")
		for _, f := range e.Stack {
			if f.InApp {
				r.place = fmt.Sprintf("%s %s:%d", f.Function, path.Base(strings.ReplaceAll(f.URL, `\`, "/")), f.Line)
				break
			}
		}
	}
	r.text = strings.ReplaceAll(r.text, "\n", "⏎")
	if at := e.Base().Time; !at.Equal(b.arrived) {
		r.at = "@" + at.UTC().Format("2006-01-02T15:04:05.999999999")
		if b.begin.Before(b.end) && !at.Before(b.begin.Add(-time.Second)) && !at.After(b.end.Add(time.Second)) {
			r.at = "@"
		}
	}
	return r
}

func (r said) String() string {
	head := strings.Join(slices.DeleteFunc([]string{r.level, r.at, r.logger}, func(s string) bool { return s == "" }), " ")
	if r.any {
		return head + " *"
	}
	if !r.thrown {
		return head + " | " + r.text
	}
	if r.place != "" {
		return head + " ! " + r.text + " < " + r.place
	}
	return head + " ! " + r.text
}

func isFailure(level string) bool { return level == "error" || level == "fatal" }

// says reports whether a text is the one that a person read.
func (r said) says(text string) bool {
	if begin, ok := strings.CutSuffix(r.text, "…"); ok {
		return strings.HasPrefix(text, begin)
	}
	return strings.TrimSpace(r.text) == strings.TrimSpace(text)
}

// fits says how well a record is the one that a person read.
func (r said) fits(g said) int {
	switch {
	case r.any && r.level == g.level:
		return 2
	case r.any:
		return 0
	case r.says(g.text) && r.thrown == g.thrown && r.level == g.level:
		return 8
	case r.says(g.text):
		return 7
	case r.thrown && g.thrown:
		return 4
	case isFailure(r.level) && isFailure(g.level):
		return 3
	case r.level == g.level:
		return 1
	}
	return 0
}

// pairs finds which record is which. -1: none.
func pairs(want, have []said) []int {
	best := make([][]int, len(want)+1)
	for i := range best {
		best[i] = make([]int, len(have)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(have) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if n := want[i].fits(have[j]); n > 0 {
				best[i][j] = max(best[i][j], n+best[next(want, i)][j+1])
			}
		}
	}
	of := make([]int, len(have))
	for i, j := 0, 0; j < len(have); {
		n := 0
		if i < len(want) {
			n = want[i].fits(have[j])
		}
		switch {
		case i < len(want) && n > 0 && best[i][j] == n+best[next(want, i)][j+1]:
			of[j] = i
			i, j = next(want, i), j+1
		case i < len(want) && best[i][j] == best[i+1][j]:
			i++
		default:
			of[j] = -1
			j++
		}
	}
	return of
}

// next is where what follows a record is looked for: one that stands for several may go on.
func next(want []said, i int) int {
	if want[i].any {
		return i
	}
	return i + 1
}

func (b block) read() []said {
	reader := lines.Reader{Live: true}
	var batch event.Batch
	for line := range strings.SplitSeq(b.output, "\n") {
		batch = reader.Add(lines.Line{Time: b.arrived, Text: line}, batch)
	}
	var all []said
	for _, e := range reader.Flush(batch) {
		all = append(all, got(e, b))
	}
	return all
}

// score compares what was read with what a person reads.
func (b block) score() (s score) {
	have := b.read()
	of := pairs(b.want, have)
	found := make([]bool, len(b.want))
	fault := func(format string, args ...any) { s.faults = append(s.faults, fmt.Sprintf(format, args...)) }
	for j, g := range have {
		if of[j] < 0 {
			s.records.add(false)
			s.levels.add(false)
			if isFailure(g.level) {
				s.errors.add(false)
			}
			fault("not there: %s", g)
			continue
		}
		w := b.want[of[j]]
		found[of[j]] = true
		s.levels.add(w.level == g.level || w.thrown && g.thrown)
		if isFailure(w.level) {
			s.errors.add(isFailure(g.level))
		} else if isFailure(g.level) {
			s.alarms++
		}
		if w.any {
			s.records.add(true)
			continue
		}
		if w.place != "" {
			s.places.add(w.place == g.place)
		}
		right := w.says(g.text) && w.thrown == g.thrown && (w.level == g.level || w.thrown) && w.at == g.at && w.place == g.place && (w.thrown || w.logger == g.logger)
		s.records.add(right)
		if !right {
			fault("read:     %s\ninstead of %s", g, w)
		}
	}
	for i, w := range b.want {
		if found[i] || w.any {
			continue
		}
		s.records.add(false)
		s.levels.add(false)
		if isFailure(w.level) {
			s.errors.add(false)
		}
		if w.place != "" {
			s.places.add(false)
		}
		fault("missing:  %s", w)
	}
	return s
}

// What programs write is read as a person reads it: levels in 99 of 100 records, one error for each failure in 97, the
// first place in the user's code in 95, and nothing that is no error as one.
func TestPrograms(t *testing.T) {
	local := time.Local
	time.Local = time.UTC
	defer func() { time.Local = local }()
	programs := readPrograms(t)
	var all score
	for _, p := range programs {
		for _, b := range p.blocks {
			s := b.score()
			all.plus(s)
			name := p.ecosystem + "/" + p.name + ", " + b.title
			switch {
			case len(b.want) == 0:
				var read []string
				for _, g := range b.read() {
					read = append(read, g.String())
				}
				t.Errorf("%s: nobody has said what is in it; read is\n%s", name, strings.Join(read, "\n"))
			case len(s.faults) > 0 && b.wrong == "":
				t.Errorf("%s:\n%s", name, strings.Join(s.faults, "\n"))
			case len(s.faults) == 0 && b.wrong != "":
				t.Errorf("%s is right, and is said to be wrong: %s", name, b.wrong)
			}
		}
	}
	t.Logf("%d programs, records %s (%.1f %%), levels %.2f %%, errors %.2f %%, places %.2f %%, alarms %d", len(programs),
		all.records, all.records.percent(), all.levels.percent(), all.errors.percent(), all.places.percent(), all.alarms)
	if len(programs) < 150 {
		t.Errorf("there are %d programs", len(programs))
	}
	if all.levels.percent() < 99 || all.errors.percent() < 97 || all.places.percent() < 95 || all.alarms > 0 {
		t.Errorf("levels are right in %.2f %%, failures are one error in %.2f %%, places are right in %.2f %%, %d alarms are false",
			all.levels.percent(), all.errors.percent(), all.places.percent(), all.alarms)
	}
	table(t, programs)
}

// table holds docs/programs.md to the corpus.
func table(t *testing.T, programs []program) {
	t.Helper()
	const file = "../../../docs/programs.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- programs -->\n", "<!-- /programs -->\n"
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		t.Fatalf("%s has no marks for the table", file)
	}
	slices.SortStableFunc(programs, func(a, b program) int {
		return cmp.Or(cmp.Compare(a.ecosystem, b.ecosystem), cmp.Compare(strings.ToLower(a.name), strings.ToLower(b.name)))
	})
	var rows strings.Builder
	var all score
	notes := ""
	fmt.Fprintf(&rows, "| From | Program | Records | Levels | Errors | Places |\n|---|---|---|---|---|---|\n")
	for _, p := range programs {
		var s score
		mark := ""
		for _, b := range p.blocks {
			s.plus(b.score())
			if b.wrong != "" {
				notes += wrapped(fmt.Sprintf("- %s, %s: %s\n", p.name, b.title, b.wrong))
			}
		}
		if p.from != "written by the program" {
			mark = "\u00b9"
		}
		all.plus(s)
		fmt.Fprintf(&rows, "| %s | %s%s | %s | %s | %s | %s |\n", p.ecosystem, p.name, mark, s.records, s.levels, s.errors, s.places)
	}
	fmt.Fprintf(&rows, "| | **%d programs** | %s | %s | %s | %s |\n", len(programs), all.records, all.levels, all.errors, all.places)
	fmt.Fprintf(&rows, "\n\u00b9 from its documentation, not from a run.\n")
	if notes != "" {
		fmt.Fprintf(&rows, "\nWhat is read wrongly:\n\n%s", notes)
	}
	want := before + begin + "\n" + rows.String() + "\n" + end + after
	if want == string(data) {
		return
	}
	if !*update {
		t.Errorf("%s is not what the corpus says: run this test with -update", file)
	} else if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wrapped breaks an item of a list at column 100.
func wrapped(s string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(s) {
		if n := len([]rune(word)); i > 0 && column+1+n > 100 {
			b.WriteString("\n ")
			column = 1
		}
		if i > 0 {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len([]rune(word))
	}
	return b.String() + "\n"
}
