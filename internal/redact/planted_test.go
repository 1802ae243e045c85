package redact_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// secrets are put together at run time, so that no scanner of repositories takes them for real.
func secrets() map[string]string {
	return map[string]string{
		"aws":       "AKIA" + "ZZ0011223344XYZW",
		"github":    "ghp_" + strings.Repeat("q7Rt", 9),
		"gitlab":    "glpat-" + strings.Repeat("k3Lm", 5),
		"slack":     "xoxp-" + "99887766-" + strings.Repeat("tU5", 6),
		"openai":    "sk-" + strings.Repeat("pQ9z", 10),
		"anthropic": "sk-ant-" + strings.Repeat("vW8", 10),
		"stripe":    "rk_live_" + strings.Repeat("h6J", 8),
		"google":    "AIza" + strings.Repeat("nB4", 12),
		"jwt":       "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiJzdXBlcnNlY3JldHN1YmplY3QifQ." + "c2lnc2lnc2lnc2lnc2lnc2ln",
	}
}

func TestPlantedSecretsNeverSurvive(t *testing.T) {
	planted := 0
	var all []string
	plant := func(format string, value string) string {
		planted++
		all = append(all, value)
		return fmt.Sprintf(format, value)
	}
	unique := func() string { return fmt.Sprintf("Plant%dedValue%d", planted*7+1000, planted) }
	s := secrets()
	b := event.Batch{}

	log := event.Log{Head: event.Head{PageURL: plant("http://localhost:3000/cb?access_token=%s&tab=1", unique())}}
	log.Message = strings.Join([]string{
		plant("password: %s", unique()), plant("db https://root:%s@db.local/x", unique()), plant("key=%s;", s["aws"]),
		plant(
			"push %s",
			s["github"],
		), plant("<b>%s</b>", s["gitlab"]), plant("(%s)", s["slack"]), plant("'%s'", s["openai"]),
		plant("x,%s", s["anthropic"]), plant("[%s]", s["stripe"]), plant("m:%s", s["google"]), plant("t %s.", s["jwt"]),
		plant(
			"Authorization: Bearer %s",
			unique(),
		), plant("card %s!", "5555 5555 5555 4444"), plant("ssn %s", "219-09-9999"),
		plant("Cookie: a=1; connect.sid=%s; b=2", "s%3A"+unique()), plant("signing material key: %s",
			"c3VwZXIvc2VjcmV0K2tleS9mb3Ivc2lnbmluZy9uMDE="),
		plant("path\\n%s", s["aws"]), plant("enc token%%3D%s%%26x", unique()),
	}, "\n")
	log.Args = "[" + strings.Join([]string{
		plant(`{"password":%q}`, unique()), plant(`{"pin":%s}`, "90817263"), plant(`{"deep":[{"clientSecret":%q}]}`,
			unique()),
		plant(`"{\"api_key\":\"%s\"}"`, unique()), plant(`{"token":[%q,"x"]}`, unique()), plant(`{"p\u0061ssword":%q}`,
			unique()),
		plant(`{"credentials":{"user":"ann","k":%q}}`, unique()), plant(`{"name":"otp","value":%q}`, unique()),
		plant(`"\u003d%s"`, s["aws"]),
		plant(`{"raw":"{\"a\":\"{\\\"secret\\\":\\\"%s\\\"}\"}"}`, unique()),
	}, ",") + "]"
	log.Stack = []event.StackFrame{{Function: "login", URL: plant("http://localhost/app.js?api_key=%s", unique())}}
	b = append(b, &log)

	b = append(b, &event.Exception{
		Message: plant(
			"refused token=%s",
			unique(),
		), RawStack: plant("Error: x\n at f (http://l/?sid=%s:1:2)", unique()),
		Causes: []event.ErrorCause{{Message: plant("bearer %s", unique()+"0")}},
	})
	b = append(b, &event.Exchange{
		URL: plant("https://api.local/v1?sig=%s", unique()),
		RequestHeaders: []event.Header{
			{
				Name:  "Authorization",
				Value: plant("Bearer %s", unique()),
			}, {Name: "Cookie", Value: plant("sid=%s; theme=dark",
				unique())},
			{Name: "X-API-Key", Value: plant("%s", unique())}, {Name: "X-My-Session-Id", Value: plant("%s", unique())},
			{Name: "Content-Type", Value: "application/x-www-form-urlencoded"},
		},
		ResponseHeaders: []event.Header{
			{Name: "Set-Cookie", Value: plant("__Host-s=%s; Path=/; Secure", unique())}, {Name: "Location",
				Value: plant("/in#id_token=%s", unique())},
			{Name: "X-Debug", Value: plant("was %s", s["github"])},
		},
		RequestBody: plant("user=ann&pass%%77ord=%s&x=1", unique()) + plant("&passwd=%s", "a%26"+unique()),
		ResponseBody: plant(
			`{"user":{"id":1,"refreshToken":%q}}`,
			unique(),
		), Redirects: []string{plant("/a?csrf_token=%s",
			unique())},
		Error: plant("net: secret=%s", unique()),
	})
	b = append(b, &event.Message{URL: plant("wss://l/ws?jwt=%s", s["jwt"]), Data: plant(`{"type":"auth","token":%q}`,
		unique())})
	b = append(
		b,
		&event.Action{Type: "input", Name: "Password", Value: plant("%s", unique())},
		&event.Action{Type: "input", Locators: []event.Locator{{Kind: "id", Value: "card-number"}}, Value: plant("%s",
			"4242 4242")},
		&event.Action{
			Type:  "navigate",
			ToURL: plant("/reset?token=%s", unique()),
			Text:  plant("Your key: %s", s["stripe"]),
		},
	)
	b = append(b, &event.DOM{Changes: []string{plant("text #out: → token: %s", unique())},
		Text: plant("Your password is: %s", unique())})
	b = append(b, &event.Lifecycle{ToURL: plant("/x?secret=%s", unique()), Title: plant("%s", s["github"])})
	b = append(b, &event.Performance{URL: plant("/p?apikey=%s", unique()),
		LCP: event.Vital{Attribution: plant(`{"url":"/i?token=%s"}`, unique())}})
	b = append(b, &event.ResourceTiming{URL: plant("/i.png?X-Amz-Signature=%s", unique())})
	b = append(b, &event.ExtensionLog{Message: plant("paired with token %s", unique()), Data: plant(`{"token":%q}`,
		unique())})
	b = append(b, &event.Mark{Label: plant("run with API_KEY=%s", unique())})

	r := redact.New(redact.Rules{})
	r.Batch(b)
	text := printed(b)
	if planted < 60 {
		t.Errorf("only %d secrets were planted", planted)
	}
	for _, secret := range all {
		if strings.Contains(text, secret) {
			t.Errorf("%q survived in:\n%s", secret, text)
		}
	}
	for _, e := range b {
		kind, h := e.Kind(), e.Base()
		if h.Flags&event.Redacted == 0 {
			t.Errorf("a %v is not flagged as redacted", kind)
		}
	}
	for _, f := range r.Findings() {
		for _, secret := range all {
			if strings.Contains(f.Place+f.Kind, secret) {
				t.Errorf("finding %+v tells a secret", f)
			}
		}
	}
	r.Batch(b)
	if again := printed(b); again != text {
		t.Errorf("the second pass changed\n%s\nto\n%s", text, again)
	}
}

