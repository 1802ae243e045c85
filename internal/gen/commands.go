package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/brennhill/gasoline/internal/command"
)

// commands writes what the extension knows of the kinds of commands: the validators of their params,
// the handler of each in the worker, and the operation of each in the page.
//
// A kind's handler is extension/commands/<kind>.ts, and its operation extension/dom-agent/act/<kind>.ts
// or read/<kind>.ts; both export the kind's name in camel case. A kind that works in the page and has no
// handler of its own is passed on to its operation. Of a question there is dom-agent/inspect/<kind>.ts and nothing else.
func commands(root string, files map[string][]byte) error {
	var schemas, handlers, handlerImports, operations, operationImports, questions, questionImports, types []string
	results := map[string]bool{}
	var params []any
	for _, k := range command.Kinds() {
		params = append(params, k.Params)
	}
	checks := newValidators(params)
	for _, k := range command.Kinds() {
		schemas = append(schemas, fmt.Sprintf("  %s: %s,", k.Name, checks.schema(k.Params)))
		name := camel(k.Name)
		own := exists(root, "extension/commands", k.Name)
		switch {
		case own:
			handlerImports = append(handlerImports, fmt.Sprintf(`import { %s } from "./%s.ts";`, name, k.Name))
			handlers = append(handlers, member(k.Name, name))
		case k.Needs(command.Inspects):
			handlers = append(handlers, fmt.Sprintf("  %s: inspects(%q),", k.Name, k.Name))
		case k.Needs(command.InPage) && k.Needs(command.Mutates):
			handlers = append(handlers, fmt.Sprintf("  %s: acts(%q),", k.Name, k.Name))
		case k.Needs(command.InPage):
			handlers = append(handlers, fmt.Sprintf("  %s: reads(%q),", k.Name, k.Name))
		default:
			return fmt.Errorf(
				"command %s has no handler: write extension/commands/%s.ts, which exports %s",
				k.Name,
				k.Name,
				name,
			)
		}
		if !k.Needs(command.InPage) {
			continue
		}
		folder := "act"
		switch {
		case k.Needs(command.Inspects):
			folder = "inspect"
		case !k.Needs(command.Mutates):
			folder = "read"
		}
		if !exists(root, "extension/dom-agent/"+folder, k.Name) {
			return fmt.Errorf(
				"command %s has no operation in the page: write extension/dom-agent/%s/%s.ts, which exports %s",
				k.Name,
				folder,
				k.Name,
				name,
			)
		}
		result := "Acted"
		if !k.Needs(command.Mutates) {
			result = tsName(reflect.TypeOf(k.Result))
			results[result] = true
		}
		if k.Needs(command.Inspects) {
			result = "Asked<" + result + ">"
			operations = append(operations, fmt.Sprintf("  %s: inspect(%q),", k.Name, k.Name))
			questionImports = append(questionImports, fmt.Sprintf(`import { %s } from "./%s.ts";`, name, k.Name))
			questions = append(questions, member(k.Name, name))
		} else {
			operations = append(operations, member(k.Name, name))
			operationImports = append(operationImports, fmt.Sprintf(`import { %s } from "./%s/%s.ts";`, name, folder, k.Name))
		}
		params := tsName(reflect.TypeOf(k.Params))
		results[params] = true
		types = append(types, fmt.Sprintf("  %s: { params: %s; result: %s };", k.Name, params, result))
	}
	list := func(lines []string) string { return strings.Join(lines, "\n") }
	files["extension/commands/params.gen.ts"] = []byte(
		header + fmt.Sprintf(`import type { CommandKind } from "@gasoline/schema/commands";
import * as v from "valibot";

%s

/** What the params of every kind must be. Members that are not known are dropped, so that a newer daemon can add some. */
export const SCHEMAS = {
%s
} satisfies Record<CommandKind, v.GenericSchema>;
`, list(checks.consts), list(schemas)),
	)
	files["extension/commands/registry.gen.ts"] = []byte(
		header + fmt.Sprintf(`import type { CommandKind } from "@gasoline/schema/commands";
import { acts, reads } from "./act.ts";
import type { Handler } from "./handler.ts";
import { inspects } from "./inspect.ts";
%s

/** The handler of every kind that the daemon may send. */
export const HANDLERS: { [K in CommandKind]: Handler<K> } = {
%s
};
`, list(handlerImports), list(handlers)),
	)
	files["extension/dom-agent/inspect/questions.gen.ts"] = []byte(header + fmt.Sprintf(`%s

/** The answer of a document to every question. */
export const QUESTIONS = {
%s
};
`, list(questionImports), list(questions)))
	files["extension/dom-agent/operations.gen.ts"] = []byte(header + fmt.Sprintf(`%s
import { inspect } from "./inspect.ts";

/** The operation of every kind that works in the page. */
export const KINDS = {
%s
};
`, list(operationImports), list(operations)))
	names := make([]string, 0, len(results))
	for _, k := range command.Kinds() { // in the order of the kinds, each once
		for _, t := range []reflect.Type{reflect.TypeOf(k.Params), reflect.TypeOf(k.Result)} {
			if name := tsName(t); results[name] {
				names = append(names, "  "+name+",")
				delete(results, name)
			}
		}
	}
	files["extension/messages/operations.gen.ts"] = []byte(header + fmt.Sprintf(`import type {
%s
} from "@gasoline/schema/commands";
import type { Acted, Asked } from "./agent.ts";

/** The kinds that work in the page: what goes into the document, what comes out. */
export interface KindOps {
%s
}
`, list(names), list(types)))
	return nil
}

func exists(root, folder, kind string) bool {
	_, err := os.Stat(filepath.Join(root, folder, kind+".ts"))
	return err == nil
}

// member is a member of an object whose value is a variable.
func member(key, variable string) string {
	if key == variable {
		return "  " + key + ","
	}
	return "  " + key + ": " + variable + ","
}

// camel is a kind's name as TypeScript exports it: wait_for becomes waitFor.
func camel(kind string) string {
	words := strings.Split(kind, "_")
	for i := 1; i < len(words); i++ {
		words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
	}
	return strings.Join(words, "")
}
