package source

import (
	"strconv"
	"strings"
)

// Variants returns the forms in which platforms and libraries write a trace id of 32 hex digits: itself, with dashes as
// a UUID, as X-Ray's, and its lower half in hex and as a decimal number. No form is a part of an earlier one, except the
// lower half in hex, which is left out where the upper half may not be: callers search for the shortest.
// A lower half that is 0 is no form, nor is a number of few digits: they are in lines that have nothing to do with it.
func Variants(trace string) []string {
	t := strings.ToLower(trace)
	if len(t) != 32 {
		return nil
	}
	out := []string{
		t,
		t[:8] + "-" + t[8:12] + "-" + t[12:16] + "-" + t[16:20] + "-" + t[20:],
		"1-" + t[:8] + "-" + t[8:],
	}
	const fewDigits = 1 << 48 // random ids are below it once in 65,536 times
	low, err := strconv.ParseUint(t[16:], 16, 64)
	if err != nil || low > 0 {
		out = append(out, t[16:])
	}
	if low >= fewDigits && err == nil {
		out = append(out, strconv.FormatUint(low, 10))
	}
	return out
}

// traceOf returns the 32 hex digits of a trace id in any of its forms, or "" where it is none. A half id is the one that
// was asked for when it is its half.
func traceOf(id, asked string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[i+1:]
	}
	if asked != "" {
		for _, v := range Variants(asked) {
			if id == v {
				return asked
			}
		}
	}
	id = strings.TrimPrefix(id, "1-")
	id = strings.ReplaceAll(id, "-", "")
	if len(id) == 32 && strings.Trim(id, "0123456789abcdef") == "" && strings.Trim(id, "0") != "" {
		return id
	}
	return ""
}
