package observe

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

func TestMediaAreToldByWhatCameByWhoAskedAndByName(t *testing.T) {
	for _, c := range []struct {
		content, by, url string
		status           int
		want             bool
	}{
		{"image/png", "fetch", "/logo", 200, true},
		{"text/css; charset=utf-8", "link", "/a", 200, true},
		{"Font/woff2", "css", "/a", 200, true},
		{"application/font-woff", "css", "/a", 200, true},
		{"video/mp4", "video", "/a", 206, true},
		{"application/json", "fetch", "/photo.png", 200, false},
		{"text/html", "img", "/logo.png", 404, true},
		{"text/html", "fetch", "/photo.png", 404, false},
		{"", "fetch", "/logo.png?v=1", 0, true},
		{"", "fetch", "/api/pay", 0, false},
		{"", "img", "/tracker", 0, true},
		{"text/html", "navigation", "/", 500, false},
		{"", "script", "/app.js", 0, false},
		{"", "", "://", 0, false},
	} {
		e := &event.Exchange{ContentType: c.content, URL: "http://a" + c.url, Status: c.status, Initiator: event.Initiator{Type: c.by}}
		if c.url == "://" {
			e.URL = c.url
		}
		if got := isMedia(e); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
