package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// Lists of secrets, as code, dumps, documents, forms and people write them.
func TestListsOfSecrets(t *testing.T) {
	const a, b = "«zQ7aNbYcSU4k1»", "«Pw9xTrLm2Qd»"
	for _, name := range []string{"tokens", "TOKENS", "bot_tokens", "cookies"} {
		in := func(lines ...string) (out []string) {
			for _, line := range lines {
				out = append(out, strings.NewReplacer("tokens", name, "$a", a, "$b", b).Replace(line))
			}
			return out
		}
		checkMarked(t, builtIn, "json", in(
			`{"tokens":["$a"]}`, `{"tokens": [ "$a", "$b" ], "n": 2}`, `{"x":{"tokens":[["$a"],["$b"]]}}`, `{"tokens":{"a":"$a","b":"$b"}}`,
			`{"tokens":[{"name":"ci","x":"$a"},{"name":"cd","x":"$b"}]}`, `{"tokens":"$a"}`, `{"tokens":"$a $b"}`, `{"tokens":["abc","$a"`,
			`["tokens",["$a","$b"]]`, `["the tokens:",["$a"],1]`, `["tokens",{"x":"$a"}]`, `["tokens: %o",["$a"]]`, `{"name":"tokens","value":["$a"]}`,
			`{"m":"{\"tokens\":[\"$a\",\"$b\"]}"}`, `{"m":"tokens: [$a, $b]"}`,
		)...)
		checkMarked(t, builtIn, "text", in(
			"tokens=[$a, $b]", "tokens=['$a','$b']", "tokens=$a,$b", "tokens: $a, $b", "tokens: $a", "tokens $a", "tokens=$a;$b x",
			"tokens:\n  - $a\n  - \"$b\"\nx: zR8bOcZdTV5m2", "tokens = ($a $b)", `tokens=("$a" "$b")`, "tokens={$a,$b}", "map[tokens:[$a $b]]",
			`tokens:[]string{"$a", "$b"}`, "{ tokens: [\n    '$a',\n    '$b'\n  ] }", "{ tokens: Set(2) { '$a', '$b' } }", "{ tokens: new Set(['$a']) }",
			"{ tokens: Map(1) { 'x' => '$a' } }", "{'tokens': ('$a', '$b')}", `{:tokens=>["$a"]}`, "[tokens] => Array\n(\n    [0] => $a\n    [1] => $b\n)\n",
			"array('tokens' => array('$a','$b'))", "tokens[0]=$a tokens[1]=$b", "Config(tokens=['$a'], n=1)", "tokens are $a and $b", "found tokens [$a, $b]",
			"found tokens ['$a']", "<tokens><item>$a</item><item>$b</item></tokens>", "x,tokens\n1,$a\n", "| x | tokens |\n|---|---|\n| 1 | $a |",
			"INSERT INTO t (x, tokens) VALUES ('x', '$a')",
		)...)
		checkMarked(t, builtIn, "url", in(
			"/a?tokens[]=$a&tokens[]=$b", "/a?tokens%5B0%5D=$a&q=1", "/a?tokens=$a&tokens=$b",
		)...)
	}
	checkMarked(t, builtIn, "url", "/a?tokens=«zQ7aNbYcSU4k1%2CPw9xTrLm2Qd»", "/a?tokens=«%5B%22zQ7aNbYcSU4k1%22%5D»&q=1")
	// Of names that say more, any item.
	for _, name := range []string{"secrets", "passwords", "access_tokens", "refreshTokens", "api_keys"} {
		checkMarked(t, builtIn, "text",
			name+"=«abc,def»", name+": «abcde,fghij; x2y3z4», and so on", name+" = «(abc def)»", name+"=«(\"abc\" \"def\")»", name+`:«[]string{"abc"}»`,
			name+": «Set(1) { 'abc' }»", name+" are «abc123 and def456»", "["+name+"] => «Array\n(\n    [0] => abc\n)»\n", "<"+name+"><x>«abcde2fgh»</x></"+name+">",
		)
		checkMarked(t, builtIn, "json", `["`+name+`",["«abcde2fgh»"]]`, `{"`+name+`":«["abc"]»,"x":[]}`)
	}
}

// What else lists with these names hold: what a model counts, words, types, designs, and nothing.
func TestListsOfOtherThings(t *testing.T) {
	checkMarked(t, builtIn, "json",
		`{"usage":{"prompt_tokens":1234567,"tokens":[12,44,15339],"cached_tokens":0}}`, `{"tokens":["Hello"," world","▁The","Ġquick","##ing"]}`,
		`{"tokens":[{"type":"Identifier","value":"x1","start":0}]}`, `{"tokens":["SELECT","id1","users_2024","utf8mb4"]}`, `{"tokens":{"total":5123456,"used":"80%"}}`,
		`{"tokens":[{"id":12,"created_at":"2026-11-27T10:00:00.000Z","uuid":"550e8400-e29b-41d4-a716-446655440000","scopes":["read_api"]}]}`,
		`{"tokens":{"color-primary-500":"#3b82f6","spacing-4":"1rem"}}`, `{"cookies":{"theme":"dark","consent":"2024-05-01"}}`, `{"tokens":"128000k"}`,
		`{"secrets":[],"passwords":{},"session_ids":[]}`,
	)
	checkMarked(t, builtIn, "text",
		"tokens: 512", "tokens=1234567 cost=0.01", "tokens: 1.2k in, 3.4k out", "tokens=[12 44 15339]", "tokens: [CLS], hello", "max_tokens: 128k",
		"tokens (4.57 ms per token, 218.71 tokens per second)", "let tokens: Vec<Token> = lexer.collect();", "tokens: list[str] = []",
		"def encode(self, tokens: List[int]) -> str:", `tokens = tokenizer.encode("hello world")`, "tokens: color.primary.500, spacing.md",
		"tokens:\n  - 12\n  - name: ci\n", "secrets: []", "secrets: inherit", "secrets (see docs/secrets.md)", "passwords (at least 8 characters)", "cookies=3",
		"model,tokens\ngpt-4o,812\n", "| model | tokens |\n|---|---|\n| claude3 | 1,204 |\n", "access_tokens: 3", "table access_tokens has 12 rows",
	)
	checkMarked(t, builtIn, "url", "/a?max_tokens=1000000&tokens=hello")
}

// A value that is known is found as other programs write it.
func TestKnownValuesAsTheyAreWritten(t *testing.T) {
	for _, value := range []string{"zQ7aNbYcSU4k1", "p@ss Word/9x+Q", "8ff58a2f614d456f9d27ff632ff2b0fc", `a"b\c7 Dé9!`} {
		document, err := json.Marshal(map[string]string{"password": value})
		if err != nil {
			t.Fatal(err)
		}
		raw := []byte(value)
		digits := hex.EncodeToString(raw)
		for _, written := range []string{
			value, base64.RawStdEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(raw), digits, strings.ToUpper(digits), "0x" + digits,
			strings.ToUpper(value), url.QueryEscape(value), url.PathEscape(value),
		} {
			checkMarked(t, taught("json", string(document)), "text", "see «"+written+"», and so on", "x=«"+written+"»\n", "[«"+written+"»]")
		}
		every := ""
		for _, c := range raw {
			every += "%" + hex.EncodeToString([]byte{c})
		}
		if out := clean(taught("json", string(document))(), "text", "x="+every); strings.Contains(out, every) {
			t.Errorf("%s is left", out)
		}
	}
	// What a value is in small letters may be a word.
	checkMarked(t, taught("json", `{"password":"Checkout-1"}`), "text", "see checkout-1 there")
}
