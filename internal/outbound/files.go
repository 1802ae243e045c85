package outbound

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/page"
)

// File is what a server gave for an address, without the user's cookies.
type File struct {
	Verdict   Verdict // OK: it came whole; else as of links
	Why       string  // a sentence; "" where the verdict says it all
	Type      string  // Content-Type
	Shared    string  // Access-Control-Allow-Origin
	Lasting   bool    // the server says that it never changes
	Size      int64   // bytes, decoded
	Integrity string  // of all bytes: sha384- and base64, as Subresource Integrity has it
	Body      []byte  // its beginning
}

// maxFile is how many bytes of a file are read, and perFile how long that may take.
const (
	maxFile = 64 << 20
	perFile = 30 * time.Second
)

// Files fetches files, as a page of the origin asks for a script that it checks. got is called for one file at a time, with
// its place among the URLs and at most keep bytes of its body. Its error is that of the user's list.
func (c *Client) Files(ctx context.Context, urls []string, origin string, keep int, o Options, got func(n int, f File)) error {
	k, err := c.checker(o)
	if err != nil {
		return err
	}
	defer k.http.CloseIdleConnections()
	k.each(urls, o.Workers, func(n int) func() {
		f := k.file(ctx, urls[n], origin, keep)
		return func() { got(n, f) }
	})
	return nil
}

// file fetches a file, through redirects to what may be asked for, too.
func (k *checker) file(ctx context.Context, raw, origin string, keep int) File {
	if ctx.Err() != nil {
		return File{Verdict: Unchecked, Why: "the time was up"}
	}
	u, err := page.ParseURL(raw)
	if err != nil {
		return File{Verdict: Broken, Why: "it is no URL"}
	}
	first := u
	for range maxHops + 1 {
		at, err := originOf(u)
		may, ok := reach{}, false
		if err == nil {
			may, ok = k.allows(at)
		}
		if !ok {
			var l Link
			l.refused(first, u, at, err)
			return File{Verdict: l.Verdict, Why: l.Why}
		}
		f, to, err := k.bytes(context.WithValue(ctx, reachKey{}, may), u, origin, keep)
		if err != nil {
			var l Link
			l.failed(ctx, err)
			return File{Verdict: l.Verdict, Why: l.Why}
		}
		if to == nil {
			return f
		}
		u = u.ResolveReference(to)
	}
	return File{Verdict: Broken, Why: "it redirects again and again"}
}

// bytes reads an answer; to is where it leads instead, nil nowhere.
func (k *checker) bytes(ctx context.Context, u *url.URL, origin string, keep int) (f File, to *url.URL, _ error) {
	ctx, cancel := context.WithTimeout(ctx, perFile)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return f, nil, err
	}
	r.Header.Set("User-Agent", k.client.Agent)
	r.Header.Set("Accept", "*/*")
	if at, err := originOf(u); err == nil && origin != at.String() {
		r.Header.Set("Origin", origin)
	}
	got, err := k.http.RoundTrip(r)
	if err != nil {
		return f, nil, err
	}
	defer got.Body.Close() // what is wanted was read
	if place := got.Header.Get("Location"); got.StatusCode >= 300 && got.StatusCode < 400 && place != "" {
		to, err := page.ParseURL(place)
		if err != nil {
			return File{Verdict: Broken, Why: "it redirects to what is no URL"}, nil, nil
		}
		return f, to, nil
	}
	if got.StatusCode != http.StatusOK {
		return File{Verdict: Broken, Why: fmt.Sprintf("the server answers %d", got.StatusCode)}, nil, nil
	}
	f = File{
		Verdict: OK, Type: got.Header.Get("Content-Type"), Shared: got.Header.Get("Access-Control-Allow-Origin"),
		Lasting: strings.Contains(strings.ToLower(got.Header.Get("Cache-Control")), "immutable"),
	}
	sum := sha512.New384()
	begin := &beginning{most: keep}
	f.Size, err = io.Copy(io.MultiWriter(sum, begin), io.LimitReader(got.Body, maxFile+1))
	switch {
	case err == nil && f.Size > maxFile:
		return File{Verdict: Unsure, Why: fmt.Sprintf("it has more than %d MB", maxFile>>20)}, nil, nil
	case err != nil && errors.Is(err, context.DeadlineExceeded):
		return f, nil, err
	case err != nil:
		return File{Verdict: Broken, Why: "its answer broke off"}, nil, nil
	}
	f.Integrity, f.Body = "sha384-"+base64.StdEncoding.EncodeToString(sum.Sum(nil)), begin.data
	return f, nil, nil
}

// beginning keeps the first bytes of what is written to it.
type beginning struct {
	most int
	data []byte
}

func (b *beginning) Write(p []byte) (int, error) {
	b.data = append(b.data, p[:min(len(p), b.most-len(b.data))]...)
	return len(p), nil
}
