package source

import "strings"

// Level returns the word of a level and OpenTelemetry's severity for what places call it; "", 0 for other words.
func Level(word string) (level string, severity int) {
	switch strings.ToLower(word) {
	case "trace":
		return "trace", 1
	case "debug", "7":
		return "debug", 5
	case "info", "information", "informational", "6":
		return "info", 9
	case "notice", "5":
		return "info", 10
	case "warn", "warning", "4":
		return "warn", 13
	case "error", "err", "3":
		return "error", 17
	case "critical", "crit", "2":
		return "fatal", 18
	case "alert", "1":
		return "fatal", 19
	case "fatal", "emerg", "panic", "0":
		return "fatal", 21
	}
	return "", 0
}
