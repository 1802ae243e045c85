package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

const (
	maxAnswer = 16 << 20 // bytes of one answer
	maxReason = 64 << 10 // bytes of an answer that says why there is none
	maxSecret = 64 << 10 // bytes of a file with a credential
)

// Auth are the options by which an adapter's requests are let in. The secret itself is never in a project's file.
type Auth struct {
	User      string `json:"user,omitempty" doc:"user name of basic authentication; the token is its password"`
	TokenEnv  string `json:"token_env,omitempty" doc:"environment variable of the daemon that has the token"`
	TokenFile string `json:"token_file,omitempty" doc:"file that has the token"`
}

// Client asks one HTTP server and no other: redirects that leave it are not followed. Make it with NewClient.
type Client struct {
	// Reason returns the part of a refusal's body, at most 64 KiB, that says why. nil: all of it. It is set before the first request.
	Reason func(body []byte) []byte

	base *url.URL
	auth Auth
	env  Env
	http *http.Client
}

// NewClient returns a client of the server at an http or https URL. Its error is a problem invalid_param.
func NewClient(base string, auth Auth, env Env) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, problem.New(problem.InvalidParam, "Write it as http://127.0.0.1:3100.", "url is no http or https URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, problem.New(problem.InvalidParam, "Name the variable that has the token in token_env, or a file in "+
			"token_file.", "url must have no credential, query and fragment")
	}
	secret := auth.TokenEnv != "" || auth.TokenFile != ""
	if secret && u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, problem.New(problem.InvalidParam, "Use https.", "a token would go to %s unencrypted", u.Host)
	}
	if auth.TokenEnv != "" && auth.TokenFile != "" {
		return nil, problem.New(problem.InvalidParam, "Leave out one of the two.", "token_env and token_file are both given")
	}
	if auth.User != "" && !secret {
		return nil, problem.New(problem.InvalidParam, "Give token_env or token_file.", "user has no password")
	}
	c := &Client{base: u, auth: auth, env: env}
	transport := env.Transport
	if transport == nil {
		// No proxy: what the user configured is the only host that is connected to.
		transport = &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if r.URL.Scheme != u.Scheme || r.URL.Host != u.Host {
			return fault(Invalid, "%s redirects to another host, %s, which is not followed", u.Host, r.URL.Host)
		}
		if len(via) >= 5 {
			return fault(Invalid, "%s redirects again and again", u.Host)
		}
		return nil
	}}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Host returns the name of the server's machine, "" where that is this one.
func (c *Client) Host() string {
	if loopback(c.base.Hostname()) {
		return ""
	}
	return c.base.Hostname()
}

// Uses is what requests use.
func (c *Client) Uses() Uses {
	u := Uses{Hosts: []string{c.base.Scheme + "://" + c.base.Host}}
	switch {
	case c.auth.TokenEnv != "":
		u.Secrets = []Secret{{Variable: c.auth.TokenEnv}}
	case c.auth.TokenFile != "":
		u.Secrets = []Secret{{File: c.env.Path(c.auth.TokenFile)}}
	}
	return u
}

// Credential names what the server accounts by.
func (c *Client) Credential() string {
	return c.base.Scheme + "://" + c.base.Host + " " + c.auth.User + " " + c.auth.TokenEnv + " " + c.auth.TokenFile
}

