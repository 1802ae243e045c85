package lines

import (
	"strings"

	"github.com/brennhill/gasoline/internal/stacktrace"
)

// dumps are the ways in which programs print an error that nothing caught, where no word of a logger or a runtime that is
// read by its calls stands before it. n is the number of lines before s, the first of which is first.
var dumps = [...]struct {
	with   string // the bytes that the first line may begin with; "": any
	begins func(s string) bool
	goesOn func(first, s string, n int) bool // n is negative where an empty line stands before s
}{
	{ // Rust: the message is on the line behind the place, unless that one holds it
		"t",
		func(s string) bool {
			_, _, ok := stacktrace.RustPanic(s)
			return ok
		},
		func(first, _ string, n int) bool { return n == 1 && strings.HasSuffix(first, ":") },
	},
	{ // PHP
		"PF",
		func(s string) bool {
			s = strings.TrimPrefix(s, "PHP ")
			return strings.HasPrefix(s, "Fatal error: ") || strings.HasPrefix(s, "Parse error: ")
		},
		never,
	},
	{ // Rails: NoMethodError (undefined method `pay' for nil):
		"",
		func(s string) bool {
			if !strings.HasSuffix(s, "):") {
				return false
			}
			_, _, ok := stacktrace.RubyError(s)
			return ok
		},
		never,
	},
	{ // Elixir
		"*",
		func(s string) bool {
			_, _, ok := stacktrace.ElixirError(s)
			return ok
		},
		never,
	},
	{ // Go's race detector
		"W",
		func(s string) bool { return s == "WARNING: DATA RACE" },
		func(_, s string, _ int) bool {
			for _, begin := range [...]string{"Write at ", "Read at ", "Previous ", "Goroutine ", "====="} {
				if strings.HasPrefix(s, begin) {
					return true
				}
			}
			return false
		},
	},
	{ // esbuild: what is indented goes on, also behind an empty line
		"\xe2",
		func(s string) bool {
			return strings.HasPrefix(s, "\u2718 [ERROR] ") || strings.HasPrefix(s, "\u25b2 [WARNING] ")
		},
		func(_, s string, n int) bool { return endsBuild(s) || n > 0 && saysAgain(s) },
	},
	{ // Vite, which says what went wrong once more
		"e",
		func(s string) bool { return s == "error during build:" },
		func(_, _ string, n int) bool { return n > 0 },
	},
	{ // Symfony's console, and Composer: the box with what was thrown is below
		"I",
		func(s string) bool {
			file, line, ok := strings.Cut(strings.TrimSuffix(s, ":"), " line ")
			return ok && strings.HasPrefix(file, "In ") && strings.HasSuffix(file, ".php") && line != "" && strings.Trim(line, "0123456789") == ""
		},
		never,
	},
	{ // sanitizers
		"=",
		func(s string) bool { return strings.HasPrefix(s, "==") && strings.Contains(s, "==ERROR: ") },
		func(_, s string, _ int) bool {
			return strings.HasPrefix(s, "SUMMARY: ")
		},
	},
	{ // PHPUnit: the test, what it raised, and its places
		"0123456789",
		func(s string) bool {
			number, test, ok := strings.Cut(s, ") ")
			return ok && strings.Trim(number, "0123456789") == "" && strings.Contains(test, "::") && !strings.ContainsAny(test, " (")
		},
		func(_, s string, n int) bool { return n > 0 && n < 4 || stacktrace.PHPUnitPlace(s) },
	},
	{ // Gradle
		"F",
		func(s string) bool { return strings.HasPrefix(s, "FAILURE: Build ") },
		func(_, s string, _ int) bool { return s[0] == '*' || s[0] == '>' || s[0] == '-' || s[0] >= 'A' },
	},
	{ // Minitest: the test, and what it raised
		"EF",
		func(s string) bool { return s == "Error:" || s == "Failure:" },
		func(_, _ string, n int) bool { return n > 0 && n < 3 },
	},
	{ // dotnet test
		"F",
		func(s string) bool {
			return strings.HasPrefix(s, "Failed ") && (strings.HasSuffix(s, " ms]") || strings.HasSuffix(s, " s]"))
		},
		never,
	},
	{ // TypeScript's compiler with a terminal
		"",
		func(s string) bool {
			if !strings.Contains(s, " - error TS") {
				return false
			}
			level, _ := levelBehindPlace(s)
			return level == "error"
		},
		func(_, s string, _ int) bool {
			number, _ := firstWord(s)
			return strings.Trim(number, "0123456789") == ""
		},
	},
	{ // webpack
		"EW",
		func(s string) bool { return strings.HasPrefix(s, "ERROR in ") || strings.HasPrefix(s, "WARNING in ") },
		func(_, s string, n int) bool {
			return n == 1
		},
	},
	{ // npm
		"n",
		func(s string) bool { return strings.HasPrefix(s, "npm error") || strings.HasPrefix(s, "npm ERR!") },
		func(first, s string, _ int) bool { return strings.HasPrefix(s, first[:len("npm error")-1]) },
	},
	{ // rich
		"\xe2",
		func(s string) bool {
			return strings.HasPrefix(s, "\u256d") && strings.Contains(s, " Traceback (most recent call last) ")
		},
		func(_, s string, n int) bool {
			_, _, named := stacktrace.Head(s)
			return named && n > 0
		},
	},
	{ // Flutter
		"\xe2",
		func(s string) bool { return strings.HasPrefix(s, "\u2550\u2550\u2561 EXCEPTION CAUGHT BY ") },
		func(string, string, int) bool { return true },
	},
	{ // Erlang
		"=",
		func(s string) bool {
			return strings.HasPrefix(s, "=") && strings.Contains(s, " REPORT==== ") && strings.HasSuffix(s, " ===")
		},
		func(_, s string, n int) bool { return n > 0 && s[0] != '=' },
	},
	{ // Lua
		"l",
		func(s string) bool {
			return strings.HasPrefix(s, "lua") && strings.Contains(s, ".lua:") && strings.Contains(s, ": ")
		},
		func(_, s string, _ int) bool { return s == "stack traceback:" },
	},
	{ // Gin
		"",
		func(s string) bool {
			return strings.Contains(s, "[Recovery] ") && strings.HasSuffix(s, " panic recovered:")
		},
		func(_, s string, _ int) bool { return !strings.HasPrefix(s, "[GIN") && !isDigit(s[0]) },
	},
	{ // chi
		" ",
		func(s string) bool { return strings.HasPrefix(s, " panic: ") },
		never,
	},
	{ // Maven
		"[",
		func(s string) bool { return strings.HasPrefix(s, "[ERROR] Failed to execute goal") },
		func(_, s string, _ int) bool { return strings.HasPrefix(s, "[ERROR]") },
	},
	{ // Go's other crashes
		"S",
		func(s string) bool {
			return strings.HasPrefix(s, "SIG") && strings.Contains(s, ": ")
		},
		func(_, s string, _ int) bool { return strings.HasPrefix(s, "PC=") },
	},
	{ // Dart
		"U",
		func(s string) bool { return s == "Unhandled exception:" },
		func(_, _ string, n int) bool { return n == 1 },
	},
}

