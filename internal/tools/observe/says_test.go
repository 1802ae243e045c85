package observe

import "testing"

func TestABodySaysThatItFailed(t *testing.T) {
	for body, want := range map[string]string{
		`{"success":false}`:                                                  "success: false",
		`{"Success":0,"Error":"No such coupon"}`:                             "success: false",
		`{"ok":0,"error":"not_authed"}`:                                      "ok: false",
		`{"success":"no","error":"No such coupon"}`:                          "error",
		`{"success":"false"}`:                                                "success: false",
		`{"data":null,"errors":[{"message":"x"}]}`:                           "errors",
		`[{"data":{}},{"errors":[{"message":"x"}]}]`:                         "errors",
		`[{"jsonrpc":"2.0","error":{"code":-32601}}]`:                        "error",
		"{\"token\":\"a\"}\n{\"error\":\"overloaded\"}\n":                    "error",
		`{"data":{"create":{"order":null,"userErrors":[{"message":"No"}]}}}`: "errors",
		`{"data":{"create":{"errors":["Title can't be blank"]}}}`:            "errors",
		`{"status":"fail"}`:                                                  "status: fail",
		`{"status":403,"message":"Forbidden"}`:                               "status: 403",
		`{"status":"ok","errors":[],"error":null}`:                           "",
		`{"status":200,"message":"Saved"}`:                                   "",
		`{"status":404}`:                                                     "",
		`{"data":{"stats":{"errors":5}},"success":true}`:                     "",
		`{"data":{"create":{"errors":[]}}}`:                                  "",
		`{"data":[1,2]}`:                                                     "",
		`[]`:                                                                 "",
		`[1,"error"]`:                                                        "",
		`error: no`:                                                          "",
		``:                                                                   "",
	} {
		if got := saysFailed(body); got != want {
			t.Errorf("%s says %q, want %q", body, got, want)
		}
	}
}

func FuzzABodyIsReadForWhatItSays(f *testing.F) {
	for _, body := range []string{`{"success":0}`, `[{"errors":[1]}]`, `{"data":{"a":{"errors":[1]}}}`, "{}\n[", `null`} {
		f.Add(body)
	}
	f.Fuzz(func(_ *testing.T, body string) { saysFailed(body) })
}
