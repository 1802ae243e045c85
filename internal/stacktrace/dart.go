package stacktrace

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
)

func isDart(text string) bool {
	return strings.Contains(text, "#0  ") && strings.Contains(text, ".dart")
}

// dartError reads an error of Dart: its calls are "#0      Cart.pay (package:shop/cart.dart:12:5)".
func dartError(typ, text string) (x Thrown, ok bool) {
	var before []string
	for row := range strings.SplitSeq(text, "\n") {
		number, call, found := strings.Cut(strings.TrimSpace(row), " ")
		function, place, placed := cutLast(call, " (")
		if !found || len(number) < 2 || number[0] != '#' || strings.Trim(number[1:], "0123456789") != "" || !placed {
			if len(x.Stack) == 0 {
				before = append(before, row)
			}
			continue
		}
		file, line, column := placeOf(strings.TrimSuffix(place, ")"))
		x.add(event.StackFrame{
			Function: strings.TrimSpace(function), URL: file, Line: line, Column: column,
			InApp: !strings.HasPrefix(file, "dart:") && !strings.HasPrefix(file, "package:flutter/"),
		})
	}
	if len(before) > 0 && strings.HasPrefix(before[0], "Unhandled exception:") {
		before = before[1:]
	}
	x.Type, x.Message = typ, strings.TrimSpace(strings.Join(before, "\n"))
	if t, m, found := Head(x.Message); found {
		x.Type, x.Message = t, m
	} else if x.Type == "" {
		x.Type = "Exception"
	}
	return x, len(x.Stack) > 0
}