// endsBuild reports whether a line is one that Vite writes behind what esbuild said.
func endsBuild(s string) bool {
	return strings.HasPrefix(s, "failed to load config from ") || s == "error during build:"
}

// saysAgain reports whether a line is one of the error that esbuild throws for what it said already.
func saysAgain(s string) bool {
	return strings.HasPrefix(s, "Error: Build failed with ") || strings.HasPrefix(s, "error: ") || strings.Contains(s, ": ERROR: ")
}

// never: what goes on with it is told by itself, as calls are.
func never(string, string, int) bool { return false }

// isDump reports whether a line begins the error of a program that nothing caught.
func isDump(s string) bool {
	if s == "" || s[0] == '{' {
		return false
	}
	for _, i := range dumpsWith[s[0]] {
		if dumps[i].begins(s) {
			return true
		}
	}
	return false
}

// dumpsWith are the indices of the dumps that may begin with a byte.
var dumpsWith = func() (by [256][]uint8) {
	for i := range dumps {
		for b := range by {
			if with := dumps[i].with; with == "" || strings.IndexByte(with, byte(b)) >= 0 {
				by[b] = append(by[b], uint8(i))
			}
		}
	}
	return by
}()

// dumpGoesOn reports whether a line belongs to the dump that the record is.
func (j *joint) dumpGoesOn(s string) bool {
	n := len(j.parts)
	if j.blankBefore() {
		n = -n
	}
	for _, first := range [...]string{j.parts[0], j.head.message} {
		for i := range dumps {
			if strings.HasSuffix(j.parts[0], first) && dumps[i].begins(first) {
				return dumps[i].goesOn(first, s, n)
			}
		}
	}
	return false
}