// printed shows all that the events of a batch hold.
func printed(b event.Batch) string {
	var out strings.Builder
	for _, e := range b {
		fmt.Fprintf(&out, "%+v\n", reflect.ValueOf(e).Elem())
	}
	return out.String()
}

// Whoever adds a text to an event has to redact it: every string that can be reached is filled with a secret.
func TestEveryStringIsRedacted(t *testing.T) {
	secret := secrets()["github"]
	for _, k := range event.Kinds() {
		e := event.New(k)
		fill(reflect.ValueOf(e).Elem(), secret)
		redact.New(redact.Rules{}).Batch(event.Batch{e})
		check(t, reflect.ValueOf(e).Elem(), k.String(), secret)
	}
}

// idsOnly are fields that the dialects validate as hexadecimal.
var idsOnly = map[string]bool{"TraceID": true, "SpanID": true, "Half": true}

func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), s)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), s)
			}
		}
	}
}

func check(t *testing.T, v reflect.Value, path, secret string) {
	switch v.Kind() {
	case reflect.String:
		if strings.Contains(v.String(), secret) {
			t.Errorf("%s kept a secret", path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			check(t, v.Index(i), path, secret)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !idsOnly[f.Name] {
				check(t, v.Field(i), path+"."+f.Name, secret)
			}
		}
	}
}
