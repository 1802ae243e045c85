package integration_test

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	gasoline "github.com/brennhill/gasoline/sdk/go"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
)

var stock map[string]int

// reserve panics by the runtime, order by a value.
func reserve() { stock["a"] = 1 }
func order()   { panic("out of stock") }

func onChi(c *gasoline.Client) http.Handler {
	r := chi.NewRouter()
	r.Use(middleware.Recoverer)
	r.Get("/reserve", func(http.ResponseWriter, *http.Request) { reserve() })
	r.Get("/order", func(http.ResponseWriter, *http.Request) { order() })
	r.With(c.Handler).Get("/inside", func(http.ResponseWriter, *http.Request) { order() })
	r.Get("/fails", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	return r
}

func onGin(*gasoline.Client) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	r := gin.New()
	r.Use(gin.RecoveryWithWriter(io.Discard))
	r.GET("/reserve", func(*gin.Context) { reserve() })
	r.GET("/order", func(*gin.Context) { order() })
	return r
}

func onEcho(*gasoline.Client) http.Handler {
	e := echo.New()
	e.Logger.SetOutput(io.Discard)
	e.Use(echomiddleware.Recover())
	e.GET("/reserve", func(echo.Context) error { reserve(); return nil })
	e.GET("/order", func(echo.Context) error { order(); return nil })
	return e
}

func TestPanicsThatFrameworksRecoverFromAreRecorded(t *testing.T) {
	middleware.DefaultLogger = nil
	log.SetOutput(io.Discard)
	client, c, _ := open(t)
	ask := func(app http.Handler, path string) (s span, exception map[string]string) {
		answer := httptest.NewRecorder()
		client.Handler(app).ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
		if err := client.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		spans := c.take()
		if len(spans) != 1 || answer.Code < 500 || len(spans[0].Events) > 1 {
			t.Fatalf("%s: %d %+v", path, answer.Code, spans)
		}
		exception = map[string]string{}
		for _, e := range spans[0].Events {
			for _, a := range e.Attributes {
				exception[a.Key] = a.Value.StringValue
			}
		}
		return spans[0], exception
	}
	for name, of := range map[string]func(*gasoline.Client) http.Handler{"chi": onChi, "gin": onGin, "echo": onEcho} {
		app := of(client)
		for path, want := range map[string]string{"/reserve": ": assignment to entry in nil map", "/order": ""} {
			s, exception := ask(app, path)
			message, place, _ := strings.Cut(exception["exception.message"], " (")
			function := "integration_test." + path[1:]
			if exception["exception.type"] != "panic" || !strings.HasSuffix(message, function) ||
				!strings.HasPrefix(place, "frameworks_test.go:") || !strings.HasSuffix(place, want) || s.Status.Code != 2 {
				t.Errorf("%s %s: %v", name, path, exception)
			}
			_, first, _ := strings.Cut(exception["exception.stacktrace"], "\n")
			if !strings.Contains(strings.SplitN(first, "\n", 2)[0], function) {
				t.Errorf("%s %s: %s", name, path, exception["exception.stacktrace"])
			}
		}
	}
	app := onChi(client)
	if _, exception := ask(app, "/inside"); !strings.Contains(exception["exception.message"], "out of stock") {
		t.Errorf("inside of who recovers the value is known: %v", exception)
	}
	if _, exception := ask(app, "/fails"); len(exception) != 0 {
		t.Errorf("an answer without a panic: %v", exception)
	}
}

// Who wraps chi's router sees another request than the one that chi writes its pattern on.
func TestRequestsThatChiRoutesAreNamedByItsPattern(t *testing.T) {
	client, c, _ := open(t)
	r := chi.NewRouter()
	r.Use(client.Handler)
	r.Get("/reserve/{id}", func(http.ResponseWriter, *http.Request) {})
	r.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/reserve/17", nil))
	if err := client.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if spans := c.take(); len(spans) != 1 || spans[0].Name != "GET /reserve/{id}" {
		t.Errorf("%+v", spans)
	}
}
