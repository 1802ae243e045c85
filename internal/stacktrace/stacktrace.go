// Package stacktrace reads exceptions as the runtimes of Python, Java, Go, Node and .NET print them.
//
// Dialects whose senders give text use it. It reads what it is given and keeps nothing.
package stacktrace

import (
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

// Thrown is an exception as a text tells it.
type Thrown struct {
	Type, Message string             // "" where only calls are printed
	Stack         []event.StackFrame // innermost first, at most 256
	Causes        []event.ErrorCause // at most 16
}

const (
	maxStack  = 256 // frames of one exception
	maxCauses = 16
)

// IsType reports whether a word looks like the name of an exception's type.
func IsType(s string) bool {
	if len(s) < 5 || len(s) > 200 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && c != '.' && c != '_' && c != '$' && c != '`' {
			return false
		}
	}
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" || last[0] < 'A' || last[0] > 'Z' {
		return false
	}
	for _, end := range [...]string{"Error", "Exception", "Interrupt", "Exit", "Warning", "Iteration", "Throwable"} {
		if strings.HasSuffix(last, end) {
			return true
		}
	}
	// A qualified name with a capital is one, too: django.core.exceptions.ObjectDoesNotExist.
	return strings.Contains(s, ".") && strings.Contains(strings.ToLower(s), "except")
}

// Head reads "Type: message" or a type alone, behind what runtimes put before it.
func Head(s string) (typ, message string, ok bool) {
	s = strings.TrimSpace(s)
	for _, before := range [...]string{"Uncaught ", "Unhandled exception. ", "[cause]: ", "Caused by: ", "---> "} {
		s = strings.TrimPrefix(s, before)
	}
	if after, found := strings.CutPrefix(s, "Exception in thread "); found {
		if _, s, ok = strings.Cut(after[min(1, len(after)):], `" `); !ok {
			return "", "", false
		}
	}
	if inner, found := strings.CutSuffix(s, "] {"); found && s[0] == '[' { // Node's of an error that has no calls of its own
		s = inner[1:]
	}
	typ, message, _ = strings.Cut(s, ":")
	typ = strings.TrimSuffix(strings.TrimSuffix(typ, " "), " {")                            // .NET's tests have a space before the colon
	if name, code, found := strings.Cut(typ, " ["); found && strings.HasSuffix(code, "]") { // TypeError [ERR_X]: text
		typ = name
	}
	return typ, strings.TrimSpace(message), IsType(typ)
}

// errorWithin finds "… SomeError: message" inside of a line.
func errorWithin(s string) (typ, message string, ok bool) {
	for from := 0; ; {
		before, _, found := strings.Cut(s[from:], ": ")
		if !found {
			return "", "", false
		}
		at := from + len(before)
		begin := strings.LastIndexAny(s[:at], " \t(|") + 1
		if word := s[begin:at]; IsType(word) {
			if typ, message, named := Head(s[at+2:]); named && word == "Exception" { // Exception: RuntimeError: text
				return typ, message, true
			}
			return word, strings.TrimSpace(s[at+2:]), true
		}
		from = at + 2
	}
}

// bracketedWithin finds "[SomeError: message] {" at the end of a line, as Node prints an error that has no calls of its own.
func bracketedWithin(s string) (typ, message string, ok bool) {
	if !strings.HasSuffix(s, "] {") {
		return "", "", false
	}
	for from := strings.IndexByte(s, '['); from >= 0 && !ok; {
		if typ, message, ok = Head(s[from:]); ok {
			break
		}
		next := strings.IndexByte(s[from+1:], '[')
		if next == -1 {
			break
		}
		from += next + 1
	}
	return typ, message, ok
}

// Named reports whether a line names an error that calls may follow: "SomeError: message", or that behind other words.
func Named(s string) bool {
	_, _, ok := Head(s)
	if !ok {
		_, _, ok = errorWithin(s)
	}
	return ok
}

