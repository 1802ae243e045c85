package launch

import (
	"net/url"
	"strings"
)

// Identity is what the environment tells the child.
type Identity struct {
	Service   string // service.name
	Instance  string // service.instance.id
	URL       string // of the daemon
	Token     string // for OpenTelemetry's exporters; "" when there is none
	TokenFile string // with the same, for our own SDKs
}

// Environment returns the environment with what OpenTelemetry's SDKs and our own need to find the daemon. What is
// set already stays. The token is left out when the environment sends OpenTelemetry's data anywhere else.
func Environment(env []string, id Identity) []string {
	set := map[string]string{}
	elsewhere := false
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		set[name] = value
		if strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && strings.HasSuffix(name, "ENDPOINT") && value != "" {
			elsewhere = true
		}
	}
	out := append([]string(nil), env...)
	add := func(name, value string) {
		if set[name] == "" {
			out = append(out, name+"="+value)
		}
	}
	if !elsewhere {
		add("OTEL_EXPORTER_OTLP_ENDPOINT", id.URL)
		add("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
		if id.Token != "" {
			add("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+url.PathEscape("Bearer "+id.Token))
		}
	}
	add("OTEL_SERVICE_NAME", id.Service)
	if resource := set["OTEL_RESOURCE_ATTRIBUTES"]; !strings.Contains(resource, "service.instance.id=") {
		if resource != "" {
			resource += ","
		}
		out = append(out, "OTEL_RESOURCE_ATTRIBUTES="+resource+"service.instance.id="+url.PathEscape(id.Instance))
	}
	add("OTEL_BSP_SCHEDULE_DELAY", "200")
	add("OTEL_BLRP_SCHEDULE_DELAY", "200")
	add("OTEL_LOGS_EXPORTER", "otlp")
	add("OTEL_METRICS_EXPORTER", "none")
	add("OTEL_TRACES_SAMPLER", "parentbased_always_on")
	add("GASOLINE_URL", id.URL)
	if id.TokenFile != "" {
		add("GASOLINE_TOKEN_FILE", id.TokenFile)
	}
	add("GASOLINE_SESSION", id.Instance)
	return out
}

// InstanceOf returns the service.instance.id that an environment sets, or "".
func InstanceOf(env []string) string {
	for _, e := range env {
		if list, ok := strings.CutPrefix(e, "OTEL_RESOURCE_ATTRIBUTES="); ok {
			for pair := range strings.SplitSeq(list, ",") {
				if v, ok := strings.CutPrefix(strings.TrimSpace(pair), "service.instance.id="); ok {
					if plain, err := url.PathUnescape(v); err == nil {
						return plain
					}
					return v
				}
			}
		}
	}
	return ""
}
