package event

// The severities that matter to us, by OpenTelemetry's numbers.
const (
	SeverityInfo  = 9
	SeverityWarn  = 13
	SeverityError = 17
	SeverityFatal = 21
)

// levels are the words for levels that loggers, places and protocols write, in lower case, with the word and the number that
// we give them. A digit is syslog's.
var levels = map[string]struct {
	word     string
	severity int
}{
	"trace": {"trace", 1}, "trc": {"trace", 1}, "trce": {"trace", 1}, "verbose": {"trace", 1}, "verb": {"trace", 1}, "vrb": {"trace", 1}, "sill": {"trace", 1}, "finest": {"trace", 1},
	"finer": {"trace", 2}, "silly": {"trace", 1},
	"debug": {"debug", 5}, "dbug": {"debug", 5}, "dbg": {"debug", 5}, "debu": {"debug", 5}, "debg": {"debug", 5}, "fine": {"debug", 5}, "7": {"debug", 5},
	"info": {"info", 9}, "inf": {"info", 9}, "information": {"info", 9}, "informational": {"info", 9}, "log": {"info", 9},
	"success": {"info", 9}, "http": {"info", 9}, "config": {"info", 9}, "default": {"info", 9}, "6": {"info", 9},
	"notice": {"info", 10}, "noti": {"info", 10}, "audit": {"info", 9}, "infor": {"info", 9}, "5": {"info", 10},
	"warn": {"warn", 13}, "warning": {"warn", 13}, "wrn": {"warn", 13}, "warni": {"warn", 13}, "4": {"warn", 13},
	"error": {"error", 17}, "err": {"error", 17}, "eror": {"error", 17}, "erro": {"error", 17}, "fail": {"error", 17},
	"severe": {"error", 17}, "exception": {"error", 17}, "3": {"error", 17},
	"fatal": {"fatal", 21}, "ftl": {"fatal", 21}, "fata": {"fatal", 21}, "criti": {"fatal", 21}, "crt": {"fatal", 21}, "critical": {"fatal", 21}, "crit": {"fatal", 21}, "critica": {"fatal", 21},
	"panic": {"fatal", 21}, "pnc": {"fatal", 21}, "dpanic": {"fatal", 21}, "2": {"fatal", 21},
	"alert": {"fatal", 22}, "1": {"fatal", 22},
	"emerg": {"fatal", 23}, "emergency": {"fatal", 23}, "0": {"fatal", 23},
}

// longestLevel is how many bytes the longest of the words has.
const longestLevel = 13

// LevelOf returns the level that a word of any case stands for, and OpenTelemetry's number of it.
func LevelOf(word string) (level string, severity int, ok bool) {
	if len(word) > longestLevel {
		return "", 0, false
	}
	var lower [longestLevel]byte
	for i := range len(word) {
		c := word[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	l, ok := levels[string(lower[:len(word)])]
	return l.word, l.severity, ok
}

// LevelOfSeverity returns the level of one of OpenTelemetry's numbers, 1 to 24; "" of others.
func LevelOfSeverity(n int) string {
	if n < 1 || n > 24 {
		return ""
	}
	return [...]string{"trace", "debug", "info", "warn", "error", "fatal"}[(n-1)/4]
}

// SeverityOf returns OpenTelemetry's number of a level's word; that of info for a word it does not know.
func SeverityOf(level string) int {
	if _, severity, ok := LevelOf(level); ok {
		return severity
	}
	return SeverityInfo
}