// runtimes are those whose errors are read. The first one that fits a text and reads it is taken.
var runtimes = [...]struct {
	fits func(text string) bool
	read func(typ, text string) (Thrown, bool)
}{
	{isPytest, pytestError},
	{isRubyTraceback, rubyError},
	{isPython, pythonError},
	{isPythonCalls, pythonCalls},
	{isRich, richTraceback},
	{isGoroutine, goCalls},
	{isGoPanic, goPanic},
	{isGoRace, goRace},
	{isGoRecovered, goRecovered},
	{isGin, ginPanic},
	{isChi, chiPanic},
	{isGoPairs, goPairs},
	{isRust, rustPanic},
	{isRustError, rustError},
	{isPHP, phpError},
	{isPHPUnit, phpUnitError},
	{isSymfonyBox, symfonyBox},
	{isElixir, elixirError},
	{isDart, dartError},
	{isSanic, sanicError},
	{isLua, luaError},
	{isAt, atError},
	{isRuby, rubyError},
	{isThrown, thrownValue},
}

// Read reads an exception from a text of several lines. A type that the sender names need not look like one; "" is not
// known.
func Read(typ, text string) (Thrown, bool) {
	for _, r := range runtimes {
		if !r.fits(text) {
			continue
		}
		if x, ok := r.read(typ, text); ok {
			return x, true
		}
	}
	return Thrown{}, false
}

// add appends a call, within the bound.
func (x *Thrown) add(f event.StackFrame) {
	if len(x.Stack) < maxStack {
		x.Stack = append(x.Stack, f)
	}
}

// cause appends a cause, within the bound, and returns where its calls are kept; nil where there is no room.
func (x *Thrown) cause(typ, message string) *[]event.StackFrame {
	if len(x.Causes) >= maxCauses {
		return nil
	}
	x.Causes = append(x.Causes, event.ErrorCause{Type: typ, Message: message})
	return &x.Causes[len(x.Causes)-1].Stack
}

// placeOf splits "/srv/a.rb:3" and "/srv/a.rs:6:92" into file, line and column.
func placeOf(s string) (file string, line, column int) {
	file = s
	for _, into := range [...]*int{&column, &line} {
		before, number, found := cutLast(file, ":")
		n, err := strconv.Atoi(number)
		if !found || err != nil {
			break
		}
		*into, file = n, before
	}
	if line == 0 {
		line, column = column, 0
	}
	return file, line, column
}

func inApp(file string) bool {
	for _, part := range [...]string{
		"node_modules", "site-packages", "dist-packages", "/lib/python", "/go/src/", "/pkg/mod/", "<frozen", "/usr/lib/",
		"/gasoline_sdk/",                                            // also where it is run from its sources
		"/node-gasoline.cjs", " generated ", "-gen-", " internals>", // names that libraries give to functions they make
	} {
		if strings.Contains(file, part) {
			return false
		}
	}
	return !strings.HasPrefix(file, "node:") && file != "native" && file != "<anonymous>" && file != "Native Method"
}

func libraryCall(function string) bool {
	function = function[strings.LastIndexByte(function, '/')+1:] // the loader and the module: app//, java.base/
	for _, part := range [...]string{
		"java.", "javax.", "jakarta.", "jdk.", "sun.", "org.springframework.", "org.apache.", "System.", "Microsoft.",
		"org.h2.", "org.hibernate.", "org.flywaydb.", "com.zaxxer.hikari.", "org.postgresql.", "com.mysql.", "org.junit.", "io.netty.", "io.vertx.",
		"org.eclipse.jetty.", "io.javalin.", "io.micronaut.", "io.quarkus.", "io.ktor.", "kotlin.", "kotlinx.", "scala.", "akka.", "play.api.", "org.jboss.", "ch.qos.logback.",
		"io.undertow.", "io.helidon.", "io.dropwizard.", "io.smallrye.", "io.grpc.", "io.lettuce.", "reactor.", "org.glassfish.", "org.gradle.", "org.testng.",
		"org.mockito.", "org.hamcrest.", "org.slf4j.", "org.mybatis.", "org.thymeleaf.", "com.fasterxml.", "com.google.", "com.mongodb.", "okhttp3.", "retrofit2.",
		"feign.", "groovy.", "org.codehaus.groovy.", "clojure.", "cats.effect.", "zio.", "oracle.", "com.sun.", "software.amazon.", "com.amazonaws.",
		"Npgsql.", "MySqlConnector.", "Serilog.", "Newtonsoft.", "Dapper.", "MediatR.", "Grpc.", "Hangfire.", "NUnit.", "Xunit.",
	} {
		if strings.HasPrefix(function, part) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isName reports whether a word may name a type.
func isName(s string) bool {
	if s == "" || len(s) > 120 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("_.-$/", c) < 0 {
			return false
		}
	}
	return true
}
