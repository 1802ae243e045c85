package gasoline

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// SessionHeader is the header by which a developer's own requests are known in production.
const SessionHeader = "Gasoline-Session"

const sessionLasts = time.Hour

// Sign returns the value of [SessionHeader] for the next hour: "1.<end>.<mac>", where end is a Unix time in seconds and
// mac the hex HMAC-SHA256 of "gasoline-session 1\n<end>" by the token.
func Sign(token string, now time.Time) string {
	end := strconv.FormatInt(now.Add(sessionLasts).Unix(), 10)
	return "1." + end + "." + sessionMAC(token, end)
}

func sessionMAC(token, end string) string {
	mac := hmac.New(sha256.New, []byte(token))
	_, _ = mac.Write([]byte("gasoline-session 1\n" + end)) // never fails
	return hex.EncodeToString(mac.Sum(nil))
}

// signed reports whether a value was made by who knows the token, and is valid now.
func signed(value, token string, now time.Time) bool {
	parts := strings.Split(value, ".")
	if token == "" || len(value) > 128 || len(parts) != 3 || parts[0] != "1" {
		return false
	}
	end, err := strconv.ParseUint(parts[1], 10, 62) // without a sign
	if err != nil || len(parts[1]) > 12 || int64(end) < now.Unix() || int64(end) > now.Add(sessionLasts+time.Minute).Unix() {
		return false
	}
	return hmac.Equal([]byte(parts[2]), []byte(sessionMAC(token, parts[1])))
}

// own reports whether a request is the developer's own. Only in production somebody asks.
func (c *Client) own(r *http.Request) bool {
	token, _ := c.token()
	return signed(r.Header.Get(SessionHeader), token, time.Now())
}
