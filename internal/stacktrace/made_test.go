package stacktrace_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/stacktrace"
)

// The first call of the program's own is none of a library's, also where the library's is in no file, and none of an SDK's.
func TestCallsThatAreNobodysOwn(t *testing.T) {
	for text, want := range map[string]string{
		"Traceback (most recent call last):\n  File \"/app/app.py\", line 52, in order\n    session.commit()\n" +
			"  File \"<sqlalchemy generated warned() wrapper>\", line 2, in warned\n" +
			"  File \"<attrs generated init shop.Order>\", line 2, in __init__\n  File \"<decorator-gen-12>\", line 2, in commit\n" +
			"  File \"<__array_function__ internals>\", line 180, in where\n" +
			"  File \"/root/.gasoline/python/ab12/gasoline_sdk/_sql.py\", line 9, in run\n" +
			"sqlalchemy.exc.IntegrityError: boom": "/app/app.py",
		"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nKeyError: 'x'": "<string>",
		"TypeError: boom\n    at Socket.emit (/root/.gasoline/preload/node-gasoline.cjs:10:22612)\n" +
			"    at file:///app/src/a.mjs:7:37": "file:///app/src/a.mjs",
		"DatabaseError: duplicate key\n    at /app/node_modules/pg/lib/client.js:545:17\n" +
			"    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n" +
			"    at async file:///app/src/hono.ts:7:37": "file:///app/src/hono.ts",
	} {
		x, ok := stacktrace.Read("", text)
		got := ""
		for _, call := range x.Stack {
			if call.InApp {
				got = call.URL
				break
			}
		}
		if !ok || got != want {
			t.Errorf("%s\nis of %q, not %q", text, got, want)
		}
	}
}