// Get returns the body of an answer 200, and how long the server wants no other request. Errors are a [*Fault] and ctx's.
func (c *Client) Get(ctx context.Context, path string, query url.Values, header http.Header) (
	body []byte, pause time.Duration, _ error,
) {
	pause, err := c.ask(ctx, http.MethodGet, path, query, header, func(answer io.Reader) (err error) {
		if body, err = io.ReadAll(io.LimitReader(answer, maxAnswer+1)); len(body) > maxAnswer {
			f := fault(Invalid, "an answer of %s has more than %d MiB", c.base.Host, maxAnswer>>20)
			f.Bytes = int64(len(body))
			return f
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return body, pause, nil
}

// Post sends a form, and has read take the body of an answer 200 as it comes; read bounds it, and what it leaves is not
// waited for. An error of read is returned when it is a [*Fault]; any other counts as an answer that broke off. The rest is as
// of Get.
func (c *Client) Post(ctx context.Context, path string, form url.Values, header http.Header, read func(io.Reader) error) (
	pause time.Duration, _ error,
) {
	return c.ask(ctx, http.MethodPost, path, form, header, read)
}

func (c *Client) ask(
	ctx context.Context, method, path string, values url.Values, header http.Header, read func(io.Reader) error,
) (pause time.Duration, _ error) {
	u := *c.base
	u.Path = strings.TrimSuffix(u.Path, "/") + path
	var form io.Reader
	if method == http.MethodPost {
		form = strings.NewReader(values.Encode())
	} else {
		u.RawQuery = values.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), form)
	if err != nil {
		return 0, fault(Invalid, "the request cannot be made: %v", err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if err := c.sign(r); err != nil {
		return 0, err
	}
	answer, err := c.http.Do(r)
	if err != nil {
		var f *Fault
		switch {
		case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
			return 0, ctx.Err()
		case errors.As(err, &f):
			return 0, f
		}
		var failed *url.Error // its text has the query, which may be long
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return 0, fault(Unavailable, "%s does not answer: %v", c.base.Host, err)
	}
	defer answer.Body.Close() // it was read, or is not wanted
	now := c.now()
	if answer.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(io.LimitReader(answer.Body, maxReason)) // the status says enough without
		if c.Reason != nil {
			reason = c.Reason(reason)
		}
		return 0, faultOf(answer, withoutCredential(reason, r), now)
	}
	if err := read(answer.Body); err != nil {
		var f *Fault
		switch {
		case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
			return 0, ctx.Err()
		case errors.As(err, &f):
			return 0, f
		}
		return 0, fault(Unavailable, "the answer of %s broke off: %v", c.base.Host, err)
	}
	if answer.Header.Get("X-RateLimit-Remaining") == "0" {
		pause = resetOf(answer.Header, now)
	}
	return pause, nil
}

func (c *Client) now() time.Time {
	if c.env.Now != nil {
		return c.env.Now()
	}
	return time.Now()
}

// sign adds the credential, read anew so that one that was renewed is used.
func (c *Client) sign(r *http.Request) error {
	token := ""
	switch {
	case c.auth.TokenEnv != "":
		if token = os.Getenv(c.auth.TokenEnv); token == "" {
			return &Fault{Kind: Refused, Text: "the environment variable " + c.auth.TokenEnv + " of the daemon is empty",
				Fix: "Set it and start the daemon again, or use token_file."}
		}
	case c.auth.TokenFile != "":
		path := c.env.Path(c.auth.TokenFile)
		f, err := c.env.Open(path)
		if err != nil {
			return &Fault{Kind: Refused, Text: "the token cannot be read: " + err.Error(), Fix: "Correct token_file."}
		}
		data, err := io.ReadAll(io.LimitReader(f, maxSecret))
		_ = f.Close() // it was only read
		if token = strings.TrimSpace(string(data)); err != nil || token == "" {
			return &Fault{Kind: Refused, Text: "the file " + path + " has no token", Fix: "Correct token_file."}
		}
	default:
		return nil
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		return &Fault{Kind: Refused, Text: "the token has characters that no token has", Fix: "Give one line of text."}
	}
	if c.auth.User != "" {
		r.SetBasicAuth(c.auth.User, token)
	} else {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

// withoutCredential takes what sign added out of a refusal, which may repeat it.
func withoutCredential(reason []byte, r *http.Request) []byte {
	_, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	_, password, _ := r.BasicAuth()
	for _, s := range [...]string{secret, password} {
		if s != "" {
			reason = bytes.ReplaceAll(reason, []byte(s), []byte("…"))
		}
	}
	return reason
}

// faultOf says what an answer that is not 200 means.
func faultOf(a *http.Response, body []byte, now time.Time) *Fault {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 300)]), "")), " ")
	f := fault(Unavailable, "%s answers %d", a.Request.URL.Host, a.StatusCode)
	if text != "" {
		f.Text += ": " + text
	}
	f.HTTP = a.StatusCode
	f.After = cmp.Or(retryAfter(a.Header, now), resetOf(a.Header, now))
	switch {
	case a.StatusCode == http.StatusTooManyRequests:
		f.Kind = Throttled
		f.After = max(f.After, firstPause)
	case a.StatusCode == http.StatusUnauthorized || a.StatusCode == http.StatusForbidden:
		f.Kind, f.Fix = Refused, "Correct the credential that gasoline.json names for it."
	case a.StatusCode == http.StatusGone:
		f.Kind = Expired
	case a.StatusCode == http.StatusRequestTimeout:
	case a.StatusCode < http.StatusInternalServerError:
		f.Kind, f.Fix = Invalid, "Correct the source in gasoline.json."
	}
	return f
}

// retryAfter reads the header of that name: seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	v := h.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		return bounded(time.Duration(min(n, 7200)) * time.Second)
	}
	if at, err := http.ParseTime(v); err == nil && at.After(now) {
		return bounded(at.Sub(now))
	}
	return 0
}

// resetOf reads X-RateLimit-Reset: seconds from now, or since 1970.
func resetOf(h http.Header, now time.Time) time.Duration {
	n, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset"), 64)
	if err != nil || n <= 0 {
		return 0
	}
	if n > 1e9 {
		return bounded(time.Unix(int64(min(n, 1e15)), 0).Sub(now))
	}
	return bounded(time.Duration(min(n, 7200) * float64(time.Second)))
}

// bounded keeps a server from switching a source off for good.
func bounded(d time.Duration) time.Duration { return min(max(d, 0), time.Hour) }

// Stringer of a client's place, without secrets.
func (c *Client) String() string {
	return fmt.Sprintf("%s://%s%s", c.base.Scheme, c.base.Host, c.base.Path)
}
