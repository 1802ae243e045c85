package lines

import (
	"strings"
	"time"
)

// stamp is a time as a line writes it.
type stamp struct {
	time  time.Time
	whole bool // seconds only, no fraction
	zoned bool // the line names the zone; else it is that of this machine
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
	if i+1 < len(s) && (s[i] == '.' || s[i] == ',') && isDigit(s[i+1]) {
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
	return nil, i, false
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

func monthOf(s string, i int) (time.Month, bool) {
	if i < 0 || i+3 > len(s) {
		return 0, false
	}
	at := strings.Index(months, s[i:i+3])
	if at < 0 || at%3 != 0 {
		return 0, false
	}
	return time.Month(at/3 + 1), true
}

// dateOf reads a date at s[i:] and returns where the clock begins. A year of 0 is not written there.
func dateOf(s string, i int) (year int, month time.Month, day, end int, ok bool) {
	if i+3 > len(s) {
		return 0, 0, 0, 0, false
	}
	if y, ok := digits(s, i, 4); ok && i+10 < len(s) && (s[i+4] == '-' || s[i+4] == '/') && s[i+7] == s[i+4] {
		m, ok1 := digits(s, i+5, 2)
		d, ok2 := digits(s, i+8, 2)
		end := i + 11
		if strings.HasPrefix(s[i+10:], " - ") { // as gin writes it
			end = i + 13
		}
		return y, time.Month(m), d, end, ok1 && ok2 && (s[i+10] == 'T' || s[i+10] == ' ') && m >= 1 && m <= 12
	}
	if d, ok := digits(s, i, 2); ok && s[i+2] == '/' {
		if month, ok := monthOf(s, i+3); ok { // 10/Oct/2026:13:55:36
			y, ok := digits(s, i+7, 4)
			return y, month, d, i + 12, ok && i+11 < len(s) && s[i+6] == '/' && (s[i+11] == ':' || s[i+11] == ' ')
		}
		m, second := d, 0
		second, ok1 := digits(s, i+3, 2)
		y, ok2 := digits(s, i+6, 4)
		if !ok1 || !ok2 || s[i+5] != '/' || m > 12 || m < 1 {
			return 0, 0, 0, 0, false
		}
		if strings.HasPrefix(s[i+10:], ", ") { // 10/31/2026, 1:55:36 PM
			return y, time.Month(m), second, i + 12, true
		}
		half := len(s) >= i+22 && (s[i+19:i+22] == " AM" || s[i+19:i+22] == " PM")
		return y, time.Month(m), second, i + 11, half && s[i+10] == ' ' // 10/31/2026 01:55:36 PM
	}
	if month, ok := monthOf(s, i); ok && i+7 <= len(s) && s[i+3] == ' ' { // Oct  9 13:55:36
		at, width := i+4, 2
		if s[at] == ' ' {
			at, width = at+1, 1
		} else if at+1 < len(s) && s[at+1] == ' ' {
			width = 1
		}
		d, ok := digits(s, at, width)
		return 0, month, d, at + width + 1, ok && at+width < len(s) && s[at+width] == ' '
	}
	return 0, 0, 0, 0, false
}

// scanTime reads a time at the beginning of s and returns how many bytes it took, 0 when there is none. A
// date or a year that is not written is that of near.
func scanTime(s string, near time.Time) (st stamp, n int) {
	if len(s) < 8 || !isDigit(s[0]) && !isLetter(s[0]) {
		return st, 0
	}
	i, weekday := 0, false
	if len(s) > 4 && s[3] == ' ' && strings.Contains("MonTueWedThuFriSatSun", s[:3]) {
		i, weekday = 4, true
	}
	year, month, day, at, ok := dateOf(s, i)
	dated := ok
	if !ok {
		if weekday || !isDigit(s[0]) {
			return st, 0
		}
		at = 0
	}
	h, m, sec, nano, end, ok := clockOf(s, at)
	if !ok {
		return st, 0
	}
	st.whole = !strings.ContainsAny(s[at:end], ".,")
	zone := time.Local
	if z, next, ok := zoneOf(s, end); ok {
		zone, end, st.zoned = z, next, true
	}
	if weekday && year == 0 {
		if y, ok := digits(s, end+1, 4); ok {
			year, end = y, end+5
		}
	}
	here := near.In(zone)
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
	case dated && year == here.Year() && st.time.Sub(near) > 31*24*time.Hour:
		if y, ok := digits(s, 0, 4); !ok || y != year { // the year was a guess: it is of last year
			if !strings.Contains(s[:end], "/") && !weekday {
				st.time = st.time.AddDate(-1, 0, 0)
			}
		}
	}
	return st, end
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
	case v >= 1e17 && v < 1e19:
		return time.Unix(0, int64(v)), true
	}
	return time.Time{}, false
}

// settled is the time of a line that arrived at a known time. A line that was read as it was written gives the
// arrival where its own time is whole seconds that agree, since that one is finer; and a time without a zone
// that is a multiple of a quarter of an hour away was written in another zone.
func (st stamp) settled(arrived time.Time, live bool) time.Time {
	if st.time.IsZero() {
		return arrived
	}
	if !live {
		return st.time
	}
	t, d := st.time, arrived.Sub(st.time)
	if !st.zoned && d.Abs() > 10*time.Minute && d.Abs() < 15*time.Hour {
		if shift := d.Round(15 * time.Minute); (d - shift).Abs() < 3*time.Second {
			t, d = t.Add(shift), d-shift
		}
	}
	if st.whole && d >= 0 && d < 1500*time.Millisecond {
		return arrived
	}
	return t
}
