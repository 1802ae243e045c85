package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// What stands behind a secret of a document is read as before: which quotes are its own is not forgotten.
func TestBehindASecretOfADocument(t *testing.T) {
	checkMarked(t, taught("json", `{"pin":"1234567890123456"}`), "json",
		`{"a":"«ghp_`+strings.Repeat("q7Rt", 9)+`»","n":«1234567890123456»}`,
		`{"a":"{\"value\":«123»,\"name\":\"password\"}","n":«1234567890123456»}`,
		`[identified by "«hunter22»",«1234567890123456»]`,
		`{"pin":«12»\u0034}`,
	)
	spanning := taught("header:X-Api-Key", `hunter22","x9`)
	checkMarked(t, spanning, "json", `{"a":"hunter22","x9":1}`, `{"a":"see «hunter22\",\"x9» there"}`)
	number := taught("json", `{"pin":"1234567890123456"}`)()
	if got := number.Body(`[identified by "hunter22",1234567890123456]`,
		""); got != `[identified by "<secret#2>","<secret#1>"]` {
		t.Errorf("a number behind a statement became %s", got)
	}
	page := taught("text", "typed "+redact.Mask("password", "4929123412341234567", "salt"))
	if got := page().Body(`{"a":4929123412341234567}`, ""); got != `{"a":"<password#1>"}` {
		t.Errorf("a number that a page masked became %s", got)
	}
	r := redact.New(redact.Rules{})
	r.Text("pin=1234567890123456")
	for i := range redact.MaxPseudonyms {
		r.Text(fmt.Sprintf("password=p%d", i))
	}
	if got := r.Body(`{"n":1234567890123456}`, ""); !strings.HasPrefix(got, `{"n":"<secret#`) {
		t.Errorf("a number whose pseudonym was forgotten became %s", got)
	}
}

// A value that may be none is read in full where its beginning may be secret, however long the text goes on.
func TestOpaqueValuesOfLongQueries(t *testing.T) {
	rest := "&x=" + strings.Repeat("y", 600)
	checkMarked(t, builtIn, "url", "/cb?code=«a1b2c3d4»"+rest, "/cb?code=abc"+rest, "/cb?code="+rest,
		"/cb?a=b&state=«a1b2c3d4»"+rest)
	checkMarked(t, builtIn, "text", "GET /cb?code=«a1b2c3d4»"+rest)
}

// Values beside others that look like theirs.
func TestNeighboursOfSecrets(t *testing.T) {
	checkMarked(t, builtIn, "json", `{"name":"password","valueOf":"yes","value":"«hunter22»"}`)
	checkMarked(t, builtIn, "text",
		"<input name=\"password\"\tvalue=\"«hunter22»\">", `{"cookie": «a=1»}`, "x password=$PASSWORD", "x sid=12",
		"x password=getPassword()",
		"«AKIAZZ0011223344XYZW» password=«hunter22»", "«AKIAZZ0011223344XYZW» and \\npassword=«hunter22»",
	)
	checkMarked(t, builtIn, "form", "credentials:\n  url: token=«a1,b2»\n")
	checkMarked(t, taught("json", `{"pin":"1234567890123456"}`), "text", "/reset/«1234567890123456»/a1b2c3d4")
	checkMarked(t, taught("header:Cookie", "theme=hunter22 abc"), "text", "see hunter22 abc there")
	checkMarked(t, taught("text", "typed "+redact.Mask("password", "hunter22!", "salt")), "text", "see «hunter22!»x")
	got := builtIn().Text("curl -u ann:hunter22 x; curl -u bob:hunter33 x; curl -u ann:hunter22 x")
	if want := "curl -u <credentials#1> x; curl -u <credentials#2> x; curl -u <credentials#1> x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What a body of plain text taught is looked for in what the batch had before it.
func TestPlainBodiesTeachABatch(t *testing.T) {
	first := &event.Log{Message: "using " + wellKnown}
	answer := &event.Exchange{ResponseBody: "password=" + wellKnown, ContentType: "text/plain"}
	found := redact.New(redact.Rules{}).Batch(event.Batch{first, answer})
	if strings.Contains(first.Message+answer.ResponseBody, "Zebra") || len(found) == 0 {
		t.Errorf("%q, %q, findings %v", first.Message, answer.ResponseBody, found)
	}
}
