package lines

import (
	"strconv"
	"strings"
	"time"
)

// stamp is a time as a line writes it.
type stamp struct {
	time  time.Time
	whole bool      // seconds only, no fraction
	zoned bool      // the line names the zone; else it is that of this machine
	other time.Time // with day and month the other way round, where they may be; else zero
	days  bool      // time has the day before the month, which only its nearness tells
}

// digits reads exactly n decimal digits at s[i:].
func digits(s string, i, n int) (v int, ok bool) {
	if i < 0 || i+n > len(s) {
		return 0, false
	}
	for _, c := range []byte(s[i : i+n]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// clockOf reads HH:MM:SS with an optional fraction and an optional AM or PM at s[i:].
func clockOf(s string, i int) (h, m, sec, nano, end int, ok bool) {
	width := 2
	if i+1 < len(s) && s[i+1] == ':' {
		width = 1 // as en-US writes hours
	}
	h, ok1 := digits(s, i, width)
	i += width
	m, ok2 := digits(s, i+1, 2)
	sec, ok3 := digits(s, i+4, 2)
	if !ok1 || !ok2 || !ok3 || s[i] != ':' || s[i+3] != ':' || h > 23 || m > 59 || sec > 60 {
		return 0, 0, 0, 0, 0, false
	}
	i += 6
	if i+1 < len(s) && (s[i] == '.' || s[i] == ',' || s[i] == ':' && isMillis(s[i+1:])) && isDigit(s[i+1]) {
		scale := 100_000_000
		for i++; i < len(s) && isDigit(s[i]); i++ {
			nano += int(s[i]-'0') * scale
			scale /= 10
		}
	}
	if strings.HasPrefix(s[i:], " AM") || strings.HasPrefix(s[i:], " PM") {
		if h %= 12; s[i+1] == 'P' {
			h += 12
		}
		i += 3
	}
	return h, m, sec, nano, i, true
}

// isMillis reports whether three digits and no more stand at the beginning of s, as WebSphere writes them behind a colon.
func isMillis(s string) bool {
	_, ok := digits(s, 0, 3)
	return ok && (len(s) == 3 || !isDigit(s[3]) && s[3] != ':')
}

// zoneOf reads a zone at s[i:]: Z, ±hh:mm, ±hhmm, each after an optional space, or " UTC" and " GMT".
func zoneOf(s string, i int) (zone *time.Location, end int, ok bool) {
	at := i
	if at < len(s) && s[at] == ' ' {
		at++
	}
	if at >= len(s) {
		return nil, i, false
	}
	switch c := s[at]; {
	case c == 'Z' && (at+1 == len(s) || !isLetter(s[at+1])):
		return time.UTC, at + 1, true
	case strings.HasPrefix(s[at:], "UTC") || strings.HasPrefix(s[at:], "GMT"):
		return time.UTC, at + 3, true
	case c == '+' || c == '-':
		h, ok1 := digits(s, at+1, 2)
		next := at + 3
		if next < len(s) && s[next] == ':' {
			next++
		}
		m, ok2 := digits(s, next, 2)
		if ok1 && next == at+3 && (next == len(s) || s[next] == ' ') { // +03, as PostgreSQL writes it
			m, ok2 = 0, true
			next -= 2
		}
		if !ok1 || !ok2 || h > 14 || m > 59 || next+2 < len(s) && isDigit(s[next+2]) {
			return nil, i, false
		}
		seconds := h*3600 + m*60
		if c == '-' {
			seconds = -seconds
		}
		if seconds == 0 {
			return time.UTC, next + 2, true
		}
		return time.FixedZone("", seconds), next + 2, true
	}
	name := s[at:]
	if end := strings.IndexAny(name, " ]"); end != -1 {
		name = name[:end]
	}
	minutes, known := zones[name]
	if !known {
		return nil, i, false
	}
	return time.FixedZone("", minutes*60), at + len(name), true
}

// zones are those that are written by name, in minutes east of UTC. Of names that stand for several the commonest is meant.
var zones = map[string]int{
	"WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "MEZ": 60, "MESZ": 120, "EET": 120, "EEST": 180, "MSK": 180,
	"IST": 330, "PKT": 300, "ICT": 420, "WIB": 420, "HKT": 480, "SGT": 480, "AWST": 480, "JST": 540, "KST": 540, "AEST": 600,
	"AEDT": 660, "NZST": 720, "NZDT": 780, "EST": -300, "EDT": -240, "CST": -360, "CDT": -300, "MST": -420, "MDT": -360,
	"PST": -480, "PDT": -420, "AKST": -540, "AKDT": -480, "HST": -600, "BRT": -180, "ART": -180, "SAST": 120,
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

func monthOf(s string) (time.Month, bool) {
	at := strings.Index(months, s[:min(len(s), 3)])
	return time.Month(at/3 + 1), at%3 == 0
}

func isMonth(m int) bool { return m >= 1 && m <= 12 }

// dateOf reads a date at the beginning of s and returns where the clock begins. A year of 0 is not written there.
func dateOf(s string) (year int, month time.Month, day, end int, ok bool) {
	if len(s) < len("Oct 9 1:55:36") {
		return 0, 0, 0, 0, false
	}
	if y, ok := digits(s, 0, 4); ok && strings.IndexByte("-/.", s[4]) >= 0 && s[7] == s[4] { // 2026-11-25 13:55:36
		m, ok1 := digits(s, 5, 2)
		d, ok2 := digits(s, 8, 2)
		end := 11
		if strings.HasPrefix(s[10:], " - ") { // as gin writes it
			end = 13
		}
		return y, time.Month(m), d, end, ok1 && ok2 && strings.IndexByte("T _", s[10]) >= 0 && isMonth(m)
	}
	if y, ok := digits(s, 0, 4); ok && strings.IndexByte("T -", s[8]) >= 0 { // 20261126 13:55:36
		m, ok1 := digits(s, 4, 2)
		d, ok2 := digits(s, 6, 2)
		return y, time.Month(m), d, 9, ok1 && ok2 && isMonth(m)
	}
	if month, ok := monthOf(s); ok {
		return afterMonth(s, month)
	}
	d, ok := digits(s, 0, 2)
	switch {
	case !ok:
	case s[2] == '-' && s[5] == ' ' && s[8] == ':': // 11-26 13:55:36
		day, ok := digits(s, 3, 2)
		return 0, time.Month(d), day, 6, ok && isMonth(d)
	case (s[2] == ' ' || s[2] == '-') && s[6] == s[2] && s[11] == ' ': // 25 Nov 2026 13:55:36, 25-Nov-2026 13:55:36
		month, ok1 := monthOf(s[3:])
		y, ok2 := digits(s, 7, 4)
		return y, month, d, 12, ok1 && ok2
	case (s[2] == '.' || s[2] == '-') && s[5] == s[2] && s[10] == ' ': // 25.11.2026 13:55:36
		m, ok1 := digits(s, 3, 2)
		y, ok2 := digits(s, 6, 4)
		return y, time.Month(m), d, 11, ok1 && ok2 && isMonth(m)
	case s[2] == '/':
		return slashed(s, d)
	}
	return 0, 0, 0, 0, false
}

// afterMonth reads a date that begins with the name of a month.
func afterMonth(s string, month time.Month) (year int, _ time.Month, day, end int, ok bool) {
	if name := month.String(); len(name) > 3 && strings.HasPrefix(s, name+" ") { // November 25, 2026 13:55:36
		y, _, d, end, ok := dateOf(name[:3] + s[len(name):])
		return y, month, d, end + len(name) - 3, ok && y > 0
	}
	if s[3] != ' ' {
		return 0, 0, 0, 0, false
	}
	if d, ok1 := digits(s, 4, 2); ok1 && s[6] == ' ' && s[11] == ' ' { // Nov 25 2026 13:55:36
		if y, ok2 := digits(s, 7, 4); ok2 {
			return y, month, d, 12, true
		}
	}
	if number, rest, found := strings.Cut(s[4:min(len(s), 14)], ", "); found && len(number) <= 2 && strings.HasPrefix(rest[min(len(rest), 4):], " ") { // Nov 25, 2026 1:55:36 PM
		y, ok1 := digits(rest, 0, 4)
		d, ok2 := digits(number, 0, len(number))
		return y, month, d, 4 + len(number) + 7, ok1 && ok2
	}
	at, width := 4, 2 // Oct  9 13:55:36
	if s[at] == ' ' {
		at, width = 5, 1
	} else if s[at+1] == ' ' {
		width = 1
	}
	d, ok := digits(s, at, width)
	return 0, month, d, at + width + 1, ok && s[at+width] == ' '
}

// slashed reads a date that begins with a number and a slash.
func slashed(s string, first int) (year int, month time.Month, day, end int, ok bool) {
	if month, ok := monthOf(s[3:]); ok { // 10/Oct/2026:13:55:36
		y, ok := digits(s, 7, 4)
		return y, month, first, 12, ok && s[6] == '/' && (s[11] == ':' || s[11] == ' ')
	}
	second, ok1 := digits(s, 3, 2)
	if y, ok := digits(s, 6, 2); ok && s[5] == '/' && s[8] == ' ' {
		if first > 12 { // 26/11/25 13:55:36, as Spark writes it
			return 2000 + first, time.Month(second), y, 9, ok1 && isMonth(second)
		}
		return 2000 + y, time.Month(first), second, 9, ok1 && isMonth(first) // 11/25/26 13:55:36, as rich writes it
	}
	y, ok2 := digits(s, 6, 4)
	if first > 12 { // 31/10/2026
		first, second = second, first
	}
	if !ok1 || !ok2 || s[5] != '/' || !isMonth(first) {
		return 0, 0, 0, 0, false
	}
	if strings.HasPrefix(s[10:], ", ") { // 10/31/2026, 1:55:36 PM
		return y, time.Month(first), second, 12, true
	}
	return y, time.Month(first), second, 11, s[10] == ' ' // 10/31/2026 01:55:36 PM
}

// scanTime reads a time at the beginning of s and returns how many bytes it took, 0 when there is none. A
// date or a year that is not written is that of near.
func scanTime(s string, near time.Time) (st stamp, n int) {
	if len(s) < 8 || !isDigit(s[0]) && !isLetter(s[0]) {
		return st, 0
	}
	i, weekday := 0, false
	if s[3] == ' ' && strings.Contains("MonTueWedThuFriSatSun", s[:3]) {
		i, weekday = 4, true
	}
	year, month, day, at, dated := dateOf(s[i:])
	if at += i; !dated {
		if weekday || !isDigit(s[0]) {
			return st, 0
		}
		at = 0
	}
	h, m, sec, nano, end, ok := clockOf(s, at)
	if !ok {
		return st, 0
	}
	st.whole = nano == 0 && !strings.ContainsAny(s[at:end], ".,")
	zone := time.Local
	if z, next, ok := zoneOf(s, end); ok {
		zone, end, st.zoned = z, next, true
	}
	if weekday && year == 0 {
		if y, ok := digits(s, end+1, 4); ok {
			year, end = y, end+5
		}
	}
	here, guessed := near.In(zone), dated && year == 0
	switch {
	case !dated:
		year, month, day = here.Date()
	case year == 0:
		year = here.Year()
	}
	st.time = time.Date(year, month, day, h, m, sec, nano, zone)
	switch {
	case dated && day < 1 || day > 31:
		return stamp{}, 0
	case !dated && st.time.Sub(near) > 12*time.Hour: // of yesterday, read after midnight
		st.time = st.time.AddDate(0, 0, -1)
	case guessed:
		st.time = passed(st.time, near)
	}
	// Most of the world writes the day before the month.
	if dated && s[i+2] == '/' && isDigit(s[i+3]) && day <= 12 && day != int(month) {
		st.other = time.Date(year, time.Month(day), int(month), h, m, sec, nano, zone)
	}
	if short := dated && s[i+2] == '/' && s[i+5] == '/' && s[i+8] == ' '; short && s[i:i+2] > "12" { // the year is first, or the day
		st.other = time.Time{}
		if d, _ := digits(s, i, 2); d <= 31 {
			st.other = time.Date(2000+day, month, d, h, m, sec, nano, zone)
		}
	}
	if !st.other.IsZero() && st.far(near) {
		if other := (stamp{time: st.other}); !other.far(near) {
			st.time, st.other, st.days = st.other, st.time, true
		}
	}
	return st, end
}

// passed returns a time whose year is a guess, a year before where it would be yet to come.
func passed(t, near time.Time) time.Time {
	if t.Sub(near) > 48*time.Hour { // zones and clocks are not further from one another
		return t.AddDate(-1, 0, 0)
	}
	return t
}

// far reports whether a time is further from another one than zones and clocks are from one another.
func (st stamp) far(near time.Time) bool {
	return !st.time.IsZero() && near.Sub(st.time).Abs() > 24*time.Hour
}

// epochOf reads a number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by its size.
func epochOf(v float64) (time.Time, bool) {
	switch {
	case v > 1e8 && v < 1e11:
		return time.UnixMicro(int64(v * 1e6)), true
	case v >= 1e11 && v < 1e14:
		return time.UnixMicro(int64(v * 1e3)), true
	case v >= 1e14 && v < 1e17:
		return time.UnixMicro(int64(v)), true
	case v >= 1e17 && v < 9e18:
		return time.Unix(0, int64(v)), true
	}
	return time.Time{}, false
}

// epochAt reads a number of seconds or milliseconds since 1970 at the beginning of s, of the last years.
func epochAt(s string, near time.Time) (st stamp, n int) {
	for n < len(s) && (isDigit(s[n]) || s[n] == '.' && n == 10) {
		n++
	}
	if n != 10 && n != 13 && (n < 12 || s[10] != '.') || s[n-1] == '.' {
		return st, 0
	}
	v, err := strconv.ParseFloat(s[:n], 64)
	t, ok := epochOf(v)
	if st = (stamp{time: t, whole: n == 10, zoned: true}); err != nil || !ok || t.Before(near.AddDate(-5, 0, 0)) || t.After(near.AddDate(1, 0, 0)) {
		return stamp{}, 0
	}
	return st, n
}

// zone is how far the times of a stream that name no zone are from those of this machine, as the lines tell that are read as they
// are written. Lines that were written before have it, too.
type zone struct {
	shift time.Duration
	days  bool // the day is before the month
}

const (
	delay    = 3 * time.Second  // from writing to reading, at most, where that is to tell a zone
	furthest = 15 * time.Hour   // zones are not further from one another
	nearby   = 10 * time.Minute // what is not further away has this machine's zone
)

// settle returns the time of a line that arrived at a known time. A time without a zone that is a multiple of a quarter of an hour
// away was written in another zone. Of a line that was read as it was written, whole seconds that agree with the arrival give the
// arrival, since that one is finer; so does a time that cannot be one of writing.
func (z *zone) settle(st stamp, arrived time.Time, live bool) time.Time {
	t := st.time
	if !live && z.days && !st.days && !st.other.IsZero() {
		t = st.other
	}
	switch {
	case t.IsZero():
		return arrived
	case !live && st.zoned:
		return t
	case !live:
		return t.Add(z.shift)
	case st.far(arrived):
		return arrived
	case !st.zoned:
		z.learn(st, arrived)
		if t = t.Add(z.shift); t.Sub(arrived) > nearby { // nobody has written it yet
			return arrived
		}
	}
	if d := arrived.Sub(t); st.whole && d >= 0 && d < 1500*time.Millisecond {
		return arrived
	}
	return t
}

// learn takes the time that a line says which was just written.
func (z *zone) learn(st stamp, written time.Time) {
	d := written.Sub(st.time)
	shift := d.Round(15 * time.Minute)
	if !st.other.IsZero() {
		z.days = st.days
	}
	switch {
	case (d - z.shift).Abs() <= delay: // as before
	case d.Abs() <= nearby:
		z.shift = 0
	case d.Abs() < furthest && (d-shift).Abs() < delay:
		z.shift = shift
	}
}

// maxEnd is how much of a file's end is looked at.
const maxEnd = 4 << 10

// Learn looks at the end of a file as it was when the file was written to last. The last line that tells a time tells the zone of
// all.
func (r *Reader) Learn(end string, written time.Time) {
	if written.IsZero() {
		return
	}
	for end = end[max(0, len(end)-maxEnd):]; end != ""; {
		line := end
		if i := strings.LastIndexByte(end, '\n'); i >= 0 {
			line, end = end[i+1:], end[:i]
		} else {
			end = ""
		}
		f, h := frame{priority: -1}, record{}
		h.parse(f.off(plainText(strings.TrimSuffix(line, "\r")), written), written)
		f.onto(&h)
		if h.stamp.time.IsZero() {
			continue
		}
		if !h.stamp.zoned && !h.stamp.far(written) {
			r.zone.learn(h.stamp, written)
		}
		return
	}
}
