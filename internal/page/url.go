package page

import (
	"errors"
	"net/url"
	"strings"
)

// ParseURL reads an address as browsers do: a percent sign that stands for itself, as in /50%off, is no fault.
func ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	var escape url.EscapeError
	if !errors.As(err, &escape) {
		return u, err
	}
	var whole strings.Builder
	for i, c := range []byte(raw) {
		if whole.WriteByte(c); c == '%' && (i+2 >= len(raw) || !isHex(raw[i+1]) || !isHex(raw[i+2])) {
			whole.WriteString("25")
		}
	}
	if u, wrong := url.Parse(whole.String()); wrong == nil && !strings.Contains(u.Host, "%") {
		return u, nil
	}
	return nil, err
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
